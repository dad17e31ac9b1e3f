/** What the engine thinks of each move, on the board. */

import { svg } from "./dom.js";
import { boxOf, centre, distance, grown, isInside } from "./geometry.js";
import { placed, placing } from "./layout.js";
import { isFree } from "./places.js";
import { isKnown } from "./sides.js";

/**
 * @import { Board } from "./board.js"
 * @import { Hit } from "./places.js"
 * @import { Analysis, Candidate, Legal, Point, Shape } from "./types.js"
 */

/** Cividis, which colour-blind eyes read too: dark is low, light is high. */
const SCALE = [
  [0, 34, 78],
  [60, 77, 110],
  [124, 123, 120],
  [187, 172, 105],
  [254, 232, 56],
];
const LEAST = 0.005;
/** A value by so many times fewer visits than another move has is only noise. */
const FEW = 200;
/**
 * What a move may be worse than the best before it is darkest: of a win rate, or of the best score.
 */
const WORST = 0.25;
/** Rates that are so near each other are told to a tenth of a percent. */
const NEAR = 0.1;
/** Heights of numbers in cells: as a rule, and at least where they are long. */
const [LETTER, LEAST_LETTER] = [0.26, 0.17];
/** What a number in a corner keeps free around it. */
const ROOM = 0.3;

/** @param {number} share 0 to 1 @returns {{fill: string, ink: string}} */
export function colour(share) {
  const x = Math.min(0.9999, Math.max(0, share)) * (SCALE.length - 1);
  const [low, high] = [SCALE[Math.floor(x)], SCALE[Math.floor(x) + 1]];
  const mixed = low.map((c, i) => Math.round(c + (high[i] - c) * (x % 1)));
  return { fill: `rgb(${mixed})`, ink: luminance(mixed) > 0.179 ? "#000" : "#fff" };
}

/** @param {number[]} rgb of 255 */
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 10 ? c / 3295 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
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

/**
 * How a place is coloured and what is written on it, by what the reader wants to see.
 * @typedef {{share: number, size: number, text: string}} Look
 * @type {Record<
 *   string, (moves: Candidate[], all: Analysis, worth: (rate: number) => string) => Look
 * >}
 */
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
    const shown = known(all.moves, all);
    const best = Math.max(...known(moves, all).map((move) => move.winrate));
    const [low, high] = [
      Math.min(...shown.map((move) => move.winrate)),
      Math.max(...shown.map((move) => move.winrate)),
    ];
    const isRate = low >= 0 && high <= 1;
    const worse = (high - best) / (WORST * (isRate ? 1 : Math.abs(high) || 1));
    const proof =
      moves.length === 1 && moves[0].proof
        ? { win: "✓", loss: "✗", draw: "=" }[moves[0].proof]
        : "";
    const rate = (100 * best).toFixed(high - low < NEAR ? 1 : 0);
    return {
      share: 1 - Math.sqrt(Math.min(1, worse)),
      size: best > -Infinity ? 0.5 : 0,
      text:
        proof ||
        (isRate ? rate : best === high ? worth(best) : worth(best - high).replace("-", "−")),
    };
  },
};

/** Moves whose value says something. @param {Candidate[]} moves @param {Analysis} all */
function known(moves, all) {
  const most = Math.max(...all.moves.map((move) => move.visits));
  return moves.filter((move) => isKnown(move, all) && (move.proof || FEW * move.visits >= most));
}

/** @param {number} count */
function short(count) {
  return count < 1000
    ? String(count)
    : count < 1e6
      ? `${Math.round(count / 1000)}k`
      : `${(count / 1e6).toFixed(1)}M`;
}

/**
 * @param {Board} board @param {Legal[]} legal @param {string[]} picked
 * @param {Analysis | null} analysis @param {string} kind @param {(rate: number) => string} worth
 */
export function drawOverlay(board, legal, picked, analysis, kind, worth) {
  const layer = board.layers?.overlay;
  if (!layer) return;
  layer.replaceChildren();
  board.blots = [];
  if (!analysis || !KINDS[kind]) return;
  for (const [choice, moves] of byPlace(legal, picked, analysis.moves)) {
    const hit = board.hits.get(choice);
    const { share, size, text } = KINDS[kind](moves, analysis, worth);
    if (hit && size >= LEAST) board.blots.push(new Blot(spotOf(board, hit), share, size, text));
  }
  layer.append(...board.blots.map((blot) => blot.element));
  board.settle();
}

/** @typedef {{at: Point, room: number}} Spot  where a number goes, and its share of a cell */

/**
 * Where a move comes to lie: in a column of holes the lowest free one; where something
 * lies already, the corner, so that it can be read.
 * @param {Board} board @param {Hit} hit @returns {Spot}
 */
function spotOf(board, hit) {
  const [first] = hit.shapes;
  if (first.role === "hole") {
    const taken = new Set(
      board.scene.filter((shape) => shape.role === "disc").map((shape) => String(centre(shape))),
    );
    const free = hit.shapes.map(centre).filter((point) => !taken.has(String(point)));
    return { at: free.reduce((a, b) => (a[1] > b[1] ? a : b), hit.centre), room: 1 };
  }
  if (isFree(hit) || !board.picture)
    return { at: hit.centre, room: first.points.length === 3 ? 0.62 : 1 };
  const lying = placing(board.picture.layout, first.part);
  return { at: placed(lying, cornerOf(board, first)), room: 0.55 * Math.max(0.75, lying.scale) };
}

/**
 * A corner of a shape where nothing is written.
 * @param {Board} board @param {Shape} shape @returns {Point}
 */
function cornerOf({ scene }, shape) {
  const { left, top, right, bottom } = grown(boxOf([shape]), -0.08);
  const written = scene
    .filter((other) => other.kind === "text" && other.part === shape.part)
    .map(centre);
  /** @type {Point[]} */
  const corners = [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
  return (
    corners.find((corner) => written.every((point) => distance(point, corner) > ROOM)) ?? corners[0]
  );
}

/** A number in a disc, as large as it must be for it. */
export class Blot {
  /** @param {Spot} spot @param {number} share @param {number} size @param {string} text */
  constructor({ at, room }, share, size, text) {
    const [x, y] = at;
    const { fill, ink } = colour(share);
    const half = Math.hypot(0.36 * text.length, 0.36);
    const r = room * Math.max(0.2 + 0.2 * Math.sqrt(Math.min(1, size)), LEAST_LETTER * half);
    const letters = Math.min(room * LETTER, r / half);
    const number = svg("text", { x, y, "font-size": letters, class: "blot-number" }, text);
    number.style.fill = ink;
    this.at = at;
    this.element = svg("g", {}, svg("circle", { cx: x, cy: y, r, fill, class: "blot" }), number);
  }

  /** Go to the corner from where a ghost lies. @param {Shape[]} ghosts */
  giveWay(ghosts) {
    const isCovered = ghosts.some((shape) => shape.kind !== "text" && isInside(this.at, shape));
    const [x, y] = this.at;
    if (isCovered)
      this.element.setAttribute(
        "transform",
        `translate(${0.4 * x - 0.34} ${0.4 * y - 0.34}) scale(.6)`,
      );
    else this.element.removeAttribute("transform");
  }
}
