/** Short movements that show what a move did. */

import { isStill, svg } from "./dom.js";
import { boxOf, centre } from "./geometry.js";
import { form } from "./shapes.js";

/**
 * @import { Picture } from "./picture.js"
 * @import { Shape } from "./types.js"
 */

const FADE_MS = 420;
const LONGEST_MS = 1500;

/** Wait until all that moves has come to rest; a page that nobody sees does not move. */
export async function atRest() {
  const moving = document.hidden ? [] : document.getAnimations();
  const limit = new Promise((done) => setTimeout(done, LONGEST_MS));
  if (moving.length)
    await Promise.race([limit, Promise.allSettled(moving.map((motion) => motion.finished))]);
}

/** Where a thing is and what it is, apart from its owner. @param {Shape} shape */
const placeOf = (shape) => `${shape.kind} ${shape.role} ${shape.points}`;

/**
 * @param {Shape[]} before @param {Shape[]} after
 * @returns {{added: Shape[], turned: Shape[], gone: Shape[]}}
 */
export function changes(before, after) {
  const [left, come] = [without(before, after), without(after, before)];
  const old = new Map(left.map((shape) => [placeOf(shape), shape]));
  const now = new Set(come.map(placeOf));
  const turned = come.filter((shape) => {
    const was = old.get(placeOf(shape));
    return was && was.owner !== shape.owner && shape.owner >= 0;
  });
  const added = come.filter((shape) => !old.has(placeOf(shape)));
  return { added, turned, gone: left.filter((shape) => !now.has(placeOf(shape))) };
}

/** The things of a scene that another has not. @param {Shape[]} scene @param {Shape[]} other */
function without(scene, other) {
  const common = new Set(other);
  return scene.filter((shape) => !common.has(shape) && shape.kind !== "text");
}

/** @param {Shape[]} before @param {Shape[]} after @param {Picture} picture */
export function animateChange(before, after, picture) {
  if (isStill() || !before.length) return;
  const { added, turned, gone } = changes(before, after);
  const top = boxOf(after.filter((shape) => !shape.part)).top;
  const element = (/** @type {Shape} */ shape) => picture.elements[after.indexOf(shape)];
  for (const shape of added.filter((s) => !s.part && s.role !== "cell"))
    appear(element(shape), shape, top);
  for (const shape of turned.filter((s) => !s.part)) turn(element(shape));
  const cleared = gone.filter((shape) => shape.role === "filled");
  if (cleared.length) clear(cleared, picture);
}

/** @param {SVGElement} element @param {Shape} shape @param {number} top */
function appear(element, shape, top) {
  if (shape.role === "disc") {
    const fall = centre(shape)[1] - top + 0.6;
    const frames = [
      { transform: `translateY(${-fall}px)`, easing: "cubic-bezier(.55,0,.9,.6)" },
      { transform: "translateY(0)", offset: 0.7, easing: "ease-out" },
      { transform: `translateY(${-0.07 * fall}px)`, offset: 0.83, easing: "ease-in" },
      { transform: "translateY(0)" },
    ];
    element.animate(frames, { duration: 160 + 68 * fall });
    return;
  }
  element.classList.add("moving");
  element.animate(
    [
      { transform: "scale(.6)", opacity: 0.2 },
      { transform: "scale(1.06)", offset: 0.7 },
      { transform: "none", opacity: 1 },
    ],
    { duration: 190, easing: "ease-out" },
  );
}

/** @param {SVGElement} element */
function turn(element) {
  element.classList.add("moving");
  element.animate(
    [{ transform: "scaleX(1)" }, { transform: "scaleX(.05)" }, { transform: "scaleX(1)" }],
    { duration: 360, easing: "ease-in-out" },
  );
}

/** @param {Shape[]} cleared @param {Picture} picture */
function clear(cleared, picture) {
  const layer = svg("g.clearing");
  for (const shape of cleared) {
    const piece = form(shape, { class: "body moving" });
    layer.append(piece);
    const delay = 25 * Math.abs(centre(shape)[0]);
    const frames = [
      { opacity: 1 },
      { opacity: 1, transform: "scale(1.15)", offset: 0.3 },
      { opacity: 0, transform: "scale(.2)" },
    ];
    piece.animate(frames, { duration: FADE_MS, delay, fill: "forwards" });
  }
  picture.root.append(layer);
  setTimeout(() => layer.remove(), FADE_MS + 500);
}
