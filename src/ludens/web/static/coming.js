/** A move drawn at once, before the server has said what it does. */

import { centre, isInside } from "./geometry.js";
import { put } from "./ghosts.js";
import { complete } from "./picture.js";
import { carried, laidOn } from "./pointing.js";

/**
 * @import { Board } from "./board.js"
 * @import { Hit } from "./places.js"
 * @import { Frame, Shape } from "./types.js"
 */

/**
 * What a move puts on the board: what was foreseen, else what is carried, else a stone.
 * @param {Board} board @param {string[]} choices @param {number} player
 * @param {Frame} [frame]
 * @returns {Shape[]}
 */
export function comingShapes(board, choices, player, frame) {
  if (frame) return put(frame);
  const hits = choices.map((choice) => board.hits.get(choice));
  const target = hits.findLast(
    (hit) => hit && !hit.shapes[0].part && hit.shapes[0].role !== "direction",
  );
  if (!target) return [];
  return choices.length > 1
    ? laidOn(carried(board, choices[0]), target)
    : stoneOn(board, target, player);
}

/**
 * A player's stone where it would come to lie: in the lowest free place.
 * @param {Board} board @param {Hit} hit @param {number} owner
 */
function stoneOn({ scene }, { shapes }, owner) {
  const isFree = (/** @type {Shape} */ place) =>
    !scene.some((piece) => piece.owner >= 0 && isInside(centre(piece), place));
  const [lowest] = shapes.filter(isFree).sort((a, b) => centre(b)[1] - centre(a)[1]);
  const like = scene.find((piece) => piece.kind === "disc" && piece.owner === owner && !piece.part);
  const role = like?.role ?? (lowest?.role === "hole" ? "disc" : "stone");
  return complete(lowest ? [{ kind: "disc", points: [centre(lowest)], role, owner }] : []);
}
