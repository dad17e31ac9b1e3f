/** Shapes of a scene as SVG elements; what they look like is up to board.css. */

import { svg } from "./dom.js";
import { centre, fixed, inset, outline } from "./geometry.js";

/** @import { Shape } from "./types.js" */

/**
 * Gap to the neighbours and radius of the corners, by role.
 * @type {Record<string, [number, number]>}
 */
const OUTLINES = {
  cell: [0.025, 0.07],
  death: [0.025, 0.07],
  filled: [0.025, 0.07],
  shape: [0.025, 0.07],
  anchor: [0.025, 0.07],
  card: [0.035, 0.09],
  place: [0.06, 0.09],
  slot: [0, 0.16],
  square: [0, 0.1],
  inner: [0.06, 0.06],
  tower: [0.04, 0.07],
  arrow: [0, 0.03],
  direction: [0, 0.03],
  point: [0, 0],
  hole: [0, 0],
};
const RAISED = new Set(["stone", "disc", "square", "circle", "arrow", "card", "cross", "ring"]);
const UNSEEN = new Set(["point", "hole"]);
const NAME_ROOM = 0.88;
const RULER_PX = 100;

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
  if (shape.kind === "disc" && !MARKS[shape.role]) group.append(rim(shape));
  return group;
}

/** The bare form of a shape. @param {Shape} shape @param {Record<string, any>} attributes */
export function form(shape, attributes) {
  if (MARKS[shape.role])
    return svg("path", { d: MARKS[shape.role](shape), "fill-rule": "evenodd", ...attributes });
  if (shape.kind === "disc") {
    const [[x, y]] = shape.points;
    return svg("circle", { cx: fixed(x), cy: fixed(y), r: fixed(shape.size), ...attributes });
  }
  const [gap, round] = OUTLINES[shape.role] ?? [0.02, 0.05];
  const points = gap ? inset(shape.points, gap) : shape.points;
  return svg("path", { d: outline(points, round), ...attributes });
}

/** Marks as on paper. @type {Record<string, (shape: Shape) => string>} */
const MARKS = {
  cross: ({ points: [[x, y]], size }) => {
    const [near, far] = [0.22 * size, 0.84 * size];
    const arms = [
      [0, -near],
      [far - near, -far],
      [far, near - far],
      [near, 0],
      [far, far - near],
      [far - near, far],
      [0, near],
      [near - far, far],
      [-far, far - near],
      [-near, 0],
      [-far, near - far],
      [near - far, -far],
    ];
    return outline(
      arms.map(([dx, dy]) => [x + dx, y + dy]),
      0.03,
    );
  },
  ring: ({ points: [[x, y]], size }) => circle(x, y, 0.88 * size) + circle(x, y, 0.52 * size),
};

/** @param {number} x @param {number} y @param {number} r */
function circle(x, y, r) {
  const half = `a${fixed(r)} ${fixed(r)} 0 1 0`;
  return `M${fixed(x - r)} ${fixed(y)}${half} ${fixed(2 * r)} 0${half} -${fixed(2 * r)} 0Z`;
}

/** @param {Shape} shape */
function rim(shape) {
  const [[x, y]] = shape.points;
  return svg("circle", { cx: fixed(x), cy: fixed(y), r: fixed(shape.size * 0.68), class: "rim" });
}

/** @param {Shape} shape @param {string} look */
function drawText(shape, look) {
  const [x, y] = centre(shape);
  const size =
    shape.role === "name" ? Math.min(shape.size, NAME_ROOM / widthOf(shape.label)) : shape.size;
  return svg(
    "text",
    { class: look, x: fixed(x), y: fixed(y), "font-size": fixed(size) },
    shape.label,
  );
}

/** @type {Map<string, number>} */
const WIDTHS = new Map();

/** How wide a name is, in heights of its letters. @param {string} text */
function widthOf(text) {
  if (!WIDTHS.has(text)) {
    const ruler = document.createElement("canvas").getContext("2d");
    if (!ruler) return 0.7 * text.length;
    ruler.font = `600 ${RULER_PX}px ${getComputedStyle(document.documentElement).fontFamily}`;
    WIDTHS.set(text, ruler.measureText(text).width / RULER_PX);
  }
  return WIDTHS.get(text) ?? 1;
}

/** A role as a class. @param {string} role */
function word(role) {
  return role.replace(/[^\w-]/g, "-");
}
