/** Editing: the position changed by hand, in the game's own words. */

import { byId, h } from "./dom.js";
import { button, form, wordList } from "./fields.js";

/**
 * @import { App } from "./app.js"
 * @import { Story } from "./story.js"
 * @import { Table } from "./table.js"
 * @import { Position } from "./types.js"
 */

export class EditPanel {
  /** @param {App} app @param {Table} table */
  constructor(app, table) {
    this.app = app;
    this.table = table;
    this.host = byId("panel-edit");
    this.spec = "";
    /** @type {Story | null} */
    this.story = null;
    this.active = -1;
    app.listen((what) => what === "position" && this.moved());
    this.host.addEventListener("left", () => this.table.editing && this.stop());
  }

  moved() {
    const { position } = this.app;
    if (!position || this.app.story === this.story) return;
    this.story = this.app.story;
    this.stop();
    if (position.spec === this.spec) return;
    this.spec = position.spec;
    this.build(position);
  }

  /** @param {Position} position */
  build(position) {
    if (!position.can_edit) {
      this.host.replaceChildren(
        h("p.quiet", "This game has no edit mode: its rules do not say how to change a position."),
      );
      return;
    }
    /** @type {HTMLElement[]} */
    this.tools = position.edits.map((form, i) => this.tool(form, i));
    const text = h("input", {
      id: "edit-words",
      maxlength: 300,
      autocomplete: "off",
      spellcheck: "false",
    });
    this.toggle = h(
      "button.primary",
      { "aria-pressed": "false", onclick: () => this.switch() },
      "Edit on the board",
    );
    this.host.replaceChildren(
      h(
        "p.small.quiet",
        "Choose a tool, then click places on the board. Each change is checked by the rules and ",
        "stays in the list of moves: take it back with Undo.",
      ),
      h("div.row", this.toggle),
      ...this.tools,
      form(
        { class: "row" },
        () => this.send(text.value),
        h("label", { for: "edit-words" }, "In words"),
        text,
        h("button", "Change"),
      ),
      position.edits.length ? h("p.small.quiet.words", `Words: ${position.edits.join("; ")}`) : "",
    );
  }

  /**
   * A form such as `set CELL first|second|empty` as fields.
   * @param {string} edit @param {number} index
   */
  tool(edit, index) {
    const words = edit.split(" ");
    const fields = words.map((word) => {
      if (word === "CELL") return h("i.quiet", { "data-cell": "" }, "a place");
      if (word.includes("|")) {
        return wordList(word.split("|"), {
          "aria-label": `${words[0]}: which`,
          onchange: () => this.use(index),
        });
      }
      if (/^[A-Z]+$/.test(word))
        return h("input", {
          "aria-label": word.toLowerCase(),
          placeholder: word.toLowerCase(),
          size: 10,
          onfocus: () => this.use(index),
        });
      return h("span", { "data-word": word }, word.replaceAll("_", " "));
    });
    const hasCell = words.includes("CELL");
    const start = hasCell
      ? button("Use", () => this.use(index))
      : button("Set", () => this.send(this.wordsOf(index, "")));
    return h("div.tool", { "data-cell": hasCell ? "" : null }, start, ...fields);
  }

  /** The words of a tool as it is set. @param {number} index @param {string} cell */
  wordsOf(index, cell) {
    const fields = [...(this.tools?.[index].children ?? [])].slice(1);
    return fields
      .map((field) =>
        field.hasAttribute("data-cell")
          ? cell
          : (field.getAttribute("data-word") ?? /** @type {any} */ (field).value),
      )
      .join(" ")
      .trim();
  }

  /** @param {number} index */
  use(index) {
    if (!this.tools?.[index].hasAttribute("data-cell")) return;
    this.active = index;
    this.start();
  }

  switch() {
    if (this.table.editing) this.stop();
    else {
      const first = this.tools?.findIndex((tool) => tool.hasAttribute("data-cell")) ?? -1;
      if (this.active < 0) this.active = first;
      this.start();
    }
  }

  start() {
    if (this.active < 0) return;
    this.app.pause(true);
    this.table.editing = (choice) => this.send(this.wordsOf(this.active, choice));
    this.showState();
  }

  stop() {
    this.table.editing = null;
    this.active = -1;
    this.showState();
  }

  showState() {
    const isOn = !!this.table.editing;
    this.tools?.forEach((tool, i) => tool.classList.toggle("on", isOn && i === this.active));
    this.toggle?.setAttribute("aria-pressed", String(isOn));
    if (this.toggle)
      this.toggle.textContent = isOn ? "Stop editing, play from here" : "Edit on the board";
    byId("board-host").classList.toggle("editing", isOn);
    this.table.show(false);
  }

  /** @param {string} text */
  async send(text) {
    if (!text.trim()) return;
    const { app } = this;
    const from = app.here;
    const answer = await app.attempt(app.line.ask("edit", { game: app.story.sent(from), text }));
    if (!answer) return;
    app.isPaused = true;
    await app.goTo(app.story.advance(from, answer.position), { isPlayed: true });
  }
}
