"use strict";
// The table below a picture: sorts, filters, turns its pages and is saved as CSV. It shows the selected rows only.
(() => {
  const { element } = lakePage;
  const SHOWN = 10;
  const MOST_PRINTED = 12;

  function sorted(section, rows, order) {
    if (!order) return rows;
    const column = section.columns[order.column];
    const sign = order.isDown ? -1 : 1;
    if (column.kind === "text") {
      const alphabetical = column.names.map((_, n) => n).sort((a, b) => column.names[a].localeCompare(column.names[b], "en", { numeric: true }));
      const rank = new Int32Array(column.names.length);
      alphabetical.forEach((n, place) => (rank[n] = place));
      return known((i) => (column.at[i] < 0 ? NaN : rank[column.at[i]]));
    }
    return known((i) => column.values[i]);

    // What is not known comes last either way; equal ones keep their order.
    function known(value) {
      return [...rows].sort((a, b) => {
        const [p, q] = [value(a), value(b)];
        const [none, other] = [Number.isNaN(p), Number.isNaN(q)];
        return none || other ? none - other || a - b : sign * (p - q) || a - b;
      });
    }
  }

  lakePage.table = (section, place, { save, cell }) => {
    const table = place.querySelector("table");
    const body = table.tBodies[0];
    const usual = section.columns.findIndex((c) => c.name === section.order);
    const shown = { rows: [], found: [], order: usual < 0 ? null : { column: usual, isDown: true }, words: "", first: 0 };
    const status = element("span", { class: "count" });
    // Spoken while this table is worked with; a filter changes all tables at once, and says so itself.
    place.addEventListener("focusin", () => status.setAttribute("aria-live", "polite"));
    place.addEventListener("focusout", () => status.removeAttribute("aria-live"));
    const turn = (label, text) => element("button", { type: "button", "aria-label": `${label} rows of: ${section.title}` }, text);
    const back = turn("Previous", "←");
    const on = turn("Next", "→");
    const find = element("input", { type: "search", placeholder: "Find in the table", "aria-label": `Find in the table: ${section.title}` });
    const file = element("button", { type: "button", class: "csv", "aria-label": `Selected rows as CSV: ${section.title}` }, "Selected rows as CSV");
    place.prepend(element("div", { class: "tools" }, find, status, back, on, file));

    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, n) => {
      const button = element("button", { type: "button" }, ...head.childNodes);
      button.append(element("span", { class: "arrow", "aria-hidden": "true" }));
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const isFirst = shown.order?.column !== n;
        // Numbers and times: the largest first; names: from A.
        const startsDown = section.columns[n].kind !== "text";
        shown.order = isFirst ? { column: n, isDown: startsDown } : { column: n, isDown: !shown.order.isDown };
        shown.first = 0;
        refresh();
      });
    });

    const matches = (i) => section.columns.some((c) => c.text(i).toLowerCase().includes(shown.words));

    function refresh() {
      shown.found = sorted(section, shown.words ? shown.rows.filter(matches) : shown.rows, shown.order);
      heads.forEach((head, n) => {
        const isSorted = shown.order?.column === n;
        if (isSorted) head.setAttribute("aria-sort", shown.order.isDown ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
        head.querySelector(".arrow").textContent = isSorted ? (shown.order.isDown ? " ↓" : " ↑") : "";
      });
      write(SHOWN);
    }

    function write(many) {
      const total = shown.found.length;
      const page = shown.found.slice(shown.first, shown.first + many);
      body.replaceChildren(...page.map((i) => element("tr", {}, ...section.columns.map((c, n) => {
        const isHead = n === 0 && c.kind === "text";
        return element(isHead ? "th" : "td", isHead ? { scope: "row" } : c.kind === "text" ? { class: "l" } : {}, c.text(i));
      }))));
      const last = shown.first + page.length;
      status.textContent = total ? `Rows ${(shown.first + 1).toLocaleString("en-GB")} to ${last.toLocaleString("en-GB")} of ${total.toLocaleString("en-GB")}` : "No rows in this selection";
      back.disabled = shown.first === 0;
      on.disabled = last >= total;
    }

    back.addEventListener("click", () => { shown.first = Math.max(0, shown.first - SHOWN); write(SHOWN); });
    on.addEventListener("click", () => { shown.first += SHOWN; write(SHOWN); });
    find.addEventListener("input", () => { shown.words = find.value.trim().toLowerCase(); shown.first = 0; refresh(); });
    file.addEventListener("click", () => {
      const lines = [section.columns.map((c) => c.name), ...shown.found.map((i) => section.columns.map((c) => c.raw(i)))];
      save(`${section.id}.csv`, lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n");
    });

    return {
      show(rows) {
        shown.rows = rows;
        shown.first = 0;
        refresh();
      },
      print: (isPaper) => { shown.first = 0; write(isPaper ? MOST_PRINTED : SHOWN); },
    };
  };
})();
