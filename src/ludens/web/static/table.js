/** The board in play: picking moves by pointer and keyboard, ghosts, what is said. */

import { Board } from "./board.js";
import { comingShapes } from "./coming.js";
import { byId, h } from "./dom.js";
import { button } from "./fields.js";
import { Ghosts } from "./ghosts.js";
import { showMeter } from "./meter.js";
import { drawOverlay } from "./overlay.js";
import { sceneOf } from "./picture.js";
import { Picker } from "./picking.js";
import { showPlayers } from "./players.js";
import { Pointing } from "./pointing.js";
import { howItStands, lastMove } from "./sentences.js";
import { titleOf } from "./words.js";

/**
 * @import { App, Happening } from "./app.js"
 * @import { Hit } from "./places.js"
 * @import { Legal, Position } from "./types.js"
 */

const MANY = 0.45;

export class Table {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.picker = new Picker();
    this.board = new Board(byId("board-host"));
    this.ghosts = new Ghosts(this.board, this.picker, (actions) => app.foresight.frames(actions));
    /** @type {((choice: string) => void) | null} who gets the clicks instead, when editing */
    this.editing = null;
    this.overlay = "none";
    /** A small place that a finger has met once: the next tap there plays. */
    this.aimed = "";
    /** What is said of the game. */
    this.titled = "";
    /** @type {Position | null} */
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

  /** @param {Happening} what */
  react(what) {
    if (what === "position") {
      this.show(this.app.isMoving);
      const move = lastMove(this.app, this.sentence());
      if (move) this.say(move);
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
    const scene = sceneOf(position);
    this.ghosts.clear();
    this.ghosts.pattern = null;
    const isAsBefore = position === this.shown && this.app.mayMove;
    const [picked, aimed] = isAsBefore ? [this.picker.picked, this.aimed] : [[], ""];
    this.shown = position;
    this.picker.reset(this.app.mayMove ? position.legal : []);
    this.picker.picked = picked;
    const title = `${position.title.replace(/\.$/, "")}. ${position.outcome}`;
    this.board.show(scene, position.marked, title, isMoving, this.app.below);
    this.offer();
    this.showAnalysis();
    this.showPlayers();
    if (aimed) this.takeAim(aimed);
    this.showTitle(position);
  }

  /** What the page around the board takes from the game. @param {Position} position */
  showTitle(position) {
    const { aspect, picture } = this.board;
    const play = byId("play");
    play.style.setProperty("--aspect", String(aspect));
    for (const ground of ["on-point", "on-hole"]) {
      const isSuch = !!picture?.root.classList.contains(ground);
      play.querySelector(".table").classList.toggle(ground, isSuch);
    }
    const [title, about] = titleOf(position);
    const [, options = ""] = position.spec.split(/:(.*)/s);
    const shown = `${title} – Ludens`;
    const said = JSON.stringify([shown, about, options]);
    if (said === this.titled) return;
    this.titled = said;
    byId("game-title").textContent = title;
    byId("game-about").textContent = about;
    byId("game-options").textContent = byId("game-options").title = options;
    document.title = shown;
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
      ...unseen.map((choice) => button(choice, () => this.choose(choice))),
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
    if (this.editing) this.editing(choice);
    else if (!this.canPick) this.say(this.whyNotNow());
    else this.pick(choice, isSure);
  }

  whyNotNow() {
    const { playing, position } = this.app;
    if (playing) return "Your move is on its way.";
    return `${position?.is_over ? "The game is over" : "Not now"}. ${this.sentence()}`;
  }

  /** @param {string} choice @param {boolean} isSure */
  pick(choice, isSure) {
    const after = this.picker.after(choice);
    const move = after && this.picker.move(after);
    this.ghosts.clear();
    if (!after) this.explain(choice);
    else if (move && !isSure && this.aimed !== choice) this.takeAim(choice);
    else if (move) this.play(move);
    else {
      this.picker.picked = this.picker.holds(after) ? after.slice(0, -1) : after;
      this.offer();
    }
  }

  /** Play a move, and show it before the server has answered. @param {Legal} move */
  play({ action, choices }) {
    const { app, board } = this;
    const coming = comingShapes(
      board,
      choices,
      app.position?.to_play ?? 0,
      app.foresight.known(action),
    );
    this.picker.reset([]);
    app.play(action);
    this.showPlayers();
    this.offer();
    board.ghost(coming, "coming");
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
      h("button.primary", { onclick: () => this.choose(choice) }, `Play ${choice}`),
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
    if (!this.app.position) return;
    const { playing, thinking } = this.app;
    this.board.host.setAttribute("aria-busy", String(!!playing || !!thinking));
    showPlayers(this.app);
    this.showStatus();
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
    const { app, aimed, picker, board } = this;
    if (!app.position?.is_over && aimed) return `${aimed}: tap again to play there.`;
    const words = picker.picked.map((choice) => board.hits.get(choice)?.label || choice);
    return howItStands(app, words);
  }

  /** Say something once, in place of how the game stands. @param {string} text */
  say(text) {
    this.said = this.app.waiting ? "" : text;
    this.showStatus();
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
