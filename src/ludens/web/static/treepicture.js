/** The search tree as a picture, the root on the left. */

import { svg } from "./dom.js";
import { grouped } from "./words.js";

/** @import { Branch } from "./types.js" */

const [WIDTH, HEIGHT, BELOW, EDGE, MAX_TITLE] = [148, 40, 8, 8, 17];
/** Between a node and its children. */
export const GAP = 34;

/**
 * @typedef {object} View
 * @property {number} zoom
 * @property {Set<string>} folded  paths whose children are not shown
 * @property {string} focused  the path that the Tab key comes to
 * @property {(rate: number) => string} worth
 * @property {(branch: Branch, path: number[]) => void} open
 */

/** @param {Branch} tree @param {View} view */
export function drawTree(tree, view) {
  /** @type {SVGElement[]} */
  const shapes = [];
  const placed = place(tree, [], EDGE, shapes, view);
  const width = (placed.depth + 1) * (WIDTH + GAP) + EDGE;
  const height = placed.height + 2 * EDGE;
  return svg(
    "svg",
    {
      width: width * view.zoom,
      height: height * view.zoom,
      viewBox: `0 0 ${width} ${height}`,
      role: "presentation",
    },
    ...shapes,
  );
}

/**
 * Draw a node below `top`, after its edges and before its children.
 * @param {Branch} branch @param {number[]} path @param {number} top
 * @param {SVGElement[]} shapes @param {View} view
 * @returns {{height: number, depth: number, middle: number}}
 */
function place(branch, path, top, shapes, view) {
  const children = view.folded.has(path.join(".")) ? [] : branch.children;
  const x = EDGE + path.length * (WIDTH + GAP);
  const node = shapes.length;
  shapes.push(svg("g"));
  let [height, depth] = [0, path.length];
  const middles = children.map((child) => {
    const placed = place(child, [...path, child.choice], top + height, shapes, view);
    height += placed.height;
    depth = Math.max(depth, placed.depth);
    return placed.middle;
  });
  height = Math.max(height, HEIGHT + BELOW);
  const middle = middles.length ? (middles[0] + middles[middles.length - 1]) / 2 : top + height / 2;
  shapes[node] = drawNode(branch, path, x, middle - HEIGHT / 2, children.length > 0, view);
  const edges = middles.map((y, i) => {
    const share = children[i].visits / Math.max(1, branch.visits);
    return drawEdge(x + WIDTH, middle, y, share);
  });
  shapes.unshift(...edges);
  return { height, depth, middle };
}

/** @param {number} x @param {number} y @param {number} toY @param {number} share of visits */
function drawEdge(x, y, toY, share) {
  const half = x + GAP / 2;
  const d = `M${x} ${y}C${half} ${y} ${half} ${toY} ${x + GAP} ${toY}`;
  return svg("path.edge", { d, "stroke-width": 1 + 4 * share });
}

/**
 * @param {Branch} branch @param {number[]} path @param {number} x @param {number} y
 * @param {boolean} isOpen @param {View} view
 */
function drawNode(branch, path, x, y, isOpen, { focused, worth, open }) {
  const name = path.length ? branch.title : "This position";
  const title = name.length > MAX_TITLE ? `${name.slice(0, MAX_TITLE - 1)}…` : name;
  const prior = path.length ? ` · p ${branch.prior.toFixed(2)}` : "";
  const facts = `${grouped(branch.visits)} · ${worth(branch.rate)}${prior} ${branch.proof}`;
  const hidden = branch.num_hidden ? `, ${branch.num_hidden} more below` : "";
  const key = path.join(".");
  const sign = isOpen ? "−" : branch.is_leaf ? "" : "+";
  return svg(
    "g",
    {
      role: "treeitem",
      tabindex: key === focused ? 0 : -1,
      "data-path": key,
      class: `by${branch.player}`,
      "aria-expanded": sign ? String(isOpen) : null,
      "aria-level": path.length + 1,
      "aria-label": `${name}: ${branch.visits} visits, value ${worth(branch.rate)}${hidden}`,
      onclick: () => open(branch, path),
    },
    svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 6 }),
    svg("text", { x: x + 8, y: y + 17, "font-weight": 600 }, title),
    svg("text", { x: x + 8, y: y + 32, class: "facts" }, facts),
    svg("text", { x: x + WIDTH - 14, y: y + 18, class: "fold" }, sign),
  );
}
