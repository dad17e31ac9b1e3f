/** What a move would do, shown before it is made. */

import { centre, isInside } from "./geometry.js";
import { changes } from "./motion.js";
import { complete } from "./picture.js";
import { carried, laidOn } from "./pointing.js";

/**
 * @import { Board } from "./board.js"
 * @import { Picker } from "./picking.js"
 * @import { Hit } from "./places.js"
 * @import { Frame, Shape, Step } from "./types.js"
 */

/** @typedef {(steps: Step[]) => Promise<Frame[]>} Foresee */

const WAIT_MS = 30;

export class Ghosts {
  /** @param {Board} board @param {Picker} picker @param {Foresee} foresee */
  constructor(board, picker, foresee) {
    this.board = board;
    this.picker = picker;
    this.foresee = foresee;
    this.shown = "";
    this.count = 0;
    /** @type {{shapes: Shape[], at: Hit} | null} a ghost to show, in red, where no move is */
    this.pattern = null;
  }

  clear() {
    this.count++;
    this.shown = "";
    this.board.clearGhosts();
  }

  /** Show what choosing a place would do. @param {Hit | null} target */
  show(target) {
    const key = target ? [...this.picker.picked, target.choice].join(" ") : "";
    if (key === this.shown) return;
    this.clear();
    this.shown = key;
    if (!target || !this.picker.legal.length) return;
    const after = this.picker.after(target.choice);
    const move = after && this.picker.move(after);
    if (!after) this.showIllegal(target);
    else if (!target.shapes[0].part) this.showCarried(target, "legal");
    if (move) this.showResult(target, move.action, this.count);
  }

  /** @param {Hit} target @param {"legal" | "illegal"} look */
  showCarried(target, look) {
    const [first] = this.picker.picked;
    if (first && !target.shapes[0].part)
      this.board.ghost(laidOn(carried(this.board, first), target), look);
  }

  /** @param {Hit} target */
  showIllegal(target) {
    if (target.shapes[0].part) return;
    if (this.picker.picked.length) this.showCarried(target, "illegal");
    else if (!this.picker.isCompound) this.showPattern(target, this.count);
  }

  /** Show in red what a move elsewhere puts there. @param {Hit} target @param {number} count */
  async showPattern(target, count) {
    if (!this.pattern) {
      const [move] = this.picker.legal;
      const at = this.board.hits.get(move.choices[0]);
      const shapes = await this.newShapes(move.action);
      if (at && shapes.length) this.pattern = { shapes, at };
    }
    if (count !== this.count || !this.pattern) return;
    this.board.ghost(laidOn(this.pattern.shapes, target), "illegal");
  }

  /** @param {number} action @returns {Promise<Shape[]>} */
  async newShapes(action) {
    const [frame] = await this.foresee([action]).catch(() => []);
    return frame ? put(frame) : [];
  }

  /** @param {Hit} target @param {number} action @param {number} count */
  async showResult(target, action, count) {
    await new Promise((done) => setTimeout(done, WAIT_MS));
    if (count !== this.count) return;
    const [frame] = await this.foresee([action]).catch(() => []);
    if (count !== this.count || !frame) return;
    const shapes = put(frame);
    this.board.clearGhosts();
    this.board.fade(complete(frame.gone).filter((shape) => !shape.part && shape.role === "filled"));
    const turned = changes(complete(frame.gone), shapes).turned;
    this.board.ghost(
      turned.flatMap((card) => [card, ...this.writtenOn(card)]),
      "coming",
    );
    this.board.ghost(
      shapes.filter((shape) => !turned.includes(shape)),
      "legal",
    );
    if (!shapes.length) this.showCarried(target, "legal");
    if (shapes.length && !this.picker.isCompound) this.pattern = { shapes, at: target };
  }

  /** What stands on a shape of the board. @param {Shape} shape @returns {Shape[]} */
  writtenOn(shape) {
    return this.board.scene.filter(
      (other) => other.kind === "text" && !other.part && isInside(centre(other), shape),
    );
  }

  /** Show a line of moves as numbered ghosts. @param {Step[]} moves */
  async showLine(moves) {
    this.clear();
    const count = this.count;
    const frames = await this.foresee(moves).catch(() => []);
    if (count !== this.count) return;
    frames.forEach((frame, i) => {
      const shapes = put(frame);
      const turned = changes(complete(frame.gone), shapes).turned;
      const placed = shapes.filter((shape) => !turned.includes(shape));
      this.board.ghost(placed, "coming", placed.length ? [i + 1] : []);
    });
  }
}

/** What a move puts on the board. @param {Frame} frame @returns {Shape[]} */
export function put(frame) {
  const shapes = complete(frame.added).filter(
    (shape) => !shape.part && !["cell", "won"].includes(shape.role),
  );
  return shapes.some((shape) => shape.kind !== "text") ? shapes : [];
}
