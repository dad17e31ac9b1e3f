/** The value of the game move by move; a click goes there. */

import { h, svg } from "./dom.js";
import { SLIP, numberOf, slipOf } from "./moves.js";

/**
 * @import { App } from "./app.js"
 * @import { Move } from "./story.js"
 */

const [WIDTH, HEIGHT] = [400, 100];

/** @param {App} app @returns {Element} */
export function drawGraph(app) {
  const line = app.here.line();
  const known = line.map((move, i) => ({ move, i })).filter(({ move }) => move.rate !== null);
  const scale = scaleOf(
    app,
    known.map(({ move }) => move.rate ?? 0),
  );
  const x = (/** @type {number} */ i) => (WIDTH * i) / Math.max(1, line.length - 1);
  const y = (/** @type {Move} */ move) => HEIGHT * (1 - scale(move.rate ?? 0));
  const points = known.map(({ move, i }) => `${x(i).toFixed(1)},${y(move).toFixed(1)}`);
  const graph = svg("svg.graph", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": spoken(
      known.map(({ move }) => move),
      app,
    ),
    onclick: (/** @type {MouseEvent} */ event) => {
      const { left, width } = graph.getBoundingClientRect();
      const index = Math.round(((event.clientX - left) / width) * (line.length - 1));
      app.lookAt(line[index]);
    },
  });
  graph.append(svg("line.mid", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }));
  if (points.length > 1) {
    const line = points.join(" ");
    const [from, to] = [x(known[0].i), x(known[known.length - 1].i)];
    graph.append(
      svg("polygon.area", { points: `${from},${HEIGHT} ${line} ${to},${HEIGHT}` }),
      svg("polyline.line", { points: line }),
    );
  } else
    for (const { move, i } of known)
      graph.append(svg("circle.dot", { cx: x(i), cy: y(move), r: 3 }));
  for (const { move, i } of known) {
    if (slipOf(app, move) >= SLIP)
      graph.append(svg("circle.slip", { cx: x(i), cy: y(move), r: 3.5 }));
  }
  const at = x(app.here.ply);
  graph.append(svg("line.here", { x1: at, x2: at, y1: 0, y2: HEIGHT }));
  return graph;
}

/** @param {App} app @param {number[]} rates @returns {(rate: number) => number} */
function scaleOf(app, rates) {
  if (app.position?.players !== 1) return (rate) => rate;
  const [low, high] = [Math.min(0, ...rates), Math.max(1e-6, ...rates)];
  return (rate) => (rate - low) / (high - low);
}

/** @param {Move[]} known @param {App} app */
function spoken(known, app) {
  if (!known.length) return "Value over the game: not analysed yet";
  const last = known[known.length - 1].rate ?? 0;
  const what = app.position?.players === 1 ? "score to expect" : "the first player's chance";
  return `Value over the game, ${known.length} positions; in the last ${what} ${app.worth(last)}`;
}

/** The moves of this line that gave something away, in order. @param {App} app @returns {Move[]} */
export function mistakes(app) {
  return app.here.line().filter((move) => slipOf(app, move) >= SLIP);
}

/** @param {App} app @returns {HTMLElement} */
export function drawMistakes(app) {
  const found = mistakes(app);
  const items = found.map((move) =>
    h(
      "li",
      h(
        "button",
        {
          "aria-current": move === app.here ? "step" : null,
          onclick: () => app.lookAt(move),
        },
        `${numberOf(app, move)} ${move.name} gave away ${app.worth(move.drop ?? 0)}`,
        move.better ? `; better ${move.better}` : "",
      ),
    ),
  );
  return h("ul.mistakes", ...items);
}
