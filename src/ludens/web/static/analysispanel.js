/** What the engine thinks: a table of moves, growing as it searches. */

import { Candidates } from "./candidates.js";
import { byId, h, percent, refill } from "./dom.js";
import { rateOf } from "./gamepanel.js";
import { like, likes } from "./keeping.js";
import { colour } from "./overlay.js";
import { NAMES, SEARCHING, WITH_NET, asked, kinds, sideOf } from "./sides.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./types.js").Solution & {stopped?: boolean}} Solved */

const OVERLAYS = [
  ["none", "None"],
  ["visits", "Visits"],
  ["value", "Value"],
  ["prior", "Prior"],
];
const MAX_SIMS = 1_000_000;
const OUTLOOK = "The outlook is no forecast of the score: points that are further away count";

export class AnalysisPanel {
  /** @param {App} app @param {Table} table */
  constructor(app, table) {
    this.app = app;
    this.table = table;
    this.host = byId("panel-analysis");
    this.isOn = false;
    /** @type {import("./sides.js").Side | null} */
    this.engine = null;
    this.spec = "";
    /** @type {import("./socket.js").Job | null} */
    this.job = null;
    /** @type {import("./socket.js").Job | null} */
    this.solving = null;
    table.overlay = likes().overlay ?? "none";
    app.listen((what) => {
      if (what === "position") this.moved();
      else if (what === "analysis") this.showTable();
    });
    this.build();
  }

  build() {
    this.head = h("div", { class: "row" });
    this.facts = h("p", { class: "small quiet", role: "status" });
    this.exact = h("p", { class: "small", role: "status" });
    const moves = h("div", {
      class: "wide",
      tabindex: 0,
      role: "region",
      "aria-label": "Candidate moves",
    });
    this.candidates = new Candidates(moves, {
      show: (line) => this.table.ghosts.showLine(line),
      hide: () => this.table.ghosts.clear(),
      play: (action) => this.table.canPick && this.app.play(action),
    });
    this.segments = h(
      "div",
      { class: "segments", role: "group", "aria-label": "On the board" },
      ...OVERLAYS.map(([kind, name]) =>
        h("button", { "data-kind": kind, onclick: () => this.overlay(kind) }, name),
      ),
    );
    const ramp = h("i");
    const colours = [0, 0.25, 0.5, 0.75, 1].map((share) => colour(share).fill);
    ramp.style.background = `linear-gradient(90deg, ${colours})`;
    this.legend = h("span", { class: "scale small quiet" }, h("span"), ramp, h("span"));
    this.settings = h("div", { class: "row" });
    this.host.replaceChildren(
      this.head,
      h(
        "div",
        { class: "row" },
        h("span", { class: "small quiet" }, "On the board"),
        this.segments,
        this.legend,
      ),
      this.facts,
      moves,
      this.exact,
      this.settings,
    );
    this.overlay(this.table.overlay);
  }

  /** @param {string} kind */
  overlay(kind) {
    this.table.overlay = kind;
    like({ overlay: kind });
    for (const button of this.segments?.children ?? []) {
      button.setAttribute("aria-pressed", String(button.getAttribute("data-kind") === kind));
    }
    const [low, high] = kind === "value" ? ["worse", "best"] : ["low", "high"];
    if (this.legend) {
      this.legend.hidden = kind === "none";
      [this.legend.children[0].textContent, this.legend.children[2].textContent] = [low, high];
    }
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
      this.engine.amount = 20_000;
    }
    this.solving?.stop();
    this.solving = null;
    if (this.exact) this.exact.textContent = "";
    this.showHead();
    this.showTable();
    if (this.isOn) this.begin();
  }

  showHead() {
    const { app } = this;
    const isOver = app.position?.is_over ?? true;
    refill(
      this.head,
      h(
        "button",
        {
          class: "primary",
          "aria-pressed": this.isOn,
          id: "analyse",
          onclick: () => this.toggle(),
        },
        this.isOn ? "Stop analysis" : "Analyse",
      ),
      h(
        "button",
        { disabled: isOver || !app.described?.nets.length, onclick: () => this.networkOnly() },
        "Network only",
      ),
      app.position?.can_solve &&
        h(
          "button",
          {
            id: "exact",
            disabled: isOver,
            onclick: () => (this.solving ? this.solving.stop() : this.solve()),
          },
          this.solving ? "Stop solving" : "Exact result",
        ),
    );
    this.showSettings();
  }

  showSettings() {
    const { engine, app } = this;
    if (!engine || !this.settings) return;
    const change = (/** @type {Partial<import("./sides.js").Side>} */ changed) => {
      Object.assign(engine, changed);
      this.showSettings();
      if (this.isOn) this.begin();
    };
    const who = kinds(app.described, !!app.position?.can_solve).filter(
      (kind) => kind !== "you" && kind !== "level",
    );
    refill(
      this.settings,
      h(
        "label",
        {},
        "Engine",
        h(
          "select",
          { onchange: (/** @type {any} */ e) => change({ who: e.target.value, amount: 20_000 }) },
          ...who.map((kind) =>
            h("option", { value: kind, selected: kind === engine.who }, NAMES[kind]),
          ),
        ),
      ),
      WITH_NET.has(engine.who) &&
        (app.described?.nets.length ?? 0) > 1 &&
        h(
          "label",
          {},
          "Net",
          h(
            "select",
            { onchange: (/** @type {any} */ e) => change({ weights: e.target.value }) },
            ...(app.described?.nets ?? []).map((net) =>
              h("option", { value: net, selected: net === engine.weights }, net || "shipped"),
            ),
          ),
        ),
      SEARCHING.has(engine.who) &&
        h(
          "label",
          {},
          "up to",
          h("input", {
            type: "number",
            min: 1,
            max: MAX_SIMS,
            step: 1000,
            value: engine.amount,
            onchange: (/** @type {any} */ e) =>
              change({
                by: "sims",
                amount: Math.min(MAX_SIMS, Math.max(1, Math.round(Number(e.target.value) || 1))),
              }),
          }),
          "simulations",
        ),
    );
  }

  /** Analyse with the net of a run. @param {string} weights */
  useNet(weights) {
    if (this.engine)
      Object.assign(this.engine, { who: "net", weights, amount: 20_000, by: "sims" });
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

  async solve() {
    const { app } = this;
    const { exact } = this;
    if (!exact) return;
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
    if (!this.facts) return;
    if (!analysis) {
      this.facts.textContent = app.position?.is_over
        ? "The game is over."
        : "Press Analyse to see what the engine thinks.";
      this.candidates?.draw(null, true);
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
    this.facts.textContent = `${effort(analysis)}; to move: ${rate}${proof}${counted}`;
    this.candidates?.draw(analysis, isTwo, (rate) => app.worth(rate, 1));
  }
}

/** The answer of the solver in words. @param {Solved} answer */
function solution({ stopped, words, best_names, line }) {
  if (stopped) return "Not solved: stopped.";
  const best = best_names.join(", ");
  return `Exact: ${words} for the player to move. Best: ${best}. Line: ${line.join(" ")}`;
}

/** What an analysis rests on. @param {import("./types.js").Analysis} analysis */
function effort({ agent, sims, sims_per_s }) {
  const [who] = agent.split(":");
  if (!SEARCHING.has(who)) return NAMES[who] ?? who;
  const speed = sims_per_s ? `, ${Math.round(sims_per_s).toLocaleString("en")}/s` : "";
  return `${sims.toLocaleString("en")} simulations${speed}`;
}
