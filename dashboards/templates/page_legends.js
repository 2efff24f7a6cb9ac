"use strict";
// Legends by keyboard: each is one tab stop, arrow keys move within it, Enter and space work like a click. A series hidden in one chart is
// hidden in all: the same configuration, or the same part of the time.
ironlake.legends = (pictures) => {
  // Room for a finger: plotly makes an entry 1.3 times as high as its font, and 3 px; page.css sets the size that is seen.
  const FONT_OF_24_PX = 16.2;
  const current = new Map();

  function entries(place) {
    return [...place.querySelectorAll(".legend .traces")].filter((entry) => entry.querySelector(".legendtoggle"));
  }

  // Plotly draws legends anew whenever a chart changes.
  function describe(place) {
    const found = entries(place);
    place.querySelector(".legend")?.setAttribute("role", "group");
    place.querySelector(".legend")?.setAttribute("aria-label", "Series, shown or hidden in all charts: arrow keys move");
    const at = Math.min(current.get(place) ?? 0, found.length - 1);
    found.forEach((entry, n) => {
      const trace = entry.__data__[0].trace;
      entry.setAttribute("tabindex", n === at ? "0" : "-1");
      entry.setAttribute("role", "switch");
      entry.setAttribute("aria-label", entry.querySelector("text").textContent);
      entry.setAttribute("aria-checked", String(trace.visible === true));
    });
    // A hundred loose numbers tell nothing to a screen reader: the table below has them.
    for (const layer of place.querySelectorAll(".main-svg")) {
      if (!layer.querySelector(".legend")) layer.setAttribute("aria-hidden", "true");
    }
    for (const layer of place.querySelectorAll(".infolayer > :not(.legend)")) layer.setAttribute("aria-hidden", "true");
  }

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
    const chosen = entry.__data__[0].trace;
    await show(place, chosen.name, chosen.visible !== true);
    entries(place)[current.get(place) ?? 0]?.focus();
  }

  document.addEventListener("keydown", (event) => {
    const entry = event.target.closest?.(".legend .traces");
    if (!entry) return;
    const place = entry.closest(".picture");
    const all = entries(place);
    const at = all.indexOf(entry);
    const last = all.length - 1;
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      current.set(place, (to + all.length) % all.length);
      describe(place);
      all[current.get(place)].focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      current.set(place, at);
      toggle(place, entry);
    }
  });

  return {
    prepare(figure) {
      figure.layout.legend = { ...figure.layout.legend, font: { size: FONT_OF_24_PX } };
    },
    attach(place) {
      describe(place);
      place.on("plotly_afterplot", () => describe(place));
      place.on("plotly_legendclick", (event) => {
        const trace = event.data[event.curveNumber];
        show(place, trace.name, trace.visible === "legendonly");
        return false;
      });
    },
  };
};
