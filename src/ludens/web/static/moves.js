/** The moves of the game with their variations. */

import { h } from "./dom.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./story.js").Move} Move */

export const SLIP = 0.08;

/** What a move gave away: a share of wins, in a game for one of the score that was expected. @param {App} app @param {Move} move */
export function slipOf(app, { drop, parent }) {
  return (drop ?? 0) / (app.position?.players === 1 ? Math.abs(parent?.rate || 1) : 1);
}

/** @param {App} app @returns {HTMLElement} */
export function drawMoves(app) {
  const list = h("div", { class: "moves", role: "group", "aria-label": "Moves" });
  addLine(app, list, app.story.root);
  if (!list.childElementCount) list.append(h("span", { class: "quiet" }, "No moves yet."));
  queueMicrotask(() => showHere(list));
  return list;
}

/** Scroll the list, not the page. @param {HTMLElement} list */
function showHere(list) {
  const here = /** @type {HTMLElement | null} */ (list.querySelector(".here"));
  if (here) list.scrollTop = here.offsetTop - list.clientHeight / 2;
}

/** Add the moves after one, and what else was tried. @param {App} app @param {HTMLElement} host @param {Move} from */
function addLine(app, host, from) {
  let isFirst = true;
  for (let at = from; at.children.length; at = at.children[0]) {
    const [main, ...others] = at.children;
    addMove(app, host, main, isFirst);
    isFirst = others.length > 0;
    for (const other of others) {
      const box = h("span", { class: "variation" });
      addMove(app, box, other, true);
      addLine(app, box, other);
      host.append(box);
    }
  }
}

/** A move's number: two players' moves share one. @param {App} app @param {Move} move */
export function numberOf(app, move) {
  const { ply } = move;
  if (app.position?.players === 1) return `${ply}.`;
  return `${Math.ceil(ply / 2)}${ply % 2 ? "." : "…"}`;
}

/** @param {App} app @param {HTMLElement} host @param {Move} move @param {boolean} isNumbered */
function addMove(app, host, move, isNumbered) {
  const players = app.position?.players ?? 2;
  if (players === 1 || move.ply % 2 === 1 || isNumbered) host.append(h("span", { class: "number" }, numberOf(app, move)));
  const isHere = move === app.here;
  const given = slipOf(app, move);
  const slip = given >= SLIP ? h("span", { class: "bad" }, given > 0.25 ? "??" : "?") : null;
  host.append(
    h("button", {
      class: isHere ? "here" : null,
      "aria-current": isHere ? "step" : null,
      title: move.notes || null,
      onclick: () => {
        app.isPaused = true;
        app.goTo(move);
      },
    }, move.isEdit ? `✎ ${move.name}` : move.name, slip),
  );
}
