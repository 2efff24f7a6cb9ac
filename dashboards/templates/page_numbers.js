"use strict";
// The numbers of a chart: as CSV, and as a table below it that is made when it is opened.
ironlake.numbers = (() => {
  const MOST_ROWS = 1000;
  const MOST_DECIMALS = 6;

  // Of lines over time: seconds from the start, which is local.
  const moment = (start, x) => new Date(Date.parse(start + "Z") + 1000 * x).toISOString().slice(0, 16).replace("T", " ");

  // One row per mark: its names, measure, value and unit.
  const marks = (chart) => chart.series.filter((s) => s.measure).flatMap((s) => (s.words ?? s.x.map((x) => [s.name, moment(chart.start, x)]))
    .map((words, place) => ({ words, measure: s.measure, value: s.values[place] }))
    .filter(({ words }) => words.length));

  // A spreadsheet would run a name that begins like a formula; an apostrophe makes it text. As output/lines.py has it.
  function cell(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const safe = /^'*[=+\-@\t\r]/.test(value) ? "'" + value : value;
    return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  }

  function csv(chart) {
    const lines = [[...chart.csv, "measure", "value", "unit"], ...marks(chart).map((m) => [...m.words, m.measure, m.value, chart.unit])];
    return lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
  }

  // As numbers.py has it: the middle value with three digits, all of a column with as many decimals, none that are all zero.
  function writer(values) {
    const sizes = values.filter((v) => typeof v === "number" && v).map(Math.abs).sort((a, b) => a - b);
    const middle = sizes.length ? (sizes[(sizes.length - 1) >> 1] + sizes[sizes.length >> 1]) / 2 : 1;
    let decimals = Math.min(MOST_DECIMALS, Math.max(0, 2 - Math.floor(Math.log10(middle))));
    while (decimals && sizes.every((v) => v.toFixed(decimals).endsWith("0"))) decimals -= 1;
    return (value) => {
      if (value === null || value === undefined) return "–";
      if (typeof value !== "number") return String(value);
      const text = Math.abs(value).toLocaleString("en-GB", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
      return value < 0 && /[1-9]/.test(text) ? "−" + text : text;
    };
  }

  // Marks of the same names in one row, a column per measure.
  function pivot(found) {
    const measures = [...new Set(found.map((m) => m.measure))];
    const rows = new Map();
    const seen = new Map();
    for (const { words, measure, value } of found) {
      const key = JSON.stringify(words);
      const turn = seen.get(key + measure) ?? 0;
      seen.set(key + measure, turn + 1);
      const row = rows.get(key + turn) ?? { words, values: new Map() };
      row.values.set(measure, value);
      rows.set(key + turn, row);
    }
    return { measures, rows: [...rows.values()] };
  }

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function fill(folded, chart) {
    const title = document.getElementById(chart.id + "-title").textContent;
    const { measures, rows } = pivot(marks(chart));
    const write = new Map(measures.map((m) => [m, writer(rows.map((row) => row.values.get(m)))]));
    const shown = rows.slice(0, MOST_ROWS);
    const rest = rows.length > shown.length ? `: the first ${MOST_ROWS.toLocaleString("en-GB")} of ${rows.length.toLocaleString("en-GB")} rows; the CSV has all` : "";
    const heads = [
      ...chart.csv.map((name) => element("th", { scope: "col", class: "l" }, name)),
      ...measures.map((m) => element("th", { scope: "col" }, m.includes(`(${chart.unit})`) || !chart.unit ? m : `${m} (${chart.unit})`)),
    ];
    const body = shown.map((row) => element("tr", {},
      ...row.words.map((word, n) => element(n ? "td" : "th", n ? { class: "l" } : { scope: "row" }, word ?? "")),
      ...measures.map((m) => element("td", {}, write.get(m)(row.values.get(m))))));
    const made = element("table", {}, element("caption", {}, `${title}${rest}`), element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...body));
    folded.append(element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Numbers of the chart" }, made));
  }

  return { fill, cell, csv };
})();
