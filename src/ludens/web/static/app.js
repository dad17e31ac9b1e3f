/** The game on the table: who plays, where we are, what the server is asked for. */

import { isStill, percent } from "./dom.js";
import { Line, Refused } from "./socket.js";
import { Story, fromFragment, toFragment } from "./story.js";
import { asked, learnAgents, sideOf, you } from "./sides.js";
import * as keeping from "./keeping.js";

/** @typedef {import("./story.js").Move} Move */
/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./types.js").Side} Side */
/** @typedef {import("./types.js").Described} Described */
/** @typedef {import("./types.js").Catalogue} Catalogue */
/** @typedef {import("./socket.js").Job} Job */
/** @typedef {"position" | "analysis" | "picking" | "thinking" | "graph" | "preparing"} Happening */

const LEAST_MS = 600;

export class App {
  /** @param {(text: string) => void} tell says something to the reader */
  constructor(tell) {
    this.tell = tell;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.line = new Line(`${scheme}://${location.host}/ws`, (isOpen) => this.onConnection(isOpen));
    this.line.onPreparing = () => this.notify("preparing");
    this.story = new Story("");
    /** @type {Side[]} */
    this.sides = [you(), you()];
    /** @type {Catalogue | null} */
    this.catalogue = null;
    /** @type {{name: string, trouble: string}[]} games that do not load */
    this.troubles = [];
    /** @type {Described | null} */
    this.described = null;
    this.isPaused = false;
    this.isMoving = false;
    this.isPlaying = false;
    /** @type {Job | null} */
    this.thinking = null;
    this.visit = 0;
    /** @type {((what: Happening) => void)[]} */
    this.listeners = [];
    /** @type {Map<string, any>} */
    this.foreseen = new Map();
  }

  /** @type {(isOpen: boolean) => void} */
  onConnection = () => {};

  /** @param {(what: Happening) => void} listener */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** @param {Happening} what */
  notify(what) {
    for (const listener of this.listeners) listener(what);
  }

  get here() {
    return this.story.here;
  }

  /** @returns {Position | null} */
  get position() {
    return this.here.position;
  }

  /** Whether the reader moves now. */
  get isYourTurn() {
    const player = this.position?.to_play;
    return player !== null && player !== undefined && this.isYou(player);
  }

  /** Whether the reader may move now, for either side while the agents wait. */
  get mayMove() {
    if (this.isPlaying || !this.position || this.position.is_over) return false;
    return this.isYourTurn || this.isPaused;
  }

  /** A score as people see it. @param {number} score */
  points(score) {
    return Math.round(score * (this.catalogue?.points_per_score ?? 1)).toLocaleString("en");
  }

  /** A value in words: a share of wins, in a game for one a score. @param {number} rate @param {number} [digits] */
  worth(rate, digits = 0) {
    return this.position?.players === 1 ? this.points(rate) : percent(rate, digits);
  }

  /** @param {number} player */
  isYou(player) {
    return this.sides[player]?.who === "you";
  }

  /** What the reader waits for, in words, while a game is compiled. */
  get waiting() {
    const [game] = this.line.preparing.values();
    return game ? `Preparing the rules of ${game}: once, for some seconds…` : "";
  }

  /** Whose side of the board the reader sits at. */
  get below() {
    return this.isYou(1) && !this.isYou(0) ? 1 : 0;
  }

  /** Do something that the server may refuse: then say why. @param {Promise<any>} promise @param {(text: string) => void} [tell] */
  async attempt(promise, tell = this.tell) {
    try {
      return await promise;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      tell(error.message);
      return null;
    }
  }

  /** Begin with what is asked for or was left; if that is not to be had, with the last, that of the link, or any. */
  async start() {
    const catalogue = await this.line.ask("games");
    this.catalogue = { ...catalogue, games: catalogue.games.filter((/** @type {any} */ game) => !game.trouble) };
    this.troubles = catalogue.games.filter((/** @type {any} */ game) => game.trouble);
    learnAgents(catalogue.agents);
    await this.attempt(this.startAsAsked());
    const kept = keeping.load();
    if (!this.position && kept) await this.open(kept.story, kept.sides, kept.isPaused);
    const names = (this.catalogue?.games ?? []).map((game) => game.name);
    const linked = fromFragment(location.hash)?.game.spec ?? "";
    for (const spec of [linked, "connect_four", ...names]) {
      if (!this.position && names.includes(spec.split(":")[0])) await this.begin(spec);
    }
  }

  /** The link, else what this tab or the last one had, else what the address says. */
  async startAsAsked() {
    const linked = fromFragment(location.hash);
    const kept = keeping.load();
    const address = new URLSearchParams(location.search);
    const isNew = keeping.isNewAddress();
    if (kept && !isNew && (!linked || toFragment(kept.story) === location.hash)) {
      await this.open(kept.story, kept.sides, kept.isPaused);
    } else if (linked) await this.openLink(linked);
    else if (address.has("record")) await this.read({ name: address.get("record") });
    else if (address.has("game")) {
      const seed = address.has("seed") ? Number(address.get("seed")) : null;
      const isSecond = address.get("side") === "second";
      await this.begin(address.get("game") ?? "", address.get("vs") ?? "", { seed, setup: address.get("setup") ?? "", isSecond });
    }
  }

  /**
   * Begin a new game against an agent, by default the game's own.
   * @param {string} spec @param {string} vs
   * @param {{seed?: number | null, setup?: string, isSecond?: boolean}} [more]
   */
  async begin(spec, vs = "", { seed = null, setup = "", isSecond = false } = {}) {
    const game = { spec, history: [], seed, setup };
    const described = await this.attempt(this.line.ask("describe", { game }));
    if (!described) return;
    const other = sideOf(vs || described.default_agent);
    const sides = described.position.players === 1 ? [you()] : isSecond ? [other, you()] : [you(), other];
    const story = Story.of(described.position);
    story.setup = setup;
    await this.open(story, sides, false, described);
  }

  /** @param {{game: import("./types.js").SentGame, at: number}} linked */
  async openLink({ game, at }) {
    const { position } = await this.line.ask("position", { game });
    const story = Story.of(position);
    story.setup = game.setup ?? "";
    const moves = story.here.path();
    story.here = moves.find((move) => move.history().length >= at) ?? story.here;
    const kept = keeping.load();
    const sides = kept?.story.spec === story.spec ? kept.sides : position.players === 1 ? [you()] : [you(), you()];
    await this.open(story, sides, true);
  }

  /** Read a record or moves. @param {object} what @returns {Promise<void>} */
  async read(what) {
    const { position } = await this.line.ask("read", what);
    await this.open(Story.of(position), position.players === 1 ? [you()] : [you(), you()], true);
  }

  /** @param {Story} story @param {Side[]} sides @param {boolean} isPaused @param {Described | null} [described] */
  async open(story, sides, isPaused, described = null) {
    this.story = story;
    this.sides = sides;
    this.isPaused = isPaused;
    this.foreseen.clear();
    this.described = described;
    const before = this.visit;
    await this.goTo(story.here, { isQuick: true });
    if (this.visit !== before + 1 || described) return;
    const game = { spec: story.spec, history: [], seed: story.seed ?? 0, setup: "" };
    this.described = await this.attempt(this.line.ask("describe", { game }));
    this.notify("position");
  }

  /**
   * Show a move's position and go on from there.
   * @param {Move} move @param {{isQuick?: boolean, isPlayed?: boolean}} [how]
   */
  async goTo(move, { isQuick = false, isPlayed = false } = {}) {
    const visit = ++this.visit;
    this.thinking?.stop();
    this.thinking = null;
    this.story.here = move;
    if (!move.position) {
      const answer = await this.attempt(this.line.ask("position", { game: this.story.sent(move) }));
      if (!answer) return;
      move.position = answer.position;
      if (!move.parent && !move.steps.length) move.steps = answer.position.history;
      if (this.story.seed === null) this.story.seed = answer.position.seed;
    }
    if (visit !== this.visit) return;
    this.isMoving = !isQuick;
    this.save();
    this.notify("position");
    if (!isPlayed && !isQuick) this.isPaused = this.isPaused || move.children.length > 0;
    this.letAgentMove();
  }

  save() {
    keeping.save(this.story, this.sides, this.isPaused);
    const fragment = toFragment(this.story);
    if (!/^#run/.test(location.hash) && fragment !== location.hash) history.replaceState(null, "", fragment);
  }

  /** Play a move: a number, or text in notation. @param {number | string} step */
  async play(step) {
    if (this.isPlaying) return false;
    const from = this.here;
    const visit = this.visit;
    this.isPlaying = true;
    const answer = await this.attempt(this.line.ask("play", { game: this.story.sent(from), step }));
    this.isPlaying = false;
    if (!answer) this.notify("thinking");
    if (!answer || visit !== this.visit) return false;
    if (!from.children.length) this.takeOver(from.position?.to_play ?? null);
    await this.goTo(this.story.advance(from, answer.position), { isPlayed: true });
    return true;
  }

  /** Who moves for an agent that waits plays its side from then on. @param {number | null} player */
  takeOver(player) {
    this.isPaused = false;
    if (player === null || this.isYou(player)) return;
    this.sides[player] = you();
    this.tell("This side is yours from now on.");
  }

  /** Let the agent whose turn it is move, unless we are looking back. */
  async letAgentMove() {
    const player = this.position?.to_play;
    if (player === null || player === undefined || this.isYou(player) || this.isPaused) return;
    const from = this.here;
    if (from.children.length) return;
    const game = this.story.sent(from);
    const seen = performance.now() + this.leastMs;
    const job = this.line.begin("move", { game, ...asked(this.sides[player], this.described?.levels ?? []) });
    this.thinking = job;
    this.notify("thinking");
    try {
      const answer = await job.done;
      await new Promise((done) => setTimeout(done, seen - performance.now()));
      if (this.thinking !== job) return;
      this.thinking = null;
      if (answer.note) this.tell(answer.note);
      await this.goTo(this.story.advance(from, answer.position), { isPlayed: true });
    } catch (error) {
      if (this.thinking !== job || !(error instanceof Refused)) return;
      this.thinking = null;
      this.isPaused = true;
      this.tell(error.message);
      this.notify("thinking");
    }
  }

  /** How long a position stays before an agent moves on: until its pieces lie still, or for eyes to follow. */
  get leastMs() {
    return isStill() && this.sides.some((side) => side.who === "you") ? 0 : LEAST_MS;
  }

  /** Let agents wait, or go on. @param {boolean} isPaused */
  pause(isPaused) {
    this.isPaused = isPaused;
    if (isPaused) {
      this.thinking?.stop();
      this.thinking = null;
    }
    this.save();
    this.notify("thinking");
    if (!isPaused) this.letAgentMove();
  }

  /** Take back to the reader's last turn. */
  undo() {
    let move = this.here;
    let mover = null;
    do {
      if (!move.parent) break;
      mover = move.player;
      move = move.parent;
    } while (move.parent && mover !== null && !this.isYou(mover) && this.sides.some((side) => side.who === "you"));
    if (move === this.here) return undefined;
    this.isPaused = !this.isYou(mover ?? 0);
    return this.goTo(move, { isPlayed: true });
  }

  /** Play again what was taken back, up to the reader's next turn. */
  redo() {
    let [move] = this.here.children;
    while (move?.children[0] && !this.isYou(move.children[0].player ?? 0) && this.sides.some((side) => side.who === "you")) {
      [move] = move.children;
    }
    return move ? this.goTo(move, { isPlayed: true }) : undefined;
  }

  /** Go along the line: -1 back, 1 on, -Infinity to its start, Infinity to its end. @param {number} by */
  step(by) {
    const path = [...this.here.path(), ...this.ahead()];
    const index = Math.min(path.length - 1, Math.max(0, this.here.ply + by));
    if (path[index] === this.here) return undefined;
    this.isPaused = true;
    return this.goTo(path[index]);
  }

  /** @returns {Move[]} the line after here */
  ahead() {
    const moves = [];
    for (let [move] = this.here.children; move; [move] = move.children) moves.push(move);
    return moves;
  }

  /** The same game from its start, a new one if chance decides. */
  restart() {
    const { spec, seed, setup } = this.story;
    const fresh = new Story(spec, seed, setup);
    fresh.root.steps = [...this.story.root.steps];
    return this.open(fresh, this.sides, false, this.described);
  }

  /** What each of some moves from here would change. @param {import("./types.js").Step[]} steps @returns {Promise<any[]>} */
  foresee(steps) {
    const game = this.story.sent();
    const key = JSON.stringify([game.history, steps]);
    if (!this.foreseen.has(key)) {
      const frames = this.line.ask("line", { game, steps }).then((answer) => answer.frames);
      frames.catch(() => this.foreseen.delete(key));
      this.foreseen.set(key, frames);
    }
    return this.foreseen.get(key);
  }
}
