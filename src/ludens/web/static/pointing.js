/** Mouse, touch and pen on the board: hover, click and drag. */

import { centre, distance, isCongruent, moved } from "./geometry.js";
import { placing, unplaced } from "./layout.js";

/**
 * @import { Board } from "./board.js"
 * @import { Picker } from "./picking.js"
 * @import { Hit } from "./places.js"
 * @import { Point, Shape } from "./types.js"
 */

const DRAG_PX = 7;
/** A finger cannot be sure to meet what is smaller (WCAG 2.2, 2.5.8). */
const FINGER_PX = 24;
const STAYS = new Set(["slot", "place", "number", "text", "count", "score"]);

/**
 * What a choice carries to its target: the shapes of its part, without frames and counts.
 * @param {Board} board @param {string} choice @returns {Shape[]}
 */
export function carried(board, choice) {
  const hit = board.hits.get(choice);
  if (!hit) return [];
  const { part } = hit.shapes[0];
  const found = board.scene.filter((shape) =>
    part ? shape.part === part : shape.choice === choice,
  );
  return found.filter((shape) => !STAYS.has(shape.role)).map((shape) => ({ ...shape, choice: "" }));
}

/** What decides where carried shapes lie. @param {Shape[]} shapes */
export function anchorOf(shapes) {
  return (
    shapes.find((shape) => shape.role === "anchor") ?? shapes.find((shape) => shape.kind !== "text")
  );
}

/**
 * Carried shapes, with the anchor on a target.
 * @param {Shape[]} shapes @param {Hit} target @returns {Shape[]}
 */
export function laidOn(shapes, target) {
  const anchor = anchorOf(shapes);
  if (!anchor) return [];
  const [x, y] = centre(anchor);
  const [tx, ty] = centre(target.shapes[0]);
  return shapes.map((shape) => ({ ...moved(shape, [tx - x, ty - y]), part: "" }));
}

/**
 * @typedef {object} Handlers
 * @property {(choice: string, isSure: boolean) => void} choose
 * @property {(target: Hit | null) => void} hover
 * @property {() => boolean} isActive
 */

/**
 * @typedef {{
 *   choice: string, x: number, y: number, grabbed: Point | null, isDragging: boolean
 * }} Pressed
 */

export class Pointing {
  /** @param {Board} board @param {Picker} picker @param {Handlers} handlers */
  constructor(board, picker, handlers) {
    this.board = board;
    this.picker = picker;
    this.handlers = handlers;
    /** @type {Pressed | null} */
    this.pressed = null;
    const { host } = board;
    host.addEventListener("touchstart", (event) => this.hold(event), { passive: false });
    host.addEventListener("pointerdown", (event) => this.press(event));
    host.addEventListener("pointermove", (event) => this.move(event));
    host.addEventListener("pointerup", (event) => this.release(event));
    host.addEventListener("pointercancel", () => this.drop());
    host.addEventListener(
      "pointerleave",
      (event) => this.pressed || event.pointerType === "touch" || handlers.hover(null),
    );
  }

  /** A finger on what can be dragged does not scroll the page. @param {TouchEvent} event */
  hold(event) {
    const { target, touches } = event;
    const choice =
      target instanceof Element
        ? target.closest(".board.drags .hit")?.getAttribute("data-choice")
        : null;
    if (touches.length === 1 && choice && this.begun(choice)) event.preventDefault();
  }

  /**
   * The choices that a drag from here begins with, null if it would not be a drag.
   * @param {string} choice
   */
  begun(choice) {
    const after = this.picker.after(choice);
    return after && !this.picker.move(after) ? after : null;
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    const hit = this.hitAt(event);
    if (!hit) return;
    this.pressed = {
      choice: hit.choice,
      x: event.clientX,
      y: event.clientY,
      grabbed: null,
      isDragging: false,
    };
  }

  /** @param {PointerEvent} event */
  move(event) {
    const pressed = this.pressed;
    if (!pressed) {
      if (event.pointerType !== "touch") this.handlers.hover(this.targetAt(event, null));
      return;
    }
    if (!pressed.isDragging) {
      const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > DRAG_PX;
      if (!far || !this.handlers.isActive()) return;
      this.startDrag(event, pressed);
    }
    if (pressed.isDragging) this.handlers.hover(this.targetAt(event, pressed.grabbed));
  }

  /** @param {PointerEvent} event @param {NonNullable<Pointing["pressed"]>} pressed */
  startDrag(event, pressed) {
    const begun = this.begun(pressed.choice);
    if (!begun) return;
    const hit = this.board.hits.get(pressed.choice);
    const layout = this.board.picture?.layout;
    if (!hit || !layout) return;
    const start = this.board.pointOf({ clientX: pressed.x, clientY: pressed.y });
    pressed.grabbed = unplaced(placing(layout, hit.shapes[0].part), start);
    pressed.isDragging = true;
    if (!this.picker.holds(begun)) this.handlers.choose(pressed.choice, true);
    this.board.host.setPointerCapture(event.pointerId);
    this.board.host.classList.add("dragging");
  }

  /** @param {PointerEvent} event */
  release(event) {
    const pressed = this.pressed;
    this.drop();
    if (!pressed) return;
    const target = this.targetAt(event, pressed.isDragging ? pressed.grabbed : null);
    const isTouch = event.pointerType === "touch";
    if (isTouch) this.handlers.hover(null);
    if (target && (!pressed.isDragging || target.choice !== pressed.choice)) {
      this.board.focus(target.choice);
      this.handlers.choose(target.choice, pressed.isDragging || !isTouch || !isSmall(target));
    }
  }

  drop() {
    this.pressed = null;
    this.board.host.classList.remove("dragging");
  }

  /** @param {PointerEvent} event @returns {Hit | null} */
  hitAt(event) {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const element = under?.closest(".hit");
    if (!element || !this.board.host.contains(element)) return null;
    return this.board.hits.get(element.getAttribute("data-choice") ?? "") ?? null;
  }

  /**
   * The place meant by the pointer: where the anchor of what is carried would lie.
   * @param {PointerEvent} event @param {Point | null} grabbed @returns {Hit | null}
   */
  targetAt(event, grabbed) {
    const hit = this.hitAt(event);
    const shapes = this.picker.picked.length ? carried(this.board, this.picker.picked[0]) : [];
    const anchor = anchorOf(shapes);
    if (!anchor || anchor.kind !== "polygon" || (hit && hit.shapes[0].part)) return hit;
    const [px, py] = this.board.pointOf(event);
    const [ax, ay] = centre(anchor);
    /** @type {Point} */
    const wanted = grabbed ? [px + ax - grabbed[0], py + ay - grabbed[1]] : [px, py];
    const alike = [...this.board.hits.values()].filter(
      (h) => !h.shapes[0].part && isCongruent(h.shapes[0], anchor),
    );
    if (alike.length < 2 || (!hit && !grabbed)) return hit;
    const nearest = alike.reduce((a, b) =>
      distance(a.centre, wanted) <= distance(b.centre, wanted) ? a : b,
    );
    return distance(nearest.centre, wanted) < 1.2 ? nearest : hit;
  }
}

/** Whether a place is too small for a finger. @param {Hit} hit */
function isSmall({ element }) {
  const { width, height } = element.getBoundingClientRect();
  return Math.min(width, height) < FINGER_PX;
}
