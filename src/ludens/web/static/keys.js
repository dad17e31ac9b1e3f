/** The keyboard, and the dialog that explains it. */

import { byId, h } from "./dom.js";
import { dialog } from "./fields.js";

/**
 * @import { App } from "./app.js"
 * @import { Table } from "./table.js"
 */

const HELP = [
  "Click a place, or drag a piece, a card or a shape to where it goes. Green is possible, " +
    "faded red is not. A move with several parts narrows down as you choose.",
  "The link in the address bar is the whole game: send it, or keep it. Reloading loses " +
    "nothing, and games that you leave stay in the list of games.",
];
const KEYS = [
  ["Tab", "to the board, then the buttons and panels"],
  ["Arrows", "on the board: from place to place; elsewhere: step through the game"],
  ["Enter, Space", "choose the place; a move may need several choices"],
  ["Escape", "take the last choice back; close a notice"],
  [", .", "one move back, one on"],
  ["Home, End", "to the start, to the end of the game"],
  ["u, r", "undo, redo"],
  ["h", "hint: the engine's move, shown on the board"],
  ["a", "analysis on or off"],
  ["o", "what the analysis shows on the board: visits, value, prior, nothing"],
  ["m, M", "next mistake, previous mistake"],
  ["b", "to the board"],
  ["/ or t", "type a move in notation"],
  ["p", "agents wait, or go on"],
  ["n", "new game"],
  ["1 … 7", "game, analysis, tree, edit, share, rules, planes"],
  ["?", "this list"],
];

/** @returns {HTMLDialogElement} */
export function helpDialog() {
  const keys = KEYS.flatMap(([key, what]) => [h("dt", h("kbd", key)), h("dd", what)]);
  const paragraphs = HELP.map((words) => h("p", words));
  return dialog("help-title", "Help", "Close", ...paragraphs, h("dl.keys", ...keys));
}

/** @param {Record<string, () => void>} deeds by key @param {Table} table */
export function listen(deeds, table) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape" && table.back()) {
      event.preventDefault();
      return;
    }
    if (target.matches("input, textarea, select")) return;
    if (target.closest("[role=tablist], .wide") && /^(Arrow|Home|End)/.test(event.key)) return;
    if (byId("play").hidden && !["?", "n"].includes(event.key)) return;
    const deed = deeds[event.key];
    if (!deed) return;
    event.preventDefault();
    deed();
  });
}
