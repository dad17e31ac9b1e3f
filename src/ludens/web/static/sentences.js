/** How a game stands, in sentences for eyes and ears. */

import { plural } from "./words.js";

/** @import { App } from "./app.js" */

/**
 * How the game stands, and what the reader can do.
 * @param {App} app @param {string[]} chosen what has been chosen of the next move, in words
 */
export function howItStands(app, chosen) {
  const { position } = app;
  if (!position) return "";
  const why = position.reason ? ` (${position.reason})` : "";
  if (position.is_over) return `${app.verdict} after ${plural(position.num_plies, "move")}${why}.`;
  if (chosen.length)
    return `Chosen: ${chosen.join(", ")}. Choose what comes next; Escape steps back.`;
  const turn = `${nameOf(app, position.to_play ?? 0)} to move.`;
  if (!app.isYourTurn)
    return app.isPaused ? `${turn} The engine waits: press Go on, or move yourself.` : turn;
  return position.players === 1 || app.isYou(0) !== app.isYou(1) ? "Your move." : turn;
}

/** The last move, and how the game stands after it. @param {App} app @param {string} standing */
export function lastMove(app, standing) {
  const { here, position } = app;
  if (!position || !here.name) return "";
  const move = `${here.name}${here.notes ? ` (${here.notes})` : ""}.`;
  if (position.is_over) return `${standing} Last move: ${move}`;
  const isNamed = position.players === 2 && !here.isEdit && here.player !== null;
  return `${isNamed ? `${nameOf(app, here.player ?? 0)}: ` : ""}${move} ${standing}`;
}

/** @param {App} app @param {number} player */
function nameOf(app, player) {
  const isOnly = app.isYou(player) && !app.isYou(1 - player);
  return isOnly ? "You" : ["The first player", "The second player"][player];
}
