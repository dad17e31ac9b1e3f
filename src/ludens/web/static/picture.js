/** A scene as one SVG picture, in layers. */

import { svg } from "./dom.js";
import { fixed } from "./geometry.js";
import { boardBox, drawFront, drawGround, groundOf } from "./ground.js";
import { layOut, placing } from "./layout.js";
import { draw, isUnseen } from "./shapes.js";

/**
 * @import { Layout } from "./layout.js"
 * @import { Position, Shape } from "./types.js"
 */

const WAYS = new Set(["up", "right", "down", "left"]);

/**
 * Whether a shape is a way to go, shown around a cell when it can be chosen.
 * @param {Shape} shape
 */
export function isWay(shape) {
  return shape.role === "direction" && WAYS.has(shape.choice);
}

/** @type {Shape} */
const DEFAULTS = {
  kind: "text",
  points: [],
  role: "",
  label: "",
  owner: -1,
  choice: "",
  size: 0.4,
  tone: 0,
  part: "",
};
const MOST_KNOWN = 20_000;
/** Shapes by all that they are. @type {Map<string, Shape>} */
const known = new Map();

/**
 * Fill in what a scene leaves out because it has its default. Equal shapes are the same object, so
 * that it costs little to find what two scenes have in common.
 * @param {Partial<Shape>[]} scene @returns {Shape[]}
 */
export function complete(scene) {
  if (known.size > MOST_KNOWN) known.clear();
  return scene.map((some) => {
    const shape = { ...DEFAULTS, ...some };
    const key = Object.values(shape).join("|");
    const old = known.get(key);
    if (!old) known.set(key, shape);
    return old ?? shape;
  });
}

/** @type {WeakMap<Position, Shape[]>} */
const scenes = new WeakMap();

/** The scene of a position. @param {Position} position @returns {Shape[]} */
export function sceneOf(position) {
  let scene = scenes.get(position);
  if (!scene) scenes.set(position, (scene = complete(position.scene)));
  return scene;
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
  const shapes = svg("g.shapes", ...elements);
  const grounds = ["point", "hole"].filter((role) => seen.some((shape) => shape.role === role));
  const root = svg(
    "svg",
    {
      class: ["board", ...grounds.map((role) => `on-${role}`)].join(" "),
      viewBox: viewBox(layout),
    },
    svg("g.ground", ...drawGround(seen)),
    shapes,
    svg("g.front", ...drawFront(seen)),
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
  /** @type {Map<Shape, SVGElement[]>} */
  const drawn = new Map();
  picture.scene.forEach((shape, i) => {
    const alike = drawn.get(shape);
    if (alike) alike.push(picture.elements[i]);
    else drawn.set(shape, [picture.elements[i]]);
  });
  picture.scene = scene;
  picture.elements = scene.map((shape) => drawn.get(shape)?.shift() ?? drawAt(shape, layout));
  arrange(picture.shapes, picture.elements);
  return true;
}

/** @param {Shape[]} scene @param {boolean} isNarrow @param {number} below */
function framed(scene, isNarrow, below) {
  const seen = scene.filter((shape) => !isWay(shape));
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
