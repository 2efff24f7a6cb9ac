"use strict";
// The state of a lake page, {sysplex, system, workload, class, from, to}, stands in the address after #. Every picture and table shows what it
// selects; findings, names and the time brush change it.
lakePage.run = async (packed, tools) => {
  const { FILTERS, element, drawn, clock: makeClock } = lakePage;
  const clock = makeClock(packed.axis);
  const sections = packed.sections.map((s) => lakePage.section(s, clock));
  if (!sections.length) return;
  const owners = lakePage.owners(sections);
  const byId = (id) => document.getElementById(id);
  const NOTHING = { sysplex: null, system: null, workload: null, class: null, from: null, to: null };
  const [START, END] = packed.window;
  const HOUR = 3600;
  let state = { ...NOTHING };
  let paperWidth = 0;
  let wasDragged = false;
  let waiting = 0;

  // --- The address

  function fromHash() {
    const given = new URLSearchParams(location.hash.slice(1));
    const read = { ...NOTHING };
    for (const name of FILTERS) if (given.get(name)) read[name] = given.get(name);
    for (const name of ["from", "to"]) {
      const seconds = given.get(name) ? clock.seconds(given.get(name).length === 10 ? given.get(name) + "T00:00" : given.get(name)) : NaN;
      if (!Number.isNaN(seconds)) read[name] = Math.min(END, Math.max(START, seconds));
    }
    return inOrder(read);
  }

  function inOrder(read) {
    const known = { ...read };
    if (known.from !== null && known.from <= START) known.from = null;
    if (known.to !== null && known.to >= END) known.to = null;
    if (known.from !== null && known.to !== null && known.to <= known.from) known.to = known.from = null;
    return known;
  }

  function hashOf() {
    const words = new URLSearchParams();
    for (const name of FILTERS) if (state[name] !== null) words.set(name, state[name]);
    for (const name of ["from", "to"]) if (state[name] !== null) words.set(name, clock.minute(state[name]));
    return words.toString().replaceAll("%3A", ":");
  }

  function select(change, isPassing = false) {
    state = inOrder({ ...state, ...change });
    const hash = hashOf();
    const address = hash ? "#" + hash : location.pathname + location.search;
    if (isPassing) {
      // While a handle moves: no step of the history each, and one drawing a frame.
      history.replaceState(null, "", address);
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(show);
    } else {
      history.pushState(null, "", address);
      show();
    }
  }

  // --- What pictures ask of the page

  const whole = new Set();
  const modes = new Map();
  const watched = new Map();
  const tip = byId("tip");

  const host = {
    clock,
    select,
    get state() { return state; },
    get isPaper() { return paperWidth > 0; },
    window: () => [state.from ?? START, state.to ?? END],
    width: (place) => paperWidth || Math.max(240, Math.floor(place.getBoundingClientRect().width)),
    // The rows of the selection at all times.
    always: (section) => lakePage.selected(section, { ...state, from: null, to: null }, owners).rows,
    // The filter that a name of a column can be chosen for.
    filterOf: (section, column, name) => FILTERS.find((f) => section.filters[f] === column && packed.names[f].includes(name)),
    isWhole: (section) => whole.has(section.id),
    mode: (section, usual) => modes.get(section.id) ?? usual,
    setMode: (section, mode) => { modes.set(section.id, mode); draw(section); byId(`${section.id}-picture`).querySelector(".modes [aria-pressed=true]")?.focus(); },
    watch: (svg, about) => watched.set(svg, about),
    rove,
    dragged: () => wasDragged,
  };

  // One stop of the tab key for a group of buttons; arrows move within it.
  function rove(group) {
    const buttons = [...group.querySelectorAll("button")];
    buttons.forEach((button, n) => (button.tabIndex = n ? -1 : 0));
    group.addEventListener("keydown", (event) => {
      const at = buttons.indexOf(event.target.closest("button"));
      const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (at < 0 || to === undefined || !buttons[to]) return;
      event.preventDefault();
      for (const button of buttons) button.tabIndex = -1;
      buttons[to].tabIndex = 0;
      buttons[to].focus();
    });
  }

  // --- One cross hair in all pictures over time; dragging selects a stretch of it.

  function timeAt(svg, event) {
    const about = watched.get(svg);
    const box = svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * about.width;
    const share = (at - about.left) / (about.width - about.left - about.right);
    return about.from + Math.min(1, Math.max(0, share)) * (about.to - about.from);
  }

  function cross(t) {
    for (const [svg, about] of watched) {
      const line = svg.querySelector(".cross");
      line.setAttribute("visibility", t === null ? "hidden" : "visible");
      if (t === null) continue;
      const at = about.left + ((t - about.from) / (about.to - about.from)) * (about.width - about.left - about.right);
      line.setAttribute("x1", at);
      line.setAttribute("x2", at);
    }
  }

  function hint(svg, t, event) {
    const about = watched.get(svg);
    const found = about.values(t);
    const lines = found.map(([word, , v, column]) => `${word ? word + ": " : ""}${column ? (Number.isNaN(v) ? "not known" : lakePage.withUnit(column.write(v), column.unit)) : "there"}`);
    tip.replaceChildren(element("b", {}, about.title), element("span", {}, clock.moment(found[0]?.[1] ?? t)), ...(lines.length ? lines : ["no value"]).map((l) => element("span", {}, l)));
    tip.hidden = false;
    const wide = tip.offsetWidth;
    tip.style.left = `${Math.min(innerWidth - wide - 8, Math.max(8, event.clientX + 14))}px`;
    tip.style.top = `${Math.max(8, event.clientY - tip.offsetHeight - 12)}px`;
  }

  let drag = null;
  document.addEventListener("pointerdown", (event) => {
    const svg = event.target.closest?.("svg.time");
    wasDragged = false;
    if (svg && watched.has(svg) && event.button === 0) drag = { svg, from: timeAt(svg, event), x: event.clientX };
  });
  document.addEventListener("pointermove", (event) => {
    const svg = drag?.svg ?? event.target.closest?.("svg.time");
    if (!svg || !watched.has(svg)) {
      if (!tip.hidden) { tip.hidden = true; cross(null); }
      return;
    }
    const t = timeAt(svg, event);
    cross(t);
    hint(svg, t, event);
    if (drag && Math.abs(event.clientX - drag.x) > 5) {
      wasDragged = true;
      const about = watched.get(svg);
      svg.querySelector(".brushed")?.remove();
      const x = (s) => about.left + ((s - about.from) / (about.to - about.from)) * (about.width - about.left - about.right);
      const [a, b] = [Math.min(drag.from, t), Math.max(drag.from, t)];
      svg.append(drawn("rect", { class: "brushed", x: x(a), y: 0, width: x(b) - x(a), height: svg.viewBox.baseVal.height }));
    }
  });
  document.addEventListener("pointerup", (event) => {
    const { svg, from } = drag ?? {};
    drag = null;
    if (!svg || !wasDragged) return;
    svg.querySelector(".brushed")?.remove();
    const ends = [from, timeAt(svg, event)].sort((a, b) => a - b);
    const [a, b] = [Math.floor(ends[0] / HOUR) * HOUR, Math.ceil(ends[1] / HOUR) * HOUR];
    if (b > a) select({ from: a, to: b });
    // The click that ends a drag comes after this.
    setTimeout(() => (wasDragged = false));
  });

  // --- The bar of filters

  const bar = byId("filter");
  const chosen = byId("chosen");
  const TITLES = { sysplex: "Sysplex", system: "System", workload: "Workload", class: "Class" };
  const lists = {};
  for (const name of FILTERS) {
    if (packed.names[name].length < 2) continue;
    const list = element("select", { id: `filter-${name}` }, element("option", { value: "" }, `All ${packed.names[name].length.toLocaleString("en-GB")}`));
    for (const each of packed.names[name]) list.append(element("option", { value: each }, each));
    list.addEventListener("change", () => select({ [name]: list.value || null }));
    lists[name] = list;
    byId("lists").append(element("label", {}, TITLES[name], list));
  }
  const DAY = 86400;
  const SPANS = [["All", null], ["Last 7 days", 7], ["Last day", 1]].filter(([, n]) => n === null || n * DAY < END - START);
  const spans = SPANS.map(([text, days]) => {
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", () => select({ from: days === null ? null : END - days * DAY, to: null }));
    byId("spans").append(button);
    return [button, days];
  });
  byId("clear").addEventListener("click", () => { select(NOTHING); byId("filter-title").focus(); });

  // --- The time brush: two sliders over a scale of time.

  const brush = byId("brush");
  const STEP = END - START > 2 * DAY ? HOUR : 900;
  const handles = ["from", "to"].map((name) => {
    const handle = element("span", { role: "slider", tabindex: "0", class: `handle ${name}`, "aria-label": name === "from" ? "From" : "To", "aria-valuemin": START, "aria-valuemax": END });
    const move = (t) => {
      const [from, to] = host.window();
      const at = Math.round(t / STEP) * STEP;
      select(name === "from" ? { from: Math.max(START, Math.min(at, to - STEP)) } : { to: Math.min(END, Math.max(at, from + STEP)) }, true);
    };
    handle.addEventListener("keydown", (event) => {
      const [from, to] = host.window();
      const now = name === "from" ? from : to;
      const by = { ArrowLeft: -STEP, ArrowDown: -STEP, ArrowRight: STEP, ArrowUp: STEP, PageDown: -DAY, PageUp: DAY, Home: START - now, End: END - now }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      move(now + by);
    });
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      event.stopPropagation();
      handle.focus();
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const box = brush.getBoundingClientRect();
      move(START + ((event.clientX - box.left) / box.width) * (END - START));
    });
    brush.append(handle);
    return handle;
  });

  function drawBrush() {
    const width = Math.max(200, Math.floor(brush.getBoundingClientRect().width));
    const svg = drawn("svg", { viewBox: `0 0 ${width} 34`, "aria-hidden": "true", class: "time" });
    const x = (t) => ((t - START) / (END - START)) * width;
    const [from, to] = host.window();
    for (let day = clock.dayStart(clock.dayNumber(START)); day < END; day += DAY) {
      if (clock.isWeekend(day)) svg.append(drawn("rect", { x: x(Math.max(day, START)), y: 0, width: x(Math.min(day + DAY, END)) - x(Math.max(day, START)), height: 18, class: "weekend" }));
    }
    svg.append(drawn("line", { x1: 0, x2: width, y1: 18, y2: 18, class: "base" }));
    for (const [t, text] of lakePage.timeTicks(clock, START, END, width, 72)) {
      if (x(t) < width - 30) svg.append(drawn("line", { x1: x(t), x2: x(t), y1: 18, y2: 22, class: "base" }), drawn("text", { x: x(t), y: 33 }, text));
    }
    packed.happened.forEach((h) => {
      if (h.from === null || h.to === null) return;
      svg.append(drawn("rect", { x: x(h.from), y: 3, width: Math.max(3, x(h.to) - x(h.from)), height: 4, class: "happened" }));
    });
    svg.append(drawn("rect", { x: x(from), y: 0, width: Math.max(1, x(to) - x(from)), height: 18, class: "chosen" }));
    svg.append(drawn("line", { y1: 0, y2: 18, class: "cross", visibility: "hidden" }));
    host.watch(svg, { left: 0, right: 0, width, from: START, to: END, title: "Time", values: () => [] });
    brush.querySelector("svg")?.remove();
    brush.prepend(svg);
    handles.forEach((handle, n) => {
      const t = [from, to][n];
      handle.style.left = `${((t - START) / (END - START)) * 100}%`;
      handle.setAttribute("aria-valuenow", t);
      handle.setAttribute("aria-valuetext", clock.moment(t));
    });
  }

  // --- Findings

  const findings = [...document.querySelectorAll("button.finding")];
  const wanted = (n) => ({ ...NOTHING, ...packed.happened[n] });
  const same = (a, b) => Object.keys(NOTHING).every((k) => a[k] === b[k]);
  findings.forEach((button, n) => button.addEventListener("click", () => {
    const isOn = button.getAttribute("aria-pressed") === "true";
    select(isOn ? NOTHING : inOrder(wanted(n)));
  }));
  for (const link of document.querySelectorAll("a[data-section]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const n = link.dataset.finding;
      if (n !== undefined) select(inOrder(wanted(Number(n))));
      const title = byId(link.dataset.section);
      title.scrollIntoView();
      title.focus({ preventScroll: true });
    });
  }

  // --- Drawing

  const DRAW = { lines: lakePage.drawLines, bars: lakePage.drawBars, heat: lakePage.drawHeat, strip: lakePage.drawStrip };
  const tables = new Map();
  const found = new Map();
  for (const section of sections) {
    const time = section.chart.x.length ? section.of(section.chart.x[0]) : null;
    const step = time?.kind === "time" ? lakePage.usualStep(time.values) : HOUR;
    section.isDaily = Boolean(time?.isDaily) && step >= DAY;
    // Hours of several days that lie a day apart are still hours.
    section.step = section.isDaily ? step : Math.min(step, HOUR);
    tables.set(section.id, lakePage.table(section, byId(`${section.id}-rows`), tools));
  }

  function draw(section) {
    const { rows, unknown, isJoint, shared } = found.get(section.id);
    const note = byId(`${section.id}-filter`);
    const notes = [];
    if (unknown.length) notes.push(`Not filtered by ${unknown.join(" or ")}: these rows have none.`);
    if (isJoint) notes.push(`Rows that count ${state.system} together with other systems are shown.`);
    if (shared.length) notes.push(`Rows of ${shared.join(", ")} do not say which sysplex they are of, and are not shown.`);
    note.textContent = notes.join(" ");
    note.hidden = !notes.length;
    const place = byId(`${section.id}-picture`);
    if (!place) return;
    const words = byId(`${section.id}-words`);
    for (const svg of place.querySelectorAll("svg.time")) watched.delete(svg);
    const done = rows.length ? DRAW[section.chart.form](section, place, host, rows) : { sentence: "Nothing in this selection." };
    if (done.sentence) place.replaceChildren(element("p", { class: "nothing" }, done.sentence));
    words.textContent = done.words ?? "";
    const more = byId(`${section.id}-more`);
    more.hidden = !(done.more > 0) && !whole.has(section.id);
    more.textContent = whole.has(section.id) ? "Show fewer" : done.sentence ? `Show all ${done.more}` : `Show ${done.more} more`;
  }

  for (const section of sections) {
    byId(`${section.id}-more`)?.addEventListener("click", () => {
      if (!whole.delete(section.id)) whole.add(section.id);
      draw(section);
    });
  }

  function sayChosen() {
    const words = FILTERS.filter((n) => state[n] !== null).map((n) => {
      const isHere = packed.names[n].includes(state[n]);
      return `${TITLES[n].toLowerCase()} ${state[n]}${isHere ? "" : " (not on this page)"}`;
    });
    const [from, to] = host.window();
    const end = clock.hour(to) === "00:00" ? `end of ${clock.day(to - 1)}` : clock.moment(to);
    if (state.from !== null || state.to !== null) words.push(`${clock.moment(from)} to ${end}`);
    chosen.textContent = words.length ? `Selected: ${words.join(", ")}` : "All data are shown";
    byId("clear").disabled = !words.length;
    document.documentElement.toggleAttribute("data-filtered", words.length > 0);
    for (const [name, list] of Object.entries(lists)) list.value = state[name] ?? "";
    for (const [button, days] of spans) {
      const isOn = days === null ? state.from === null && state.to === null : state.from === END - days * DAY && state.to === null;
      button.setAttribute("aria-pressed", String(isOn));
    }
    findings.forEach((button, n) => button.setAttribute("aria-pressed", String(!same(state, NOTHING) && same(state, inOrder(wanted(n))))));
  }

  // A redrawn picture has new buttons: the one that had the focus gets it again.
  function keepFocus(redraw) {
    const old = document.activeElement;
    const place = old?.closest?.(".picture");
    const name = old?.getAttribute?.("aria-label") ?? old?.textContent;
    redraw();
    if (!place || old.isConnected) return;
    const again = [...place.querySelectorAll("button")].find((b) => (b.getAttribute("aria-label") ?? b.textContent) === name) ?? place.querySelector("button");
    if (again) { again.tabIndex = 0; again.focus({ preventScroll: true }); }
  }

  function drawAll() {
    watched.clear();
    drawBrush();
    for (const section of sections) draw(section);
  }

  function show() {
    sayChosen();
    for (const section of sections) found.set(section.id, lakePage.selected(section, state, owners));
    keepFocus(drawAll);
    for (const section of sections) tables.get(section.id).show(found.get(section.id).rows);
  }

  bar.hidden = false;
  // The picture comes first; what has none shows its table.
  for (const section of sections) byId(`${section.id}-table`).open = !byId(`${section.id}-picture`);
  state = fromHash();
  show();

  addEventListener("popstate", () => { state = fromHash(); show(); });
  let width = document.documentElement.clientWidth;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      if (document.documentElement.clientWidth === width || paperWidth) return;
      width = document.documentElement.clientWidth;
      keepFocus(drawAll);
    });
  });

  // Paper has its own width. Tables that are open are printed, their first rows.
  addEventListener("beforeprint", () => {
    paperWidth = 1000;
    drawAll();
    for (const table of tables.values()) table.print(true);
  });
  addEventListener("afterprint", () => {
    paperWidth = 0;
    drawAll();
    for (const table of tables.values()) table.print(false);
  });
};
