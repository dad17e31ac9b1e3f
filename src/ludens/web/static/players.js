/** Who plays, above and below the board, and the buttons that depend on it. */

import { byId, h, icon, refill } from "./dom.js";
import { describe } from "./sides.js";

/** @import { App } from "./app.js" */

const PLAYERS = ["First player", "Second player"];

/** @param {App} app */
export function showPlayers(app) {
  const isOver = !!app.position?.is_over;
  const top = byId("player-top");
  showPlayer(app, byId("player-bottom"), app.below);
  top.hidden = app.position?.players === 1;
  if (!top.hidden) showPlayer(app, top, 1 - app.below);
  showPause(app);
  for (const id of ["hint", "typing"]) byId(id).hidden = isOver;
  byId("ending").hidden = !isOver;
  byId("swap-sides").hidden = new Set(app.sides.map(describe)).size < 2;
}

/** @param {App} app @param {HTMLElement} host @param {number} player */
function showPlayer(app, host, player) {
  const { position } = app;
  const isTurn = position?.to_play === player;
  const side = app.sides[player] ? describe(app.sides[player]) : "";
  const name = app.isYou(0) && app.isYou(1) ? PLAYERS[player] : side;
  const score = position?.players === 1 ? `${app.points(position.score ?? 0)} points` : "";
  host.classList.toggle("turn", isTurn);
  refill(
    host,
    h("span", { class: `swatch s${position?.colours[player]}`, "aria-hidden": "true" }),
    h("span.name", { title: side }, name),
    h("span.thinking", isTurn && app.thinking ? "thinking…" : score),
  );
}

/** @param {App} app */
function showPause(app) {
  const pause = byId("pause");
  const what = app.isPaused ? "Go on" : "Pause";
  pause.hidden = app.sides.every((side) => side.who === "you") || !!app.position?.is_over;
  if (pause.getAttribute("aria-label") === what) return;
  refill(pause, icon(app.isPaused ? "go" : "pause"), h("span", what));
  pause.setAttribute("aria-label", what);
}
