/** Training runs: the list, and one of them live. */

import { byId, h } from "./dom.js";
import { curvesOf, drawPlot, number } from "./plots.js";
import { Replay, keepTime } from "./replay.js";
import { ago, grouped } from "./words.js";

/**
 * @import { App } from "./app.js"
 * @import { Job } from "./socket.js"
 * @import { Metrics, RunFacts } from "./types.js"
 */

export class RunsPage {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.host = byId("runs");
    this.shown = "";
    /** @type {Job | null} */
    this.job = null;
    /** @type {Map<string, Replay>} */
    this.replays = new Map();
    keepTime(() => [...this.replays.values()]);
  }

  /** @param {string} hash #runs, #run=NAME, or nothing to leave */
  show(hash) {
    if (hash === this.shown) return;
    this.shown = hash;
    this.job?.stop();
    this.job = null;
    this.replays.clear();
    const name = new URLSearchParams(hash.slice(1)).get("run");
    if (name) this.watch(name);
    else if (hash) this.list();
  }

  async list() {
    this.host.replaceChildren(
      h("h1", { id: "runs-title" }, "Training runs"),
      h("p.quiet", "Looking…"),
    );
    const answer = await this.app.attempt(this.app.line.ask("runs", {}));
    if (!answer || !/^#runs/.test(this.shown)) return;
    const { runs } = answer;
    const rows = runs.map((run) =>
      h(
        "tr",
        h(
          "td",
          run.trouble
            ? run.name
            : h("a", { href: `#run=${encodeURIComponent(run.name)}` }, run.name),
        ),
        h("td.left", run.trouble || run.game),
        h("td", run.iteration ?? "–"),
        h("td", grouped(run.games ?? 0)),
        h("td", grouped(run.positions ?? 0)),
        h("td", run.elo === null || run.elo === undefined ? "–" : Math.round(run.elo)),
        h("td", run.is_live ? "running" : `${ago(run.age_s)} ago`),
      ),
    );
    this.host.replaceChildren(
      h("h1", { id: "runs-title" }, "Training runs"),
      runs.length
        ? table("Runs", ["Run", "Game", "Iteration", "Games", "Positions", "Elo", "Written"], rows)
        : h(
            "p",
            "There are no runs yet. Begin one with ",
            h("code", "ludens train tic_tac_toe"),
            ".",
          ),
    );
  }

  /** @param {string} name */
  async watch(name) {
    this.host.replaceChildren(h("h1", { id: "runs-title" }, name), h("p.quiet", "Reading…"));
    /** @type {Metrics[]} */
    let rows = [];
    const job = this.app.line.begin("run", { name, num_games: 9 }, (event) => {
      if (this.job !== job) return;
      const first = event.metrics[0]?.iteration ?? Infinity;
      rows = [...rows.filter((row) => row.iteration < first), ...event.metrics];
      this.draw(event, rows);
    });
    this.job = job;
    await this.app.attempt(job.done);
  }

  /** @param {RunFacts} run @param {Metrics[]} rows */
  draw(run, rows) {
    const players = this.app.infoOf(run.game)?.players ?? 2;
    const { totals } = run;
    const [won, drawn, lost] = run.results;
    const facts = [
      ["Game", run.game],
      ["State", run.now || (run.is_live ? "running" : "at rest")],
      ["Iterations", number(totals.iterations)],
      ["Games", number(totals.games)],
      ["Positions", number(totals.positions)],
      ["Time", ago(totals.seconds)],
      ["Net", run.net?.words ?? "none yet"],
      ["On disk", `${(run.size_bytes / 1e6).toFixed(1)} MB`],
      ...(players === 2
        ? [["First player won, drawn, lost", `${number(won)}, ${number(drawn)}, ${number(lost)}`]]
        : []),
    ];
    const plots = curvesOf(rows, players)
      .map((curves) => drawPlot(curves, rows))
      .filter((plot) => plot !== null);
    const wasOpen = this.host.querySelector("details")?.open ?? false;
    this.host.replaceChildren(
      h("p", h("a", { href: "#runs" }, "← All runs")),
      h(
        "div.row",
        h("h1", { id: "runs-title" }, run.name),
        h("span.grow"),
        run.is_known &&
          run.nets.length > 0 &&
          h(
            "button.primary",
            { onclick: () => this.use(run, true) },
            "Analyse with its newest net",
          ),
        run.is_known &&
          run.nets.length > 0 &&
          h("button", { onclick: () => this.use(run, false) }, "Play against it"),
      ),
      h("dl.facts", ...facts.map(([title, text]) => h("div", h("dt", title), h("dd", text)))),
      h("div.plots", ...plots),
      ...workersOf(run),
      h(
        "h2",
        run.games.some((game) => game.is_live) ? "Games now, and the newest" : "Newest games",
      ),
      run.is_known
        ? h("div.grid-games", ...this.games(run))
        : h("p.quiet", "The rules of this game are not loaded, so its games cannot be shown."),
      h(
        "details",
        { open: wasOpen },
        h("summary", "Settings"),
        h("pre", { tabindex: 0 }, JSON.stringify({ ...run.facts, ...run.config }, null, 1)),
      ),
    );
  }

  /** Games keep playing when the run goes on. @param {RunFacts} run */
  games(run) {
    const old = this.replays;
    this.replays = new Map();
    for (const game of run.games) {
      const key = `${game.number} ${game.game.history.length}`;
      const before = [...old.values()].find((one) => one.game.number === game.number);
      this.replays.set(key, old.get(key) ?? new Replay(this.app, game, before?.picture));
    }
    return [...this.replays.values()].map((replay) => replay.element);
  }

  /** @param {RunFacts} run @param {boolean} isAnalysis */
  async use(run, isAnalysis) {
    const { app } = this;
    location.hash = "#play";
    await app.games.begin(run.game, isAnalysis ? "human" : `net:weights=${run.name}`);
    this.onUse?.(run.name, isAnalysis);
  }

  /** @type {((weights: string, isAnalysis: boolean) => void) | undefined} */
  onUse;
}

/** @param {string} label @param {string[]} titles @param {Element[]} rows */
export function table(label, titles, rows) {
  const head = titles.map((title) =>
    h("th", { scope: "col", class: /^(Game|Agent)$/.test(title) && "left" }, title),
  );
  return h(
    "div.list",
    { tabindex: 0, role: "region", "aria-label": label },
    h("table", h("thead", h("tr", ...head)), h("tbody", ...rows)),
  );
}

/** What the workers of a cluster did last. @param {RunFacts} run */
function workersOf({ cluster, workers: [head, ...rows] }) {
  if (!head) return [];
  return [
    h("h2", cluster),
    table(
      "Workers",
      head,
      rows.map((cells) => h("tr", ...cells.map((cell) => h("td", cell)))),
    ),
  ];
}
