"use strict";
(async () => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const pictures = new Map();

  async function unpack(id) {
    const packed = atob(document.getElementById(id).textContent);
    const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  // Only inks change with the theme; the colours of data hold on both papers.
  function inks() {
    const style = getComputedStyle(root);
    const ink = style.getPropertyValue("--ink").trim();
    return {
      "font.color": ink,
      "hoverlabel.bgcolor": style.getPropertyValue("--raised").trim(),
      "hoverlabel.bordercolor": style.getPropertyValue("--muted").trim(),
      "hoverlabel.font.color": ink,
    };
  }

  function repaint(extra = {}) {
    for (const place of pictures.keys()) Plotly.relayout(place, { ...inks(), ...extra });
  }

  function label() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Change to the light theme" : "Change to the dark theme");
    button.setAttribute("aria-pressed", String(isDark()));
  }

  button.hidden = false;
  label();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
    repaint();
  });
  prefersDark.addEventListener("change", () => { label(); repaint(); });

  // A name that begins like a formula would be run by a spreadsheet; the apostrophe makes it text there.
  function cell(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? "'" + value : value;
    return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  }

  function csv(figure) {
    const meta = figure.layout.meta;
    const lines = [[...meta.csv, "measure", "value", "unit"]];
    for (const trace of figure.data) {
      if (!trace.meta) continue;
      const values = trace.meta.values || trace[meta.value_axis];
      trace.customdata.forEach((words, place) => {
        if (words.length) lines.push([...words, trace.meta.measure, values[place], meta.unit]);
      });
    }
    return lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
  }

  function save(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  try {
    const library = document.createElement("script");
    library.textContent = await unpack("library");
    document.head.append(library);
    const figures = JSON.parse(await unpack("pictures"));
    for (const figure of figures) {
      const id = figure.layout.meta.id;
      const place = document.getElementById(id);
      const text = csv(figure);
      document.getElementById(id + "-csv").addEventListener("click", () => save(id + ".csv", text));
      place.textContent = "";
      await Plotly.newPlot(place, figure.data, figure.layout, { displayModeBar: false, responsive: true });
      pictures.set(place, figure);
    }
    repaint();
    addEventListener("beforeprint", () => repaint({ width: 680, "font.color": "#000" }));
    addEventListener("afterprint", () => repaint({ width: null, autosize: true }));
    root.dataset.ready = "yes";
  } catch (error) {
    for (const place of document.querySelectorAll(".picture")) {
      place.textContent = "The picture cannot be drawn here (" + error.message + "); the tables hold its numbers.";
    }
    root.dataset.ready = "failed";
  }
})();
