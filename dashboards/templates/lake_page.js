"use strict";
// What is chosen stands in the address after #, as in #class=CICSHI&system=SYSA: panels and table rows of other names are hidden. Nothing is drawn.
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const lists = [...form.querySelectorAll("select")];
  const chosen = document.getElementById("chosen");
  const clear = document.getElementById("clear");
  const parts = [...document.querySelectorAll(".panel[data-of], tr[data-of]")].map((part) => [part, part.dataset.of.split(" ")]);
  const sections = [...document.querySelectorAll(".question")];

  function show() {
    const wanted = lists.filter((list) => list.value);
    for (const [part, of] of parts) {
      const kinds = part.closest(".question").dataset.kinds.split(" ");
      part.hidden = wanted.some((list) => kinds.includes(list.dataset.kind) && !of.includes(list.value));
    }
    for (const section of sections) {
      const kinds = section.dataset.kinds.split(" ");
      const unknown = wanted.map((list) => list.dataset.kind).filter((kind) => !kinds.includes(kind));
      const isEmpty = section.querySelector(".panel") && !section.querySelector(".panel:not([hidden])");
      const note = section.querySelector(".unfiltered");
      note.textContent = [unknown.length ? `Not filtered by ${unknown.join(" or ")}.` : "", isEmpty ? "Nothing of this choice is drawn." : ""].join(" ").trim();
      note.hidden = !note.textContent;
    }
    chosen.textContent = wanted.length ? `Only ${wanted.map((list) => `${list.dataset.kind} ${list.selectedOptions[0].text}`).join(", ")}` : "";
    clear.hidden = !wanted.length;
  }

  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const list of lists) list.value = [...list.options].find((option) => option.value && option.text === given.get(list.dataset.kind))?.value ?? "";
    show();
  }

  function choose() {
    const words = new URLSearchParams(lists.filter((list) => list.value).map((list) => [list.dataset.kind, list.selectedOptions[0].text]));
    history.pushState(null, "", words.size ? `#${words}` : location.pathname + location.search);
    show();
  }

  // A link to a section opens what it is folded into; that of a finding chooses its names, too.
  function goTo(id) {
    const title = document.getElementById(id);
    for (let fold = title?.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) {
      fold.open = true;
      fold.classList.add("wanted");
    }
    title?.scrollIntoView();
    title?.focus({ preventScroll: true });
  }

  for (const fold of document.querySelectorAll(".calm > summary")) fold.addEventListener("click", () => fold.parentElement.classList.add("wanted"));
  for (const link of document.querySelectorAll("nav a, .finding a")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const of = link.dataset.of?.split(" ");
      if (of) for (const list of lists) list.value = [...list.options].find((option) => option.value && of.includes(option.value))?.value ?? "";
      if (of) choose();
      goTo(link.hash.slice(1));
    });
  }
  form.addEventListener("change", choose);
  form.addEventListener("reset", () => setTimeout(choose));
  addEventListener("popstate", read);
  form.hidden = !lists.length;
  // A list that would fill a phone.
  if (innerWidth < 1100) document.querySelector("nav details").open = false;
  read();
  if (document.getElementById(location.hash.slice(1))) goTo(location.hash.slice(1));
})();
