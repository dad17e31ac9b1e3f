/** A game with its variations: a tree of moves that the page owns. */

/**
 * @import { Analysis, Position, SentGame, Step, StepWords, ToldVariation, Variation }
 *   from "./types.js"
 */

/** A move, with what chance made of it; the root has what came before the first. */
export class Move {
  /** @param {Move | null} parent @param {Step[]} steps */
  constructor(parent, steps) {
    this.parent = parent;
    this.steps = steps;
    /** @type {Move[]} the first is the main line */
    this.children = [];
    this.name = "";
    this.notes = "";
    /** @type {number | null} */
    this.player = null;
    this.isEdit = false;
    /** @type {Position | null} */
    this.position = null;
    /** The position that was asked for. @type {Promise<{position: Position}> | null} */
    this.coming = null;
    /** @type {Analysis | null} */
    this.analysis = null;
    /** @type {number | null} the first player's winrate here; for one player the score to expect */
    this.rate = null;
    /** @type {number | null} what the mover gave away */
    this.drop = null;
    this.better = "";
  }

  /** @returns {Move[]} from the root to this one */
  path() {
    const moves = [];
    for (let move = /** @type {Move | null} */ (this); move; move = move.parent) moves.push(move);
    return moves.reverse();
  }

  /** @returns {Step[]} */
  history() {
    return this.path().flatMap((move) => move.steps);
  }

  /** How many moves and edits came before. */
  get ply() {
    return this.path().length - 1;
  }

  /** @returns {Move} the end of the line that goes on from here */
  end() {
    let move = /** @type {Move} */ (this);
    while (move.children[0]) move = move.children[0];
    return move;
  }

  /** @returns {Move[]} the whole line through here */
  line() {
    return this.end().path();
  }

  get isMainLine() {
    return this.path().every((move) => !move.parent || move.parent.children[0] === move);
  }
}

export class Story {
  /** @param {string} spec @param {number | null} seed @param {string} setup */
  constructor(spec, seed = null, setup = "") {
    this.spec = spec;
    this.seed = seed;
    this.setup = setup;
    this.id = "";
    this.rename();
    this.root = new Move(null, []);
    this.here = this.root;
    /** How a line of it ended, in words. */
    this.verdict = "";
    /** The moves as the browser was last seen to keep them. */
    this.known = "";
  }

  /** Become a game of its own. @returns {string} its name in the browser */
  rename() {
    this.id = Date.now().toString(36) + Math.random().toString(36).slice(2);
    return this.id;
  }

  /** What a request says of the game up to a move. @param {Move} [move] */
  sent(move = this.here) {
    const history = move.history();
    const setup = history.length ? "" : this.setup;
    return { spec: this.spec, history, seed: this.seed, setup };
  }

  /**
   * Make a story of a whole history.
   * @param {Position} position @returns {Story}
   */
  static of(position) {
    const story = new Story(position.spec, position.seed);
    story.here = story.append(story.root, position, 0);
    story.here.position = position;
    return story;
  }

  /**
   * Add the steps of a position from an index on; return the last move.
   * @param {Move} after @param {Position} position @param {number} from
   */
  append(after, position, from) {
    let move = after;
    const { history, steps } = position;
    for (let i = from; i < history.length;) {
      let end = i + 1;
      while (end < history.length && steps[end].is_chance) end++;
      if (steps[i].is_chance) move.steps.push(...history.slice(i, end));
      else move = this.child(move, history.slice(i, end), steps.slice(i, end));
      i = end;
    }
    return move;
  }

  /**
   * @param {Move} parent @param {Step[]} steps
   * @param {StepWords[]} words
   */
  child(parent, steps, words) {
    const same = parent.children.find((child) => String(child.steps) === String(steps));
    if (same) return same;
    const move = new Move(parent, steps);
    move.name = words[0].notation;
    move.notes = words
      .slice(1)
      .map((word) => word.notation)
      .join(", ");
    move.player = words[0].player;
    move.isEdit = words[0].is_edit;
    parent.children.push(move);
    return move;
  }

  /**
   * Take in the position after a move from `parent`; return the move.
   * @param {Move} parent @param {Position} position
   */
  advance(parent, position) {
    const move = this.append(parent, position, parent.history().length);
    move.position = position;
    return move;
  }

  /**
   * The lines beside the one to a move, as records have them.
   * @param {Move} end @returns {Variation[]}
   */
  variations(end) {
    /** @type {Variation[]} */
    const found = [];
    const lines = [{ end, from: this.root }];
    for (let n = 0; n < lines.length; n++) {
      const path = lines[n].end.path();
      const start = path.indexOf(lines[n].from);
      for (const [i, move] of path.entries()) {
        for (const child of i < start ? [] : move.children) {
          if (child === path[i + 1]) continue;
          const at = move.history().length;
          const history = child.end().history().slice(at);
          found.push({ of: n, at, history });
          lines.push({ end: child.end(), from: child });
        }
      }
    }
    return found;
  }

  /** Add the lines of a record to its game. @param {ToldVariation[]} variations */
  branch(variations) {
    const ends = [this.here];
    for (const { of: n, at, history, steps } of variations) {
      const path = ends[n].path();
      const parent = path.find((move) => move.history().length >= at) ?? ends[n];
      const position = /** @type {Position} */ ({ history, steps });
      ends.push(this.append(parent, position, 0));
    }
  }

  /** Take in what the server says of a move. @param {Move} move @param {Position} position */
  take(move, position) {
    move.position = position;
    if (!move.parent && !move.steps.length) move.steps = position.history;
    this.seed ??= position.seed;
  }

  /** Make the line through a move the main one. @param {Move} move */
  promote(move) {
    for (let m = move; m.parent; m = m.parent) {
      const siblings = m.parent.children;
      siblings.splice(siblings.indexOf(m), 1);
      siblings.unshift(m);
    }
  }

  /**
   * Take a move and all after it away.
   * @param {Move} move @returns {() => void} how to put it back
   */
  remove(move) {
    const siblings = move.parent?.children ?? [];
    const index = siblings.indexOf(move);
    if (move.parent && this.here.path().includes(move)) this.here = move.parent;
    siblings.splice(index, 1);
    return () => siblings.splice(index, 0, move);
  }

  /** @returns {Move[]} every move, each after its parent */
  all() {
    const moves = [this.root];
    for (let i = 0; i < moves.length; i++) moves.push(...moves[i].children);
    return moves;
  }

  /** @returns {any} what `restore` takes, as JSON */
  saved() {
    const moves = this.all();
    const index = new Map(moves.map((move, i) => [move, i]));
    return {
      id: this.id,
      spec: this.spec,
      seed: this.seed,
      setup: this.setup,
      verdict: this.verdict,
      at: index.get(this.here),
      moves: moves.map((m) => ({
        up: m.parent ? index.get(m.parent) : -1,
        steps: m.steps,
        name: m.name,
        notes: m.notes,
        player: m.player,
        edit: m.isEdit,
        rate: m.rate,
        drop: m.drop,
        better: m.better,
      })),
    };
  }

  /** @param {any} saved @returns {Story} */
  static restore(saved) {
    const story = new Story(saved.spec, saved.seed, saved.setup);
    story.id = saved.id;
    story.verdict = saved.verdict;
    /** @type {Move[]} */
    const moves = [];
    for (const one of saved.moves) {
      const move = one.up < 0 ? story.root : new Move(moves[one.up], one.steps);
      move.steps = one.steps;
      move.name = one.name;
      move.notes = one.notes;
      move.player = one.player;
      move.isEdit = one.edit;
      move.rate = one.rate;
      move.drop = one.drop;
      move.better = one.better;
      if (move.parent) move.parent.children.push(move);
      moves.push(move);
    }
    story.here = moves[saved.at];
    return story;
  }
}

/**
 * Write the line through here as the part of a link after #.
 * @param {Story} story
 */
export function toFragment(story) {
  const line = story.here.end();
  const fields = new URLSearchParams({ game: story.spec });
  if (story.seed !== null) fields.set("seed", String(story.seed));
  const steps = line
    .history()
    .map((s) => (typeof s === "number" ? s : `~${encodeURIComponent(s).replaceAll(".", "%2E")}`));
  if (steps.length) fields.set("history", steps.join("."));
  else if (story.setup) fields.set("setup", story.setup);
  if (line !== story.here) fields.set("at", String(story.here.history().length));
  return `#${fields.toString().replace(/%3A|%3D|%2C/g, decodeURIComponent)}`;
}

/**
 * Read a link; null if it has no game.
 * @param {string} fragment
 * @returns {{game: SentGame, at: number} | null}
 */
export function fromFragment(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const spec = fields.get("game");
  if (!spec) return null;
  const words = fields.get("history")?.split(".") ?? [];
  const history = words.map((w) => (w.startsWith("~") ? decode(w.slice(1)) : Number(w)));
  const seed = fields.has("seed") ? Number(fields.get("seed")) : null;
  const at = fields.has("at") ? Number(fields.get("at")) : history.length;
  return { game: { spec, history, seed, setup: fields.get("setup") ?? "" }, at };
}

/** Undo the escapes of a text; one that was written by hand may have none. @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
