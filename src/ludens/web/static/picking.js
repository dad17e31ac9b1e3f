/** A move made of choices, one after the other. */

/** @import { Legal } from "./types.js" */

export class Picker {
  constructor() {
    /** @type {Legal[]} */
    this.legal = [];
    /** @type {string[]} */
    this.picked = [];
  }

  /** @param {Legal[]} legal */
  reset(legal) {
    this.legal = legal;
    this.picked = [];
  }

  /** Moves that begin with these choices. @param {string[]} picked @returns {Legal[]} */
  beginning(picked) {
    return this.legal.filter((move) => picked.every((choice, i) => move.choices[i] === choice));
  }

  /** What can be chosen next. @param {string[]} [picked] @returns {Set<string>} */
  options(picked = this.picked) {
    const next = this.beginning(picked).map((move) => move.choices[picked.length]);
    return new Set(next.filter((choice) => choice !== undefined));
  }

  /**
   * The choices after one more, taking later ones back if need be.
   * @param {string} choice @returns {string[] | null}
   */
  after(choice) {
    for (let kept = this.picked.length; kept >= 0; kept--) {
      const begun = this.picked.slice(0, kept);
      if (this.options(begun).has(choice)) return [...begun, choice];
    }
    return null;
  }

  /** Whether these are the choices made so far. @param {string[]} choices */
  holds(choices) {
    return String(choices) === String(this.picked);
  }

  /**
   * The move that choices make, if they are all.
   * @param {string[]} picked @returns {Legal | null}
   */
  move(picked) {
    return this.beginning(picked).find((move) => move.choices.length === picked.length) ?? null;
  }

  /** Take the last choice back; false if there is none. */
  back() {
    return this.picked.pop() !== undefined;
  }

  /** Whether some move takes more than one choice. */
  get isCompound() {
    return this.legal.some((move) => move.choices.length > 1);
  }
}
