"use strict";
// Heat maps, strips and bars: a colour is a step with a meaning, and a cell says its number, so nothing depends on colour alone.
(() => {
  const { element, drawn, folded, grouped } = lakePage;
  const MOST_ROWS = 20;
  const HOUR = 3600;

  // 0 is good; 1 and more are the steps.
  const stepOf = (value, steps) => (Number.isNaN(value) ? -1 : steps.filter(([limit]) => value >= limit).length);
  // With one step it is the worse colour; with more the last ones share it.
  const shade = (step, steps) => (step < 0 ? "unknown" : step === 0 ? "good" : steps.length === 1 || step > 1 ? "bad" : "warn");

  function stepLegend(section, host, hasUnknown, last) {
    const { steps } = section.chart;
    const column = section.of(section.chart.value);
    const number = (v) => lakePage.withUnit(v.toLocaleString("en-GB", { maximumFractionDigits: 6 }), column.unit);
    const entries = steps.length ? [{ text: `below ${number(steps[0][0])}`, kind: "cell good" }] : [];
    steps.forEach(([limit, word], n) => entries.push({ text: `${word}: ${number(limit)} or more`, kind: `cell ${shade(n + 1, steps)}` }));
    if (hasUnknown) entries.push({ text: "not known", kind: "cell unknown" });
    if (last) entries.push(last);
    return lakePage.legend(entries, host);
  }

  function nameButton(section, host, column, name) {
    const filter = host.filterOf(section, column, name);
    if (!filter) return document.createTextNode(name);
    const isOn = host.state[filter] === name;
    const button = element("button", { type: "button", class: "name", "aria-pressed": String(isOn) }, name);
    button.addEventListener("click", () => host.select({ [filter]: isOn ? null : name }));
    return button;
  }

  // How a time becomes a column of the heat map: its hour of the day, or its day.
  function timeColumns(section, rows, host, place) {
    const time = section.of(section.chart.x[0]);
    const { clock } = host;
    const canHour = !section.isDaily && section.step <= HOUR;
    const mode = canHour ? host.mode(section, "hour") : "day";
    const [from, to] = host.window();
    const names = host.width(place) < 520 ? 96 : 130;
    const room = Math.max(4, Math.floor((host.width(place) - names) / 30));
    if (mode === "hour") {
      const many = [1, 2, 3, 4, 6].find((n) => 24 / n <= room) ?? 6;
      const two = (n) => String(n).padStart(2, "0");
      const heads = Array.from({ length: 24 / many }, (_, n) => ({ text: two(n * many), title: `${two(n * many)}:00 to ${two(n * many + many)}:00` }));
      return { mode, canHour, heads, many, at: (i) => Math.floor(clock.hourOfDay(time.values[i]) / many), unit: (i) => clock.dayNumber(time.values[i]), units: "days" };
    }
    const [first, last] = [clock.dayNumber(from), clock.dayNumber(to - 1)];
    const many = Math.ceil((last - first + 1) / room);
    const heads = Array.from({ length: Math.ceil((last - first + 1) / many) }, (_, n) => {
      const start = clock.dayStart(first + n * many);
      const [, date, month] = clock.day(start).split(" ");
      return { text: date, group: month, title: clock.day(start), start, end: start + many * 86400, isWeekend: clock.isWeekend(start) };
    });
    const unit = section.isDaily ? (i) => clock.dayNumber(time.values[i]) : (i) => Math.floor(time.values[i] / HOUR);
    return { mode, canHour, heads, many, at: (i) => Math.floor((clock.dayNumber(time.values[i]) - first) / many), unit, units: section.isDaily ? "days" : "hours" };
  }

  function nameColumns(section, rows) {
    const column = section.of(section.chart.x[0]);
    const names = [...new Set(rows.map((i) => column.text(i)))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const place = new Map(names.map((n, at) => [n, at]));
    return { mode: "name", heads: names.map((text) => ({ text, title: text })), many: 1, at: (i) => place.get(column.text(i)), unit: (i) => i, units: "rows" };
  }

  lakePage.drawHeat = (section, place, host, rows) => {
    const { chart } = section;
    const value = section.of(chart.value);
    const isTime = section.of(chart.x[0]).kind === "time";
    const across = isTime ? timeColumns(section, rows, host, place) : nameColumns(section, rows);
    const lines = [...grouped(section, chart.y[0], rows)].map(([name, mine]) => {
      const cells = across.heads.map(() => null);
      for (const i of mine) {
        const at = across.at(i);
        if (!(at >= 0 && at < cells.length)) continue;
        const cell = (cells[at] ??= { worst: undefined, count: 0, units: new Set(), hasUnknown: false });
        cell.worst = folded("max", cell.worst, value.values[i]);
        cell.count++;
        if (Number.isNaN(value.values[i])) cell.hasUnknown = true;
        else if (chart.steps.length && value.values[i] >= chart.steps[0][0]) cell.units.add(across.unit(i));
      }
      const beyond = cells.reduce((sum, c) => sum + (c ? c.units.size : 0), 0);
      const worst = Math.max(...cells.map((c) => (c && !Number.isNaN(c.worst) ? c.worst : -Infinity)));
      return { name, cells, beyond, worst };
    });
    const isCounted = chart.steps.length > 0 && lines.some((l) => l.cells.some((c) => c && c.count > 1));
    const hit = lines.filter((l) => l.beyond).sort((a, b) => b.beyond - a.beyond || b.worst - a.worst);
    const unknown = lines.filter((l) => !l.beyond && l.cells.some((c) => c?.hasUnknown)).length;
    const calm = lines.length - hit.length;
    if (chart.steps.length && !hit.length) {
      const [limit, word] = chart.steps[0];
      return {
        sentence: `None of the selected values is “${word}” (${lakePage.withUnit(limit.toLocaleString("en-GB", { maximumFractionDigits: 6 }), value.unit)} or more).`
          + (unknown ? ` Some values of ${unknown} of ${lines.length} are not known.` : ""),
      };
    }
    const ordered = chart.steps.length ? hit : lines;
    const shown = host.isWhole(section) ? (chart.steps.length ? [...hit, ...lines.filter((l) => !l.beyond)] : lines) : ordered.slice(0, MOST_ROWS);

    const yTitle = section.of(chart.y[0]).title;
    const table = element("table", { class: "heat", style: `max-width:${140 + 90 * across.heads.length}px`, "aria-label": `${section.title} Picture as a table.` });
    const headRow = element("tr", {}, element("th", { scope: "col", class: "l" }, yTitle));
    let group = "";
    for (const head of across.heads) {
      const th = element("th", { scope: "col", title: head.title, class: head.isWeekend ? "weekend" : "" });
      if (head.start !== undefined) {
        const button = element("button", { type: "button", class: "name", "aria-label": head.title }, head.text);
        if (head.group !== group) button.prepend(element("small", {}, head.group));
        group = head.group;
        button.addEventListener("click", () => host.select({ from: head.start, to: head.end }));
        th.append(button);
      } else th.append(head.text);
      headRow.append(th);
    }
    const body = element("tbody");
    for (const line of shown) {
      const tr = element("tr", {}, element("th", { scope: "row", class: "l" }, nameButton(section, host, chart.y[0], line.name)));
      line.cells.forEach((cell, n) => {
        if (!cell) return tr.append(element("td", { class: "cell none" }, "·"));
        const step = stepOf(cell.worst, chart.steps);
        const text = Number.isNaN(cell.worst) ? "?" : isCounted ? (cell.units.size ? String(cell.units.size) : cell.hasUnknown ? "?" : "") : value.write(cell.worst);
        const shown = Number.isNaN(cell.worst) ? "not known" : `worst ${lakePage.withUnit(value.write(cell.worst), value.unit)}${cell.hasUnknown ? ", some not known" : ""}`;
        const kind = shade(step, chart.steps);
        tr.append(element("td", { class: `cell ${kind}`, title: `${line.name}, ${across.heads[n].title}: ${shown}` }, text));
      });
      body.append(tr);
    }
    table.append(element("thead", {}, headRow), body);
    const parts = [];
    if (across.canHour) {
      const choices = [["hour", "By hour of the day"], ["day", "By day"]].map(([mode, text]) => {
        const button = element("button", { type: "button", "aria-pressed": String(across.mode === mode) }, text);
        button.addEventListener("click", () => host.setMode(section, mode));
        return button;
      });
      parts.push(element("div", { class: "modes", role: "group", "aria-label": `Columns of the picture: ${section.title}` }, ...choices));
    }
    const cells = shown.flatMap((l) => l.cells);
    parts.push(stepLegend(section, host, cells.some((c) => c && Number.isNaN(c.worst)), cells.includes(null) && { text: "· no rows", kind: "cell none" }));
    parts.push(element("div", { class: "sideways" }, table));
    place.replaceChildren(...parts);
    host.rove(body);
    host.rove(headRow);

    const words = [`${value.title}${value.unit ? `, ${value.unit}` : ""}; the colour is the worst value of a cell.`];
    if (isCounted) words.push(`Number: ${across.units} with a value that is at least “${chart.steps[0][1]}”.`);
    else words.push("Number: the value.");
    if (shown.some((l) => l.cells.some((c) => c?.hasUnknown && !c.units.size))) words.push("?: some values are not known.");
    if (across.many > 1) words.push(`A column is ${across.many} ${across.mode === "hour" ? "hours" : "days"}.`);
    if (chart.steps.length && calm && !host.isWhole(section)) {
      words.push(`${calm} more ${calm === 1 ? "has" : "have"} no value that is at least “${chart.steps[0][1]}”${unknown ? `, but some values of ${unknown} are not known` : ""}.`);
    }
    return { words: words.join(" "), more: host.isWhole(section) ? 0 : ordered.length - shown.length + (chart.steps.length ? calm : 0) };
  };

  // --- Strips: a row per name over time. Good marks are low, worse ones higher; what is missing is a hole.

  lakePage.drawStrip = (section, place, host, rows) => {
    const { chart, step } = section;
    const time = section.of(chart.x[0]);
    const value = section.of(chart.value);
    const [from, to] = host.window();
    const total = host.width(place);
    const isNarrow = total < 520;
    const left = isNarrow ? 92 : 150;
    const width = total - left - 8;
    const x = (t) => ((t - from) / (to - from)) * width;
    const groups = [...grouped(section, chart.split, rows)];
    const hasUnknown = Boolean(value) && rows.some((i) => Number.isNaN(value.values[i]));
    const parts = [stepLegend(section, host, hasUnknown, { text: "hole: no rows", kind: "cell hole" })];
    let hidden = 0;
    let whole = 0;
    for (const [title, mine] of groups) {
      const lines = [...grouped(section, chart.y[0], mine)].map(([name, some]) => {
        const by = new Map();
        for (const i of some) if (!Number.isNaN(time.values[i])) by.set(time.values[i], folded("max", by.get(time.values[i]), value ? value.values[i] : 0));
        const marks = [...by].sort((a, b) => a[0] - b[0]);
        const beyond = marks.filter(([, v]) => stepOf(v, chart.steps) !== 0).length;
        const expected = Math.round((to - from) / step);
        const holes = Math.max(0, expected - marks.length);
        return { name, marks, beyond, holes, isWhole: !beyond && !holes, last: marks.length ? marks.at(-1)[0] : -1 };
      });
      // Who is silent now first, then who misses most.
      const latest = Math.max(...lines.map((l) => l.last));
      lines.sort((a, b) => (b.last < latest) - (a.last < latest) || b.beyond + b.holes - (a.beyond + a.holes));
      const shown = host.isWhole(section) ? lines : lines.filter((l) => !l.isWhole).slice(0, MOST_ROWS);
      hidden += lines.length - shown.length;
      whole += lines.filter((l) => l.isWhole).length;
      if (!shown.length) continue;
      if (title) parts.push(element("h3", {}, title));
      const list = element("div", { class: "strips", style: `grid-template-columns:${left}px minmax(0,1fr)` });
      const high = 16;
      for (const line of shown) {
        const svg = drawn("svg", { viewBox: `0 0 ${width} ${high}`, "aria-hidden": "true", class: "time strip" });
        svg.append(drawn("line", { x1: 0, x2: width, y1: high - 0.5, y2: high - 0.5, class: "base" }));
        let run = null;
        const put = () => {
          if (!run) return;
          const tall = run.kind === "good" ? 6 : run.kind === "warn" ? 10 : run.kind === "bad" ? 15 : 8;
          const [a, b] = [x(run.start), x(run.end)];
          svg.append(drawn("rect", { x: a.toFixed(1), y: high - tall, width: Math.max(0.7, b - a).toFixed(1), height: tall, class: `cell ${run.kind}` }));
        };
        for (const [t, v] of line.marks) {
          if (t + step <= from || t >= to) continue;
          const kind = shade(stepOf(v, chart.steps), chart.steps);
          if (run && run.kind === kind && t - run.end < step / 2) run.end = t + step;
          else { put(); run = { kind, start: Math.max(from, t), end: Math.min(to, t + step) }; }
        }
        put();
        svg.append(drawn("line", { y1: 0, y2: high, class: "cross", visibility: "hidden" }));
        const values = (t) => line.marks.filter((m) => m[0] <= t && t < m[0] + step).map((m) => [value?.title ?? "", m[0], m[1], value]);
        host.watch(svg, { left: 0, right: 0, width, from, to, title: line.name, values });
        list.append(nameButtonCell(section, host, chart.y[0], line.name), svg);
      }
      const axis = drawn("svg", { viewBox: `0 0 ${width} 16`, "aria-hidden": "true" });
      for (const [t, text] of lakePage.timeTicks(host.clock, from, to, width, 72)) {
        if (x(t) < width - 30) axis.append(drawn("line", { x1: x(t), x2: x(t), y1: 0, y2: 4, class: "base" }), drawn("text", { x: x(t), y: 14 }, text));
      }
      list.append(element("span"), axis);
      host.rove(list);
      parts.push(list);
    }
    const most = chart.steps.length ? `below ${lakePage.withUnit(String(chart.steps[0][0]), value?.unit)} and ` : "";
    if (parts.length === 1) return { sentence: `All ${whole.toLocaleString("en-GB")} rows are ${most}without a hole.`, more: hidden };
    place.replaceChildren(...parts);
    const unit = value ? `${value.title}${value.unit ? `, ${value.unit}` : ""}. ` : "";
    return { words: `${unit}One row per ${section.of(chart.y[0]).title.toLowerCase()}; silent or incomplete ones first. The higher a mark, the worse; a hole is time without rows.${whole && !host.isWhole(section) ? ` ${whole} more are ${most}without a hole.` : ""}`, more: hidden };
  };

  const nameButtonCell = (section, host, column, name) => element("span", { class: "row-name" }, nameButton(section, host, column, name));

  // --- Bars

  const MOST_PARTS = 5;
  const OTHERS = " others";

  // The names with the largest sums, each with the test for its rows; the rest together. What is stacked can be added.
  function largest(section, series, rows) {
    const values = section.of(section.chart.x[0]).values;
    const sums = new Map();
    for (const i of rows) sums.set(series.at[i], (sums.get(series.at[i]) ?? 0) + (values[i] || 0));
    const order = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a));
    const own = order.length > MOST_PARTS + 1 ? order.slice(0, MOST_PARTS) : order;
    const found = new Map(own.map((place) => [place < 0 ? lakePage.DASH : series.names[place], (i) => series.at[i] === place]));
    const kept = new Set(own);
    if (own.length < order.length) found.set(`${order.length - own.length}${OTHERS}`, (i) => !kept.has(series.at[i]));
    return found;
  }

  lakePage.drawBars = (section, place, host, rows) => {
    const { chart } = section;
    const parts = [];
    let hidden = 0;
    let isFolded = false;
    const seriesColumn = chart.x.length === 1 ? section.of(chart.series) : null;
    const legend = new Map();
    const named = seriesColumn ? largest(section, seriesColumn, rows) : null;
    const panels = [...grouped(section, chart.split, rows)].map(([title, mine]) => {
      const bars = [...grouped(section, chart.y[0], mine)].map(([name, some]) => {
        const pieces = chart.x.length > 1
          ? chart.x.map((x, n) => [section.of(x).title, section.of(x), some, chart.colors[n], n])
          : named
            ? [...named].map(([key, of], at) => {
              const few = some.filter((i) => of(i));
              return [key, section.of(chart.x[0]), few, key.endsWith(OTHERS) ? "var(--good-mark)" : chart.runs[at % chart.runs.length], key.endsWith(OTHERS) ? 0 : at];
            })
            : [["", section.of(chart.x[0]), some, chart.colors[0], 0]];
        const drawnParts = pieces.filter(([, , few]) => few.length).map(([word, column, few, color, turn]) => {
          let v;
          for (const i of few) { isFolded ||= v !== undefined; v = folded(chart.fold, v, column.values[i]); }
          if (word) legend.set(word, { color, turn });
          return { word, value: v ?? NaN, color, turn, column };
        });
        const total = drawnParts.reduce((sum, p) => sum + p.value, 0);
        const limit = section.of(chart.limit) ? Math.max(...some.map((i) => section.of(chart.limit).values[i])) : NaN;
        return { name, parts: drawnParts, total, size: Number.isNaN(total) ? drawnParts.reduce((sum, p) => sum + (p.value || 0), 0) : total, limit };
      }).sort((a, b) => b.size - a.size);
      return { title, bars };
    });
    const all = panels.flatMap((p) => p.bars);
    if (all.every((b) => b.size === 0)) return { sentence: all.some((b) => Number.isNaN(b.total)) ? "No value is known for this selection." : "All values of this selection are 0." };
    const limits = all.map((b) => b.limit).filter((l) => l > 0);
    const most = Math.max(...all.map((b) => b.size));
    const scale = Math.max(most, ...limits.filter((l) => l < 3 * most));
    if (legend.size > 1) {
      const entries = [...legend].map(([text, { color, turn }]) => {
        const filter = seriesColumn && host.filterOf(section, chart.series, text);
        return { text, color, kind: `bar hatch${turn % 4}`, pick: filter ? { filter, name: text } : null };
      });
      parts.push(lakePage.legend(entries, host));
    }
    const grid = element("div", { class: "beside" });
    parts.push(grid);
    for (const panel of panels) {
      const box = element("div", {}, ...(panel.title ? [element("h3", {}, panel.title)] : []));
      const some = panel.bars.filter((b) => b.size !== 0 || Number.isNaN(b.total));
      const shown = host.isWhole(section) ? some : some.slice(0, MOST_ROWS);
      hidden += some.length - shown.length;
      const list = element("div", { class: "bars" });
      for (const bar of shown) {
        const track = element("span", { class: "track" });
        for (const part of bar.parts) {
          if (!(part.value > 0)) continue;
          const title = `${bar.name}${part.word ? ", " + part.word : ""}: ${lakePage.withUnit(part.column.write(part.value), part.column.unit)}`;
          track.append(element("span", { class: `bar hatch${part.turn % 4}`, title, style: `width:${((part.value / scale) * 100).toFixed(3)}%;--c:${part.color}` }));
        }
        if (bar.limit > 0 && bar.limit <= scale) track.append(element("span", { class: "limit-tick", style: `left:${((bar.limit / scale) * 100).toFixed(3)}%` }));
        const column = bar.parts[0].column;
        list.append(nameButtonCell(section, host, chart.y[0], bar.name), track, element("span", { class: "end" }, Number.isNaN(bar.total) ? "not known" : lakePage.withUnit(column.write(bar.total), column.unit)));
      }
      host.rove(list);
      box.append(list);
      grid.append(box);
    }
    place.replaceChildren(...parts);
    const column = section.of(chart.x[0]);
    const words = [`${chart.x.length > 1 ? "Sum of the parts" : column.title}${column.unit ? `, ${column.unit}` : ""}; the largest first; all bars start at 0.`];
    if (isFolded) words.push(chart.fold === "sum" ? "A bar is the sum of its selected rows." : "A bar is the highest of its selected rows.");
    if (limits.length) words.push(`Red tick: ${section.of(chart.limit).title.toLowerCase()}.`);
    return { words: words.join(" "), more: hidden };
  };
})();
