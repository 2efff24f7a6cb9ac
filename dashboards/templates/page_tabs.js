"use strict";
// Tabs: without this script all panels are shown one below the other. Tabs of one question in several studies move together.
globalThis.ironlake = {};
ironlake.tabs = () => {
  function show(group, tab) {
    for (const other of group.querySelectorAll(":scope > [role=tablist] > [role=tab]")) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !chosen;
    }
  }

  function select(group, tab) {
    show(group, tab);
    if (!tab.dataset.key) return;
    for (const alike of document.querySelectorAll(`[role=tab][data-key="${tab.dataset.key}"]`)) {
      const other = alike.closest(".tabs");
      if (other !== group) show(other, alike);
    }
  }

  for (const group of document.querySelectorAll(".tabs")) {
    const list = group.querySelector("[role=tablist]");
    const tabs = [...list.children];
    list.hidden = false;
    show(group, tabs[0]);
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
};
