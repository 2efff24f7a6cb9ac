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

  // Charts drawn while hidden, or for paper, need their width again.
  function fit(within) {
    for (const place of within.querySelectorAll(".picture")) {
      if (pictures.has(place) && place.offsetParent) Plotly.Plots.resize(place);
    }
    reach();
  }

  // A chart that is wider than a narrow window is moved by keyboard, too.
  function reach() {
    for (const room of document.querySelectorAll(".roomy")) {
      if (room.scrollWidth > room.clientWidth) room.tabIndex = 0;
      else room.removeAttribute("tabindex");
    }
  }
  addEventListener("resize", reach);

  ironlake.tabs(fit);
  ironlake.copy();

  // --- Paper shows all: folded parts are opened for it, and closed again. Not tables of thousands of rows that a picture shows.

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open]):not(.numbers)")];
    for (const part of folded) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of folded) part.open = false;
  });

  ironlake.save = (name, blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const save = (name, text) => ironlake.save(name, new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  const legends = ironlake.legends(pictures);

  try {
    if (globalThis.lakePage) await lakePage.run(JSON.parse(await unpack("facts")), { save, cell: ironlake.numbers.cell });
    const figures = JSON.parse(await unpack("pictures"));
    if (figures.length) {
      const library = document.createElement("script");
      library.textContent = await unpack("library");
      document.head.append(library);
    }
    for (const figure of figures) {
      const id = figure.layout.meta.id;
      const place = document.getElementById(id);
      const text = ironlake.numbers.csv(figure);
      ironlake.numbers.attach(id, figure);
      legends.prepare(figure);
      document.getElementById(id + "-csv").addEventListener("click", () => save(id + ".csv", text));
      place.textContent = "";
      for (const [path, value] of Object.entries(inks())) assign(figure.layout, path, value);
      if (!place.offsetParent) figure.layout.width = Math.max(place.clientWidth, document.querySelector("main").clientWidth - 56);
      const wasDark = isDark();
      await Plotly.newPlot(place, figure.data, figure.layout, { displayModeBar: false, responsive: true });
      pictures.set(place, figure);
      if (wasDark !== isDark()) Plotly.relayout(place, inks());
      legends.attach(place);
      // Keep the page responsive between two charts.
      await new Promise((resolve) => setTimeout(resolve));
    }
    addEventListener("beforeprint", () => repaint({ width: 680, "font.color": "#000" }));
    addEventListener("afterprint", () => { repaint(); fit(document); });
    reach();
    root.dataset.ready = "yes";
  } catch (error) {
    for (const place of document.querySelectorAll(".picture")) {
      place.textContent = "This chart cannot be drawn (" + error.message + "); the tables have its numbers.";
    }
    root.dataset.ready = "failed";
  }
})();
