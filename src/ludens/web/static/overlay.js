/** What the engine thinks of each move, on the board. */

import { svg } from "./dom.js";
import { centre } from "./geometry.js";
import { placing } from "./layout.js";
import { isKnown } from "./sides.js";

/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").Candidate} Candidate */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./board.js").Hit} Hit */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").Legal} Legal */

/** Cividis, which colour-blind eyes read too: dark is low, light is high. */
const SCALE = [[0, 34, 78], [60, 77, 110], [124, 123, 120], [187, 172, 105], [254, 232, 56]];
const LEAST = 0.005;
/** A value by so many times fewer visits than another move has is only noise. */
const FEW = 200;

/** @param {number} share 0 to 1 @returns {{fill: string, ink: string}} */
export function colour(share) {
  const x = Math.min(0.9999, Math.max(0, share)) * (SCALE.length - 1);
  const [low, high] = [SCALE[Math.floor(x)], SCALE[Math.floor(x) + 1]];
  const mixed = low.map((c, i) => Math.round(c + (high[i] - c) * (x % 1)));
  return { fill: `rgb(${mixed})`, ink: share > 0.55 ? "#000" : "#fff" };
}

/**
 * Moves put together by the place that is chosen next.
 * @param {Legal[]} moves @param {string[]} picked @param {Candidate[]} thought
 */
function byPlace(moves, picked, thought) {
  const legal = new Map(moves.map((move) => [move.action, move.choices]));
  /** @type {Map<string, Candidate[]>} */
  const places = new Map();
  for (const move of thought) {
    const choices = legal.get(move.action);
    if (!choices || !picked.every((choice, i) => choices[i] === choice)) continue;
    const next = choices[picked.length];
    if (next) places.set(next, [...(places.get(next) ?? []), move]);
  }
  return places;
}

/** @type {Record<string, (moves: Candidate[], all: Analysis, worth: (rate: number) => string) => {share: number, size: number, text: string}>} */
const KINDS = {
  prior: (moves) => {
    const share = moves.reduce((sum, move) => sum + move.prior, 0);
    return { share, size: share, text: String(Math.round(100 * share)) };
  },
  visits: (moves, all) => {
    const visits = moves.reduce((sum, move) => sum + move.visits, 0);
    const total = all.moves.reduce((sum, move) => sum + move.visits, 0) || 1;
    return { share: visits / total, size: visits / total, text: short(visits) };
  },
  value: (moves, all, worth) => {
    const most = Math.max(...all.moves.map((move) => move.visits));
    const known = moves.filter((move) => isKnown(move, all) && (move.proof || FEW * move.visits >= most));
    const best = Math.max(...known.map((move) => move.winrate));
    const rates = all.moves.filter((move) => isKnown(move, all)).map((move) => move.winrate);
    const [low, high] = [Math.min(...rates), Math.max(...rates)];
    const isRate = rates.every((rate) => rate >= 0 && rate <= 1);
    const share = isRate ? best : (best - low) / (high - low || 1);
    const proof = moves.length === 1 && moves[0].proof ? { win: "✓", loss: "✗", draw: "=" }[moves[0].proof] : "";
    return { share, size: known.length ? 0.5 : 0, text: proof || (isRate ? String(Math.round(100 * best)) : worth(best)) };
  },
};

/** @param {number} count */
function short(count) {
  return count < 1000 ? String(count) : count < 1e6 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`;
}

/**
 * @param {Board} board @param {Legal[]} legal @param {string[]} picked
 * @param {Analysis | null} analysis @param {string} kind @param {(rate: number) => string} worth
 */
export function drawOverlay(board, legal, picked, analysis, kind, worth) {
  const layer = board.layers?.overlay;
  const layout = board.picture?.layout;
  if (!layer || !layout) return;
  layer.replaceChildren();
  if (!analysis || !KINDS[kind]) return;
  for (const [choice, moves] of byPlace(legal, picked, analysis.moves)) {
    const hit = board.hits.get(choice);
    const { share, size, text } = KINDS[kind](moves, analysis, worth);
    if (hit && size >= LEAST) layer.append(...drawBlot(hit, layout, spotOf(board, hit), share, size, text));
  }
}

/** Where a move comes to lie: in a column of holes the lowest free one. @param {Board} board @param {Hit} hit @returns {Point} */
function spotOf(board, hit) {
  if (hit.shapes[0].role !== "hole") return hit.centre;
  const taken = new Set(board.scene.filter((shape) => shape.role === "disc").map((shape) => String(centre(shape))));
  const free = hit.shapes.map(centre).filter((point) => !taken.has(String(point)));
  return free.reduce((a, b) => (a[1] > b[1] ? a : b), hit.centre);
}

/** @param {Hit} hit @param {import("./layout.js").Layout} layout @param {Point} at @param {number} share @param {number} size @param {string} text */
function drawBlot(hit, layout, [x, y], share, size, text) {
  const { fill, ink } = colour(share);
  const [{ points, part }] = hit.shapes;
  const room = points.length === 3 ? 0.62 : placing(layout, part).scale;
  const r = room * (0.2 + 0.2 * Math.sqrt(Math.min(1, size)));
  const number = svg("text", { x, y, "font-size": room * 0.26, class: "blot-number" }, text);
  number.style.fill = ink;
  return [svg("circle", { cx: x, cy: y, r, fill, class: "blot" }), number];
}
