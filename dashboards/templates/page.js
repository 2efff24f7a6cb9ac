"use strict";
(async () => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);

  // Base 85, as document.py packs it: five characters for four bytes.
  const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%[()*+-;]=,?@^_`{|}~";
  async function unpack(id) {
    const digit = new Map([...DIGITS].map((character, n) => [character.charCodeAt(0), n]));
    const packed = document.getElementById(id).textContent;
    const bytes = new DataView(new ArrayBuffer(4 * Math.ceil(packed.length / 5)));
    for (let at = 0; at < packed.length; at += 5) {
      let value = 0;
      for (let n = at; n < at + 5; n++) value = 85 * value + (n < packed.length ? digit.get(packed.charCodeAt(n)) : 84);
      bytes.setUint32((at / 5) * 4, value);
    }
    const whole = bytes.buffer.slice(0, Math.floor((packed.length * 4) / 5));
    const stream = new Blob([whole]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  // Only text colours change with the theme; the colours of data suit both.
  function inks() {
    const style = getComputedStyle(root);
    const [ink, raised, muted] = ["--ink", "--raised", "--muted"].map((name) => style.getPropertyValue(name).trim());
    return { font: { color: ink, family: style.fontFamily }, hoverlabel: { bgcolor: raised, bordercolor: muted, font: { color: ink }, align: "left" } };
  }

  function label() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Change to the light theme" : "Change to the dark theme");
    button.setAttribute("aria-pressed", String(isDark()));
  }

  const zoom = ironlake.zoom(unpack, inks);

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
    zoom.repaint();
  });
  prefersDark.addEventListener("change", () => { label(); zoom.repaint(); });

  ironlake.tabs();
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
  let charts;
  const chartOf = async (id) => (await (charts ??= unpack("charts").then(JSON.parse))).find((chart) => chart.id === id);

  try {
    const on = (id, event, act) => document.getElementById(id).addEventListener(event, act);
    for (const { id } of document.querySelectorAll("figure > .picture:has(svg.chart)")) {
      const button = document.getElementById(id + "-zoom");
      button.parentElement.hidden = false;
      button.hidden = !document.getElementById("library");
      on(id + "-csv", "click", async () => save(id + ".csv", ironlake.numbers.csv(await chartOf(id))));
      on(id + "-zoom", "click", async () => {
        const isOn = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(isOn));
        await zoom.show(document.getElementById(id), await chartOf(id), isOn);
      });
      const folded = document.getElementById(id + "-numbers");
      folded.hidden = false;
      on(folded.id, "toggle", async () => {
        if (folded.open && !folded.querySelector("table")) ironlake.numbers.fill(folded, await chartOf(id));
      });
    }
    root.dataset.ready = "yes";
  } catch (error) {
    for (const place of document.querySelectorAll(".picture:not(:has(svg))")) {
      place.textContent = "This chart cannot be drawn (" + error.message + "); the tables have its numbers.";
    }
    root.dataset.ready = "failed";
  }
})();
