/** Where the board and what lies beside it go, on wide and on narrow screens. */

import { boxOf, grown } from "./geometry.js";

/**
 * @import { Box } from "./geometry.js"
 * @import { Point, Shape } from "./types.js"
 */

/** @typedef {{dx: number, dy: number, scale: number}} Placing */

const GAP = 0.18;
/** The largest that what lies beside the board becomes on a narrow screen. */
const LARGEST = 0.85;
const AS_IS = { dx: 0, dy: 0, scale: 1 };

/**
 * How the parts of a scene are placed: x becomes scale * x + dx.
 * @typedef {object} Layout
 * @property {Box} box  of all that is drawn
 * @property {Map<string, Placing>} parts
 */

/**
 * @param {Shape[]} scene @param {boolean} isNarrow @param {Box} board
 * @param {number} below the player who sits below @returns {Layout}
 */
export function layOut(scene, isNarrow, board, below) {
  const beside = partsOf(scene);
  if (!beside.size) return { box: board, parts: new Map() };
  return isNarrow ? stack(board, beside, below) : flank(board, beside);
}

/**
 * Leave each group of parts beside the board, as small as it must be to be no taller.
 * @param {Box} board @param {Map<string, Shape[]>} beside @returns {Layout}
 */
function flank(board, beside) {
  const parts = new Map();
  let box = board;
  for (const names of groupsOf([...beside.keys()])) {
    const group = boxOf(names.flatMap((name) => beside.get(name) ?? []));
    const at = shrunk(group, board);
    for (const name of names) parts.set(name, at);
    const [left, top] = placed(at, [group.left, group.top]);
    const [right, bottom] = placed(at, [group.right, group.bottom]);
    box = join(box, grown({ left, top, right, bottom }, 0.12));
  }
  return { box, parts };
}

/**
 * How a group fits beside the board, its inner edge where it was.
 * @param {Box} group @param {Box} board @returns {Placing}
 */
function shrunk(group, board) {
  const scale = (board.bottom - board.top) / (group.bottom - group.top);
  if (scale >= 1) return AS_IS;
  const inner = group.right <= board.left ? group.right : group.left;
  return { dx: inner * (1 - scale), dy: board.top - scale * group.top, scale };
}

/** @param {Shape[]} scene @returns {Map<string, Shape[]>} */
function partsOf(scene) {
  const parts = new Map();
  for (const shape of scene) {
    if (!shape.part) continue;
    if (!parts.has(shape.part)) parts.set(shape.part, []);
    parts.get(shape.part).push(shape);
  }
  return parts;
}

/**
 * Put each group of parts into a row: the upper player's above the board, others below.
 * @param {Box} board @param {Map<string, Shape[]>} beside @param {number} below @returns {Layout}
 */
function stack(board, beside, below) {
  const parts = new Map();
  const box = { ...board };
  for (const names of groupsOf([...beside.keys()])) {
    const boxes = names.map((name) => boxOf(beside.get(name) ?? []));
    const width = boxes.reduce((sum, b) => sum + b.right - b.left, GAP * (names.length - 1));
    const room = board.right - board.left;
    const scale = Math.min(LARGEST, room / width);
    const height = scale * Math.max(...boxes.map((b) => b.bottom - b.top));
    const isAbove = names[0].split("/")[0].endsWith(String(1 - below));
    const top = isAbove ? box.top - GAP - height : box.bottom + GAP;
    let left = (board.left + board.right - scale * width) / 2;
    names.forEach((name, i) => {
      const b = boxes[i];
      const dy = top + (height - scale * (b.bottom - b.top)) / 2 - scale * b.top;
      parts.set(name, { dx: left - scale * b.left, dy, scale });
      left += scale * (b.right - b.left + GAP);
    });
    if (isAbove) box.top = top - 0.05;
    else box.bottom = top + height + 0.05;
  }
  return { box, parts };
}

/** @param {string[]} names such as hand0/1 @returns {string[][]} */
function groupsOf(names) {
  const groups = new Map();
  for (const name of names) {
    const group = name.split("/")[0];
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return [...groups.values()];
}

/** @param {Box} a @param {Box} b @returns {Box} */
function join(a, b) {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

/** @param {Layout} layout @param {string} part @returns {Placing} */
export function placing(layout, part) {
  return layout.parts.get(part) ?? AS_IS;
}

/**
 * Turn a point of the picture into one of the scene.
 * @param {Placing} at @param {Point} p @returns {Point}
 */
export function unplaced({ dx, dy, scale }, [x, y]) {
  return [(x - dx) / scale, (y - dy) / scale];
}

/**
 * Turn a point of the scene into one of the picture.
 * @param {Placing} at @param {Point} p @returns {Point}
 */
export function placed({ dx, dy, scale }, [x, y]) {
  return [scale * x + dx, scale * y + dy];
}
