/** The board in play: picking moves by pointer and keyboard, ghosts, what is said. */

import { Board } from "./board.js";
import { comingShapes } from "./coming.js";
import { byId, h, icon, plural } from "./dom.js";
import { Ghosts } from "./ghosts.js";
import { showMeter } from "./meter.js";
import { drawOverlay } from "./overlay.js";
import { complete } from "./picture.js";
import { Picker } from "./picking.js";
import { titleOf } from "./newgame.js";
import { Pointing } from "./pointing.js";
import { describe } from "./sides.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./places.js").Hit} Hit */

const MANY = 0.45;

export class Table {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.picker = new Picker();
    this.board = new Board(byId("board-host"));
    this.ghosts = new Ghosts(this.board, this.picker, (actions) => app.foresee(actions));
    /** @type {((choice: string) => void) | null} who gets the clicks instead, when editing */
    this.editing = null;
    this.overlay = "none";
    /** A small place that a finger has met once: the next tap there plays. */
    this.aimed = "";
    /** @type {import("./types.js").Position | null} */
    this.shown = null;
    this.said = "";
    new Pointing(this.board, this.picker, {
      choose: (choice, isSure) => this.choose(choice, isSure),
      hover: (hit) => this.hover(hit),
      isActive: () => this.canPick,
    });
    this.board.onRefit = () => this.show(false);
    this.board.host.addEventListener("keydown", (event) => this.key(event));
    this.board.host.addEventListener("focusin", () => this.focused());
    app.listen((what) => this.react(what));
  }

  /** @param {import("./app.js").Happening} what */
  react(what) {
    if (what === "position") {
      this.show(this.app.isMoving);
      this.announce();
    } else if (what === "analysis") this.showAnalysis();
    else if (what === "thinking") this.showTurn();
    else if (what === "preparing") this.showStatus();
  }

  get canPick() {
    return this.app.mayMove && !this.editing;
  }

  /** @param {boolean} isMoving */
  show(isMoving) {
    const { position } = this.app;
    if (!position) return;
    const scene = complete(position.scene);
    this.ghosts.clear();
    this.ghosts.pattern = null;
    const [picked, aimed] =
      position === this.shown && this.app.mayMove ? [this.picker.picked, this.aimed] : [[], ""];
    this.shown = position;
    this.picker.reset(this.app.mayMove ? position.legal : []);
    this.picker.picked = picked;
    this.board.show(
      scene,
      position.marked,
      `${position.title.replace(/\.$/, "")}. ${position.outcome}`,
      isMoving,
      this.app.below,
    );
    const stage = byId("play").querySelector(".table");
    byId("play").style.setProperty("--aspect", String(this.board.aspect));
    for (const ground of ["on-point", "on-hole"])
      stage.classList.toggle(ground, !!this.board.picture?.root.classList.contains(ground));
    this.offer();
    this.showAnalysis();
    this.showPlayers();
    if (aimed) this.takeAim(aimed);
    const [title, about] = titleOf(position);
    byId("game-title").textContent = title;
    byId("game-about").textContent = about;
    document.title = `${title} – Ludens`;
    const options = byId("game-options");
    options.textContent = options.title = position.spec.includes(":")
      ? position.spec.slice(position.spec.indexOf(":") + 1)
      : "";
  }

  offer() {
    const { picker, board } = this;
    const options = picker.options();
    const isHinting = picker.isCompound || options.size < MANY * board.hits.size;
    const fouls = new Set(
      this.canPick ? this.app.position?.fouls.map((foul) => foul.choices[0]) : [],
    );
    this.aimed = "";
    board.offer(options, picker.picked, isHinting && this.canPick, fouls);
    board.picture?.root.classList.toggle("drags", picker.isCompound);
    const unseen = [...options].filter((choice) => !board.hits.has(choice));
    byId("chips").replaceChildren(
      ...unseen.map((choice) => h("button", { onclick: () => this.choose(choice) }, choice)),
    );
    if (picker.picked.length && board.host.contains(document.activeElement))
      this.focusWays(options);
    this.showOverlay();
    this.showStatus();
  }

  /** When ways to go have appeared, the keyboard goes on from them. @param {Set<string>} options */
  focusWays(options) {
    const [first] = options;
    const hit = this.board.hits.get(first ?? "");
    if (hit?.shapes[0].role === "direction") this.board.focus(first);
  }

  /** @param {string} choice @param {boolean} [isSure] whether it was surely meant */
  choose(choice, isSure = true) {
    if (this.editing) {
      this.editing(choice);
      return;
    }
    if (!this.canPick) {
      this.say(
        this.app.playing
          ? "Your move is on its way."
          : `${this.app.position?.is_over ? "The game is over" : "Not now"}. ${this.sentence()}`,
      );
      return;
    }
    const after = this.picker.after(choice);
    this.ghosts.clear();
    if (!after) {
      this.explain(choice);
      return;
    }
    const move = this.picker.move(after);
    if (move && !isSure && this.aimed !== choice) {
      this.takeAim(choice);
      return;
    }
    if (move) {
      const coming = comingShapes(
        this.board,
        move.choices,
        this.app.position?.to_play ?? 0,
        this.app.foreknown(move.action),
      );
      this.picker.reset([]);
      this.app.play(move.action);
      this.showPlayers();
      this.offer();
      this.board.ghost(coming, "coming");
      return;
    }
    this.picker.picked = this.picker.holds(after) ? after.slice(0, -1) : after;
    this.offer();
  }

  /**
   * Show what a small place would do: another tap there, or the button, plays it.
   * @param {string} choice
   */
  takeAim(choice) {
    const hit = this.board.hits.get(choice);
    this.offer();
    if (!hit) return;
    this.aimed = choice;
    this.board.hint(hit, "is-picked");
    this.ghosts.show(hit);
    byId("chips").append(
      h("button", { class: "primary", onclick: () => this.choose(choice) }, `Play ${choice}`),
    );
    this.showStatus();
  }

  /**
   * Say why a choice is not possible: at once in general, then in the game's own words.
   * @param {string} choice
   */
  async explain(choice) {
    const { app, picker } = this;
    const hit = this.board.hits.get(choice);
    const what = hit?.label ?? choice;
    if (hit) this.ghosts.show(hit);
    if (picker.legal.some(({ choices }) => choices.indexOf(choice) > picker.picked.length)) {
      this.say(`${what}: choose first what goes there.`);
      return;
    }
    this.say(`${what}: not possible here.`);
    const from = app.here;
    const choices = [...picker.picked, choice];
    const answer = await app.line.ask("why", { game: app.story.sent(), choices }).catch(() => null);
    if (answer?.why && from === app.here) this.say(`${what}: ${answer.why}.`);
  }

  /** Take the last choice back. */
  back() {
    if (!this.picker.back()) return false;
    this.ghosts.clear();
    this.offer();
    return true;
  }

  /** @param {Hit | null} hit */
  hover(hit) {
    if (this.canPick) this.ghosts.show(hit);
  }

  focused() {
    const choice = document.activeElement?.getAttribute("data-choice");
    const hit = choice ? this.board.hits.get(choice) : null;
    if (hit && document.activeElement?.matches(":focus-visible")) this.hover(hit);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    /** @type {Record<string, [number, number]>} */
    const ways = { ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] };
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (ways[event.key]) this.board.step(ways[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.board.focused);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The engine has begun or stopped: the reader may or may not move. */
  showTurn() {
    if (this.app.mayMove !== this.picker.legal.length > 0) this.show(false);
    else this.showPlayers();
  }

  showPlayers() {
    const { app } = this;
    const { position } = app;
    if (!position) return;
    this.board.host.setAttribute("aria-busy", String(!!app.playing || !!app.thinking));
    const top = byId("player-top");
    this.showPlayer(byId("player-bottom"), app.below);
    top.hidden = position.players === 1;
    if (!top.hidden) this.showPlayer(top, 1 - app.below);
    const pause = byId("pause");
    pause.hidden = app.sides.every((side) => side.who === "you") || position.is_over;
    const what = app.isPaused ? "Go on" : "Pause";
    pause.replaceChildren(icon(app.isPaused ? "go" : "pause"), h("span", {}, what));
    pause.setAttribute("aria-label", what);
    byId("hint").hidden = position.is_over;
    byId("typing").hidden = position.is_over;
    byId("ending").hidden = !position.is_over;
    byId("swap-sides").hidden = new Set(app.sides.map(describe)).size < 2;
    this.showStatus();
  }

  /** @param {HTMLElement} host @param {number} player */
  showPlayer(host, player) {
    const { app } = this;
    const position = app.position;
    const isTurn = position?.to_play === player;
    const side = app.sides[player];
    host.classList.toggle("turn", isTurn);
    const score = position?.players === 1 ? `${this.app.points(position.score ?? 0)} points` : "";
    const isThinking = isTurn && app.thinking;
    host.replaceChildren(
      h("span", { class: `swatch s${player}`, "aria-hidden": "true" }),
      h(
        "span",
        { class: "name", title: side && describe(side) },
        app.isYou(0) && app.isYou(1)
          ? ["First player", "Second player"][player]
          : side
            ? describe(side)
            : "",
      ),
      h("span", { class: "thinking" }, isThinking ? "thinking…" : score),
    );
  }

  showStatus() {
    const { position, waiting } = this.app;
    const status = byId("status");
    if (waiting) status.textContent = waiting;
    if (waiting || !position) return;
    status.classList.toggle("over", position.is_over);
    status.textContent = this.said || this.sentence();
    this.said = "";
  }

  /** How the game stands, and what the reader can do. */
  sentence() {
    const { position, isPaused } = this.app;
    if (!position) return "";
    const why = position.reason ? ` (${position.reason})` : "";
    if (position.is_over)
      return `${this.app.verdict} after ${plural(position.num_plies, "move")}${why}.`;
    if (this.aimed) return `${this.aimed}: tap again to play there.`;
    const { picked } = this.picker;
    const words = picked.map((choice) => this.board.hits.get(choice)?.label || choice);
    if (picked.length)
      return `Chosen: ${words.join(", ")}. Choose what comes next; Escape steps back.`;
    const turn = `${this.nameOf(position.to_play ?? 0)} to move.`;
    if (!this.app.isYourTurn)
      return isPaused ? `${turn} The engine waits: press Go on, or move yourself.` : turn;
    return position.players === 1 || this.app.isYou(0) !== this.app.isYou(1) ? "Your move." : turn;
  }

  /** Say something once, in place of how the game stands. @param {string} text */
  say(text) {
    this.said = this.app.waiting ? "" : text;
    this.showStatus();
  }

  /** Tell the last move to those who listen. */
  announce() {
    const { here, position } = this.app;
    if (!position || !here.name) return;
    const who =
      position.players === 1 || here.isEdit || here.player === null
        ? ""
        : `${this.nameOf(here.player)}: `;
    const notes = here.notes ? ` (${here.notes})` : "";
    const move = `${here.name}${notes}.`;
    this.say(
      position.is_over
        ? `${this.sentence()} Last move: ${move}`
        : `${who}${move} ${this.sentence()}`,
    );
  }

  /** @param {number} player */
  nameOf(player) {
    const isOnly = this.app.isYou(player) && !this.app.isYou(1 - player);
    return isOnly ? "You" : ["The first player", "The second player"][player];
  }

  showAnalysis() {
    this.showOverlay();
    showMeter(this.app);
  }

  showOverlay() {
    const { here, position } = this.app;
    drawOverlay(
      this.board,
      position?.legal ?? [],
      this.picker.picked,
      here.analysis,
      this.overlay,
      (rate) => this.app.points(rate),
    );
  }
}
