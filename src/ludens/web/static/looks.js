/** Light and dark, and what boards look like. */

import { h } from "./dom.js";
import { like, likes } from "./keeping.js";

const MODES = [
  ["auto", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const BOARDS = [
  ["classic", "Classic: wood and colours"],
  ["slate", "Slate: cool and calm"],
  ["vivid", "Vivid: strong contrast, colour-blind safe"],
];

const dark = matchMedia("(prefers-color-scheme: dark)");

export function dress() {
  const { mode = "auto", board = "classic" } = likes();
  const root = document.documentElement;
  root.dataset.mode = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
  root.dataset.board = board;
}

dark.addEventListener("change", dress);

/** @returns {HTMLDialogElement} */
export function looksDialog() {
  const dialog = h("dialog", { "aria-labelledby": "looks-title" });
  const field = (
    /** @type {string} */ name,
    /** @type {string} */ title,
    /** @type {string[][]} */ choices,
    /** @type {string} */ usual,
  ) => [
    h("label", { for: `look-${name}` }, title),
    h(
      "select",
      {
        id: `look-${name}`,
        onchange: (/** @type {any} */ e) => {
          like({ [name]: e.target.value });
          dress();
        },
      },
      ...choices.map(([value, text]) =>
        h("option", { value, selected: (likes()[name] ?? usual) === value }, text),
      ),
    ),
  ];
  dialog.append(
    h("h2", { id: "looks-title" }, "Looks"),
    h(
      "div",
      { class: "form" },
      ...field("mode", "Page", MODES, "auto"),
      ...field("board", "Boards", BOARDS, "classic"),
    ),
    h("form", { method: "dialog", class: "buttons" }, h("button", { class: "primary" }, "Done")),
  );
  document.body.append(dialog);
  return dialog;
}
