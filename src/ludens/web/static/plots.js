/** Curves of a training run. */

import { h, svg } from "./dom.js";
import { grouped } from "./words.js";

/** @typedef {Record<string, any>} Row  the metrics of an iteration */
/**
 * @typedef {{
 *   title: string, unit: string, names: Record<string, string>, scale?: number,
 *   band?: [string, string]
 * }} Curves
 */

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [340, 170, 44, 20];

/** What is said of a learned model after each step that it imagines. */
const MODEL = ["value_error", "reward_error", "turn_accuracy", "legality_accuracy", "illegal_mass"];

/** @type {[string, string, Record<string, string>, number?][]} */
const FIGURES = [
  ["Policies", "nats", { policy_entropy: "search", net_entropy: "network", kl: "divergence" }],
  ["Error of values", "mean", { value_error: "network" }],
  ["Depth of search", "mean steps", { search_depth: "self-play" }],
  ["Fast searches", "% of the moves", { fast_share: "self-play" }, 100],
  ["Batches", "%", { batch_fill: "full", ready_share: "ready in time" }, 100],
  ["Gradients", "norm", { grad_norm: "mean" }],
  ["Weights", "norm", { weight_norm: "all" }],
  ["Ages of samples", "nets ago", { sample_age: "mean", sample_age_max: "oldest" }],
  ["Samples", "%", { merged_share: "merged", clipped_share: "clipped" }, 100],
  ["Importance", "exponent", { importance: "sampling" }],
];

/** @param {Row[]} rows @param {number} players @returns {Curves[]} */
export function curvesOf(rows, players) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const others = names.filter((name) => /^score_(?!mean|median|p[19]0|random|mcts$)/.test(name));
  const losses = names.filter((name) => /^loss($|_)/.test(name)).sort();
  return [
    {
      title: "Elo",
      unit: "with 95 % interval",
      names: { elo: "net with search" },
      band: ["elo_low", "elo_high"],
    },
    {
      title: "Score",
      unit: "points a game",
      names: players === 1 ? { score_mean: "mean", score_median: "median" } : {},
      scale: 100,
      band: ["score_p10", "score_p90"],
    },
    {
      title: "Loss",
      unit: "",
      names: Object.fromEntries(
        losses.map((name) => [name, name.slice(5).replaceAll("_", " ") || "total"]),
      ),
    },
    {
      title: "Truth",
      unit: "% best moves in solved positions",
      names: { truth_net: "network alone", truth_search: "with search" },
      scale: 100,
    },
    {
      title: "Points",
      unit: "% against fixed opponents",
      names: {
        score_random: "against random",
        score_mcts: "against rollout search",
        ...Object.fromEntries(others.map((name) => [name, `against ${name.slice(6)}`])),
      },
      scale: 100,
    },
    { title: "Games", unit: "a second", names: { games_per_s: "self-play" } },
    { title: "Positions", unit: "a second", names: { positions_per_s: "self-play" } },
    { title: "Length", unit: "moves a game", names: { plies_mean: "mean" } },
    ...FIGURES.map(([title, unit, names, scale]) => ({ title, unit, names, scale })),
    ...MODEL.map((metric) => ({
      title: metric.replace("_", " "),
      unit: "by steps imagined",
      names: Object.fromEntries(
        names.filter((name) => name.startsWith(`${metric}_`)).map((name) => [name, name.slice(-1)]),
      ),
    })),
  ];
}

/** @param {Curves} curves @param {Row[]} rows @returns {HTMLElement | null} */
export function drawPlot(curves, rows) {
  const scale = curves.scale ?? 1;
  const pick = (/** @type {string} */ name) =>
    rows
      .filter((row) => Number.isFinite(row[name]))
      .map((row) => [row.iteration, scale * row[name]]);
  const lines = Object.entries(curves.names)
    .map(([name, words]) => ({ words, points: pick(name) }))
    .filter(({ points }) => points.length);
  if (!lines.length) return null;
  const band = curves.band ? bandOf(curves.band, rows, scale) : [];
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const ys = [
    ...lines.flatMap(({ points }) => points.map(([, y]) => y)),
    ...band.flatMap(([, low, high]) => [low, high]),
  ];
  const [x, ticksX] = axis(Math.min(...xs), Math.max(...xs), LEFT, WIDTH - 8, true);
  const [y, ticksY] = axis(Math.min(...ys), Math.max(...ys), HEIGHT - BOTTOM, 8, false);
  const last = lines
    .map(({ words, points }) => `${words} ${number(points[points.length - 1][1])}`)
    .join(", ");
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": `${curves.title}: newest ${last}`,
  });
  for (const tick of ticksY)
    picture.append(
      svg("line.axis", { x1: LEFT, x2: WIDTH - 8, y1: y(tick), y2: y(tick) }),
      svg("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, number(tick)),
    );
  for (const tick of ticksX)
    picture.append(
      svg("text", { x: x(tick), y: HEIGHT - 5, "text-anchor": "middle" }, number(tick)),
    );
  if (band.length > 1)
    picture.append(
      svg("polygon.band.c0", {
        points: [
          ...band.map(([i, low]) => `${x(i)},${y(low)}`),
          ...band.toReversed().map(([i, , high]) => `${x(i)},${y(high)}`),
        ].join(" "),
      }),
    );
  lines.forEach(({ points }, i) => {
    const at = points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`);
    const [ex, ey] = points[points.length - 1];
    picture.append(
      svg("polyline", { class: `c${i % 6}`, points: at.join(" ") }),
      svg("circle", { class: `c${i % 6}`, cx: x(ex), cy: y(ey), r: 2.5 }),
    );
  });
  return h(
    "figure.plot",
    h("figcaption", curves.title, " ", h("small", curves.unit)),
    picture,
    h(
      "div.legend",
      ...lines.map(({ words, points }, i) =>
        h(
          "span",
          { class: `c${i % 6}` },
          h("i"),
          `${words} ${number(points[points.length - 1][1])}`,
        ),
      ),
    ),
  );
}

/**
 * @param {[string, string]} names @param {Row[]} rows @param {number} scale @returns {number[][]}
 */
function bandOf([low, high], rows, scale) {
  return rows
    .filter((row) => Number.isFinite(row[low]) && Number.isFinite(row[high]))
    .map((row) => [row.iteration, scale * row[low], scale * row[high]]);
}

/**
 * A scale from values to pixels, and where to write numbers.
 * @param {number} low @param {number} high @param {number} from @param {number} to
 * @param {boolean} isWhole
 * @returns {[(value: number) => number, number[]]}
 */
function axis(low, high, from, to, isWhole) {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const fit = [1, 2, 5, 10].find((k) => k * power >= rough) ?? 10;
  const step = isWhole ? Math.max(1, fit * power) : fit * power;
  const [start, end] = isWhole
    ? [low, high === low ? low + 1 : high]
    : [Math.floor(low / step) * step, Math.ceil(high / step) * step || step];
  const ticks = [];
  for (let t = Math.ceil(start / step) * step; t <= end + step / 1e6; t += step)
    ticks.push(Math.abs(t) < step / 1e6 ? 0 : t);
  return [(value) => from + ((value - start) / (end - start || 1)) * (to - from), ticks];
}

/** @param {number} x */
export function number(x) {
  const size = Math.abs(x);
  if (size >= 1000) return grouped(Math.round(x));
  return String(Number(x.toPrecision(3)));
}
