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

  // Only text colours change with the theme; the colours of data suit both.
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

  function assign(layout, path, value) {
    const names = path.split(".");
    const last = names.pop();
    const owner = names.reduce((inner, name) => (inner[name] ??= {}), layout);
    owner[last] = value;
  }

  function repaint(extra = {}) {
    for (const place of pictures.keys()) Plotly.relayout(place, { ...inks(), ...extra });
  }

  function label() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Change to the light theme" : "Change to the dark theme");
    button.setAttribute("aria-pressed", String(isDark()));
  }

  // The chosen theme outlives a reload, where the browser keeps anything for files.
  const kept = {
    read() { try { return localStorage.getItem("ironlake-theme"); } catch { return null; } },
    write(theme) { try { localStorage.setItem("ironlake-theme", theme); } catch { /* then it does not */ } },
  };
  if (["light", "dark"].includes(kept.read())) root.dataset.theme = kept.read();

  button.hidden = false;
  label();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    kept.write(root.dataset.theme);
    label();
    repaint();
  });
  prefersDark.addEventListener("change", () => { label(); repaint(); });

  // A spreadsheet would run a name that begins like a formula; an apostrophe makes it text.
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

  // --- Legends by keyboard: Enter and space work like a click.

  function entries(place) {
    return [...place.querySelectorAll(".legend .traces")].filter((entry) => entry.querySelector(".legendtoggle"));
  }

  function makeLegendReachable(place) {
    for (const entry of entries(place)) {
      const trace = entry.__data__[0].trace;
      entry.setAttribute("tabindex", "0");
      entry.setAttribute("role", "switch");
      entry.setAttribute("aria-label", entry.querySelector("text").textContent);
      entry.setAttribute("aria-checked", String(trace.visible === true));
    }
  }

  // A series hidden in one chart is hidden in all: the same configuration, or the same part of the time.
  async function show(first, name, isShown) {
    for (const place of new Set([first, ...pictures.keys()])) {
      const named = place.data.filter((trace) => trace.name === name && trace.showlegend !== false);
      const groups = new Set(named.map((trace) => trace.legendgroup).filter(Boolean));
      const together = place.data
        .map((trace, index) => index)
        .filter((i) => named.includes(place.data[i]) || groups.has(place.data[i].legendgroup));
      if (named.length) await Plotly.restyle(place, { visible: isShown ? true : "legendonly" }, together);
    }
  }

  async function toggle(place, entry) {
    const at = entries(place).indexOf(entry);
    const chosen = entry.__data__[0].trace;
    await show(place, chosen.name, chosen.visible !== true);
    entries(place)[at]?.focus();
  }

  document.addEventListener("keydown", (event) => {
    const entry = event.target.closest?.(".legend .traces");
    if (entry && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      toggle(entry.closest(".picture"), entry);
    }
  });

  // --- Tabs: without this script all panels are shown one below the other.

  function select(group, tab) {
    for (const other of group.querySelectorAll(":scope > [role=tablist] > [role=tab]")) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !chosen;
    }
    fit(group);
  }

  // Charts drawn while hidden, or for paper, need their width again.
  function fit(within) {
    for (const place of within.querySelectorAll(".picture")) {
      if (pictures.has(place) && place.offsetParent) Plotly.Plots.resize(place);
    }
  }

  for (const group of document.querySelectorAll(".tabs")) {
    const list = group.querySelector("[role=tablist]");
    const tabs = [...list.children];
    list.hidden = false;
    select(group, tabs[0]);
    list.addEventListener("click", (event) => {
      const tab = event.target.closest("[role=tab]");
      if (tab) select(group, tab);
    });
    list.addEventListener("keydown", (event) => {
      const at = tabs.indexOf(event.target);
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (at < 0 || to === undefined) return;
      event.preventDefault();
      const tab = tabs[(to + tabs.length) % tabs.length];
      select(group, tab);
      tab.focus();
    });
  }

  // A link may lead into a hidden panel.
  function reveal() {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      // No text in UTF-8, so no place of this page.
    }
    const target = document.getElementById(id);
    if (!target) return;
    for (let panel = target.closest(".panel[hidden]"); panel; panel = panel.parentElement.closest(".panel[hidden]")) {
      select(panel.parentElement, document.getElementById(panel.id + "-tab"));
    }
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  reveal();

  // --- Copy as text; where the clipboard is closed, the text is selected instead.

  for (const copy of document.querySelectorAll("[data-copy]")) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      const from = document.getElementById(copy.dataset.copy);
      try {
        await navigator.clipboard.writeText(from.textContent);
        copy.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(from);
        copy.textContent = "Selected: copy it with the keyboard";
      }
    });
  }

  // --- Paper shows all: folded parts are opened for it, and closed again. Not tables of thousands of rows that a picture shows.

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open]):not(.numbers)")];
    for (const part of folded) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of folded) part.open = false;
  });

  function save(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  try {
    if (globalThis.lakePage) await lakePage.run(JSON.parse(await unpack("facts")), { save, cell });
    const figures = JSON.parse(await unpack("pictures"));
    if (figures.length) {
      const library = document.createElement("script");
      library.textContent = await unpack("library");
      document.head.append(library);
    }
    for (const figure of figures) {
      const id = figure.layout.meta.id;
      const place = document.getElementById(id);
      const text = csv(figure);
      document.getElementById(id + "-csv").addEventListener("click", () => save(id + ".csv", text));
      place.textContent = "";
      for (const [path, value] of Object.entries(inks())) assign(figure.layout, path, value);
      if (!place.offsetParent) figure.layout.width = document.querySelector("main").clientWidth - 56;
      await Plotly.newPlot(place, figure.data, figure.layout, { displayModeBar: false, responsive: true });
      pictures.set(place, figure);
      makeLegendReachable(place);
      place.on("plotly_afterplot", () => makeLegendReachable(place));
      place.on("plotly_legendclick", (event) => {
        const trace = event.data[event.curveNumber];
        show(place, trace.name, trace.visible === "legendonly");
        return false;
      });
      // Keep the page responsive between two charts.
      await new Promise((resolve) => setTimeout(resolve));
    }
    addEventListener("beforeprint", () => repaint({ width: 680, "font.color": "#000" }));
    addEventListener("afterprint", () => { repaint(); fit(document); });
    root.dataset.ready = "yes";
  } catch (error) {
    for (const place of document.querySelectorAll(".picture")) {
      place.textContent = "This chart cannot be drawn (" + error.message + "); the tables have its numbers.";
    }
    root.dataset.ready = "failed";
  }
})();
