/** Which game is on the table: begun, linked, read, or kept from before. */

import * as keeping from "./keeping.js";
import { sideOf, you } from "./sides.js";
import { Story, fromFragment, toFragment } from "./story.js";

/**
 * @import { App } from "./app.js"
 * @import { Side } from "./sides.js"
 * @import { Described, Position, SentGame, ToldVariation } from "./types.js"
 */

/** @typedef {{seed?: number | null, setup?: string, isSecond?: boolean}} Wishes */

export class Games {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
  }

  /**
   * Begin with what is asked for or was left; if that is not to be had, with the last, that of the
   * link, or any.
   */
  async start() {
    const { app } = this;
    await app.attempt(this.startAsAsked());
    if (!app.story.spec) await app.attempt(this.reopen(keeping.last()));
    const names = app.known.map((game) => game.name);
    const linked = fromFragment(location.hash)?.game.spec ?? "";
    for (const spec of [linked, ...names]) {
      if (!app.story.spec && names.includes(spec.split(":")[0])) await this.begin(spec);
    }
  }

  /** The link, else what this tab or the last one had, else what the address says. */
  async startAsAsked() {
    const address = new URLSearchParams(location.search);
    const kept = keeping.isNewAddress()
      ? null
      : (keeping.find(history.state?.game) ?? keeping.last());
    if (kept && (!fromFragment(location.hash) || toFragment(kept.story) === location.hash))
      await this.reopen(kept);
    else if (await this.follow(history.state?.game)) return;
    else if (address.has("record")) await this.read({ name: address.get("record") });
    else if (address.has("game")) {
      const seed = address.has("seed") ? Number(address.get("seed")) : null;
      const isSecond = address.get("side") === "second";
      await this.begin(address.get("game") ?? "", address.get("vs") ?? "", {
        seed,
        setup: address.get("setup") ?? "",
        isSecond,
      });
    }
  }

  /**
   * Open what the address stands for: a game that was kept, or that of the link; false if it names
   * none.
   * @param {string} [id]
   */
  async follow(id) {
    if (location.hash === toFragment(this.app.story)) return true;
    const linked = fromFragment(location.hash);
    const known =
      keeping.find(id) ??
      keeping.find(keeping.list().find(({ link }) => link === location.hash)?.id);
    if (known && known.story.id !== this.app.story.id) await this.reopen(known);
    else if (!known && linked) await this.openLink(linked);
    return !!(known ?? linked);
  }

  /**
   * Go back to a game as it was left; one that does not load costs nothing.
   * @param {keeping.Kept | null} kept
   */
  async reopen(kept) {
    if (!kept) return;
    const { story } = kept;
    story.take(story.here, (await this.app.line.ask("position", { game: story.sent() })).position);
    await this.app.open(kept);
  }

  /**
   * Begin a new game against an agent, by default the game's own.
   * @param {string} spec @param {string} vs @param {Wishes} [wishes]
   */
  async begin(spec, vs = "", { seed = null, setup = "", isSecond = false } = {}) {
    const { app } = this;
    const described = await app.attempt(
      app.line.ask("describe", { game: { spec, history: [], seed, setup } }),
    );
    if (!described) return;
    const other = sideOf(vs || described.default_agent);
    await this.put(described.position, isSecond ? [other, you()] : [you(), other], false, {
      described,
      setup,
    });
  }

  /**
   * The same game once more, with another seed.
   * @param {boolean} isSwapped whether the players change sides
   */
  async again(isSwapped) {
    const { app } = this;
    const { spec, setup } = app.story;
    const described = await app.attempt(
      app.line.ask("describe", { game: { spec, history: [], setup } }),
    );
    const sides = isSwapped ? app.sides.toReversed() : app.sides;
    if (described) await this.put(described.position, sides, false, { described, setup });
  }

  /** The same game from its start, with the same seed. */
  restart() {
    const { app } = this;
    const { spec, seed, setup, root } = app.story;
    const story = new Story(spec, seed, setup);
    story.root.steps = [...root.steps];
    return this.replace({ story, sides: app.sides, isPaused: false }, app.described);
  }

  /** @param {{game: SentGame, at: number}} linked */
  async openLink({ game, at }) {
    const { position } = await this.app.line.ask("position", { game });
    const kept = keeping.last();
    const sides = kept && kept.story.spec === position.spec ? kept.sides : [you(), you()];
    await this.put(position, sides, true, { setup: game.setup, at });
  }

  /** Read a record or moves; return how many games there are. @param {object} what */
  async read(what) {
    const { position, variations, num_games } = await this.app.line.ask("read", what);
    await this.put(position, [you(), you()], true, { variations });
    return num_games;
  }

  /**
   * Put the game of a position on the table.
   * @param {Position} position @param {Side[]} sides @param {boolean} isPaused
   * @param {{described?: Described | null, setup?: string, at?: number,
   *   variations?: ToldVariation[]}} [more]
   */
  put(position, sides, isPaused, more = {}) {
    const { described = null, setup = "", at = Infinity, variations = [] } = more;
    const story = Story.of(position);
    story.branch(variations);
    story.setup = setup;
    story.here = story.here.path().find((move) => move.history().length >= at) ?? story.here;
    return this.replace(
      { story, sides: sides.slice(0, position.players).map((side) => ({ ...side })), isPaused },
      described,
    );
  }

  /**
   * Open another game; the one before can be had back.
   * @param {keeping.Kept} kept @param {Described | null} described
   */
  async replace(kept, described) {
    const { app } = this;
    const { story: before, title } = app;
    await app.open(kept, described);
    if (!before.root.children.length) return;
    app.tell(`${title}: your game is kept under Games.`, [
      "Undo",
      () => app.attempt(this.reopen(keeping.find(before.id))),
    ]);
  }
}
