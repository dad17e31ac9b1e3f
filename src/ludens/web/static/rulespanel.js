/** The rules of the game in words, with small boards and tables that can be searched. */

import { byId, h } from "./dom.js";
import { complete, drawPicture } from "./picture.js";

/**
 * @import { App } from "./app.js"
 * @import { Child } from "./dom.js"
 * @import { RuleBlock } from "./types.js"
 */

const LONG_TABLE = 12;

export class RulesPanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.host = byId("panel-rules");
    this.spec = "";
    app.listen((what) => what === "position" && !this.host.hidden && this.show());
    this.host.addEventListener("shown", () => this.show());
  }

  async show() {
    const spec = this.app.position?.spec;
    if (!spec || spec === this.spec) return;
    this.spec = spec;
    const answer = await this.app.attempt(this.app.line.ask("rules", { spec }));
    if (this.spec !== spec) return;
    if (!answer) this.spec = "";
    const blocks = answer?.blocks ?? [];
    this.host.replaceChildren(
      ...(blocks.length ? blocks.map(drawBlock) : [h("p.quiet", "This game tells no rules.")]),
    );
  }
}

/** @param {RuleBlock} block @returns {HTMLElement} */
function drawBlock({ kind, text, rows, scene }) {
  if (kind === "heading") return h("h2", text);
  if (kind === "item") return h("ul", h("li", ...words(text)));
  if (kind === "table") return drawTable(rows);
  if (kind === "text") return h("p", ...words(text));
  const { root } = drawPicture(complete(scene));
  root.setAttribute("role", "img");
  root.setAttribute("aria-label", text);
  return h("div.example", root);
}

/** What stands between backticks is code. @param {string} text @returns {Child[]} */
function words(text) {
  return text.split("`").map((part, i) => (i % 2 ? h("code", part) : part));
}

/** @param {string[][]} rows the header first */
function drawTable([head, ...body]) {
  const lines = body.map((row) => h("tr", ...row.map((cell) => h("td.left", cell))));
  const titles = head.map((title) => h("th.left", { scope: "col" }, title));
  const table = h(
    "div.wide",
    { tabindex: 0, role: "region", "aria-label": head.join(", ") },
    h("table", h("thead", h("tr", ...titles)), h("tbody", ...lines)),
  );
  if (body.length <= LONG_TABLE) return table;
  const find = (/** @type {any} */ event) => {
    const asked = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    lines.forEach((line, i) => {
      line.hidden = !asked.every((/** @type {string} */ word) => has(head, body[i], word));
    });
  };
  return h(
    "div",
    h("input", {
      type: "search",
      "aria-label": "Search the table",
      placeholder: `Search: a word, or ${head[0]}=${body[0][0]}`,
      oninput: find,
    }),
    table,
  );
}

/** @param {string[]} head @param {string[]} row @param {string} word which may name its column */
function has(head, row, word) {
  const [column, value] = word.split("=");
  if (value === undefined) return row.join(" ").toLowerCase().includes(word);
  const at = head.findIndex((title) => title.toLowerCase() === column);
  return row[at]?.toLowerCase() === value;
}
