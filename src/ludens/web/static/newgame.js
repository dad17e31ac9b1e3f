/** The dialog for a new game: which, with which options, who plays. */

import { h, refill } from "./dom.js";
import { NAMES, SEARCHING, WITH_NET, kinds, sideOf, you } from "./sides.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./types.js").GameInfo} GameInfo */
/** @typedef {import("./types.js").Option} Option */
/** @typedef {import("./sides.js").Side} Side */

export class NewGame {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.dialog = h("dialog", { "aria-labelledby": "new-title" });
    document.body.append(this.dialog);
    this.fields = h("div");
    this.swapper = h(
      "button",
      { type: "button", id: "swap", onclick: () => this.swap() },
      "Swap sides",
    );
    this.note = h("p", { class: "quiet small", role: "status", "aria-live": "polite" });
    this.dialog.append(this.form());
    app.listen((what) => what === "preparing" && this.showNote());
    /** @type {GameInfo | undefined} */
    this.game = undefined;
    /** @type {import("./types.js").Described | null} */
    this.described = null;
    /** @type {Record<string, string>} */
    this.chosen = {};
    /** @type {Side[]} */
    this.sides = [];
    this.seed = "";
    this.setup = "";
  }

  open() {
    const { app } = this;
    this.game = app.infoOf(app.story.spec) ?? app.known[0];
    this.chosen = {};
    const [, rest = ""] = app.story.spec.split(/:(.*)/s);
    for (const part of rest ? rest.split(",") : []) {
      const [key, value] = part.split(/=(.*)/s);
      this.chosen[key] = value;
    }
    this.described = app.described;
    this.sides = app.sides.map((side) => ({ ...side }));
    this.seed = "";
    this.setup = "";
    this.showNote();
    this.show();
    this.dialog.showModal();
  }

  /** Say what one waits for, else what is to be known of the game's opponents. */
  showNote() {
    this.note.textContent = this.app.waiting || sentence(this.described?.note ?? "");
  }

  get spec() {
    const changed = (this.game?.options ?? []).filter(
      (o) => this.chosen[o.name] !== undefined && this.chosen[o.name] !== String(o.default),
    );
    const words = changed.map((option) => `${option.name}=${this.chosen[option.name]}`);
    return (this.game?.name ?? "") + (words.length ? `:${words.join(",")}` : "");
  }

  /** @param {GameInfo} game */
  async pick(game) {
    this.game = game;
    this.chosen = {};
    this.described = null;
    this.show();
    await this.describe();
  }

  /** Ask what there is for the game with its options. */
  async describe() {
    const { spec, app } = this;
    const described = await app.attempt(
      app.line.ask("describe", { game: { spec, history: [] } }),
      (text) => this.refuse(text),
    );
    if (!described || spec !== this.spec) return;
    this.described = described;
    this.showNote();
    const other = sideOf(described.default_agent);
    if (this.game?.players === 1) this.sides = [you()];
    else if (this.sides.length < 2) this.sides = [you(), other];
    const known = new Set(kinds(described, !!this.game?.can_solve));
    this.sides = this.sides.map((side) =>
      known.has(side.who) && described.nets.includes(side.weights)
        ? side
        : side.who === "you"
          ? side
          : other,
    );
    this.show();
  }

  /**
   * What stays while the fields change: a button that goes away under the pointer is not clicked.
   */
  form() {
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.start();
    };
    return h(
      "form",
      { method: "dialog", onsubmit: submit },
      h("h2", { id: "new-title" }, "New game"),
      this.fields,
      this.note,
      h(
        "div",
        { class: "buttons" },
        this.swapper,
        h("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel"),
        h("button", { class: "primary", id: "start-game" }, "Start"),
      ),
    );
  }

  show() {
    const focused = document.activeElement?.id;
    const { known, troubles } = this.app;
    this.swapper.hidden = this.sides.length !== 2;
    refill(
      this.fields,
      h(
        "div",
        { class: "games", role: "group", "aria-label": "Game" },
        ...known.map((game) => this.gameButton(game)),
        ...troubles.map(({ name, trouble }) =>
          h(
            "button",
            { type: "button", disabled: true, title: trouble },
            name,
            h("small", {}, trouble),
          ),
        ),
      ),
      h(
        "div",
        { class: "form" },
        ...this.sides.flatMap((side, i) => this.sideFields(side, i)),
        this.optionFields(),
        h("label", { for: "seed" }, "Seed"),
        h(
          "div",
          { class: "field" },
          h("input", {
            id: "seed",
            type: "number",
            min: 0,
            max: 2 ** 53 - 1,
            placeholder: "any",
            value: this.seed,
            oninput: (/** @type {any} */ e) => (this.seed = e.target.value),
          }),
        ),
        ...(this.game?.has_setup
          ? [
              h("label", { for: "setup" }, "Set-up"),
              h(
                "div",
                { class: "field" },
                h("input", {
                  id: "setup",
                  value: this.setup,
                  placeholder: "in the game's words",
                  oninput: (/** @type {any} */ e) => (this.setup = e.target.value),
                }),
              ),
            ]
          : []),
      ),
    );
    if (focused) document.getElementById(focused)?.focus();
  }

  /** @param {GameInfo} game */
  gameButton(game) {
    const [title, about] = titleOf(game);
    const isOn = game === this.game;
    return h(
      "button",
      {
        type: "button",
        id: `game-${game.name}`,
        "aria-pressed": String(isOn),
        onclick: () => this.pick(game),
      },
      title,
      h("small", {}, about),
    );
  }

  swap() {
    this.sides.reverse();
    this.show();
  }

  /** @param {Side} side @param {number} i @returns {Node[]} */
  sideFields(side, i) {
    const id = `side-${i}`;
    const title = this.sides.length === 1 ? "Player" : ["First player", "Second player"][i];
    const change = (/** @type {Partial<Side>} */ changed) => {
      Object.assign(side, changed);
      this.show();
    };
    const levels = this.described?.levels ?? [];
    return [
      h("label", { for: id }, title),
      h(
        "div",
        { class: "field" },
        h(
          "select",
          {
            id,
            onchange: (/** @type {any} */ e) =>
              change({
                who: e.target.value,
                amount: e.target.value === "mcts" ? 1000 : 200,
                by: "sims",
              }),
          },
          ...kinds(this.described, !!this.game?.can_solve).map((who) =>
            h("option", { value: who, selected: who === side.who }, NAMES[who]),
          ),
        ),
        side.who === "level" &&
          h(
            "select",
            {
              "aria-label": `${title}: level`,
              id: `${id}-level`,
              onchange: (/** @type {any} */ e) => change({ level: Number(e.target.value) }),
            },
            ...levels.map(({ level, elo }) =>
              h(
                "option",
                { value: level, selected: level === side.level },
                `Level ${level}${elo === null ? "" : ` (Elo ${Math.round(elo)})`}`,
              ),
            ),
          ),
        WITH_NET.has(side.who) &&
          (this.described?.nets.length ?? 0) > 1 &&
          h(
            "select",
            {
              "aria-label": `${title}: network`,
              id: `${id}-net`,
              onchange: (/** @type {any} */ e) => change({ weights: e.target.value }),
            },
            ...(this.described?.nets ?? []).map((net) =>
              h("option", { value: net, selected: net === side.weights }, net || "shipped"),
            ),
          ),
        SEARCHING.has(side.who) &&
          h("input", {
            type: "number",
            id: `${id}-amount`,
            "aria-label": `${title}: strength`,
            min: side.by === "sims" ? 1 : 0.1,
            step: side.by === "sims" ? 1 : 0.1,
            max: side.by === "sims" ? 1_000_000 : 300,
            value: side.amount,
            onchange: (/** @type {any} */ e) => change({ amount: Number(e.target.value) || 1 }),
          }),
        SEARCHING.has(side.who) &&
          h(
            "select",
            {
              id: `${id}-by`,
              "aria-label": `${title}: strength by`,
              onchange: (/** @type {any} */ e) =>
                change({ by: e.target.value, amount: e.target.value === "sims" ? 200 : 1 }),
            },
            h("option", { value: "sims", selected: side.by === "sims" }, "simulations"),
            h("option", { value: "seconds", selected: side.by === "seconds" }, "seconds a move"),
          ),
      ),
    ];
  }

  optionFields() {
    const options = this.game?.options ?? [];
    if (!options.length) return null;
    const isOpen =
      this.dialog.querySelector("details")?.open || Object.keys(this.chosen).length > 0;
    const fields = options.flatMap((option) => {
      const id = `option-${option.name}`;
      return [
        h("label", { for: id }, option.name.replaceAll("_", " ")),
        h("div", { class: "field" }, this.optionField(option, id)),
        h("div", { class: "hint" }, option.help),
      ];
    });
    return h(
      "details",
      { class: "more", open: isOpen },
      h("summary", {}, "Options of the game"),
      h("div", { class: "form" }, ...fields),
    );
  }

  /** @param {Option} option @param {string} id */
  optionField(option, id) {
    const value = this.chosen[option.name] ?? String(option.default);
    const change = (/** @type {string} */ text) => {
      this.chosen[option.name] = text;
      this.describe();
    };
    if (typeof option.default === "boolean") {
      return h("input", {
        type: "checkbox",
        id,
        checked: value === "true",
        onchange: (/** @type {any} */ e) => change(String(e.target.checked)),
      });
    }
    if (option.choices?.length) {
      return h(
        "select",
        { id, onchange: (/** @type {any} */ e) => change(e.target.value) },
        ...option.choices.map((one) =>
          h("option", { value: one, selected: String(one) === value }, one),
        ),
      );
    }
    const isNumber = typeof option.default === "number";
    return h("input", {
      id,
      type: isNumber ? "number" : "text",
      value,
      min: option.low,
      max: option.high,
      step: Number.isInteger(option.default) ? 1 : "any",
      onchange: (/** @type {any} */ e) => change(e.target.value),
    });
  }

  /** Say what is wrong within the dialog, which covers all notices. @param {string} text */
  refuse(text) {
    this.note.textContent = text;
    this.note.scrollIntoView({ block: "nearest" });
  }

  async start() {
    const { app } = this;
    this.showNote();
    const seed = this.seed === "" ? null : Math.max(0, Math.floor(Number(this.seed)));
    const game = { spec: this.spec, history: [], seed, setup: this.setup };
    const described = await app.attempt(app.line.ask("describe", { game }), (text) =>
      this.refuse(text),
    );
    if (!described || !this.dialog.open) return; // cancelled meanwhile
    this.dialog.close();
    await app.games.put(described.position, this.sides, false, { described, setup: this.setup });
  }
}

/** A note as a sentence of its own. @param {string} note */
function sentence(note) {
  return note && `${note[0].toUpperCase()}${note.slice(1)}.`;
}

/**
 * A game's name and what it is.
 * @param {{title: string, name: string}} game @returns {[string, string]}
 */
export function titleOf({ title, name }) {
  const [first, ...rest] = title.split(": ");
  const about = rest.join(": ");
  return about ? [first, about] : [name.replaceAll("_", " "), title];
}
