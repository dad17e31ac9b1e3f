/** The arena: two agents play a match, on boards that change as they do. */

import { byId, h, refill } from "./dom.js";
import { button, field, form, labelled, list } from "./fields.js";
import { complete, drawPicture } from "./picture.js";
import { playerFields } from "./playerfields.js";
import { changed } from "./replay.js";
import { table } from "./runs.js";
import { save } from "./sharepanel.js";
import { SEARCHING, asked, kinds, sideOf } from "./sides.js";
import { percent, plural, titleOf } from "./words.js";

/**
 * @import { App } from "./app.js"
 * @import { Side } from "./sides.js"
 * @import { Job } from "./socket.js"
 * @import { Described, Estimate, Level, MatchBoard, MatchFacts, Shape } from "./types.js"
 */

const TITLES = ["First agent", "Second agent"];
const SHOWN = 4;
const [RANDOM, EVEN] = ["random", "even"];
const BOOK = "book/";

export class ArenaPage {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.host = byId("arena");
    this.spec = "";
    /** @type {Described | null} */
    this.described = null;
    /** @type {Side[]} */
    this.sides = [];
    this.wishes = { games: "20", openings: "", seed: "0" };
    /** How games begin: at random, from even positions, or `book/NAME`. */
    this.beginning = RANDOM;
    /** @type {Job | null} */
    this.job = null;
    /** @type {Map<number, Board>} */
    this.boards = new Map();
    /** @type {object[]} */
    this.records = [];
    this.fields = h("div.form");
    this.note = h("p.small.quiet", { role: "status" });
    this.result = h("div");
    this.grid = h("div.grid-games");
    this.stopper = button("Stop", () => this.job?.stop(), { type: "button" });
    this.saver = button("Save the games", () => this.save(), { type: "button" });
    this.host.append(
      h("h1", { id: "arena-title" }, "Arena"),
      form(
        {},
        () => this.start(),
        this.fields,
        h(
          "div.row",
          h("button.primary", { id: "start-match" }, "Start the match"),
          this.stopper,
          this.saver,
        ),
      ),
      this.note,
      this.result,
      this.grid,
    );
    this.showButtons();
    app.listen((what) => what === "preparing" && this.job && this.showWaiting());
  }

  showWaiting() {
    if (!this.boards.size) this.note.textContent = this.app.waiting || "Getting ready…";
  }

  /** @param {boolean} isShown */
  show(isShown) {
    if (isShown && !this.described) this.pick(this.app.story.spec || this.app.known[0].name);
  }

  /** Choose a game with its options. @param {string} spec */
  async pick(spec) {
    const game = { spec, history: [] };
    const described = await this.app.attempt(this.app.line.ask("describe", { game }));
    if (!described) return this.showFields();
    this.spec = described.position.spec;
    this.described = described;
    const known = this.kinds;
    const usual = [sideOf(described.default_agent), sideOf("greedy")];
    this.sides = usual.map((side, i) =>
      this.sides[i] && known.includes(this.sides[i].who) ? this.sides[i] : side,
    );
    if (!this.beginnings.some(([value]) => value === this.beginning)) this.beginning = RANDOM;
    this.showFields();
  }

  get info() {
    return this.app.infoOf(this.spec);
  }

  get kinds() {
    return kinds(this.described, !!this.info?.can_solve).filter((who) => who !== "you");
  }

  showFields() {
    const focused = document.activeElement?.id;
    const games = this.app.known.map(
      (game) => /** @type {[string, string]} */ ([game.name, titleOf(game)[0]]),
    );
    const [name, options = ""] = this.spec.split(/:(.*)/s);
    refill(
      this.fields,
      ...labelled(
        "arena-game",
        "Game",
        list(games, name, (value) => this.pick(value), { id: "arena-game" }),
        field(options, (text) => this.pick(text ? `${name}:${text}` : name), {
          id: "arena-options",
          "aria-label": "Options of the game",
          placeholder: "options, such as size=9",
        }),
      ),
      ...this.sides.flatMap((side, i) =>
        playerFields(
          `agent-${i}`,
          TITLES[i],
          side,
          this.described,
          !!this.info?.can_solve,
          (some) => {
            this.sides[i] = { ...side, ...some };
            this.showFields();
          },
          this.kinds,
        ),
      ),
      ...this.wish("games", "Games", { min: 2, max: 1000, step: 2 }),
      ...labelled(
        "arena-begin",
        "Games begin",
        list(this.beginnings, this.beginning, (value) => this.begin(value), { id: "arena-begin" }),
      ),
      ...(this.beginning.startsWith(BOOK)
        ? []
        : this.wish("openings", "Random plies", { min: 0, max: 100, placeholder: "usual" })),
      ...this.wish("seed", "Seed", { min: 0 }),
    );
    if (focused) document.getElementById(focused)?.focus();
  }

  /** How games may begin, with words. @returns {[string, string][]} */
  get beginnings() {
    const books = this.described?.books ?? [];
    const isAlone = this.described?.position.players === 1;
    return [
      [RANDOM, "after random moves"],
      ...(isAlone ? [] : [/** @type {[string, string]} */ ([EVEN, "from even positions"])]),
      ...books.map((name) => /** @type {[string, string]} */ ([BOOK + name, `book: ${name}`])),
    ];
  }

  /** @param {string} beginning */
  begin(beginning) {
    this.beginning = beginning;
    this.showFields();
  }

  /** @param {"games" | "openings" | "seed"} name @param {string} title @param {object} limits */
  wish(name, title, limits) {
    const id = `arena-${name}`;
    const take = (/** @type {string} */ text) => (this.wishes[name] = text);
    const input = field(this.wishes[name], take, { id, type: "number", ...limits });
    return labelled(id, title, input);
  }

  async start() {
    const { app, spec, wishes } = this;
    this.job?.stop();
    this.boards.clear();
    this.records = [];
    refill(this.grid);
    refill(this.result);
    this.showWaiting();
    const levels = this.described?.levels ?? [];
    const agents = this.sides.map((side) => textOf(side, levels));
    const games = 2 * Math.max(1, Math.round(Number(wishes.games) / 2));
    const openings = wishes.openings === "" ? null : Number(wishes.openings);
    const book = this.beginning.startsWith(BOOK) ? this.beginning.slice(BOOK.length) : "";
    const even = this.beginning === EVEN;
    const asked = { spec, agents, games, openings, book, even, seed: Number(wishes.seed) };
    const job = app.line.begin("match", asked, (event) => {
      if (this.job === job) this.take(event, agents, games);
    });
    this.job = job;
    this.showButtons();
    const answer = await app.attempt(job.done, (text) => (this.note.textContent = text));
    if (this.job !== job) return;
    this.job = null;
    if (answer?.stopped) this.note.textContent += " Stopped.";
    this.showButtons();
  }

  /** @param {MatchFacts} event @param {string[]} agents @param {number} games */
  take(event, agents, games) {
    this.note.textContent = event.note
      ? `${event.note}…`
      : `${event.done} of ${plural(games, "game")} played.`;
    for (const news of event.boards) this.board(news).take(news);
    for (const { number, record } of event.finished) {
      this.records.push(record);
      this.boards.get(number)?.finish(record);
    }
    const rows = standing(this.app, event.standing, agents);
    if (rows) refill(this.result, rows);
    if (event.finished.length) this.showButtons();
  }

  /** @param {MatchBoard} news */
  board({ number }) {
    let board = this.boards.get(number);
    if (board) return board;
    board = new Board(this.app, this.spec);
    this.boards.set(number, board);
    const old = [...this.boards.keys()].slice(0, -SHOWN);
    for (const key of old) this.boards.delete(key);
    refill(this.grid, ...[...this.boards.values()].map(({ element }) => element));
    return board;
  }

  showButtons() {
    this.stopper.disabled = !this.job;
    this.saver.disabled = !this.records.length;
  }

  save() {
    const text = this.records.map((record) => `${JSON.stringify(record)}\n`).join("");
    const name = this.spec.split(":")[0].replace(/\.py$/, "");
    save(new Blob([text], { type: "application/jsonl" }), `${name}-match.jsonl`);
  }
}

/** A game of the match on a small board. */
class Board {
  /** @param {App} app @param {string} spec */
  constructor(app, spec) {
    this.app = app;
    this.spec = spec;
    /** @type {Shape[]} */
    this.scene = [];
    this.picture = h("div");
    this.note = h("p");
    this.opener = h("button.small", { hidden: true }, "Open");
    this.element = h("div.mini", this.picture, this.note, this.opener);
  }

  /** @param {MatchBoard} news */
  take({ number, names, frame, plies, last, outcome }) {
    this.scene = this.scene.length ? changed(this.scene, frame) : complete(frame.added);
    const { root } = drawPicture(this.scene, true);
    const game = `Game ${number}, ${names.join(" against ")}`;
    root.setAttribute("role", "img");
    root.setAttribute("aria-label", `${game}, after ${plural(plies, "move")}`);
    this.picture.replaceChildren(root);
    this.note.textContent = `${game}. ${outcome || last}`;
  }

  /** @param {any} record */
  finish(record) {
    this.opener.hidden = false;
    this.opener.onclick = async () => {
      location.hash = "#play";
      const game = { spec: this.spec, history: record.history, seed: 0 };
      await this.app.attempt(this.app.games.openLink({ game, at: record.history.length }));
    };
  }
}

/** The text of an agent with its limits. @param {Side} side @param {Level[]} levels */
function textOf(side, levels) {
  const { agent, ...limits } = asked(side, levels);
  if (!SEARCHING.has(side.who)) return agent;
  const words = Object.entries(limits).map(([name, value]) => `${name}=${value}`);
  return `${agent}${agent.includes(":") ? "," : ":"}${words.join(",")}`;
}

/** @param {App} app @param {MatchFacts["standing"]} facts @param {string[]} agents */
function standing(app, facts, agents) {
  const range = (/** @type {Estimate} */ { low, high }, /** @type {(x: number) => string} */ say) =>
    `[${low === null ? "–" : say(low)}, ${high === null ? "–" : say(high)}]`;
  const told = (/** @type {Estimate} */ figure, /** @type {(x: number) => string} */ say) =>
    `${figure.value === null ? "–" : say(figure.value)} ${range(figure, say)}`;
  const rows = (/** @type {(string | number)[][]} */ cells) =>
    cells.map((row, i) => h("tr", h("td.left", agents[i]), ...row.map((cell) => h("td", cell))));
  if ("means" in facts) {
    const points = (/** @type {number} */ score) => app.points(score);
    const means = facts.means.map((mean) => [told(mean, points)]);
    return table("Standing", ["Agent", "Mean score (95 %)"], rows(means));
  }
  if (!("wins" in facts)) return null;
  const { wins, draws, losses, score, elo } = facts;
  const signed = (/** @type {number} */ x) => (x < 0 ? "−" : "+") + Math.abs(Math.round(x));
  const share = (/** @type {number} */ x) => percent(x, 1);
  return table(
    "Standing",
    ["Agent", "Won", "Drawn", "Lost", "Score (95 %)", "Elo (95 %)"],
    rows([
      [wins, draws, losses, told(score, share), told(elo, signed)],
      [losses, draws, wins, told(mirror(score, 1), share), told(mirror(elo, 0), signed)],
    ]),
  );
}

/** The same for the other agent. @param {Estimate} figure @param {number} sum */
function mirror({ value, low, high }, sum) {
  const other = (/** @type {number | null} */ x) => (x === null ? null : sum - x);
  return { value: other(value), low: other(high), high: other(low) };
}
