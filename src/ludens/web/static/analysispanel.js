/** What the engine thinks: a table of moves, growing as it searches. */

import { Candidates } from "./candidates.js";
import { byId, h, refill } from "./dom.js";
import { button, field, list, netList } from "./fields.js";
import { rateOf } from "./gamepanel.js";
import { like, likes } from "./keeping.js";
import { colour } from "./overlay.js";
import { NAMES, SEARCHING, WITH_NET, asked, kinds, sideOf } from "./sides.js";
import { grouped, percent } from "./words.js";

/**
 * @import { App } from "./app.js"
 * @import { Side } from "./sides.js"
 * @import { Job } from "./socket.js"
 * @import { Table } from "./table.js"
 * @import { Analysis, Solution } from "./types.js"
 */

/** @typedef {Solution & {stopped?: boolean}} Solved */

const OVERLAYS = [
  ["none", "None"],
  ["visits", "Visits"],
  ["value", "Value"],
  ["prior", "Prior"],
];
const [USUAL_SIMS, MAX_SIMS] = [20_000, 1_000_000];
const OUTLOOK = "The outlook is no forecast of the score: points that are further away count";

export class AnalysisPanel {
  /** @param {App} app @param {Table} table */
  constructor(app, table) {
    this.app = app;
    this.table = table;
    this.host = byId("panel-analysis");
    this.isOn = false;
    /** @type {Side | null} */
    this.engine = null;
    this.spec = "";
    /** @type {Job | null} */
    this.job = null;
    /** @type {Job | null} */
    this.solving = null;
    /** What the head was drawn from. */
    this.shownHead = "";
    this.head = h("div.row");
    this.facts = h("p.small.quiet", { role: "status" });
    this.exact = h("p.small", { role: "status" });
    this.segments = this.newSegments();
    this.legend = h("span.scale.small.quiet", h("span"), newRamp(), h("span"));
    this.settings = h("div.row");
    const moves = h("div.wide", { tabindex: 0, role: "region", "aria-label": "Candidate moves" });
    this.candidates = new Candidates(moves, {
      show: (line) => table.ghosts.showLine(line),
      hide: () => table.ghosts.clear(),
      play: (action) => table.canPick && app.play(action),
    });
    const onBoard = h("span.small.quiet", "On the board");
    this.host.replaceChildren(
      this.head,
      h("div.row", onBoard, this.segments, this.legend),
      ...[this.facts, moves, this.exact, this.settings],
    );
    app.listen((what) => {
      if (what === "position") this.moved();
      else if (what === "analysis") this.showTable();
    });
    this.overlay(likes().overlay ?? "none");
  }

  /** Buttons for what is drawn on the board. */
  newSegments() {
    return h(
      "div.segments",
      { role: "group", "aria-label": "On the board" },
      ...OVERLAYS.map(([kind, name]) =>
        button(name, () => this.overlay(kind), { "data-kind": kind }),
      ),
    );
  }

  /** @param {string} kind */
  overlay(kind) {
    this.table.overlay = kind;
    like({ overlay: kind });
    for (const segment of this.segments.children)
      segment.setAttribute("aria-pressed", String(segment.getAttribute("data-kind") === kind));
    const [low, high] = kind === "value" ? ["worse", "best"] : ["low", "high"];
    const [left, , right] = this.legend.children;
    this.legend.hidden = kind === "none";
    [left.textContent, right.textContent] = [low, high];
    this.table.showOverlay();
  }

  /** Another position: what was thought of the one before is no longer asked for. */
  moved() {
    const { app } = this;
    this.job?.stop();
    this.job = null;
    if (this.spec !== app.story.spec) this.engine = null;
    if (!this.engine && app.described) {
      this.spec = app.story.spec;
      this.engine = sideOf(app.described.default_agent);
      this.engine.amount = USUAL_SIMS;
    }
    this.solving?.stop();
    this.solving = null;
    this.exact.textContent = "";
    if (this.headFacts() !== this.shownHead) this.showHead();
    this.showTable();
    if (this.isOn) this.begin();
  }

  /** What the head is drawn from: in the next position it is mostly the same. */
  headFacts() {
    const { app, isOn, solving, engine, spec } = this;
    const { is_over, can_solve } = app.position ?? {};
    return JSON.stringify([spec, isOn, !!solving, engine, is_over, can_solve, app.described?.nets]);
  }

  showHead() {
    const { app, isOn, solving } = this;
    const isOver = app.position?.is_over ?? true;
    this.shownHead = this.headFacts();
    refill(
      this.head,
      button(isOn ? "Stop analysis" : "Analyse", () => this.toggle(), {
        class: "primary",
        "aria-pressed": isOn,
        id: "analyse",
      }),
      button("Network only", () => this.networkOnly(), {
        disabled: isOver || !app.described?.nets.length,
      }),
      app.position?.can_solve &&
        button(solving ? "Stop solving" : "Exact result", () => this.toggleSolving(), {
          id: "exact",
          disabled: isOver,
        }),
    );
    this.showSettings();
  }

  showSettings() {
    const { engine, app } = this;
    if (!engine) return;
    const change = (/** @type {Partial<Side>} */ changed) => {
      Object.assign(engine, changed);
      this.showSettings();
      if (this.isOn) this.begin();
    };
    const nets = WITH_NET.has(engine.who) ? (app.described?.nets ?? []) : [];
    const net = netList(nets, engine.weights, (weights) => change({ weights }));
    refill(
      this.settings,
      h("label", "Engine", this.engineList(engine, change)),
      net && h("label", "Net", net),
      SEARCHING.has(engine.who) && h("label", "up to", simsField(engine, change), "simulations"),
    );
  }

  /** @param {Side} engine @param {(changed: Partial<Side>) => void} change */
  engineList(engine, change) {
    const { described, position } = this.app;
    const engines = kinds(described, !!position?.can_solve);
    return list(
      engines
        .filter((kind) => kind !== "you" && kind !== "level")
        .map((kind) => [kind, NAMES[kind]]),
      engine.who,
      (who) => change({ who, amount: USUAL_SIMS }),
    );
  }

  /** Analyse with the net of a run. @param {string} weights */
  useNet(weights) {
    if (this.engine)
      Object.assign(this.engine, { who: "net", weights, amount: USUAL_SIMS, by: "sims" });
    this.isOn = true;
    this.begin();
    this.showHead();
  }

  toggle() {
    this.isOn = !this.isOn;
    if (this.isOn) this.begin();
    else this.job?.stop();
    this.showHead();
    byId("analyse").focus();
  }

  begin() {
    if (this.engine) this.think(asked(this.engine, []));
  }

  networkOnly() {
    this.isOn = false;
    const weights = this.engine?.weights ? `:weights=${this.engine.weights}` : "";
    this.think({ agent: `policy${weights}` });
    this.overlay("prior");
    this.showHead();
  }

  /** @param {{agent: string}} how */
  async think(how) {
    const { app } = this;
    this.job?.stop();
    const move = app.here;
    if (app.position?.is_over || app.position?.to_play === null) return;
    const job = app.line.begin("analyse", { game: app.story.sent(move), ...how }, (event) => {
      if (this.job !== job) return;
      move.analysis = event;
      if (how.agent !== "random")
        move.rate = rateOf(app, event.player, event.winrate, move.position?.score);
      if (move === app.here) app.notify("analysis");
    });
    this.job = job;
    await app.attempt(job.done);
    if (this.job !== job) return;
    this.job = null;
    app.save();
    app.notify("graph");
  }

  toggleSolving() {
    if (this.solving) this.solving.stop();
    else this.solve();
  }

  async solve() {
    const { app, exact } = this;
    exact.textContent = "Solving…";
    const job = app.line.begin("solve", { game: app.story.sent(app.here) });
    this.solving = job;
    this.showHead();
    byId("exact").focus();
    const answer = await app.attempt(job.done);
    if (this.solving !== job) return;
    this.solving = null;
    this.showHead();
    exact.textContent = answer ? solution(answer) : "";
  }

  showTable() {
    const { app } = this;
    const { analysis } = app.here;
    if (!analysis) {
      this.facts.textContent = app.position?.is_over
        ? "The game is over."
        : "Press Analyse to see what the engine thinks.";
      this.candidates.draw(null, true);
      return;
    }
    const isTwo = app.position?.players === 2;
    const isOutlook = !isTwo && analysis.discount < 1;
    const what = isTwo ? "win rate" : isOutlook ? "outlook" : "score to come";
    const rate = `${what} ${app.worth(analysis.winrate, 1)}`;
    const counted = isOutlook
      ? `. ${OUTLOOK} ${percent(1 - analysis.discount)} less for each move`
      : "";
    const proof = analysis.proof ? `, proven ${analysis.proof}` : "";
    const imagined = analysis.is_imagined ? " (imagined)" : "";
    const known = `${rate}${imagined}${proof}${counted}`;
    this.facts.textContent = `${effort(analysis)}; to move: ${known}`;
    this.candidates.draw(analysis, isTwo, (rate) => app.worth(rate, 1));
  }
}

/** The colours of the legend, from low to high. */
function newRamp() {
  const ramp = h("i");
  const colours = [0, 0.25, 0.5, 0.75, 1].map((share) => colour(share).fill);
  ramp.style.background = `linear-gradient(90deg, ${colours})`;
  return ramp;
}

/** @param {Side} engine @param {(changed: Partial<Side>) => void} change */
function simsField({ amount }, change) {
  const take = (/** @type {string} */ text) => {
    const sims = Math.round(Number(text) || 1);
    change({ by: "sims", amount: Math.min(MAX_SIMS, Math.max(1, sims)) });
  };
  return field(amount, take, { type: "number", min: 1, max: MAX_SIMS, step: 1000 });
}

/** The answer of the solver in words. @param {Solved} answer */
function solution({ stopped, words, best_names, line }) {
  if (stopped) return "Not solved: stopped.";
  const best = best_names.join(", ");
  return `Exact: ${words} for the player to move. Best: ${best}. Line: ${line.join(" ")}`;
}

/** What an analysis rests on. @param {Analysis} analysis */
function effort({ agent, sims, sims_per_s }) {
  const [who] = agent.split(":");
  if (!SEARCHING.has(who)) return NAMES[who] ?? who;
  const speed = sims_per_s ? `, ${grouped(Math.round(sims_per_s))}/s` : "";
  return `${grouped(sims)} simulations${speed}`;
}
