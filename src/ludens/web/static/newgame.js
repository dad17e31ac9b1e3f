/** The dialog for a new game: which, with which options, who plays. */

import { h, refill } from "./dom.js";
import { button, form, labelled } from "./fields.js";
import { optionFields } from "./optionfields.js";
import { playerFields } from "./playerfields.js";
import { kinds, sideOf, you } from "./sides.js";
import { capital, titleOf } from "./words.js";

/**
 * @import { App } from "./app.js"
 * @import { Side } from "./sides.js"
 * @import { Described, GameInfo, SentGame, Trouble } from "./types.js"
 */

const MAX_SEED = 2 ** 53 - 1;

export class NewGame {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.dialog = h("dialog", { "aria-labelledby": "new-title" });
    document.body.append(this.dialog);
    this.fields = h("div");
    this.swapper = button("Swap sides", () => this.swap(), { type: "button", id: "swap" });
    this.note = h("p.quiet.small", { role: "status", "aria-live": "polite" });
    this.dialog.append(this.form());
    app.listen((what) => what === "preparing" && this.showNote());
    /** @type {GameInfo | undefined} */
    this.game = undefined;
    /** @type {Described | null} */
    this.described = null;
    /** Options that differ from their defaults. @type {Record<string, string>} */
    this.chosen = {};
    /** @type {Side[]} */
    this.sides = [];
    this.seed = "";
    this.setup = "";
  }

  open() {
    const { app } = this;
    this.game = app.infoOf(app.story.spec) ?? app.known[0];
    this.chosen = optionsOf(app.story.spec);
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
    const note = this.described?.note;
    this.note.textContent = this.app.waiting || (note ? `${capital(note)}.` : "");
  }

  get spec() {
    const { game, chosen } = this;
    const words = (game?.options ?? [])
      .filter(({ name, default: usual }) => (chosen[name] ?? String(usual)) !== String(usual))
      .map(({ name }) => `${name}=${chosen[name]}`);
    return (game?.name ?? "") + (words.length ? `:${words.join(",")}` : "");
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
    const { spec } = this;
    const described = await this.ask({ spec, history: [] });
    if (!described || spec !== this.spec) return;
    this.described = described;
    this.showNote();
    this.sides = this.seat(described);
    this.show();
  }

  /** @param {SentGame} game */
  ask(game) {
    const asked = this.app.line.ask("describe", { game });
    return this.app.attempt(asked, (text) => this.refuse(text));
  }

  /**
   * Who plays: those who did, as far as they can play this game.
   * @param {Described} described
   */
  seat(described) {
    const other = sideOf(described.default_agent);
    const known = kinds(described, !!this.game?.can_solve);
    if (this.game?.players === 1) return [you()];
    return (this.sides.length < 2 ? [you(), other] : this.sides).map((side) => {
      const isThere = known.includes(side.who) && described.nets.includes(side.weights);
      return isThere || side.who === "you" ? side : other;
    });
  }

  /** What stays while the fields change: a button that is replaced would miss its click. */
  form() {
    return form(
      { method: "dialog" },
      () => this.start(),
      h("h2", { id: "new-title" }, "New game"),
      this.fields,
      this.note,
      h(
        "div.buttons",
        this.swapper,
        button("Cancel", () => this.dialog.close(), { type: "button" }),
        h("button.primary", { id: "start-game" }, "Start"),
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
        "div.games",
        { role: "group", "aria-label": "Game" },
        ...known.map((game) => this.gameButton(game)),
        ...troubles.map(troubleButton),
      ),
      h(
        "div.form",
        ...this.sides.flatMap((_, i) => this.playerFields(i)),
        this.optionFields(),
        ...this.startFields(),
      ),
    );
    if (focused) document.getElementById(focused)?.focus();
  }

  /** @param {GameInfo} game */
  gameButton(game) {
    const [title, about] = titleOf(game);
    const pressed = String(game === this.game);
    return h(
      "button",
      {
        type: "button",
        id: `game-${game.name}`,
        "aria-pressed": pressed,
        onclick: () => this.pick(game),
      },
      title,
      h("small", about),
    );
  }

  /** @param {number} i the player */
  playerFields(i) {
    const title = this.sides.length === 1 ? "Player" : ["First player", "Second player"][i];
    const change = (/** @type {Partial<Side>} */ changed) => {
      Object.assign(this.sides[i], changed);
      this.show();
    };
    const canSolve = !!this.game?.can_solve;
    return playerFields(`side-${i}`, title, this.sides[i], this.described, canSolve, change);
  }

  optionFields() {
    const change = (/** @type {string} */ name, /** @type {string} */ text) => {
      this.chosen[name] = text;
      this.describe();
    };
    const isOpen = this.dialog.querySelector("details")?.open;
    return optionFields(this.game?.options ?? [], this.chosen, !!isOpen, change);
  }

  /** The seed and, if the game has one, the set-up. */
  startFields() {
    const seed = h("input", {
      id: "seed",
      type: "number",
      min: 0,
      max: MAX_SEED,
      placeholder: "any",
      value: this.seed,
      oninput: () => (this.seed = seed.value),
    });
    const setup = h("input", {
      id: "setup",
      placeholder: "in the game's words",
      value: this.setup,
      oninput: () => (this.setup = setup.value),
    });
    const fields = labelled("seed", "Seed", seed);
    return this.game?.has_setup ? [...fields, ...labelled("setup", "Set-up", setup)] : fields;
  }

  swap() {
    this.sides.reverse();
    this.show();
  }

  /** Say what is wrong within the dialog, which covers all notices. @param {string} text */
  refuse(text) {
    this.note.textContent = text;
    this.note.scrollIntoView({ block: "nearest" });
  }

  async start() {
    const { spec, setup } = this;
    this.showNote();
    const seed = this.seed === "" ? null : Math.max(0, Math.floor(Number(this.seed)));
    const described = await this.ask({ spec, history: [], seed, setup });
    if (!described || !this.dialog.open) return; // cancelled meanwhile
    this.dialog.close();
    await this.app.games.put(described.position, this.sides, false, { described, setup });
  }
}

/** The options that a spec names. @param {string} spec @returns {Record<string, string>} */
function optionsOf(spec) {
  const [, rest = ""] = spec.split(/:(.*)/s);
  const parts = rest ? rest.split(",") : [];
  return Object.fromEntries(parts.map((part) => part.split(/=(.*)/s)));
}

/** A game that does not load, and why. @param {Trouble} trouble */
function troubleButton({ name, trouble }) {
  const small = h("small", trouble);
  return h("button", { type: "button", disabled: true, title: trouble }, name, small);
}
