/** Where the arrow keys lead on a board of any form. */

/** @import { Point } from "./types.js" */

const AHEAD = 0.05;
/** What lies more to the side than ahead is met only where nothing else is. */
const ASIDE = 100;

/**
 * The place to go to in a direction: near, and in line with where one aims at.
 * @template {{centre: Point}} Place
 * @param {Iterable<Place>} places @param {Point} from @param {Point} aim @param {Point} way
 * @returns {Place | null}
 */
export function nextPlace(places, [x, y], aim, [dx, dy]) {
  /** @type {Place | null} */
  let best = null;
  let least = Infinity;
  for (const place of places) {
    const [px, py] = place.centre;
    const ahead = (px - x) * dx + (py - y) * dy;
    if (ahead < AHEAD) continue;
    const aside = Math.abs((px - aim[0]) * dy) + Math.abs((py - aim[1]) * dx);
    const cost = Math.hypot(ahead, aside) + aside + (aside > ahead ? ASIDE : 0);
    if (cost < least - 1e-6) [best, least] = [place, cost];
  }
  return best;
}
