"use strict";
// Lines over time as small multiples, and the axis of time that they share with strips and the time brush.
(() => {
  const { element, drawn, folded, grouped, roundUp } = lakePage;
  const MOST_LINES = 6;
  const MOST_PANELS = 24;
  const LIKE_SCALES = 5;
  // A line whose values all lie so near to each other is told, not drawn.
  const STEADY = 0.02;
  const FEW_LEVELS = 6;
  // Of a kind of day, to say what is usual at an hour.
  const FEWEST_DAYS = 6;
  const GAP = 14;
  const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 4", "1 4"];

  // Ticks of a stretch of time: days, or hours of a short one, at most one per `room` pixels.
  lakePage.timeTicks = (clock, from, to, width, room = 64) => {
    const most = Math.max(1, Math.floor(width / room));
    const step = [3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400, 14 * 86400, 28 * 86400, 91 * 86400, 364 * 86400]
      .find((s) => (to - from) / s <= most) ?? 1456 * 86400;
    const start = clock.dayStart(clock.dayNumber(from));
    const ticks = [];
    for (let t = start; t <= to; t += step) {
      if (t < from) continue;
      ticks.push([t, step >= 86400 || clock.hour(t) === "00:00" ? clock.date(t) : clock.hour(t)]);
    }
    return ticks;
  };

  lakePage.usualStep = (times) => {
    const distinct = [...new Set(times.filter((t) => t >= 0))].sort((a, b) => a - b);
    const counts = new Map();
    for (let n = 1; n < distinct.length; n++) counts.set(distinct[n] - distinct[n - 1], (counts.get(distinct[n] - distinct[n - 1]) ?? 0) + 1);
    const [usual] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [3600];
    return usual;
  };

  // Values by time, several rows of one time folded; sorted by time.
  function overTime(rows, time, values, fold) {
    const by = new Map();
    let isFolded = false;
    for (const i of rows) {
      const t = time.values[i];
      if (Number.isNaN(t)) continue;
      isFolded ||= by.has(t);
      by.set(t, folded(fold, by.get(t), values[i]));
    }
    const points = [...by].sort((a, b) => a[0] - b[0]);
    return { points, isFolded };
  }

  // Stretches without a hole: a value that is not known, or a time that is not there, ends one.
  function stretches(points, step) {
    const found = [];
    let before = null;
    for (const point of points) {
      if (Number.isNaN(point[1])) continue;
      if (before === null || point[0] - before > 1.5 * step) found.push([]);
      found.at(-1).push(point);
      before = point[0];
    }
    return found;
  }

  // Of the points of a stretch that share a pixel the lowest and the highest are kept: no peak is lost.
  function thinned(points, x) {
    if (points.length < 3 * Math.abs(x(points.at(-1)[0]) - x(points[0][0]))) return points;
    const kept = [];
    for (let n = 0; n < points.length; ) {
      const pixel = Math.round(x(points[n][0]));
      let [low, high] = [n, n];
      for (; n < points.length && Math.round(x(points[n][0])) === pixel; n++) {
        if (points[n][1] < points[low][1]) low = n;
        if (points[n][1] > points[high][1]) high = n;
      }
      kept.push(points[Math.min(low, high)]);
      if (low !== high) kept.push(points[Math.max(low, high)]);
    }
    return kept;
  }

  const spot = (x, y) => ([t, v]) => `${x(t).toFixed(1)},${y(v).toFixed(1)}`;

  const path = (parts, x, y) => parts.map((points) => "M" + points.map(spot(x, y)).join("L")).join("");

  const area = (parts, x, y, foot) => parts
    .filter((points) => points.length > 1)
    .map((points) => `M${x(points[0][0]).toFixed(1)},${foot}L` + points.map(spot(x, y)).join("L") + `L${x(points.at(-1)[0]).toFixed(1)},${foot}Z`)
    .join("");

  function panelsOf(section, rows) {
    const { chart } = section;
    const time = section.of(chart.x[0]);
    const seriesColumn = section.of(chart.series);
    const isSpread = seriesColumn && !chart.split && grouped(section, chart.series, rows).size > MOST_LINES;
    const split = isSpread ? chart.series : chart.split;
    const series = isSpread ? "" : chart.series;
    const hasSeveral = grouped(section, series, rows).size > 1;
    const panels = [];
    for (const [name, mine] of grouped(section, split, rows)) {
      const keys = [...grouped(section, series && seriesColumn ? series : "", mine)];
      const isOne = chart.y.length === 1;
      // One measure: a colour per name. Several: a colour per measure, and dashes per name where there are several.
      const parts = keys.flatMap(([key, some]) => chart.y.map((y, n) => {
        const place = key ? Math.max(0, seriesColumn.names.indexOf(key)) : 0;
        const title = isOne ? key : hasSeveral ? `${section.of(y).title}, ${key}` : section.of(y).title;
        const color = isOne && key ? chart.runs[place % chart.runs.length] : chart.colors[n];
        return [title, section.of(y), some, color, DASHES[(isOne ? place : n + (hasSeveral ? place * chart.y.length : 0)) % DASHES.length]];
      }));
      const lines = parts.map(([title, column, some, color, dash]) => ({ title, column, color, dash, ...overTime(some, time, column.values, chart.fold) }));
      let [highest, at] = [NaN, NaN];
      for (const line of lines) for (const [t, v] of line.points) if (!(v <= highest) && !Number.isNaN(v)) [highest, at] = [v, t];
      lines.sort((a, b) => top(b) - top(a));
      const bound = section.of(chart.limit || chart.reference);
      const limit = bound ? overTime(mine, time, bound.values, "max").points.filter((p) => !Number.isNaN(p[1])) : [];
      const level = section.of(chart.level) && !lines.some((l) => l.isFolded) ? overTime(mine, time, section.of(chart.level).values, "max").points : [];
      const of = (name) => (level.length && section.of(name) ? overTime(mine, time, section.of(name).values, "max").points.filter((p) => !Number.isNaN(p[1])) : []);
      panels.push({ name, lines, highest, at, limit, level, changes: changesOf(level, of(chart.change)), drift: of(chart.drift)[0]?.[1] ?? NaN });
    }
    panels.sort((a, b) => (Number.isNaN(a.highest) ? 1 : 0) - (Number.isNaN(b.highest) ? 1 : 0) || b.highest - a.highest);
    return { panels, split };
  }

  const top = (line) => Math.max(...line.points.map((p) => p[1]).filter((v) => !Number.isNaN(v)));

  const known = (panel) => panel.lines.flatMap((l) => l.points).map((p) => p[1]).filter((v) => !Number.isNaN(v));
  const middle = (panel) => (Math.max(...known(panel)) + Math.min(...known(panel))) / 2;
  const spread = (panel) => (middle(panel) > 0 ? Math.max(...known(panel)) / middle(panel) - 1 : 0);

  // Where the level steps: when, from and to.
  function changesOf(level, steps) {
    const days = new Set(steps.map(([t]) => t));
    const known = level.filter((p) => !Number.isNaN(p[1]));
    return known.slice(1).map(([t, after], n) => ({ t, before: known[n][1], after })).filter(({ t }) => days.has(t));
  }

  // What a panel of a level shows in words: how it drifts, and its steps.
  function courseOf({ level, changes, drift }, column, clock) {
    const said = changes.map((c) => `${spoken(c, clock)}: ${column.write(c.before)} → ${column.write(c.after)}`);
    const known = level.filter((p) => !Number.isNaN(p[1]));
    if (!Number.isNaN(drift)) said.unshift(`${drift < 0 ? "−" : "+"}${Math.abs(drift).toPrecision(2)}% a day: ${column.write(known[0][1])} → ${column.write(known.at(-1)[1])}`);
    return said.join("; ");
  }

  function spoken(change, clock) {
    const percent = change.before ? (change.after / change.before - 1) * 100 : NaN;
    const digits = Math.abs(percent).toFixed(Math.abs(percent) < 9.95 ? 1 : 0);
    return `${clock.day(change.t)}${Number.isNaN(percent) ? "" : `, ${percent < 0 ? "−" : "+"}${digits}%`}`;
  }

  function drawPanel(panel, section, host, size) {
    const { clock } = host;
    const { width, height, from, to, scaleTop, scaleFoot, isLarge, step, range } = size;
    const column = panel.lines[0].column;
    const write = (v) => column.write(v);
    // A tick needs as many decimals as its step has, not those of the column.
    const labels = isLarge ? lakePage.roundTicks(scaleFoot, scaleTop) : { values: [scaleFoot, scaleTop], decimals: 4 };
    const tick = scaleFoot && !isLarge ? write : (v) => v.toLocaleString("en-GB", { minimumFractionDigits: isLarge ? labels.decimals : 0, maximumFractionDigits: labels.decimals });
    const left = isLarge ? Math.max(...labels.values.map((v) => tick(v).length)) * 7 + 12 : 2;
    const isNamed = isLarge && panel.lines.length > 1 && width > 640;
    const right = isNamed ? Math.min(width * 0.34, Math.max(...panel.lines.map((l) => l.title.length)) * 6.6 + 14) : 8;
    const [above, below] = [14, 18];
    const x = (t) => left + ((t - from) / (to - from)) * (width - left - right);
    const y = (v) => height - below - ((v - scaleFoot) / (scaleTop - scaleFoot)) * (height - above - below);
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: "time", "data-left": left, "data-right": right });
    svg.append(drawn("line", { x1: left, x2: width - right, y1: height - below, y2: height - below, class: "base" }));
    for (const value of labels.values) {
      const at = y(value);
      if (value > scaleFoot) svg.append(drawn("line", { x1: left, x2: width - right, y1: at, y2: at, class: "grid" }));
      if (isLarge) svg.append(drawn("text", { class: "tick", x: left - 6, y: at + 4, "text-anchor": "end" }, tick(value)));
      else if (value > scaleFoot) svg.append(drawn("text", { x: left, y: at - 3 }, lakePage.withUnit(tick(scaleTop), column.unit)));
    }
    if (isLarge && column.unit) svg.append(drawn("text", { x: left, y: 10 }, column.unit));
    const ticks = lakePage.timeTicks(clock, from, to, width - left - right, 72);
    ticks.forEach(([t, text]) => {
      const isLast = x(t) + 6.5 * text.length > width;
      svg.append(drawn("line", { x1: x(t), x2: x(t), y1: height - below, y2: height - below + 4, class: "base" }));
      svg.append(drawn("text", { x: x(t), y: height - 3, "text-anchor": isLast ? "end" : "start" }, text));
    });
    const isStrip = panel.level.length > 0;
    for (const line of panel.lines) {
      const visible = line.points.filter((p) => p[0] >= from - step && p[0] <= to);
      if (!visible.length) continue;
      if (isStrip) {
        for (const [t, v] of visible) {
          if (!Number.isNaN(v)) svg.append(drawn("circle", { cx: x(t).toFixed(1), cy: y(v).toFixed(1), r: 3, class: clock.isWeekend(t) ? "dot hollow" : "dot", style: `--c:${line.color}` }));
        }
        continue;
      }
      const parts = stretches(visible, step).map((points) => thinned(points, x));
      if (range) svg.append(drawn("path", { d: bandPath(visible, range, x, y, step), class: "usual" }));
      else if (panel.lines.length === 1) svg.append(drawn("path", { d: area(parts, x, y, height - below), class: "area", style: `--c:${line.color}` }));
      svg.append(drawn("path", { d: path(parts, x, y), class: "line", style: `--c:${line.color}`, "stroke-dasharray": line.dash }));
      // A value alone makes no line.
      for (const [only, ...more] of parts) if (!more.length) svg.append(drawn("circle", { cx: x(only[0]), cy: y(only[1]), r: 2, class: "dot", style: `--c:${line.color}` }));
    }
    if (panel.limit.length) drawLimit(svg, panel, section, { x, y, from, to, scaleTop, width, right, left, above, step, isLarge });
    if (isStrip) drawLevel(svg, panel, { x, y, step, above, width, height, below, right, left, clock, isLarge });
    else if (!Number.isNaN(panel.highest)) svg.append(drawn("circle", { cx: x(panel.at), cy: y(panel.highest), r: 3.2, class: "peak" }));
    if (isNamed) nameLines(svg, panel, width - right + 6, y, height - below, Math.floor((right - 8) / 6.2));
    svg.append(drawn("line", { y1: above - 4, y2: height - below, class: "cross", visibility: "hidden" }));
    host.watch(svg, { left, right, width, from, to, values: (t) => valuesAt(panel, t, step) , title: panel.name, write });
    return svg;
  }

  function drawLimit(svg, panel, section, at) {
    const known = panel.limit;
    const most = Math.max(...known.map((p) => p[1]));
    const kind = section.chart.limit ? "limit" : "reference";
    const column = section.of(section.chart[kind]);
    const word = `${at.isLarge ? column.title : kind} ${column.write(known.at(-1)[1])}`;
    if (Math.min(...known.map((p) => p[1])) > at.scaleTop) {
      svg.append(drawn("text", { x: at.width - at.right, y: 10, "text-anchor": "end", class: `${kind}-word` }, `${word} ↑ above`));
      return;
    }
    // It holds until the next one.
    let d = "";
    known.forEach(([t, v], n) => {
      const end = known[n + 1]?.[0] ?? Math.min(at.to, t + at.step);
      d += `${n ? "L" : "M"}${at.x(t).toFixed(1)},${at.y(Math.min(v, at.scaleTop)).toFixed(1)}H${at.x(end).toFixed(1)}`;
    });
    svg.append(drawn("path", { d, class: kind }));
    svg.append(drawn("text", { x: at.width - at.right, y: Math.max(10, at.y(most) - 4), "text-anchor": "end", class: `${kind}-word` }, word));
  }

  function drawLevel(svg, panel, at) {
    const known = panel.level.filter((p) => !Number.isNaN(p[1]));
    if (!known.length) return;
    let d = "";
    known.forEach(([t, v], n) => {
      const isNew = !n || (Number.isNaN(panel.drift) ? v !== known[n - 1][1] : panel.changes.some((c) => c.t === t));
      d += isNew ? `M${at.x(t).toFixed(1)},${at.y(v).toFixed(1)}` : `L${at.x(t).toFixed(1)},${at.y(v).toFixed(1)}`;
    });
    svg.append(drawn("path", { d, class: "level" }));
    for (const change of panel.changes) {
      const px = at.x(change.t) - 2;
      svg.append(drawn("line", { x1: px, x2: px, y1: at.above - 4, y2: at.height - at.below, class: "change" }));
    }
  }

  // Names at the ends of lines, moved apart where they would overlap.
  function nameLines(svg, panel, x, y, lowest, most) {
    const ends = panel.lines
      .map((line) => ({ line, last: line.points.findLast((p) => !Number.isNaN(p[1])) }))
      .filter((e) => e.last)
      .map((e) => ({ ...e, at: y(e.last[1]) + 4 }))
      .sort((a, b) => a.at - b.at);
    ends.forEach((e, n) => { if (n) e.at = Math.max(e.at, ends[n - 1].at + 13); });
    for (let n = ends.length - 1; n >= 0; n--) ends[n].at = Math.min(ends[n].at, n === ends.length - 1 ? lowest : ends[n + 1].at - 13);
    for (const e of ends) svg.append(drawn("text", { x, y: e.at, class: "name" }, e.line.title.length > most ? e.line.title.slice(0, most - 1) + "…" : e.line.title));
  }

  function valuesAt(panel, t, step) {
    return panel.lines.flatMap((line) => {
      const found = line.points.findLast((p) => p[0] <= t);
      return found && t - found[0] <= 1.5 * step ? [[line.title, found[0], found[1], line.column]] : [];
    });
  }

  // What is usual: of the same hours of all days, weekdays and weekends apart, the middle 80%. Undefined for too few days.
  function usualRange(points, clock) {
    const by = new Map();
    const key = (t) => `${clock.isWeekend(t)} ${clock.hour(t)}`;
    for (const [t, v] of points) {
      if (Number.isNaN(v)) continue;
      if (by.has(key(t))) by.get(key(t)).push(v);
      else by.set(key(t), [v]);
    }
    for (const [name, values] of by) {
      values.sort((a, b) => a - b);
      by.set(name, values.length < FEWEST_DAYS ? undefined : [values[Math.floor(0.1 * values.length)], values[Math.ceil(0.9 * values.length) - 1]]);
    }
    return (t) => by.get(key(t));
  }

  const bandPath = (points, range, x, y, step) => stretches(points.map(([t]) => [t, range(t) ? t : NaN]), step)
    .filter((part) => part.length > 1)
    .map((part) => {
      const there = part.map(([t]) => spot(x, y)([t, range(t)[1]]));
      const back = part.map(([t]) => spot(x, y)([t, range(t)[0]])).reverse();
      return `M${[...there, ...back].join("L")}Z`;
    })
    .join("");

  // A panel is steady if none of its lines moves, breaks or begins late, and there is nothing to compare it with.
  function isSteady(panel, longest, step) {
    return !panel.limit.length && !panel.level.length && panel.lines.every(({ points }) => {
      const values = points.map((p) => p[1]);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      return points.length > 2 && points.length >= 0.9 * longest && stretches(points, step).length === 1 && high - low <= STEADY * Math.abs(high);
    });
  }

  // "98.00%: A, B and 3 more". Lines of which nothing is known are left out: unknown is not 0.
  function steadyWords(panels) {
    const by = new Map();
    for (const panel of panels) {
      const lines = panel.lines.filter((l) => l.points.some((p) => !Number.isNaN(p[1])));
      const each = lines.map((l) => lakePage.withUnit(l.column.write(top(l)), l.column.unit));
      const values = panel.lines.length === 1 || (new Set(each).size === 1 && lines.length === panel.lines.length) ? each[0] : lines.map((l, n) => `${l.title} ${each[n]}`).join(", ");
      if (by.has(values)) by.get(values).push(panel.name);
      else by.set(values, [panel.name]);
    }
    return [...by].map(([values, names]) => {
      const rest = names.length > 6 ? names.length - 5 : 0;
      const listed = names.slice(0, rest ? 5 : 6).filter(Boolean).join(", ");
      return listed ? `${values}: ${listed}${rest ? ` and ${rest} more` : ""}` : values;
    }).join("; ");
  }

  lakePage.legend = (entries, host) => element("ul", { class: "legend" }, ...entries.map(({ text, color, dash, kind, pick }) => {
    const swatch = drawn("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" });
    if (kind === "line") swatch.append(drawn("path", { d: "M1,5H25", class: "line", style: `--c:${color}`, "stroke-dasharray": dash }));
    else swatch.append(drawn("rect", { x: 1, y: 0, width: 24, height: 10, class: kind, style: `--c:${color ?? ""}` }));
    const inside = [swatch, text];
    if (!pick) return element("li", {}, ...inside);
    const isOn = host.state[pick.filter] === pick.name;
    const button = element("button", { type: "button", "aria-pressed": String(isOn) }, ...inside);
    button.addEventListener("click", () => host.select({ [pick.filter]: isOn ? null : pick.name }));
    return element("li", {}, button);
  }));

  lakePage.drawLines = (section, place, host, rows) => {
    const { chart } = section;
    const step = section.step;
    const { panels, split } = panelsOf(section, rows);
    const told = panels.filter((p) => !Number.isNaN(p.highest));
    if (!told.length) return { sentence: "No value is known for this selection." };
    if (told.every((p) => known(p).every((v) => v === 0))) {
      const isAll = panels.every((p) => p.lines.every((l) => l.points.every((q) => q[1] === 0)));
      return { sentence: `All ${isAll ? "" : "known "}values of this selection are 0.` };
    }
    const longest = Math.max(...told.flatMap((p) => p.lines.map((l) => l.points.length)));
    if (longest === 1 && !host.isWhole(section)) return { sentence: `One time only: ${steadyWords(told)}.`, more: told.length };
    const steady = told.filter((p) => isSteady(p, longest, step));
    const isCalm = steady.length > 0;
    const steadily = isCalm ? `Steady within ${STEADY * 100}%: ${steadyWords(steady)}.` : "";
    // Of many costs only those that change are drawn.
    const level = told.length > FEW_LEVELS ? told.filter((p) => p.level.length && !p.changes.length && Number.isNaN(p.drift)) : [];
    const moving = told.filter((p) => !steady.includes(p) && !level.includes(p));
    const isWhole = host.isWhole(section);
    if (!moving.length && !isWhole && level.length) return { sentence: `No change in any of ${told.length}.`, more: told.length };
    if (!moving.length && !isWhole) return { sentence: steadily, more: told.length };
    const drawable = isWhole ? told : moving;
    const most = isWhole || drawable.length <= 1.25 * MOST_PANELS ? drawable.length : MOST_PANELS;
    const shown = drawable.slice(0, most);
    const tops = shown.map((p) => {
      const limit = Math.max(...p.limit.map((q) => q[1]), 0);
      return roundUp(Math.max(p.highest, limit && limit < 3 * p.highest ? limit : 0));
    });
    const isShared = shown.length > 1 && Math.max(...tops) <= LIKE_SCALES * Math.min(...tops);
    // Costs are compared by their ratio: each panel spans the same percent around its middle.
    const reach = 1.25 * Math.max(0.08, ...shown.map((p) => (p.level.length ? spread(p) : 0)));
    const scaleOf = (panel, n) => panel.level.length
      ? { scaleFoot: middle(panel) * (1 - reach), scaleTop: middle(panel) * (1 + reach) }
      : { scaleFoot: 0, scaleTop: isShared ? Math.max(...tops) : tops[n] };
    const total = host.width(place);
    const fewest = total < 520 ? Math.min(total, 150) : host.isPaper ? 180 : 230;
    const across = shown.length === 1 ? 1 : Math.max(1, Math.min(shown.length, Math.floor((total + GAP) / (fewest + GAP))));
    const width = Math.floor((total - GAP * (across - 1)) / across);
    const isLarge = shown.length === 1 || (shown.length <= 4 && width > 420);
    const height = shown.length === 1 ? (total < 520 ? 190 : 250) : shown.length <= 4 ? 150 : chart.level ? 104 : host.isPaper ? 53 : 86;
    const [from, to] = host.window();
    // Where an hour has its own pixel, with what is usual at it.
    const isFine = !section.isDaily && !chart.level && (width * 3600) / (to - from) >= 1 && panels.every((p) => p.lines.length === 1);
    const all = isFine ? new Map(panelsOf(section, host.always(section)).panels.map((p) => [p.name, p.lines[0].points])) : new Map();
    const rangeOf = (panel) => {
      const range = all.has(panel.name) && usualRange(all.get(panel.name), host.clock);
      return range && panel.lines[0].points.some(([t]) => range(t)) ? range : null;
    };
    let hasRange = false;
    const grid = element("div", { class: "grid", style: `grid-template-columns:repeat(${across},minmax(0,1fr))` });
    shown.forEach((panel, n) => {
      const column = panel.lines[0].column;
      const said = courseOf(panel, column, host.clock) || `${column.write(panel.highest)} · ${host.clock.date(panel.at)}${section.isDaily ? "" : " " + host.clock.hour(panel.at)}`;
      const head = element("span", { class: "head" }, element("b", {}, panel.name || column.title), element("i", {}, said));
      const range = isFine ? rangeOf(panel) : null;
      hasRange ||= range !== null;
      const svg = drawPanel(panel, section, host, { width, height, from, to, step, isLarge, range, ...scaleOf(panel, n) });
      const filter = host.filterOf(section, split, panel.name);
      const isOn = filter && host.state[filter] === panel.name;
      const box = filter
        ? element("button", { type: "button", class: "panel", "aria-pressed": String(isOn), "aria-label": `${panel.name}: ${said}` }, head, svg)
        : element("div", { class: "panel" }, head, svg);
      if (filter) box.addEventListener("click", () => host.dragged() || host.select({ [filter]: isOn ? null : panel.name }));
      grid.append(box);
    });
    host.rove(grid);
    const parts = [];
    const names = new Map(panels.flatMap((p) => p.lines).filter((l) => l.title).map((l) => [l.title, l]));
    if (names.size > 1) {
      const isSeries = chart.y.length === 1;
      const entries = [...names.values()].map((l) => {
        const filter = isSeries && host.filterOf(section, chart.series, l.title);
        return { text: l.title, color: l.color, dash: l.dash, kind: "line", pick: filter ? { filter, name: l.title } : null };
      });
      parts.push(lakePage.legend(entries, host));
    }
    parts.push(grid);
    place.replaceChildren(...parts);
    const unit = section.of(chart.y[0]);
    const words = [chart.y.length > 1 && unit.unit ? `In ${unit.unit}.` : `${unit.title}${unit.unit ? `, ${unit.unit}` : ""}.`];
    const isLevel = shown.some((p) => p.level.length);
    if (shown.length > 1) words.push(`One panel per ${section.of(split).title.toLowerCase()}, the highest first.`);
    if (isLevel) words.push(`Scales do not start at 0: each spans ${(reach * 100).toFixed(0)}% to both sides of its middle.`);
    else if (shown.length > 1) words.push(isShared ? "All have the same scale." : "Each has its own scale, from 0 to the number at its top.");
    words.push(isLevel ? "Dots: days, hollow on weekends. Line: what the days lie around, a median or a drift; dashed: change point." : "● highest value. A line is broken where a value is not known.");
    if (hasRange) words.push("Grey band: what is usual, 80% of the same hours, weekdays and weekends apart.");
    if (panels.some((p) => p.limit.length)) words.push(`${chart.limit ? "Red" : "Grey"} dashes: ${section.of(chart.limit || chart.reference).title.toLowerCase()}.`);
    if (told.some((p) => p.lines.some((l) => l.isFolded))) words.push(chart.fold === "sum" ? "Drawn: the sum of the selected rows of each time." : "Drawn: the highest of the selected rows of each time.");
    if (panels.length > told.length) words.push(`No value is known for ${panels.length - told.length} more.`);
    if (isCalm && !isWhole) words.push(steadily);
    if (level.length && !isWhole) words.push(`${level.length} more have no change.`);
    return { words: words.join(" "), more: told.length - shown.length };
  };
})();
