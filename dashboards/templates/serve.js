"use strict";
{
  const root = document.documentElement;
  const kept = {
    read(name) { try { return localStorage.getItem(name); } catch { return null; } },
    write(name, value) { try { localStorage.setItem(name, value); } catch { /* then it is not kept */ } },
  };
  // As page.js has it: one theme for all pages.
  const theme = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const label = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  if (["light", "dark"].includes(kept.read("ironlake-theme"))) root.dataset.theme = kept.read("ironlake-theme");
  theme.hidden = false;
  label();
  dark.addEventListener("change", label);
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    kept.write("ironlake-theme", root.dataset.theme);
    label();
  });

  // What nobody filled in is not in the address.
  for (const form of document.querySelectorAll("form.filters")) {
    form.addEventListener("submit", () => {
      for (const set of form.querySelectorAll("fieldset")) if (!set.querySelector("select").value) set.disabled = true;
      for (const field of form.querySelectorAll(".line > label > *")) if (!field.value) field.disabled = true;
    });
  }

  const box = document.getElementById("q");
  if (box) {
    const offers = document.getElementById("offers");
    const WORDS = ["SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "JOIN", "USING", "HAVING", "DISTINCT", "count(*)"];
    const columns = new Map();
    let names = [];
    const ask = async (of) => {
      const answer = await fetch(of ? `names?of=${encodeURIComponent(of)}` : "names");
      return answer.ok ? answer.json() : [];
    };
    ask("").then((found) => { names = found; learn(); });
    async function learn() {
      for (const word of new Set(box.value.match(/\w+/g))) {
        if (names.includes(word) && !columns.has(word)) {
          columns.set(word, []);
          columns.set(word, await ask(word));
        }
      }
    }
    const word = () => /\w*$/.exec(box.value.slice(0, box.selectionStart))[0];
    function take(name) {
      const end = box.selectionStart;
      box.setRangeText(name, end - word().length, end, "end");
      offers.replaceChildren();
      box.focus();
      learn();
    }
    box.addEventListener("input", () => {
      learn();
      const begun = word().toLowerCase();
      const known = [...new Set([...[...columns.values()].flat(), ...names, ...WORDS])];
      const fit = begun.length < 2 ? [] : known.filter((n) => n.toLowerCase().startsWith(begun) && n.toLowerCase() !== begun);
      offers.replaceChildren(...fit.slice(0, 8).map((name) => {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
        button.addEventListener("click", () => take(name));
        return button;
      }));
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) box.form.requestSubmit();
      if (event.key === "Escape") offers.replaceChildren();
      if (event.key === "Tab" && !event.shiftKey && offers.firstChild) {
        event.preventDefault();
        take(offers.firstChild.textContent);
      }
    });

    const history = document.getElementById("history");
    const before = () => { try { return JSON.parse(kept.read("ironlake-asked")) || []; } catch { return []; } };
    if (box.value.trim()) kept.write("ironlake-asked", JSON.stringify([...new Set([box.value, ...before()])].slice(0, 50)));
    history.hidden = !before().length;
    history.querySelector("ol").replaceChildren(...before().map((query) => {
      const link = Object.assign(document.createElement("a"), { href: `sql?q=${encodeURIComponent(query)}`, textContent: query });
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
  }
}
