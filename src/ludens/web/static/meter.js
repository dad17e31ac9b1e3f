/** The bar beside the board: how the game stands, by the engine. */

import { byId } from "./dom.js";
import { percent } from "./words.js";

/** @import { App } from "./app.js" */

/** @param {App} app */
export function showMeter(app) {
  const meter = byId("meter");
  const { analysis, rate } = app.here;
  const isShown = app.position?.players === 2 && (rate !== null || analysis !== null);
  meter.hidden = !isShown;
  if (!isShown) return;
  const share = rate ?? 0.5;
  const below = app.below ? 1 - share : share;
  meter.classList.toggle("turned", app.below === 1);
  byId("meter-fill").style.height = percent(below, 1).replace(" ", "");
  byId("meter-text").textContent = String(Math.round(100 * below));
  meter.setAttribute("aria-label", `The first player's chance to win: ${percent(share)}`);
}
