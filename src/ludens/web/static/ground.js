/** What lies under and over the shapes: wood with its lines, an upright board, letters. */

import { svg } from "./dom.js";
import { boxOf, centre, distance, fixed, grown, outline } from "./geometry.js";

/**
 * @import { Box } from "./geometry.js"
 * @import { Point, Shape } from "./types.js"
 */

/** @param {Shape[]} scene @param {string} role */
const ofRole = (scene, role) => scene.filter((shape) => shape.role === role && !shape.part);

/**
 * The board with the room it needs, letters and numbers included.
 * @param {Shape[]} scene @returns {Box}
 */
export function boardBox(scene) {
  const box = boxOf(scene.filter((shape) => !shape.part));
  const isWood = scene.some((shape) => shape.role === "point");
  const around = grown(box, isWood ? 0.5 : 0.16);
  if (isWood) return around;
  if (ofRole(scene, "hole").length) return { ...around, top: box.top - 0.5 };
  const hasLetters = scene.some((shape) => coordinate(shape));
  return hasLetters ? { ...around, left: box.left - 0.42, top: box.top - 0.42 } : around;
}

/** What ground and letters depend on. @param {Shape[]} scene */
export function groundOf(scene) {
  const places = scene.filter(
    (shape) => ["point", "hole"].includes(shape.role) || coordinate(shape),
  );
  return places.map(({ role, points, label, choice }) => [
    role === "filled" ? "cell" : role,
    points,
    label,
    choice,
  ]);
}

/** @param {Shape[]} scene @returns {SVGElement[]} */
export function drawGround(scene) {
  const points = ofRole(scene, "point");
  const holes = ofRole(scene, "hole");
  return [
    ...(points.length ? drawWood(points) : []),
    ...(holes.length ? [panel(holes, "back"), ...drawColumns(holes)] : []),
    ...drawCoordinates(scene),
  ];
}

/** What covers the shapes. @param {Shape[]} scene @returns {SVGElement[]} */
export function drawFront(scene) {
  const holes = ofRole(scene, "hole");
  if (!holes.length) return [];
  const rims = holes.map((hole) => {
    const [x, y] = centre(hole).map(fixed);
    return svg("circle", { cx: x, cy: y, r: 0.41, class: "hole-rim" });
  });
  return [panel(holes, "front"), ...rims];
}

/** @param {Shape[]} points */
function drawWood(points) {
  const board = grown(boxOf(points), 0.46);
  const size = {
    x: fixed(board.left),
    y: fixed(board.top),
    width: fixed(board.right - board.left),
    height: fixed(board.bottom - board.top),
  };
  return [
    svg("rect", { ...size, rx: 0.12, class: "wood" }),
    svg("path", { d: grain(board), class: "grain" }),
    svg("path", { d: gridLines(points), class: "grid" }),
    ...drawStars(points),
  ];
}

/** Long, slightly bent lines across the wood. @param {Box} box */
function grain({ left, top, right, bottom }) {
  const lines = [];
  for (let i = 0; i < 26; i++) {
    const y = top + 0.1 + ((i + 0.35 * Math.sin(7 * i)) * (bottom - top - 0.2)) / 25.5;
    const bend = 0.25 * Math.sin(3.1 * i);
    const third = (right - left) / 3;
    const end = Math.min(bottom - 0.05, Math.max(top + 0.05, y + bend / 2));
    const curve = [left + third, y + bend, right - third, y - bend, right, end];
    lines.push(`M${[left, y].map(fixed).join(" ")}C${curve.map(fixed).join(" ")}`);
  }
  return lines.join("");
}

/** Lines between neighbouring points. @param {Shape[]} points */
function gridLines(points) {
  const at = points.map(centre);
  const known = new Set(at.map(String));
  const lines = [];
  for (const [x, y] of at) {
    if (known.has(String([x + 1, y]))) lines.push(`M${fixed(x)} ${fixed(y)}h1`);
    if (known.has(String([x, y + 1]))) lines.push(`M${fixed(x)} ${fixed(y)}v1`);
  }
  return lines.join("");
}

/** The dots that help the eye on a square board of nine points or more. @param {Shape[]} points */
function drawStars(points) {
  const side = Math.sqrt(points.length);
  if (side < 9 || side % 1) return [];
  const edge = side < 12 ? 2 : 3;
  const lines = [...new Set([edge, side - 1 - edge, ...(side % 2 ? [(side - 1) / 2] : [])])];
  return lines.flatMap((r) =>
    lines.map((c) => {
      const [x, y] = centre(points[r * side + c]).map(fixed);
      return svg("circle", { cx: x, cy: y, r: 0.09, class: "star" });
    }),
  );
}

/**
 * An upright board with a round hole for each place.
 * @param {Shape[]} holes @param {string} side
 */
function panel(holes, side) {
  const { left, top, right, bottom } = grown(boxOf(holes), 0.14);
  const frame = outline(
    [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ],
    0.3,
  );
  const rings = holes.map((hole) => {
    const [x, y] = centre(hole);
    return `M${fixed(x - 0.41)} ${fixed(y)}a.41 .41 0 1 0 .82 0a.41 .41 0 1 0 -.82 0Z`;
  });
  const d = side === "front" ? frame + rings.join("") : frame;
  return svg("path", { d, "fill-rule": "evenodd", class: `panel ${side}` });
}

/** What the columns of an upright board are called, above them. @param {Shape[]} holes */
function drawColumns(holes) {
  const { top } = boxOf(holes);
  const columns = new Map(holes.map((hole) => [hole.choice, centre(hole)[0]]));
  return [...columns].map(([label, x]) =>
    svg("text.coordinate", { x: fixed(x), y: fixed(top - 0.31), "font-size": 0.22 }, label),
  );
}

/** The letter and the number of a cell named like b3. @param {Shape} shape */
function coordinate(shape) {
  const isPlace = ["cell", "point", "filled"].includes(shape.role) && !shape.part;
  return isPlace ? /^([a-z])(\d{1,2})$/.exec(shape.label) : null;
}

/** @param {Shape[]} scene */
function drawCoordinates(scene) {
  const places = scene.filter((shape) => coordinate(shape));
  const hasWood = places.some((shape) => shape.role === "point");
  const [columns, rows] = [lines(places, 1), lines(places, 2)];
  const isBent =
    [...columns.values()].some((line) => !isEven(line, 0)) ||
    [...rows.values()].some((line) => !isEven(line, 1));
  const { left, top } = grown(boxOf(places), hasWood ? 0.12 : 0.27);
  /** @type {[string, Point][]} */
  const marks = [
    ...[...columns].map(
      ([label, line]) =>
        /** @type {[string, Point]} */ ([label, isBent ? before(line, 1) : [line[0][0], top]]),
    ),
    ...[...rows].map(
      ([label, line]) =>
        /** @type {[string, Point]} */ ([label, isBent ? before(line, 0) : [left, line[0][1]]]),
    ),
  ];
  const size = hasWood ? 0.3 : 0.2;
  return marks.map(([label, [x, y]]) =>
    svg("text.coordinate", { x: fixed(x), y: fixed(y), "font-size": size }, label),
  );
}

/**
 * The middles of the places that share a letter (1) or a number (2).
 * @param {Shape[]} places @param {1 | 2} part @returns {Map<string, Point[]>}
 */
function lines(places, part) {
  const found = new Map();
  for (const shape of places) {
    const name = coordinate(shape)?.[part] ?? "";
    const { left, top, right, bottom } = boxOf([shape]);
    found.set(name, [...(found.get(name) ?? []), [(left + right) / 2, (top + bottom) / 2]]);
  }
  return found;
}

/** @param {Point[]} line @param {0 | 1} axis */
const isEven = (line, axis) => line.every((point) => Math.abs(point[axis] - line[0][axis]) < 0.01);

/**
 * Where a slanting line would go on before its first place, the leftmost or topmost.
 * @param {Point[]} line @param {0 | 1} axis @returns {Point}
 */
function before(line, axis) {
  const [first, ...rest] = [...line].sort((a, b) => a[axis] - b[axis]);
  const [next] = rest.sort((a, b) => distance(a, first) - distance(b, first));
  const along = next ? distance(next, first) : 1;
  const way = next ? [first[0] - next[0], first[1] - next[1]] : [axis - 1, -axis];
  const by = (0.5 * along + 0.27) / along;
  return [first[0] + by * way[0], first[1] + by * way[1]];
}
