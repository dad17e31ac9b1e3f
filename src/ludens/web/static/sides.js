/** Who plays a side: what the form says, and what the server is asked for. */

import { capital, grouped } from "./words.js";

/** @import { AgentInfo, Analysis, Candidate, Described, Level } from "./types.js" */

/**
 * @typedef {object} Side  Who plays a side, and how strongly.
 * @property {string} who  "you", "level" or the name of an agent
 * @property {number} level
 * @property {string} weights
 * @property {"sims" | "seconds"} by
 * @property {number} amount
 */

/** @type {Record<string, string>} */
export const NAMES = {
  you: "You",
  level: "Engine, by level",
  net: "Network with search",
  policy: "Network alone",
  mcts: "Rollout search",
  solver: "Solver (perfect where it can)",
  greedy: "Greedy (one ply)",
  random: "Random",
};
export const SEARCHING = new Set(["net", "mcts"]);
export const WITH_NET = new Set(["net", "policy"]);

/** @type {Record<string, number | null>} of the games that an agent plays; null: any */
const PLAYERS = {};

/**
 * Take in agents that this page has no words for.
 * @param {AgentInfo[]} agents
 */
export function learnAgents(agents) {
  for (const { name, needs_net, players } of agents) {
    PLAYERS[name] = players;
    NAMES[name] ??= capital(name);
    if (needs_net) WITH_NET.add(name);
  }
}

/**
 * Whether a move's value is known: the search has tried it, or the agent scores all moves.
 * @param {Candidate} move @param {Analysis} analysis
 */
export function isKnown({ visits, proof }, { agent, sims }) {
  return visits > 0 || !!proof || (sims === 0 && !SEARCHING.has(agent.split(":")[0]));
}

/** @returns {Side} */
export function you() {
  return { who: "you", level: 1, weights: "", by: "sims", amount: 200 };
}

/** Read the text of an agent, such as net:sims=400. @param {string} text @returns {Side} */
export function sideOf(text) {
  const [who, rest = ""] = text.split(/:(.*)/s);
  const given = Object.fromEntries(rest.split(",").map((part) => part.split("=")));
  const by = given.seconds ? "seconds" : "sims";
  const amount = Number(given.seconds ?? given.sims ?? (who === "mcts" ? 1000 : 200));
  return { who: who === "human" ? "you" : who, level: 1, weights: given.weights ?? "", by, amount };
}

/**
 * The agent of a side, with its limits, as requests want it.
 * @param {Side} side @param {Level[]} levels
 */
export function asked(side, levels) {
  if (side.who === "level") {
    const level = levels.find((one) => one.level === side.level) ?? levels[levels.length - 1];
    return { agent: level?.agent ?? "random" };
  }
  const weights = WITH_NET.has(side.who) && side.weights ? `:weights=${side.weights}` : "";
  const limit = SEARCHING.has(side.who) || side.who === "solver" ? { [side.by]: side.amount } : {};
  if (side.who === "solver")
    return { agent: "solver", seconds: side.by === "seconds" ? side.amount : 10 };
  return { agent: side.who + weights, ...limit };
}

/** @param {Side} side @returns {string} */
export function describe(side) {
  if (side.who === "you") return "You";
  if (side.who === "level") return `Level ${side.level}`;
  const strength = SEARCHING.has(side.who)
    ? `, ${grouped(side.amount)} ${side.by === "sims" ? "simulations" : "s"}`
    : "";
  const weights = WITH_NET.has(side.who) && side.weights ? ` ${side.weights}` : "";
  return `${NAMES[side.who] ?? side.who}${weights}${strength}`;
}

/**
 * Which kinds of players there are for a game.
 * @param {Described | null} described @param {boolean} canSolve
 */
export function kinds(described, canSolve) {
  const hasNets = !!described?.nets.length;
  return Object.keys(NAMES).filter((who) => {
    if (who === "level") return !!described?.levels.length;
    if (who === "solver") return canSolve;
    if (who === "lookahead") return !!described?.can_look_ahead;
    if ((PLAYERS[who] ?? described?.position.players) !== described?.position.players) return false;
    return !WITH_NET.has(who) || hasNets;
  });
}
