/** Shapes of a scene as SVG elements; what they look like is up to board.css. */

import { svg } from "./dom.js";
import { centre, fixed, inset, outline } from "./geometry.js";

/** @typedef {import("./types.js").Shape} Shape */

/** Gap to the neighbours and radius of the corners, by role. @type {Record<string, [number, number]>} */
const OUTLINES = {
  cell: [0.025, 0.07],
  filled: [0.025, 0.07],
  shape: [0.025, 0.07],
  anchor: [0.025, 0.07],
  card: [0.035, 0.09],
  place: [0.06, 0.09],
  slot: [0, 0.16],
  square: [0, 0.1],
  arrow: [0, 0.03],
  direction: [0, 0.03],
  point: [0, 0],
  hole: [0, 0],
};
const RAISED = new Set(["stone", "disc", "square", "circle", "arrow", "card"]);
const UNSEEN = new Set(["point", "death", "hole"]);
const NAME_ROOM = 0.84;

/** Whether a shape is only a place, drawn as part of the ground. @param {Shape} shape */
export function isUnseen(shape) {
  return UNSEEN.has(shape.role);
}

/** @param {Shape} shape @param {string} [more] classes @returns {SVGElement} */
export function draw(shape, more = "") {
  const owner = shape.owner >= 0 ? ` o${shape.owner}` : "";
  const tone = shape.tone ? ` tone t${1 + ((shape.tone - 1) % 8)}` : "";
  const look = `is-${shape.kind} ${word(shape.role)}${owner}${tone} ${more}`.trim();
  if (shape.kind === "text") return drawText(shape, look);
  const group = svg("g", { class: look });
  if (RAISED.has(shape.role)) group.append(form(shape, { class: "shadow" }));
  group.append(form(shape, { class: "body" }));
  if (shape.kind === "disc") group.append(rim(shape));
  return group;
}

/** The bare form of a shape. @param {Shape} shape @param {Record<string, any>} attributes */
export function form(shape, attributes) {
  if (shape.kind === "disc") {
    const [[x, y]] = shape.points;
    return svg("circle", { cx: fixed(x), cy: fixed(y), r: fixed(shape.size), ...attributes });
  }
  const [gap, round] = OUTLINES[shape.role] ?? [0.02, 0.05];
  const points = gap ? inset(shape.points, gap) : shape.points;
  return svg("path", { d: outline(points, round), ...attributes });
}

/** @param {Shape} shape */
function rim(shape) {
  const [[x, y]] = shape.points;
  return svg("circle", { cx: fixed(x), cy: fixed(y), r: fixed(shape.size * 0.68), class: "rim" });
}

/** @param {Shape} shape @param {string} look */
function drawText(shape, look) {
  const [x, y] = centre(shape);
  const size = shape.role === "name" ? Math.min(shape.size, NAME_ROOM / (0.56 * shape.label.length)) : shape.size;
  return svg("text", { class: look, x: fixed(x), y: fixed(y), "font-size": fixed(size) }, shape.label);
}

/** A role as a class. @param {string} role */
function word(role) {
  return role.replace(/[^\w-]/g, "-");
}
