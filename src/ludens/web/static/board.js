/** The board one plays on: a picture with places to choose, hints and ghosts. */

import { svg } from "./dom.js";
import { boxOf, centre, grown, moved, nextPlace } from "./geometry.js";
import { placed, placing } from "./layout.js";
import { animateChange } from "./motion.js";
import { arrange, drawAt, drawPicture, isWay, redraw, transformOf } from "./picture.js";
import { placesOf } from "./places.js";
import { draw, form } from "./shapes.js";

/**
 * @import { Blot } from "./overlay.js"
 * @import { Hit } from "./places.js"
 * @import { Point, Shape } from "./types.js"
 */

/** @type {Record<string, Point>} */
const VECTORS = { up: [0, -1], right: [1, 0], down: [0, 1], left: [-1, 0] };
const [PETAL_REACH, PETAL_SIZE] = [0.8, 0.32];
/** A place that lies no further aside is still in the line of places that arrow keys follow. */
const IN_LINE = 0.75;
const LAYERS = ["marks", "hints", "ghosts", "overlay", "hits"];
/** A phone on its side has no room above and below the board. */
const LYING = matchMedia("(orientation: landscape) and (max-height: 34rem)");

export class Board {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    /** @type {Shape[]} */
    this.scene = [];
    /** @type {Map<string, Hit>} */
    this.hits = new Map();
    this.focused = "";
    /** Where the focus was before it went to a way to go. */
    this.place = "";
    /** Where the arrow keys aim at: places need not lie in lines. @type {Point} */
    this.aim = [0, 0];
    this.isNarrow = false;
    /** The player who sits below the board. */
    this.below = 0;
    this.aspect = 1;
    /** @type {Shape[]} */
    this.ghosted = [];
    /** @type {Blot[]} */
    this.blots = [];
    new ResizeObserver(() => this.refit()).observe(host);
  }

  get hasNarrowRoom() {
    return this.host.clientWidth < 560 && !LYING.matches;
  }

  /** Draw again when the room has become narrow or wide. */
  refit() {
    if (this.hasNarrowRoom !== this.isNarrow) this.onRefit?.();
  }

  /** @type {(() => void) | undefined} */
  onRefit;

  /**
   * @param {Shape[]} scene @param {number[]} marked @param {string} title
   * @param {boolean} isMoving whether to show how the last scene became this one
   * @param {number} [below] the player who sits below the board
   */
  show(scene, marked, title, isMoving, below = 0) {
    const before = this.scene;
    const hadFocus = this.host.contains(document.activeElement);
    this.isNarrow = this.hasNarrowRoom;
    this.below = below;
    this.scene = scene;
    if (!this.picture || !redraw(this.picture, scene, this.isNarrow, below)) this.drawAnew();
    const root = this.picture?.root;
    root?.setAttribute("aria-label", title);
    this.updateHits(before);
    this.markLast(marked);
    if (root && root !== this.host.firstChild) this.host.replaceChildren(root);
    if (hadFocus && !this.host.contains(document.activeElement)) this.focus();
    if (isMoving && this.picture) animateChange(before, scene, this.picture);
  }

  /** Draw the whole picture, with layers for what is shown on it. */
  drawAnew() {
    this.picture = drawPicture(this.scene, this.isNarrow, this.below);
    /** @type {Record<string, SVGGElement>} */
    this.layers = {};
    for (const name of LAYERS) this.layers[name] = svg("g", { class: name });
    this.picture.root.append(...Object.values(this.layers));
    this.picture.root.setAttribute("role", "group");
    this.hits = new Map();
    const { left, top, right, bottom } = this.picture.layout.box;
    this.aspect = (right - left) / (bottom - top);
  }

  /** @param {Shape[]} before the last scene */
  updateHits(before) {
    const { picture, layers, hits } = this;
    if (!picture || !layers) return;
    this.hits = placesOf(this.scene, before, picture.layout, hits);
    for (const [choice, hit] of hits)
      if (this.hits.get(choice)?.element !== hit.element) hit.hint?.remove();
    arrange(
      layers.hits,
      [...this.hits.values()].map((hit) => hit.element),
    );
    const known = [this.focused, this.place, ...this.hits.keys()];
    this.setTab(known.find((choice) => this.hits.get(choice)?.element.childElementCount) ?? "");
  }

  /** Let the Tab key come to a place, and only there. @param {string} choice */
  setTab(choice) {
    const [old, now] = [this.hits.get(this.focused), this.hits.get(choice)];
    if (old !== now) old?.element.setAttribute("tabindex", "-1");
    if (now?.element.getAttribute("tabindex") !== "0") now?.element.setAttribute("tabindex", "0");
    this.focused = choice;
  }

  /** @param {number[]} marked */
  markLast(marked) {
    this.layers?.marks.replaceChildren();
    for (const index of marked) {
      const shape = this.scene[index];
      if (!shape || shape.part || shape.role === "tower") continue;
      const owner = shape.owner >= 0 ? ` o${shape.owner}` : "";
      const inner = shape.role === "square" ? { ...shape, role: "inner" } : shape;
      this.layers?.marks.append(
        form(inner, { class: `last is-${shape.kind} ${shape.role}${owner}` }),
      );
    }
  }

  /**
   * Show what can be chosen next, what has been, and what the rules forbid.
   * @param {Set<string>} options @param {string[]} picked @param {boolean} isHinting
   * @param {Set<string>} [fouls]
   */
  offer(options, picked, isHinting, fouls = new Set()) {
    this.showPetals(options, picked);
    for (const hit of this.hits.values()) {
      const can = options.has(hit.choice);
      const is = picked.includes(hit.choice);
      const isFoul = fouls.has(hit.choice);
      const { element } = hit;
      element.classList.toggle("can", can);
      element.classList.toggle("picked", is);
      set(element, "aria-pressed", String(is));
      set(
        element,
        "aria-label",
        can && isHinting
          ? `${hit.label}, possible`
          : isFoul
            ? `${hit.label}, forbidden`
            : hit.label,
      );
      this.hint(hit, is ? "is-picked" : can && isHinting ? "is-option" : isFoul ? "is-foul" : "");
    }
  }

  /** @param {Hit} hit @param {string} look */
  hint(hit, look) {
    if (hit.look === look) return;
    hit.hint?.remove();
    hit.hint = look && !isWay(hit.shapes[0]) ? this.newHint(hit, look) : null;
    hit.look = look;
    if (hit.hint) this.layers?.hints.append(hit.hint);
  }

  /** @param {Hit} hit @param {string} look @returns {SVGElement} */
  newHint({ shapes: [first], centre: [x, y] }, look) {
    if (look === "is-foul")
      return svg("path", { class: look, d: `M${x - 0.16} ${y - 0.16}l.32 .32m0 -.32l-.32 .32` });
    const isPlace = !first.part && ["cell", "point", "filled", "hole"].includes(first.role);
    if (isPlace && look === "is-option")
      return svg("circle", {
        cx: x,
        cy: y,
        r: first.points.length === 3 ? 0.09 : 0.12,
        class: "dot",
      });
    const at = this.picture ? transformOf(first, this.picture.layout) : "";
    return form(first, { class: look, transform: at || null });
  }

  /**
   * Put the ways to go around the place they start from.
   * @param {Set<string>} options @param {string[]} picked
   */
  showPetals(options, picked) {
    const from = this.hits.get(picked[picked.length - 1] ?? "");
    for (const hit of this.hits.values()) {
      const [way] = hit.shapes;
      if (!isWay(way)) continue;
      if (hit.element.firstChild) hit.element.replaceChildren();
      if (!from || !options.has(hit.choice)) continue;
      const [dx, dy] = VECTORS[hit.choice];
      hit.centre = this.within(
        [from.centre[0] + PETAL_REACH * dx, from.centre[1] + PETAL_REACH * dy],
        PETAL_SIZE,
      );
      const [x, y] = centre(way);
      const petal = moved(way, [hit.centre[0] - x, hit.centre[1] - y]);
      const [cx, cy] = hit.centre;
      hit.element.append(
        svg("circle", { cx, cy, r: PETAL_SIZE, class: "petal" }),
        draw(petal, "in-petal"),
      );
    }
  }

  /**
   * The nearest point that is so far from the picture's edge.
   * @param {Point} point @param {number} by @returns {Point}
   */
  within([x, y], by) {
    const box = grown(this.picture?.layout.box ?? boxOf([]), -by);
    return [Math.min(box.right, Math.max(box.left, x)), Math.min(box.bottom, Math.max(box.top, y))];
  }

  /**
   * @param {Shape[]} shapes @param {"legal" | "illegal" | "coming"} look
   * @param {(string | number)[]} [numbers]
   */
  ghost(shapes, look, numbers = []) {
    const layout = this.picture?.layout;
    if (!layout) return;
    const elements = shapes.map((shape) => drawAt(shape, layout, `ghost ${look}`));
    const labels = numbers.map((label, i) => {
      const [x, y] = placed(placing(layout, shapes[i].part), centre(shapes[i]));
      return svg("text.ghost-number", { x, y, "font-size": 0.34 }, label);
    });
    this.layers?.ghosts.append(...elements, ...labels);
    this.ghosted.push(...shapes);
    this.settle();
  }

  /** Move what is written on the board out of the way of ghosts. */
  settle() {
    for (const blot of this.blots) blot.giveWay(this.ghosted);
  }

  /** Show that shapes will go. @param {Shape[]} shapes */
  fade(shapes) {
    for (const shape of shapes) this.layers?.ghosts.append(form(shape, { class: "vanishing" }));
  }

  clearGhosts() {
    if (this.layers?.ghosts.firstChild) this.layers.ghosts.replaceChildren();
    this.ghosted = [];
    this.settle();
  }

  /** @param {string} [choice] */
  focus(choice = this.focused) {
    const hit = this.hits.get(choice) ?? this.hits.values().next().value;
    if (!hit) return;
    this.setTab(hit.choice);
    this.aim = hit.centre;
    if (!isWay(hit.shapes[0])) this.place = hit.choice;
    hit.element.focus();
  }

  /** Move the focus to the nearest place in a direction. @param {Point} way */
  step(way) {
    const from = this.hits.get(this.focused);
    if (!from) return;
    const others = [...this.hits.values()].filter(
      (hit) => hit !== from && hit.element.childElementCount,
    );
    const { aim } = this;
    const to = nextPlace(others, from.centre, aim, way);
    if (!to) return;
    this.focus(to.choice);
    const [x, y] = to.centre;
    if (Math.abs(way[0] ? y - aim[1] : x - aim[0]) < IN_LINE)
      this.aim = way[0] ? [x, aim[1]] : [aim[0], y];
  }

  /**
   * A point of the screen in the picture.
   * @param {{clientX: number, clientY: number}} event @returns {Point}
   */
  pointOf(event) {
    const matrix = this.picture?.root.getScreenCTM()?.inverse();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix ?? undefined);
    return [point.x, point.y];
  }
}

/**
 * Write an attribute if it has another value.
 * @param {Element} element @param {string} name @param {string} value
 */
function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
