/** A scene as one SVG picture, in layers. */

import { svg } from "./dom.js";
import { fixed } from "./geometry.js";
import { boardBox, drawFront, drawGround } from "./ground.js";
import { layOut, placing } from "./layout.js";
import { draw, isUnseen } from "./shapes.js";

/** @typedef {import("./types.js").Shape} Shape */
/** @typedef {import("./layout.js").Layout} Layout */

const WAYS = new Set(["up", "right", "down", "left"]);

/** Whether a shape is a way to go, shown around a cell when it can be chosen. @param {Shape} shape */
export function isWay(shape) {
  return shape.role === "direction" && WAYS.has(shape.choice);
}

/**
 * Fill in what a scene leaves out because it has its default.
 * @param {Partial<Shape>[]} scene @returns {Shape[]}
 */
export function complete(scene) {
  const common = { label: "", owner: -1, choice: "", size: 0.4, tone: 0, part: "" };
  return scene.map((shape) => /** @type {Shape} */ ({ ...common, ...shape }));
}

/**
 * @typedef {object} Picture
 * @property {SVGSVGElement} root
 * @property {Layout} layout
 * @property {SVGElement[]} elements  one for each shape, empty groups for unseen ones
 * @property {SVGGElement} shapes
 * @property {SVGGElement} front
 */

/** @param {Shape[]} scene @param {boolean} [isNarrow] @returns {Picture} */
export function drawPicture(scene, isNarrow = false) {
  const seen = scene.filter((shape) => !isWay(shape) && shape.role !== "death");
  const layout = layOut(seen, isNarrow, boardBox(seen));
  const elements = scene.map((shape) => drawAt(shape, layout));
  const shapes = svg("g", { class: "shapes" }, ...elements);
  const front = svg("g", { class: "front" }, ...drawFront(seen));
  const grounds = ["point", "hole"].filter((role) => seen.some((shape) => shape.role === role));
  const root = svg(
    "svg",
    { class: ["board", ...grounds.map((role) => `on-${role}`)].join(" "), viewBox: viewBox(layout) },
    svg("g", { class: "ground" }, ...drawGround(seen)),
    shapes,
    front,
  );
  return { root, layout, elements, shapes, front };
}

/** @param {Shape} shape @param {Layout} layout @param {string} [more] */
export function drawAt(shape, layout, more = "") {
  if (isUnseen(shape) || isWay(shape)) return svg("g");
  const element = draw(shape, more);
  const at = transformOf(shape, layout);
  if (at) element.setAttribute("transform", at);
  return element;
}

/** @param {Shape} shape @param {Layout} layout */
export function transformOf(shape, layout) {
  if (!shape.part) return "";
  const { dx, dy, scale } = placing(layout, shape.part);
  if (dx === 0 && dy === 0 && scale === 1) return "";
  return `translate(${fixed(dx)} ${fixed(dy)}) scale(${fixed(scale)})`;
}

/** @param {Layout} layout */
function viewBox({ box }) {
  return [box.left, box.top, box.right - box.left, box.bottom - box.top].map(fixed).join(" ");
}
