/** Points, outlines and boxes, in units of a cell. */

/** @import { Point, Shape } from "./types.js" */

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

const AHEAD = 0.05;
/** What lies more to the side than ahead is met only where nothing else is. */
const ASIDE = 100;

/** @param {Shape} shape @returns {Point} */
export function centre(shape) {
  const n = shape.points.length;
  const sum = shape.points.reduce((a, p) => [a[0] + p[0], a[1] + p[1]], [0, 0]);
  return [sum[0] / n, sum[1] / n];
}

/** @param {Point} a @param {Point} b */
export function distance(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** @param {Shape[]} shapes @returns {Box} */
export function boxOf(shapes) {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const shape of shapes) {
    const reach =
      shape.kind === "polygon" ? 0 : shape.kind === "disc" ? shape.size : shape.size / 2;
    for (const [x, y] of shape.points) {
      box.left = Math.min(box.left, x - reach);
      box.right = Math.max(box.right, x + reach);
      box.top = Math.min(box.top, y - reach);
      box.bottom = Math.max(box.bottom, y + reach);
    }
  }
  return shapes.length ? box : { left: 0, top: 0, right: 1, bottom: 1 };
}

/** @param {Box} box @param {number} by @returns {Box} */
export function grown(box, by) {
  return { left: box.left - by, top: box.top - by, right: box.right + by, bottom: box.bottom + by };
}

/**
 * Tell whether a point lies within a shape.
 * @param {Point} p @param {Shape} shape
 */
export function isInside([x, y], shape) {
  if (shape.kind === "disc") return distance([x, y], shape.points[0]) <= shape.size;
  let inside = false;
  const points = shape.points;
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const [ax, ay] = points[i];
    const [bx, by] = points[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** Move every edge of a polygon inwards, roughly. @param {Point[]} points @param {number} by */
export function inset(points, by) {
  const n = points.length;
  const cx = points.reduce((a, p) => a + p[0], 0) / n;
  const cy = points.reduce((a, p) => a + p[1], 0) / n;
  const reach = Math.min(...points.map((p, i) => edgeDistance([cx, cy], p, points[(i + 1) % n])));
  const k = 1 - by / Math.max(reach, by + 1e-9);
  return points.map(([x, y]) => /** @type {Point} */ ([cx + k * (x - cx), cy + k * (y - cy)]));
}

/** @param {Point} p @param {Point} a @param {Point} b */
function edgeDistance(p, a, b) {
  const cross = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
  return Math.abs(cross) / (distance(a, b) || 1);
}

/** @param {number} x */
export const fixed = (x) => String(Math.round(x * 1000) / 1000);

/** @param {Point[]} points @param {number} round radius of the corners */
export function outline(points, round) {
  if (round <= 0) return `M${points.map((p) => p.map(fixed).join(" ")).join("L")}Z`;
  const n = points.length;
  const parts = points.map((corner, i) => {
    const a = towards(corner, points[(i + n - 1) % n], round);
    const b = towards(corner, points[(i + 1) % n], round);
    const [ax, ay, x, y, bx, by] = [...a, ...corner, ...b].map(fixed);
    return `${i ? "L" : "M"}${ax} ${ay}Q${x} ${y} ${bx} ${by}`;
  });
  return `${parts.join("")}Z`;
}

/** @param {Point} from @param {Point} to @param {number} by @returns {Point} */
function towards(from, to, by) {
  const k = Math.min(0.5, by / (distance(from, to) || 1));
  return [from[0] + k * (to[0] - from[0]), from[1] + k * (to[1] - from[1])];
}

/** Move a shape. @param {Shape} shape @param {Point} by @returns {Shape} */
export function moved(shape, [dx, dy]) {
  const points = shape.points.map(([x, y]) => /** @type {Point} */ ([x + dx, y + dy]));
  return { ...shape, points };
}

/**
 * Tell whether two polygons are alike, apart from where they are.
 * @param {Shape} a @param {Shape} b
 */
export function isCongruent(a, b) {
  if (a.kind !== b.kind || a.points.length !== b.points.length) return false;
  const [ca, cb] = [centre(a), centre(b)];
  const key = (/** @type {Shape} */ s, /** @type {Point} */ c) =>
    s.points
      .map(([x, y]) => `${(x - c[0]).toFixed(2)},${(y - c[1]).toFixed(2)}`)
      .sort()
      .join(" ");
  return key(a, ca) === key(b, cb);
}

/**
 * Where an arrow key leads on a board of any form: near, and in line with what one aims at.
 * @template {{centre: Point}} Place
 * @param {Iterable<Place>} places @param {Point} from @param {Point} aim @param {Point} way
 * @returns {Place | null}
 */
export function nextPlace(places, [x, y], aim, [dx, dy]) {
  /** @type {Place | null} */
  let best = null;
  let least = Infinity;
  for (const place of places) {
    const [px, py] = place.centre;
    const ahead = (px - x) * dx + (py - y) * dy;
    if (ahead < AHEAD) continue;
    const aside = Math.abs((px - aim[0]) * dy) + Math.abs((py - aim[1]) * dx);
    const cost = Math.hypot(ahead, aside) + aside + (aside > ahead ? ASIDE : 0);
    if (cost < least - 1e-6) [best, least] = [place, cost];
  }
  return best;
}
