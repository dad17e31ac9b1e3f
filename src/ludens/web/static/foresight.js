/** What moves would change on the board, asked of the server once. */

/**
 * @import { App } from "./app.js"
 * @import { Frame, Step } from "./types.js"
 */

export class Foresight {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Map<string, {frames: Promise<Frame[]>, known: Frame[]}>} */
    this.asked = new Map();
  }

  /** What each of some moves from here would change. @param {Step[]} steps */
  frames(steps) {
    const game = this.app.story.sent();
    const key = this.keyOf(steps);
    const held = this.asked.get(key);
    if (held) return held.frames;
    const frames = this.app.line.ask("line", { game, steps }).then((answer) => answer.frames);
    const entry = { frames, known: /** @type {Frame[]} */ ([]) };
    this.asked.set(key, entry);
    frames.then(
      (known) => (entry.known = known),
      () => this.asked.delete(key),
    );
    return frames;
  }

  /** What a move from here would change, if that is known already. @param {Step} step */
  known(step) {
    return this.asked.get(this.keyOf([step]))?.known[0];
  }

  /** @param {Step[]} steps */
  keyOf(steps) {
    return JSON.stringify([this.app.story.sent().history, steps]);
  }

  clear() {
    this.asked.clear();
  }
}
