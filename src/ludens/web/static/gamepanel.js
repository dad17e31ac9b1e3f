/** Beside the board: the moves, the value over the game, mistakes. */

import { byId, h, icon, refill } from "./dom.js";
import { button } from "./fields.js";
import { drawGraph, drawMistakes, mistakes } from "./graph.js";
import { drawGames } from "./gamelist.js";
import { MoveList } from "./moves.js";
import { plural } from "./words.js";

/**
 * @import { App } from "./app.js"
 * @import { Job } from "./socket.js"
 * @import { Story } from "./story.js"
 */

export class GamePanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.host = byId("panel-game");
    /** @type {Job | null} */
    this.reviewing = null;
    /** @type {Story | null} what is reviewed */
    this.story = null;
    this.moves = new MoveList(app);
    this.deeds = h("div.row");
    this.title = h("h2");
    this.graph = h("div");
    this.games = h("div");
    this.build();
    app.listen((what) => {
      if (what === "position") this.show();
      else if (what === "analysis" || what === "graph") this.showGraph();
    });
  }

  build() {
    const nav = [
      ["first", "To the start (Home)", -Infinity],
      ["back", "Back (Left)", -1],
      ["on", "On (Right)", 1],
      ["last", "To the end (End)", Infinity],
    ];
    this.host.append(
      h(
        "div.nav",
        { role: "toolbar", "aria-label": "Step through the game" },
        ...nav.map(([sign, title, by]) =>
          h(
            "button",
            { title, "aria-label": title, onclick: () => this.app.step(Number(by)) },
            icon(String(sign)),
          ),
        ),
      ),
      this.moves.element,
      this.deeds,
      this.title,
      this.graph,
      this.games,
    );
  }

  show() {
    const { app } = this;
    if (this.reviewing && this.story !== app.story) {
      this.reviewing.stop();
      this.reviewing = null;
    }
    this.moves.show();
    refill(
      this.deeds,
      app.here.parent && !app.here.isMainLine && button("Make main line", () => this.promote()),
      app.here.parent && button("Delete from here", () => this.remove()),
    );
    this.title.textContent =
      app.position?.players === 1 ? "Score to expect" : "The first player's chance";
    refill(this.games, drawGames(app));
    this.showGraph();
  }

  showGraph() {
    const { app } = this;
    const found = mistakes(app);
    const isBusy = !!this.reviewing;
    const line = app.here.line();
    const isKnown = line.some((move) => move.rate !== null);
    const isReviewed = line.some((move) => move.drop !== null);
    refill(
      this.graph,
      isKnown && drawGraph(app),
      !isKnown && h("p.small.quiet", "Analyse, or review the game, to see how it went."),
      h(
        "div.row",
        button(isBusy ? "Stop" : "Review the game", () => this.review()),
        h(
          "span.quiet.small",
          { role: "status" },
          isBusy ? "looking at every move…" : isReviewed ? plural(found.length, "mistake") : "",
        ),
        h("span.grow"),
        found.length > 0 &&
          h(
            "button",
            {
              "aria-label": "Previous mistake",
              title: "Previous mistake (M)",
              onclick: () => this.jump(-1),
            },
            icon("back"),
          ),
        found.length > 0 &&
          h(
            "button",
            {
              "aria-label": "Next mistake",
              title: "Next mistake (m)",
              onclick: () => this.jump(1),
            },
            icon("on"),
          ),
      ),
      drawMistakes(app),
    );
  }

  /** Let the engine look at every move of this line. */
  async review() {
    if (this.reviewing) {
      this.reviewing.stop();
      return;
    }
    const { app } = this;
    const end = app.here.end();
    const path = end.path();
    const lengths = path.map((move) => move.history().length);
    const job = app.line.begin(
      "review",
      { game: app.story.sent(end), agent: app.described?.default_agent ?? "mcts", sims: 200 },
      (event) => {
        const move = path[lengths.findIndex((length) => length > event.step)];
        if (!move?.parent) return;
        move.parent.rate = rateOf(app, event.player, event.winrate, event.score);
        if (event.played_winrate !== null)
          move.rate = rateOf(app, event.player, event.played_winrate, event.score);
        move.drop = event.drop;
        move.better = event.best === move.name ? "" : event.best;
        app.notify("graph");
      },
    );
    this.reviewing = job;
    this.story = app.story;
    this.showGraph();
    await app.attempt(job.done);
    if (this.reviewing !== job) return;
    this.reviewing = null;
    app.save();
    app.notify("position");
  }

  /** @param {number} way */
  jump(way) {
    const { app } = this;
    const found = mistakes(app);
    const next =
      way > 0
        ? found.find((move) => move.ply > app.here.ply)
        : found.findLast((move) => move.ply < app.here.ply);
    if (next) app.lookAt(next);
    else app.tell(way > 0 ? "No mistake after this move." : "No mistake before this move.");
  }

  promote() {
    this.app.story.promote(this.app.here);
    this.app.save();
    this.show();
  }

  remove() {
    const { app } = this;
    const { here, story } = app;
    app.isPaused = true;
    const putBack = story.remove(here);
    app.goTo(app.here);
    app.tell(`${here.name} and what followed are deleted.`, [
      "Undo",
      () => {
        putBack();
        if (app.story === story) app.goTo(here);
      },
    ]);
  }
}

/**
 * The value of a position as the graph shows it.
 * @param {App} app @param {number} player @param {number} winrate @param {number | null} [score]
 */
export function rateOf(app, player, winrate, score) {
  if (app.position?.players === 1) return winrate + (score ?? 0);
  return player === 0 ? winrate : 1 - winrate;
}
