"use strict";
// A chart in the hands of plotly.js, which the page holds packed and which runs from the first time that a reader asks for it.
ironlake.zoom = (unpack, inks) => {
  const SYMBOLS = ["circle-open", "circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "star", "hexagon"];
  const HATCHES = ["", "/", ".", "-", "\\", "+", "|"];
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const GREY = "rgba(128,128,128,0.9)";
  const safe = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const faint = (color) => `rgba(${[1, 3, 5].map((n) => parseInt(color.slice(n, n + 2), 16))},0.22)`;
  const zoomed = new Set();
  let library;

  // What is told of each mark: its keys and its value.
  const said = (chart, s) => s.words.map((words, n) => (words.length
    ? [...words.map((word, at) => [chart.csv[at], word]), [s.measure, s.values[n]]].filter(([, word]) => word !== null && word !== "")
      .map(([name, word]) => safe(`${name}: ${word}`)).join("<br>") : ""));

  function tracesOf(chart, s) {
    const told = { x: s.x, y: s.y, name: safe(s.name), legendgroup: s.name, hoverinfo: "text", hovertext: said(chart, s) };
    if (s.kind === "bar") return [{ ...told, type: "bar", orientation: "h", width: s.width, marker: { color: s.color, pattern: { shape: HATCHES[s.turn % HATCHES.length], size: 6, solidity: 0.25, fgcolor: "#fff", fillmode: "overlay" } } }];
    if (s.kind === "line") {
      const silent = { mode: "lines", hoverinfo: "skip", showlegend: false, legendgroup: s.name };
      const bands = s.bands.map((band) => ({ ...silent, fill: "toself", fillcolor: faint(s.color), line: { width: 0 },
        x: [...band, ...band.toReversed()].map(([x]) => x), y: [...band.map(([, low]) => low), ...band.toReversed().map(([, , high]) => high)] }));
      const fit = s.fit.length ? [{ ...silent, x: s.fit.map(([x]) => x), y: s.fit.map(([, y]) => y), line: { color: s.color, dash: "dot", width: 1.5 } }] : [];
      const marker = { color: s.color, symbol: SYMBOLS[(s.turn ?? 1) % SYMBOLS.length], size: s.turn === null ? 4 : 9 };
      return [...bands, ...fit, { ...told, mode: s.joined ? "lines+markers" : "markers", marker, line: { color: s.color, width: 2, shape: s.steps ? "hv" : "linear", dash: DASHES[s.dash % DASHES.length] } }];
    }
    const ends = s.ends.map(([low, high], n) => (low === null || high === null ? [NaN, NaN] : [s.x[n] - low, high - s.x[n]]));
    const symbol = s.kind === "tick" ? "line-ns-open" : SYMBOLS[s.turn % SYMBOLS.length];
    return [{ ...told, mode: "markers", marker: { color: s.color, symbol, size: s.kind === "tick" ? 18 : 10, line: { width: 2, color: s.color } },
      error_x: { type: "data", symmetric: false, array: ends.map(([, high]) => high), arrayminus: ends.map(([low]) => low), color: GREY, thickness: 1.5 } }];
  }

  function layoutOf(chart, height) {
    const type = chart.log ? "log" : "linear";
    const axis = { gridcolor: "rgba(128,128,128,0.25)", zeroline: false, automargin: true };
    const values = { ...axis, type, rangemode: "tozero", title: { text: safe(chart.axis) } };
    const names = chart.rows.map((name, n) => (chart.headings.includes(n) ? `<b>${safe(name)}</b>` : safe(name)));
    const isRows = names.length > 0;
    return {
      xaxis: isRows ? values : { ...axis, title: { text: safe(chart.across) } },
      yaxis: isRows ? { ...axis, tickvals: names.map((_, n) => n), ticktext: names, range: [names.length - 0.5, -0.5] } : values,
      shapes: chart.limits.filter(([y]) => y <= 3 * Math.max(...chart.series.flatMap((s) => s.y))).map(([y]) => ({ type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y, line: { color: GREY, dash: "dash" } })),
      barmode: "relative", height: Math.max(320, height), margin: { l: 12, r: 24, t: 30, b: 52 }, legend: { orientation: "h", y: 1, yanchor: "bottom" },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", ...inks(),
    };
  }

  async function load() {
    const script = document.createElement("script");
    script.textContent = await unpack("library");
    document.head.append(script);
  }

  return {
    repaint: () => { for (const place of zoomed) Plotly.relayout(place, inks()); },
    async show(place, chart, isShown) {
      const [drawn] = [...place.querySelectorAll("svg.chart")].filter((svg) => svg.checkVisibility());
      const height = drawn?.getBoundingClientRect().height ?? 0;
      place.classList.toggle("zoomed", isShown);
      if (!isShown) {
        zoomed.delete(place.lastElementChild);
        Plotly.purge(place.lastElementChild);
        place.lastElementChild.remove();
        return;
      }
      await (library ??= load());
      const room = document.createElement("div");
      place.append(room);
      await Plotly.newPlot(room, chart.series.flatMap((s) => tracesOf(chart, s)), layoutOf(chart, height), { responsive: true, displaylogo: false });
      zoomed.add(room);
    },
  };
};
