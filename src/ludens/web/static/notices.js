/** What is said in passing: it can be closed, and it never covers what it is about. */

import { byId, h } from "./dom.js";
import { capital } from "./words.js";

const NOTICE_MS = 7000;

/**
 * Say something, with a button for what can be done about it.
 * @param {string} text @param {[string, () => void]} [deed]
 */
export function tell(text, deed) {
  const said = capital(text);
  const host = byId("notices");
  const close = () => notice.remove();
  const notice = h(
    "div.notice",
    h("span", said),
    deed && h("button", { onclick: () => (close(), deed[1]()) }, deed[0]),
    h("button.close", { "aria-label": "Close", title: "Close (Escape)", onclick: close }, "×"),
  );
  for (const other of host.children) if (other.firstChild?.textContent === said) other.remove();
  host.append(notice);
  place();
  const expire = () =>
    notice.matches(":hover, :focus-within") ? setTimeout(expire, NOTICE_MS) : close();
  setTimeout(expire, deed ? 2 * NOTICE_MS : NOTICE_MS);
}

/** Close the newest notice; false if there is none. */
export function closeNewest() {
  const newest = byId("notices").lastElementChild;
  newest?.remove();
  return !!newest;
}

/** Put the notices at the end of the screen where the box in use is not. */
function place() {
  const host = byId("notices");
  const focused = document.activeElement;
  if (host.contains(focused)) return;
  const box = focused?.closest("form")?.getBoundingClientRect() ?? focused?.getBoundingClientRect();
  host.classList.remove("down");
  if (host.firstChild && box && box.height < innerHeight / 2)
    host.classList.toggle("down", box.top < host.getBoundingClientRect().bottom);
}

addEventListener("scroll", place, { capture: true, passive: true });
addEventListener("focusin", place);
