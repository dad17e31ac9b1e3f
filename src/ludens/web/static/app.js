/** The game on the table: who plays, where we are, what the server is asked for. */

import { isStill } from "./dom.js";
import { atRest } from "./motion.js";
import { Line, Refused } from "./socket.js";
import { Story, toFragment } from "./story.js";
import { asked, learnAgents, you } from "./sides.js";
import { Foresight } from "./foresight.js";
import { Games } from "./games.js";
import * as keeping from "./keeping.js";
import { grouped, percent, plural, titleOf } from "./words.js";

/**
 * @import { Side } from "./sides.js"
 * @import { Job } from "./socket.js"
 * @import { Move } from "./story.js"
 * @import { Catalogue, Described, GameInfo, Position, Trouble } from "./types.js"
 */

/** @typedef {"position" | "analysis" | "picking" | "thinking" | "graph" | "preparing"} Happening */

const LEAST_MS = 600;
/** Who steps through a game has its address when he rests: a browser is slow to show another. */
const LINK_MS = 100;
const [AWAY, BACK] = ["The server is away.", " as soon as it is back."];

export class App {
  /** @param {typeof import("./notices.js").tell} tell says something to the reader */
  constructor(tell) {
    this.tell = tell;
    this.games = new Games(this);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.line = new Line(`${scheme}://${location.host}/ws`, (isOpen) => this.onConnection(isOpen));
    this.line.onPreparing = () => this.notify("preparing");
    this.story = new Story("");
    /** @type {Side[]} */
    this.sides = [you(), you()];
    /** @type {Catalogue | null} */
    this.catalogue = null;
    /** @type {GameInfo[]} games that load */
    this.known = [];
    /** @type {Trouble[]} games that do not load */
    this.troubles = [];
    /** @type {Described | null} */
    this.described = null;
    this.isPaused = false;
    this.isMoving = false;
    /** @type {object | null} the move that is on its way */
    this.playing = null;
    /** @type {Job | null} */
    this.thinking = null;
    this.visit = 0;
    /** The address that is to come. @type {number | undefined} */
    this.linking = undefined;
    /** @type {((what: Happening) => void)[]} */
    this.listeners = [];
    this.foresight = new Foresight(this);
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
    if (this.playing || !this.position || this.position.is_over) return false;
    return this.isYourTurn || this.isPaused;
  }

  /** What there is to know of a game. @param {string} spec */
  infoOf(spec) {
    return this.known.find(({ name }) => name === spec.split(":")[0]);
  }

  /** A score as people see it. @param {number} score */
  points(score) {
    return grouped(Math.round(score * (this.catalogue?.points_per_score ?? 1)));
  }

  /**
   * A value in words: a share of wins, or a score in a single-player game.
   * @param {number} rate @param {number} [digits]
   */
  worth(rate, digits = 0) {
    return this.position?.players === 1 ? this.points(rate) : percent(rate, digits);
  }

  /** @param {number} player */
  isYou(player) {
    return this.sides[player]?.who === "you";
  }

  /** Whether the reader plays a side. */
  get hasReader() {
    return this.sides.some((side) => side.who === "you");
  }

  /** What the reader waits for, in words: the server, or a game that is compiled. */
  get waiting() {
    if (!this.line.isOpen)
      return this.playing
        ? `${AWAY} Your move is kept and sent${BACK}`
        : `${AWAY} The page goes on${BACK}`;
    const [event] = this.line.preparing.values();
    if (!event) return "";
    const { what, progress } = event;
    return `Preparing the rules of ${what}: once, ${progress || "for some seconds"}…`;
  }

  get title() {
    return this.position ? titleOf(this.position)[0] : "";
  }

  /** How a game that is over went, for the reader if only one side is theirs. */
  get verdict() {
    const { position } = this;
    if (!position?.is_over) return "";
    if (position.players === 1) return `${this.points(position.score ?? 0)} points`;
    if (!position.result) return "Draw";
    const winner = position.result > 0 ? 0 : 1;
    if (this.isYou(0) === this.isYou(1)) return `The ${["first", "second"][winner]} player won`;
    return this.isYou(winner) ? "You won" : "You lost";
  }

  /** Whose side of the board the reader sits at. */
  get below() {
    return this.isYou(1) && !this.isYou(0) ? 1 : 0;
  }

  /**
   * Do something that the server may refuse: then say why.
   * @template T
   * @param {Promise<T>} promise @param {(text: string) => void} [tell] @returns {Promise<T | null>}
   */
  async attempt(promise, tell = this.tell) {
    try {
      return await promise;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      tell(error.message);
      return null;
    }
  }

  async start() {
    await this.learnGames();
    await this.games.start();
  }

  /** Ask which games and agents there are. */
  async learnGames() {
    this.catalogue = await this.line.ask("games", {});
    this.line.maxBytes = this.catalogue.max_message_bytes;
    [this.known, this.troubles] = [[], []];
    for (const game of this.catalogue.games)
      if ("trouble" in game) this.troubles.push(game);
      else this.known.push(game);
    learnAgents(this.catalogue.agents);
  }

  /** @param {keeping.Kept} kept @param {Described | null} [described] */
  async open({ story, sides, isPaused }, described = null) {
    this.story = story;
    this.sides = sides;
    this.isPaused = isPaused;
    this.foresight.clear();
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
   * @param {Move} move @param {{isQuick?: boolean, isPlayed?: boolean, isStep?: boolean}} [how]
   */
  async goTo(move, { isQuick = false, isPlayed = false, isStep = false } = {}) {
    const visit = ++this.visit;
    this.thinking?.stop();
    this.thinking = null;
    this.playing = null;
    const { story } = this;
    story.here = move;
    if (!move.position && !(await this.attempt(this.fetch(move)))) return;
    if (visit !== this.visit) return;
    this.isMoving = !isQuick;
    this.save(isStep);
    this.notify("position");
    if (!isPlayed && !isQuick) this.isPaused = this.isPaused || move.children.length > 0;
    this.letAgentMove();
  }

  /** Look at a move of the game; agents wait meanwhile. @param {Move} move */
  lookAt(move) {
    this.isPaused = true;
    return this.goTo(move, { isStep: true });
  }

  /** Ask for a move's position, once. @param {Move} move @returns {Promise<boolean>} */
  async fetch(move) {
    const { story } = this;
    move.coming ??= this.line
      .ask("position", { game: story.sent(move) })
      .finally(() => (move.coming = null));
    const { position } = await move.coming;
    if (!move.position) story.take(move, position);
    return true;
  }

  /**
   * Keep the game: in the browser, and as the link in the address.
   * @param {boolean} [isStep] whether the link may wait for the next step
   */
  save(isStep = false) {
    const { story, verdict, title } = this;
    story.verdict = verdict || story.verdict;
    const words = [plural(story.here.end().ply, "move"), story.verdict.toLowerCase()]
      .filter(Boolean)
      .join(", ");
    const link = toFragment(story);
    keeping.save({ story, sides: this.sides, isPaused: this.isPaused }, title, words, link);
    clearTimeout(this.linking);
    if (isStep) this.linking = setTimeout(() => this.address(link), LINK_MS);
    else this.address(link);
  }

  /** Show a link in the address. @param {string} link */
  address(link) {
    const [{ story }, held] = [this, history.state?.game];
    if (/^#(run|arena)/.test(location.hash) || (held === story.id && link === location.hash))
      return;
    const put = held && held !== story.id ? "pushState" : "replaceState";
    history[put]({ game: story.id }, "", link);
  }

  /** Play a move: a number, or text in notation. @param {number | string} step */
  async play(step) {
    if (this.playing) return false;
    const from = this.here;
    const playing = (this.playing = {});
    const answer = await this.attempt(this.line.ask("play", { game: this.story.sent(from), step }));
    if (this.playing !== playing) return false; // taken back
    this.playing = null;
    if (!answer) {
      this.notify("thinking");
      return false;
    }
    if (!from.children.length) this.takeOver(from.position?.to_play ?? null);
    await this.goTo(this.story.advance(from, answer.position), { isPlayed: true });
    return true;
  }

  /** A reader who moves for a waiting agent plays its side. @param {number | null} player */
  takeOver(player) {
    this.isPaused = false;
    if (player === null || this.isYou(player)) return;
    this.sides[player] = you();
    this.tell("This side is yours from now on.");
  }

  /** Let the agent whose turn it is move: in a variation, if the game has gone on from here. */
  async letAgentMove() {
    const player = this.position?.to_play;
    if (player === null || player === undefined || this.isYou(player) || this.isPaused) return;
    const from = this.here;
    const seen = performance.now() + this.leastMs;
    const thinker = asked(this.sides[player], this.described?.levels ?? []);
    const job = this.line.begin("move", { game: this.story.sent(from), ...thinker });
    this.thinking = job;
    this.notify("thinking");
    try {
      const answer = await job.done;
      await new Promise((done) => setTimeout(done, seen - performance.now()));
      await atRest();
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

  /** How long a position stays before an agent moves on, for eyes to follow. */
  get leastMs() {
    return isStill() && this.hasReader ? 0 : LEAST_MS;
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

  /** Take back the move that is on its way, else to the reader's last turn. */
  undo() {
    if (this.playing) {
      this.playing = null;
      this.notify("thinking");
      return undefined;
    }
    let move = this.here;
    let mover = null;
    do {
      if (!move.parent) break;
      mover = move.player;
      move = move.parent;
    } while (move.parent && mover !== null && !this.isYou(mover) && this.hasReader);
    if (move === this.here) return undefined;
    this.isPaused = !this.isYou(mover ?? 0);
    return this.goTo(move, { isPlayed: true });
  }

  /** Play again what was taken back, up to the reader's next turn. */
  redo() {
    let [move] = this.here.children;
    while (move?.children[0] && !this.isYou(move.children[0].player ?? 0) && this.hasReader)
      [move] = move.children;
    return move ? this.goTo(move, { isPlayed: true }) : undefined;
  }

  /**
   * Go along the line: -1 back, 1 on, -Infinity to its start, Infinity to its end.
   * @param {number} by
   */
  step(by) {
    const line = this.here.line();
    const index = Math.min(line.length - 1, Math.max(0, this.here.ply + by));
    if (line[index] === this.here) return undefined;
    const next = line[index + Math.sign(by)];
    const going = this.lookAt(line[index]);
    if (next && !next.position) this.fetch(next).catch(() => {}); // asked for again when shown
    return going;
  }
}
