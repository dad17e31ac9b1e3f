/** A small board on which a game plays itself again and again. */

import { h, isStill } from "./dom.js";
import { complete, drawPicture } from "./picture.js";

/**
 * @import { App } from "./app.js"
 * @import { Frame, RunGame, Shape } from "./types.js"
 */

const STEP_MS = 900;
const AT_END = 4;
const CHUNK = 30;

export class Replay {
  /**
   * @param {App} app @param {RunGame} game
   * @param {HTMLElement} [picture] of the game as it was, until it is drawn again
   */
  constructor(app, game, picture = h("div")) {
    this.app = app;
    this.game = game;
    this.picture = picture;
    this.note = h("p");
    this.element = h(
      "div.mini",
      this.picture,
      this.note,
      h(
        "button.small",
        { "aria-label": `Open game ${game.number} on the board`, onclick: () => this.open() },
        "Open",
      ),
    );
    /** @type {Shape[][]} */
    this.scenes = [];
    this.at = 0;
    this.waited = 0;
    this.load();
  }

  async load() {
    const { line } = this.app;
    const { position } = await line.ask("position", { game: this.game.game });
    const { history, steps } = position;
    let done = steps.findIndex((step) => !step.is_chance);
    if (done < 0) done = steps.length;
    const prefix = (/** @type {number} */ n) => ({
      ...this.game.game,
      history: history.slice(0, n),
    });
    const first = await line.ask("position", { game: prefix(done) });
    let scene = complete(first.position.scene);
    this.scenes = [scene];
    if (!this.game.is_live) this.show();
    while (done < history.length) {
      const next = history.slice(done, done + CHUNK);
      const { frames } = await line.ask("line", { game: prefix(done), steps: next });
      frames.forEach((frame, i) => {
        scene = changed(scene, frame);
        if (!steps[done + i].is_chance) this.scenes.push(scene);
        else this.scenes[this.scenes.length - 1] = scene;
      });
      done += next.length;
    }
    if (isStill() || this.game.is_live) this.at = this.scenes.length - 1;
    this.show();
  }

  /** Go one move on; at the end wait, then begin anew. */
  tick() {
    if (!this.scenes.length || !this.element.isConnected || isStill() || this.game.is_live) return;
    if (this.at < this.scenes.length - 1) this.at++;
    else if (++this.waited > AT_END) [this.at, this.waited] = [0, 0];
    else return;
    this.show();
  }

  show() {
    const { root } = drawPicture(this.scenes[this.at], true);
    root.setAttribute("role", "img");
    root.setAttribute("aria-label", `Game ${this.game.number} after ${this.at} moves`);
    this.picture.replaceChildren(root);
    const move = `move ${this.at} of ${this.scenes.length - 1}`;
    this.note.textContent = `Game ${this.game.number}, ${move}. ${this.thought()}${this.ending()}`;
  }

  /** What the search expected of the move that is shown. */
  thought() {
    const { values, kinds } = this.game;
    const value = values[this.at - 1];
    if (value === undefined || !kinds[this.at - 1]) return "";
    if (this.isScore) return `${Math.round(100 * value)} points to come. `;
    return `Its player expected ${(value < 0 ? "−" : "+") + Math.abs(value).toFixed(2)}. `;
  }

  ending() {
    const { is_finished, result, ending } = this.game;
    if (!is_finished) return this.game.is_live ? "Played now." : "It goes on.";
    const words = ending === "resigned" ? " (given up)" : ending === "cut" ? " (cut off)" : "";
    if (this.isScore) return `${Math.round(100 * (result ?? 0))} points${words}.`;
    if (!result) return `Drawn${words}.`;
    return `The ${result > 0 ? "first" : "second"} player won${words}.`;
  }

  get isScore() {
    return this.app.infoOf(this.game.game.spec)?.players === 1;
  }

  async open() {
    const { app } = this;
    location.hash = "#play";
    await app.attempt(
      app.games.openLink({
        game: { ...this.game.game, seed: 0 },
        at: this.game.game.history.length,
      }),
    );
  }
}

/** A scene after a step. @param {Shape[]} scene @param {Frame} frame @returns {Shape[]} */
export function changed(scene, frame) {
  const key = (/** @type {Shape} */ shape) =>
    JSON.stringify([shape.kind, shape.points, shape.role, shape.label, shape.owner, shape.choice]);
  const gone = new Set(complete(frame.gone).map(key));
  const kept = scene.filter((shape) => !gone.has(key(shape)));
  const cells = complete(frame.added).filter((shape) => shape.role === "cell");
  return [...cells, ...kept, ...complete(frame.added).filter((shape) => shape.role !== "cell")];
}

/** Let games play themselves side by side; returns how to stop. @param {() => Replay[]} replays */
export function keepTime(replays) {
  const timer = setInterval(() => {
    if (!document.hidden) for (const replay of replays()) replay.tick();
  }, STEP_MS);
  return () => clearInterval(timer);
}
