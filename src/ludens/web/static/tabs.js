/** Tabs that the keyboard moves through; a panel that is left hears "left". */

/** @param {HTMLElement} list @returns {(index: number) => void} */
export function makeTabs(list) {
  const tabs = /** @type {HTMLButtonElement[]} */ ([...list.querySelectorAll("[role=tab]")]);
  const select = (/** @type {number} */ index) => {
    tabs.forEach((tab, i) => {
      const isOn = i === index;
      tab.setAttribute("aria-selected", String(isOn));
      tab.tabIndex = isOn ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
      if (!panel) return;
      if (!panel.hidden && !isOn) panel.dispatchEvent(new Event("left"));
      panel.hidden = !isOn;
    });
  };
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
