/** Who plays a side, and how strongly, as fields of a form. */

import { field, labelled, list, netList } from "./fields.js";
import { NAMES, SEARCHING, WITH_NET, kinds } from "./sides.js";

/**
 * @import { Side } from "./sides.js"
 * @import { Described, Level } from "./types.js"
 */

/** @typedef {(changed: Partial<Side>) => void} Change */

/** The lowest, highest and next amount of each kind of limit. */
const LIMITS = {
  sims: { min: 1, max: 1_000_000, step: 1 },
  seconds: { min: 0.1, max: 300, step: 0.1 },
};

/**
 * @param {string} id @param {string} title @param {Side} side
 * @param {Described | null} described @param {boolean} canSolve @param {Change} change
 * @param {string[]} known the kinds to choose from
 */
export function playerFields(
  id,
  title,
  side,
  described,
  canSolve,
  change,
  known = kinds(described, canSolve),
) {
  const who = list(
    known.map((kind) => [kind, NAMES[kind]]),
    side.who,
    (kind) => change({ who: kind, amount: kind === "mcts" ? 1000 : 200, by: "sims" }),
    { id },
  );
  const nets = WITH_NET.has(side.who) ? (described?.nets ?? []) : [];
  return labelled(
    id,
    title,
    who,
    side.who === "level" && levelList(id, title, side, described?.levels ?? [], change),
    netList(nets, side.weights, (weights) => change({ weights }), {
      "aria-label": `${title}: network`,
      id: `${id}-net`,
    }),
    ...(SEARCHING.has(side.who) ? limitFields(id, title, side, change) : []),
  );
}

/**
 * @param {string} id @param {string} title @param {Side} side
 * @param {Level[]} levels @param {Change} change
 */
function levelList(id, title, side, levels, change) {
  return list(
    levels.map(({ level, elo }) => [
      level,
      `Level ${level}${elo === null ? "" : ` (Elo ${Math.round(elo)})`}`,
    ]),
    side.level,
    (level) => change({ level: Number(level) }),
    { "aria-label": `${title}: level`, id: `${id}-level` },
  );
}

/** @param {string} id @param {string} title @param {Side} side @param {Change} change */
function limitFields(id, title, side, change) {
  const amount = field(side.amount, (text) => change({ amount: Number(text) || 1 }), {
    type: "number",
    id: `${id}-amount`,
    "aria-label": `${title}: strength`,
    ...LIMITS[side.by],
  });
  const by = list(
    [
      ["sims", "simulations"],
      ["seconds", "seconds a move"],
    ],
    side.by,
    (by) => change({ by, amount: by === "sims" ? 200 : 1 }),
    { id: `${id}-by`, "aria-label": `${title}: strength by` },
  );
  return [amount, by];
}
