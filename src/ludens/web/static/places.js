/** Places of a scene that can be chosen: what a click, a finger or the keyboard meets. */

import { svg } from "./dom.js";
import { boxOf, centre, isInside } from "./geometry.js";
import { placed, placing } from "./layout.js";
import { isWay, transformOf } from "./picture.js";
import { form } from "./shapes.js";

/**
 * @import { Layout } from "./layout.js"
 * @import { Point, Shape } from "./types.js"
 */

/**
 * A place that can be chosen.
 * @typedef {object} Hit
 * @property {string} choice
 * @property {Shape[]} shapes
 * @property {Shape[]} on  what lies on it
 * @property {SVGGElement} element
 * @property {Point} centre  in the picture
 * @property {string} label
 * @property {string} look  how it is hinted at
 * @property {SVGElement | null} hint
 */

/** Shapes by the square of the board that their centres lie in. */
class Things {
  /** @param {Shape[]} scene */
  constructor(scene) {
    /** @type {Map<string, Shape[]>} */
    this.squares = new Map();
    for (const shape of scene) {
      const key = keyAt(shape.part, centre(shape));
      const there = this.squares.get(key);
      if (there) there.push(shape);
      else this.squares.set(key, [shape]);
    }
  }

  /** What has its centre within one of some shapes. @param {Shape[]} shapes @returns {Shape[]} */
  within(shapes) {
    return shapes.flatMap((shape) => this.withinOne(shape));
  }

  /** @param {Shape} shape */
  withinOne(shape) {
    const { left, top, right, bottom } = boxOf([shape]);
    /** @type {Shape[]} */
    const near = [];
    for (let x = Math.floor(left); x < right; x++) {
      for (let y = Math.floor(top); y < bottom; y++)
        near.push(...(this.squares.get(keyAt(shape.part, [x, y])) ?? []));
    }
    return near.filter((other) => isInside(centre(other), shape));
  }
}

/** @param {string} part @param {Point} at */
const keyAt = (part, [x, y]) => `${part} ${Math.floor(x)} ${Math.floor(y)}`;

/**
 * The places of a scene; one that was there before keeps its element.
 * @param {Shape[]} scene @param {Shape[]} sceneBefore @param {Layout} layout
 * @param {Map<string, Hit>} before
 * @returns {Map<string, Hit>}
 */
export function placesOf(scene, sceneBefore, layout, before) {
  /** @type {Things | undefined} */
  let things;
  const changed = [...new Set(scene).symmetricDifference(new Set(sceneBefore))];
  /** @type {Map<string, Shape[]>} */
  const chosen = new Map();
  for (const shape of scene) {
    if (!shape.choice || shape.kind === "text") continue;
    const shapes = chosen.get(shape.choice);
    if (shapes) shapes.push(shape);
    else chosen.set(shape.choice, [shape]);
  }
  const hits = new Map();
  for (const [choice, shapes] of chosen) {
    const old = before.get(choice);
    const isSame = old && shapes.every((shape, i) => shape === old.shapes[i]);
    if (isSame && !changed.some((shape) => liesOn(shape, old.shapes))) {
      hits.set(choice, old);
      continue;
    }
    const hit = isSame ? { ...old } : newHit(choice, shapes, layout);
    const lying = (things ??= new Things(scene)).within(shapes);
    hit.on = lying.filter((other) => other.choice !== choice);
    hits.set(choice, hit);
    say(hit, spoken(hit));
  }
  return hits;
}

/** Whether a shape has its centre in a place. @param {Shape} shape @param {Shape[]} places */
function liesOn(shape, places) {
  return places.some((place) => place.part === shape.part && isInside(centre(shape), place));
}

/** @param {string} choice @param {Shape[]} shapes @param {Layout} layout @returns {Hit} */
function newHit(choice, shapes, layout) {
  const [first] = shapes;
  const areas = isWay(first) ? [] : shapes.some((s) => s.role === "slot") ? [first] : shapes;
  const element = svg(
    "g.hit",
    { role: "button", tabindex: -1, "data-choice": choice },
    ...areas.map((shape) => area(shape, layout)),
  );
  const at = placed(placing(layout, first.part), centre(first));
  return { choice, shapes, on: [], element, centre: at, label: "", look: "", hint: null };
}

/** @param {Shape} shape @param {Layout} layout */
function area(shape, layout) {
  const whole =
    shape.role === "cell" || shape.role === "filled" ? { ...shape, role: "point" } : shape;
  return form(whole, { class: "area", transform: transformOf(shape, layout) || null });
}

/** What is said of a place: its name and what lies on it. @param {Hit} hit */
function spoken({ choice, shapes, on }) {
  const [first, ...more] = shapes;
  const names = new Set(shapes.map((shape) => shape.label).filter(Boolean));
  const name = names.size > 1 && first.role === "hole" ? first.label.split(",")[0] : first.label;
  const lying = [
    ...more.filter((shape) => shape.owner >= 0),
    ...on.filter((shape) => shape.kind !== "text" && !names.has(shape.label)),
  ];
  return [name || choice, ...lying.map((shape) => shape.label).filter(Boolean)].join(", ");
}

/** @param {Hit} hit @param {string} label */
function say(hit, label) {
  if (hit.label === label) return;
  hit.label = label;
  hit.element.setAttribute("aria-label", label);
}

/** Whether a place of the board is empty, so that something can be drawn on it. @param {Hit} hit */
export function isFree({ shapes: [first], on }) {
  return (
    !first.part &&
    ["cell", "point", "filled", "hole"].includes(first.role) &&
    !on.some((shape) => shape.kind !== "text")
  );
}
