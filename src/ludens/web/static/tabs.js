/** Tabs that the keyboard moves through; a panel hears "shown" and "left". */

import { byId } from "./dom.js";

/** @param {HTMLElement} list of buttons, tab-x for panel-x @returns {(index: number) => void} */
export function makeTabs(list) {
  const tabs = /** @type {HTMLButtonElement[]} */ ([...list.children]);
  const panels = tabs.map((tab) => join(tab, byId(tab.id.replace("tab", "panel"))));
  const select = (/** @type {number} */ index) => {
    tabs.forEach((tab, i) => {
      const isOn = i === index;
      tab.setAttribute("aria-selected", String(isOn));
      tab.tabIndex = isOn ? 0 : -1;
      const isOther = panels[i].hidden === isOn;
      panels[i].hidden = !isOn;
      if (isOther) panels[i].dispatchEvent(new Event(isOn ? "shown" : "left"));
    });
  };
  select(0);
  tabs.forEach((tab, i) => tab.addEventListener("click", () => select(i)));
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(/** @type {any} */ (document.activeElement));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const index = (to + tabs.length) % tabs.length;
    select(index);
    tabs[index].focus();
  });
  return select;
}

/** @param {HTMLElement} tab @param {HTMLElement} panel */
function join(tab, panel) {
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-controls", panel.id);
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", tab.id);
  panel.tabIndex = 0;
  return panel;
}
