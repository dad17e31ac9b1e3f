/** A scene as one SVG picture, in layers. */

import { svg } from "./dom.js";
import { fixed } from "./geometry.js";
import { boardBox, drawFront, drawGround, groundOf } from "./ground.js";
import { layOut, placing } from "./layout.js";
import { draw, isUnseen } from "./shapes.js";

/** @typedef {import("./types.js").Shape} Shape */
/** @typedef {import("./layout.js").Layout} Layout */

const WAYS = new Set(["up", "right", "down", "left"]);

/**
 * Whether a shape is a way to go, shown around a cell when it can be chosen.
 * @param {Shape} shape
 */
export function isWay(shape) {
  return shape.role === "direction" && WAYS.has(shape.choice);
}

/**
 * Fill in what a scene leaves out because it has its default.
 * @param {Partial<Shape>[]} scene @returns {Shape[]}
 */
export function complete(scene) {
  const common = {
    kind: "",
    points: [],
    role: "",
    label: "",
    owner: -1,
    choice: "",
    size: 0.4,
    tone: 0,
    part: "",
  };
  return scene.map((shape) => /** @type {Shape} */ ({ ...common, ...shape }));
}

/** @type {WeakMap<Shape, string>} */
const KEYS = new WeakMap();

/** All of a shape as a text. @param {Shape} shape @returns {string} */
export function keyOf(shape) {
  let key = KEYS.get(shape);
  if (!key) KEYS.set(shape, (key = Object.values(shape).join("|")));
  return key;
}

/**
 * @typedef {object} Picture
 * @property {SVGSVGElement} root
 * @property {Layout} layout
 * @property {string} frame  what all but the shapes depends on
 * @property {Shape[]} scene
 * @property {SVGElement[]} elements  one for each shape, empty groups for unseen ones
 * @property {SVGGElement} shapes
 */

/**
 * @param {Shape[]} scene @param {boolean} [isNarrow]
 * @param {number} [below] the player who sits below @returns {Picture}
 */
export function drawPicture(scene, isNarrow = false, below = 0) {
  const { seen, layout, frame } = framed(scene, isNarrow, below);
  const elements = scene.map((shape) => drawAt(shape, layout));
  const shapes = svg("g", { class: "shapes" }, ...elements);
  const grounds = ["point", "hole"].filter((role) => seen.some((shape) => shape.role === role));
  const root = svg(
    "svg",
    {
      class: ["board", ...grounds.map((role) => `on-${role}`)].join(" "),
      viewBox: viewBox(layout),
    },
    svg("g", { class: "ground" }, ...drawGround(seen)),
    shapes,
    svg("g", { class: "front" }, ...drawFront(seen)),
  );
  return { root, layout, frame, scene, elements, shapes };
}

/**
 * Draw another scene, touching only the shapes that differ; false if all is to be drawn anew.
 * @param {Picture} picture @param {Shape[]} scene @param {boolean} isNarrow @param {number} below
 */
export function redraw(picture, scene, isNarrow, below) {
  const { layout, frame } = framed(scene, isNarrow, below);
  if (frame !== picture.frame) return false;
  /** @type {Map<string, SVGElement[]>} */
  const known = new Map();
  picture.scene.forEach((shape, i) => {
    const key = keyOf(shape);
    const alike = known.get(key);
    if (alike) alike.push(picture.elements[i]);
    else known.set(key, [picture.elements[i]]);
  });
  picture.scene = scene;
  picture.elements = scene.map(
    (shape) => known.get(keyOf(shape))?.shift() ?? drawAt(shape, layout),
  );
  arrange(picture.shapes, picture.elements);
  return true;
}

/** @param {Shape[]} scene @param {boolean} isNarrow @param {number} below */
function framed(scene, isNarrow, below) {
  const seen = scene.filter((shape) => !isWay(shape) && shape.role !== "death");
  const layout = layOut(seen, isNarrow, boardBox(seen), below);
  return { seen, layout, frame: JSON.stringify([layout.box, [...layout.parts], groundOf(seen)]) };
}

/**
 * Make these the children of an element, moving only what is not there.
 * @param {Element} host @param {Element[]} children
 */
export function arrange(host, children) {
  const kept = new Set(children);
  for (const child of [...host.children]) if (!kept.has(child)) child.remove();
  let at = host.firstElementChild;
  for (const child of children) {
    if (child === at) at = at.nextElementSibling;
    else host.insertBefore(child, at);
  }
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
