"use strict";
// The facts of a lake page as columns, how their values are written, and which rows a selection leaves.
globalThis.lakePage = { DASH: "–", FILTERS: ["sysplex", "system", "workload", "class"] };

(() => {
  const { DASH, FILTERS } = lakePage;
  const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const two = (n) => String(n).padStart(2, "0");

  // Times of reports are local and without a zone: they are counted as if in UTC, so that no clock change moves them.
  lakePage.clock = (axisStart) => {
    const origin = Date.parse(axisStart + "Z") / 1000;
    const date = (s) => new Date((origin + s) * 1000);
    const day = (s) => `${DAYS[date(s).getUTCDay()]} ${date(s).getUTCDate()} ${MONTHS[date(s).getUTCMonth()]}`;
    const hour = (s) => `${two(date(s).getUTCHours())}:${two(date(s).getUTCMinutes())}`;
    return {
      day,
      hour,
      date: (s) => day(s).replace(/^\w+ /, ""),
      moment: (s) => `${day(s)} ${hour(s)}`,
      iso: (s) => date(s).toISOString().slice(0, 19),
      minute: (s) => date(s).toISOString().slice(0, 16),
      seconds: (text) => Date.parse(text + "Z") / 1000 - origin,
      hourOfDay: (s) => date(s).getUTCHours(),
      isWeekend: (s) => [0, 6].includes(date(s).getUTCDay()),
      // Days are counted from midnight, also where the axis starts later.
      dayNumber: (s) => Math.floor((s + (((origin % 86400) + 86400) % 86400)) / 86400),
      dayStart: (n) => n * 86400 - (((origin % 86400) + 86400) % 86400),
    };
  };

  // Runs are a value, how often it follows itself, the next value, and so on.
  function unrolled(runs) {
    const values = [];
    for (let n = 0; n < runs.length; n += 2) for (let many = runs[n + 1]; many > 0; many--) values.push(runs[n]);
    return values;
  }

  // A text column has its distinct names once; times are differences; numbers count their last decimal. What is not known is null there
  // and NaN here.
  function column(packed, clock) {
    const { kind, decimals } = packed;
    if (kind === "text") {
      const at = Int32Array.from(unrolled(packed.runs));
      const text = (i) => (at[i] < 0 ? DASH : packed.names[at[i]]);
      return { ...packed, at, text, raw: (i) => (at[i] < 0 ? null : packed.names[at[i]]) };
    }
    if (kind === "time") {
      let last = 0;
      const values = Float64Array.from(unrolled(packed.runs), (v) => (v === null ? NaN : (last += v)));
      const isDaily = values.every((v) => !(v >= 0) || clock.hour(v) === "00:00");
      const write = isDaily ? clock.day : clock.moment;
      const text = (i) => (Number.isNaN(values[i]) ? DASH : write(values[i]));
      return { ...packed, values, isDaily, write, text, raw: (i) => (Number.isNaN(values[i]) ? null : clock.iso(values[i])) };
    }
    const one = 10 ** decimals;
    const values = Float64Array.from(packed.values, (v) => (v === null ? NaN : v / one));
    const format = new Intl.NumberFormat("en-GB", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    const write = (v) => {
      const digits = format.format(Math.abs(v));
      return v < 0 && /[1-9]/.test(digits) ? "−" + digits : digits;
    };
    const text = (i) => (Number.isNaN(values[i]) ? DASH : write(values[i]));
    return { ...packed, values, write, text, raw: (i) => (Number.isNaN(values[i]) ? null : values[i]) };
  }

  lakePage.section = (packed, clock) => {
    const columns = packed.columns.map((c) => column(c, clock));
    const byName = new Map(columns.map((c) => [c.name, c]));
    return { ...packed, columns, of: (name) => byName.get(name) };
  };

  // What is printed for several systems together names them all: "SYSA,SYSB".
  const parts = (filter, name) => (filter === "system" ? name.split(",") : [name]);

  // A section may have systems without their sysplex, or classes without their workload: other sections say which belong together.
  lakePage.owners = (sections) => {
    const owners = {};
    for (const [child, parent] of [["system", "sysplex"], ["class", "workload"]]) {
      const found = (owners[parent] = { child, of: new Map() });
      for (const section of sections) {
        const [of, by] = [child, parent].map((f) => section.of(section.filters[f]));
        if (of?.kind !== "text" || by?.kind !== "text") continue;
        const seen = new Set();
        for (let i = 0; i < section.count; i++) {
          if (of.at[i] < 0 || by.at[i] < 0) continue;
          const pair = of.at[i] * by.names.length + by.at[i];
          if (seen.has(pair)) continue;
          seen.add(pair);
          for (const name of parts(child, of.names[of.at[i]])) {
            if (!found.of.has(name)) found.of.set(name, new Set());
            found.of.get(name).add(by.names[by.at[i]]);
          }
        }
      }
    }
    return owners;
  };

  // The test of one filter for a row, or null where the rows of a section know nothing of it.
  function testOf(section, filter, value, owners) {
    const own = section.of(section.filters[filter]);
    const owner = owners[filter];
    const child = owner && section.of(section.filters[owner.child]);
    const hasOwn = own?.kind === "text" && own.names.length > 0;
    const hasChild = child?.kind === "text" && child.names.some((n) => parts(owner.child, n).some((p) => owner.of.has(p)));
    if (!hasOwn && !hasChild) return null;
    const wanted = hasOwn ? own.names.map((n) => n === value || parts(filter, n).includes(value)) : [];
    // A name that several have is nobody's: two sysplexes may each have a SYS1.
    const isOwned = (name) => owner.of.get(name)?.size === 1 && owner.of.get(name).has(value);
    const owned = hasChild ? child.names.map((n) => parts(owner.child, n).some(isOwned)) : [];
    return (i) => (hasOwn && own.at[i] >= 0 ? wanted[own.at[i]] : hasChild && child.at[i] >= 0 && owned[child.at[i]]);
  }

  // Systems whose rows name no sysplex, and that the selected one and others have: their rows are not shown.
  function sharedNames(section, state, owners) {
    const { child, of } = owners.sysplex;
    const [own, names] = [section.of(section.filters.sysplex), section.of(section.filters[child])];
    if (state.sysplex === null || names?.kind !== "text") return [];
    const found = new Set();
    for (let i = 0; i < section.count; i++) {
      if (names.at[i] < 0 || (own?.kind === "text" && own.at[i] >= 0)) continue;
      for (const name of parts(child, names.names[names.at[i]])) if (of.get(name)?.size > 1 && of.get(name).has(state.sysplex)) found.add(name);
    }
    return [...found].sort();
  }

  // The rows that a selection leaves, the filters that the section knows nothing of, and whether rows of several systems are among them.
  lakePage.selected = (section, state, owners) => {
    const tests = [];
    const unknown = [];
    for (const name of FILTERS) {
      if (state[name] === null) continue;
      const test = testOf(section, name, state[name], owners);
      if (test) tests.push(test);
      else unknown.push(name);
    }
    const time = section.of(section.filters.time);
    if (state.from !== null || state.to !== null) {
      const from = state.from ?? -Infinity;
      const to = state.to ?? Infinity;
      if (time?.kind === "time") tests.push((i) => time.values[i] >= from && time.values[i] < to);
      else unknown.push("time");
    }
    const rows = [];
    for (let i = 0; i < section.count; i++) if (tests.every((test) => test(i))) rows.push(i);
    const systems = state.system !== null && section.of(section.filters.system);
    const isJoint = Boolean(systems) && systems.kind === "text" && rows.some((i) => systems.at[i] >= 0 && systems.names[systems.at[i]] !== state.system);
    return { rows, unknown, isJoint, shared: sharedNames(section, state, owners) };
  };

  // The rows by the value of a text column, in the order of their first row; "" has all.
  lakePage.grouped = (section, name, rows) => {
    const by = section.of(name);
    const groups = new Map();
    if (!by) return rows.length ? groups.set("", rows) : groups;
    for (const i of rows) {
      const key = by.text(i);
      if (groups.has(key)) groups.get(key).push(i);
      else groups.set(key, [i]);
    }
    return groups;
  };

  // The value of several rows that fall on one mark: a sum with a part that is not known is not known.
  lakePage.folded = (how, old, value) => {
    if (old === undefined) return value;
    if (how === "sum") return old + value;
    if (Number.isNaN(old)) return value;
    if (Number.isNaN(value)) return old;
    return Math.max(old, value);
  };

  // A round number at or above a value, for the top of a scale.
  lakePage.roundUp = (value) => {
    if (!(value > 0)) return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((n) => n * power >= value * (1 - 1e-9)) * power;
  };

  // Round numbers from one end of a scale to the other, about five, and the decimals that they need.
  lakePage.roundTicks = (foot, top) => {
    const rough = (0.8 * (top - foot)) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].find((n) => n * power >= rough * (1 - 1e-9)) * power;
    const values = [];
    for (let n = Math.ceil(foot / step - 1e-9) + 0; n * step <= top * (1 + 1e-9); n++) values.push(n * step);
    let decimals = 0;
    while (decimals < 8 && Math.abs(step - Number(step.toFixed(decimals))) > 1e-9 * step) decimals++;
    return { values, decimals };
  };

  // "5%", "12 MSU", "40/s".
  lakePage.withUnit = (text, unit) => (unit === "%" ? `${text}%` : unit.startsWith("1/") ? text + unit.slice(1) : unit ? `${text} ${unit}` : text);

  lakePage.element = (name, properties = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") made.className = value;
      else if (value !== null && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };

  lakePage.drawn = (name, attributes = {}, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
})();
