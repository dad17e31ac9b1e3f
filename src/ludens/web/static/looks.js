/** Light and dark, and what boards look like. */

import { h } from "./dom.js";
import { dialog, list } from "./fields.js";
import { like, likes } from "./keeping.js";

/** @type {[string, string][]} */
const MODES = [
  ["auto", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];
/** @type {[string, string][]} */
const BOARDS = [
  ["classic", "Classic: wood and colours"],
  ["slate", "Slate: cool and calm"],
  ["vivid", "Vivid: strong contrast, colour-blind safe"],
];
/** @type {[string, string][]} */
const STONES = [
  ["board", "As the board has them"],
  ["glass", "Glass: bright and clear"],
  ["jade", "Jade and shell"],
  ["flat", "Flat: no light, no shadow"],
];

const dark = matchMedia("(prefers-color-scheme: dark)");

export function dress() {
  const { mode = "auto", board = "classic", stones = "board" } = likes();
  const root = document.documentElement;
  root.dataset.mode = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
  root.dataset.board = board;
  root.dataset.stones = stones;
}

dark.addEventListener("change", dress);

/** @returns {HTMLDialogElement} */
export function looksDialog() {
  const fields = [
    ...lookFields("mode", "Page", MODES),
    ...lookFields("board", "Boards", BOARDS),
    ...lookFields("stones", "Stones", STONES),
  ];
  return dialog("looks-title", "Looks", "Done", h("div.form", ...fields));
}

/** @param {string} name @param {string} title @param {[string, string][]} looks the usual first */
function lookFields(name, title, looks) {
  const id = `look-${name}`;
  const pick = (/** @type {string} */ look) => {
    like({ [name]: look });
    dress();
  };
  return [h("label", { for: id }, title), list(looks, likes()[name] ?? looks[0][0], pick, { id })];
}
