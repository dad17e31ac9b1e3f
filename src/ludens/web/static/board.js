/** The board one plays on: a picture with places to choose, hints and ghosts. */

import { svg } from "./dom.js";
import { boxOf, centre, grown, isInside, moved } from "./geometry.js";
import { placed, placing } from "./layout.js";
import { animateChange } from "./motion.js";
import { drawAt, drawPicture, isWay, transformOf } from "./picture.js";
import { draw, form } from "./shapes.js";

/** @typedef {import("./types.js").Shape} Shape */
/** @typedef {import("./types.js").Point} Point */

/**
 * A place that can be chosen.
 * @typedef {object} Hit
 * @property {string} choice
 * @property {Shape[]} shapes
 * @property {SVGGElement} element
 * @property {Point} centre  in the picture
 * @property {string} label
 */

/** @type {Record<string, Point>} */
const VECTORS = { up: [0, -1], right: [1, 0], down: [0, 1], left: [-1, 0] };
const [PETAL_REACH, PETAL_SIZE] = [0.8, 0.32];
const LAYERS = ["marks", "hints", "overlay", "ghosts", "hits"];

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
    this.isNarrow = false;
    this.title = "Board";
    this.aspect = 1;
    new ResizeObserver(() => this.refit()).observe(host);
  }

  /** Draw again when the room has become narrow or wide. */
  refit() {
    const isNarrow = this.host.clientWidth < 560;
    if (isNarrow === this.isNarrow) return;
    this.isNarrow = isNarrow;
    this.onRefit?.();
  }

  /** @type {(() => void) | undefined} */
  onRefit;

  /**
   * @param {Shape[]} scene @param {number[]} marked @param {string} title
   * @param {boolean} isMoving whether to show how the last scene became this one
   */
  show(scene, marked, title, isMoving) {
    const before = this.scene;
    const hadFocus = this.host.contains(document.activeElement);
    this.isNarrow = this.host.clientWidth < 560;
    this.scene = scene;
    this.title = title;
    this.picture = drawPicture(scene, this.isNarrow);
    /** @type {Record<string, SVGGElement>} */
    this.layers = {};
    for (const name of LAYERS) this.layers[name] = svg("g", { class: name });
    this.picture.root.append(...Object.values(this.layers));
    this.picture.root.setAttribute("role", "group");
    this.picture.root.setAttribute("aria-label", title);
    this.addHits();
    this.markLast(marked);
    this.host.replaceChildren(this.picture.root);
    const { left, top, right, bottom } = this.picture.layout.box;
    this.aspect = (right - left) / (bottom - top);
    if (hadFocus) this.focus();
    if (isMoving) animateChange(before, scene, this.picture);
  }

  addHits() {
    this.hits = new Map();
    for (const shape of this.scene) {
      if (!shape.choice || shape.kind === "text") continue;
      const hit = this.hits.get(shape.choice);
      if (hit) hit.shapes.push(shape);
      else this.hits.set(shape.choice, this.newHit(shape));
    }
    for (const hit of this.hits.values()) this.fillHit(hit);
    const known = [this.focused, this.place, ...this.hits.keys()];
    this.focused = known.find((choice) => this.hits.get(choice)?.element.childElementCount) ?? "";
    this.hits.get(this.focused)?.element.setAttribute("tabindex", "0");
  }

  /** @param {Shape} shape @returns {Hit} */
  newHit(shape) {
    const element = svg("g", { class: "hit", role: "button", tabindex: -1, "data-choice": shape.choice });
    this.layers?.hits.append(element);
    return { choice: shape.choice, shapes: [shape], element, centre: [0, 0], label: "" };
  }

  /** @param {Hit} hit */
  fillHit(hit) {
    const layout = this.picture?.layout;
    if (!layout) return;
    const [first] = hit.shapes;
    hit.centre = placed(placing(layout, first.part), centre(first));
    hit.label = this.spoken(hit);
    hit.element.setAttribute("aria-label", hit.label);
    const areas = hit.shapes.some((s) => s.role === "slot") ? [first] : hit.shapes;
    for (const shape of isWay(first) ? [] : areas) hit.element.append(this.area(shape));
  }

  /** @param {Shape} shape */
  area(shape) {
    const at = this.picture ? transformOf(shape, this.picture.layout) : "";
    const whole = shape.role === "cell" || shape.role === "filled" ? { ...shape, role: "point" } : shape;
    return form(whole, { class: "area", transform: at || null });
  }

  /** What is said of a place: its name and what lies on it. @param {Hit} hit */
  spoken({ choice, shapes }) {
    const names = new Set(shapes.map((shape) => shape.label).filter(Boolean));
    const name = names.size > 1 && shapes[0].role === "hole" ? shapes[0].label.split(",")[0] : shapes[0].label;
    const on = this.scene.filter(
      (other) =>
        other.kind !== "text" && other.label && other.part === shapes[0].part && !names.has(other.label) &&
        other.choice !== choice && shapes.some((shape) => isInside(centre(other), shape)),
    );
    const more = shapes.slice(1).filter((shape) => shape.owner >= 0);
    return [name || choice, ...[...more, ...on].map((shape) => shape.label)].join(", ");
  }

  /** @param {number[]} marked */
  markLast(marked) {
    for (const index of marked) {
      const shape = this.scene[index];
      if (!shape || shape.part || shape.kind === "text" || shape.role === "won") continue;
      const owner = shape.owner >= 0 ? ` o${shape.owner}` : "";
      this.layers?.marks.append(form(shape, { class: `last is-${shape.kind} ${shape.role}${owner}` }));
    }
  }

  /**
   * Show what can be chosen next, and what has been.
   * @param {Set<string>} options @param {string[]} picked @param {boolean} isHinting
   */
  offer(options, picked, isHinting) {
    this.layers?.hints.replaceChildren();
    this.showPetals(options, picked);
    for (const hit of this.hits.values()) {
      const can = options.has(hit.choice);
      const is = picked.includes(hit.choice);
      hit.element.classList.toggle("can", can);
      hit.element.classList.toggle("picked", is);
      hit.element.setAttribute("aria-pressed", String(is));
      hit.element.setAttribute("aria-label", can && isHinting ? `${hit.label}, possible` : hit.label);
      if (is || (can && isHinting)) this.hint(hit, is ? "is-picked" : "is-option");
    }
  }

  /** @param {Hit} hit @param {string} look */
  hint(hit, look) {
    const [first] = hit.shapes;
    if (!this.picture || isWay(first)) return;
    const at = transformOf(first, this.picture.layout);
    const isPlace = !first.part && ["cell", "point", "filled", "hole"].includes(first.role);
    if (isPlace && look === "is-option") {
      const [x, y] = hit.centre;
      this.layers?.hints.append(svg("circle", { cx: x, cy: y, r: first.points.length === 3 ? 0.09 : 0.12, class: "dot" }));
    } else this.layers?.hints.append(form(first, { class: look, transform: at || null }));
  }

  /** Put the ways to go around the place they start from. @param {Set<string>} options @param {string[]} picked */
  showPetals(options, picked) {
    const from = this.hits.get(picked[picked.length - 1] ?? "");
    for (const hit of this.hits.values()) {
      const [way] = hit.shapes;
      if (!isWay(way)) continue;
      hit.element.replaceChildren();
      if (!from || !options.has(hit.choice)) continue;
      const [dx, dy] = VECTORS[hit.choice];
      hit.centre = this.within([from.centre[0] + PETAL_REACH * dx, from.centre[1] + PETAL_REACH * dy], PETAL_SIZE);
      const [x, y] = centre(way);
      const petal = moved(way, [hit.centre[0] - x, hit.centre[1] - y]);
      const [cx, cy] = hit.centre;
      hit.element.append(svg("circle", { cx, cy, r: PETAL_SIZE, class: "petal" }), draw(petal, "in-petal"));
    }
  }

  /** The nearest point that is so far from the picture's edge. @param {Point} point @param {number} by @returns {Point} */
  within([x, y], by) {
    const box = grown(this.picture?.layout.box ?? boxOf([]), -by);
    return [Math.min(box.right, Math.max(box.left, x)), Math.min(box.bottom, Math.max(box.top, y))];
  }

  /** @param {Shape[]} shapes @param {"legal" | "illegal" | "coming"} look @param {(string | number)[]} [numbers] */
  ghost(shapes, look, numbers = []) {
    const layout = this.picture?.layout;
    if (!layout) return;
    const elements = shapes.map((shape) => drawAt(shape, layout, `ghost ${look}`));
    const labels = numbers.map((label, i) => {
      const [x, y] = placed(placing(layout, shapes[i].part), centre(shapes[i]));
      return svg("text", { class: "ghost-number", x, y, "font-size": 0.34 }, label);
    });
    this.layers?.ghosts.append(...elements, ...labels);
  }

  /** Show that shapes will go. @param {Shape[]} shapes */
  fade(shapes) {
    for (const shape of shapes) this.layers?.ghosts.append(form(shape, { class: "vanishing" }));
  }

  clearGhosts() {
    this.layers?.ghosts.replaceChildren();
  }

  /** @param {string} [choice] */
  focus(choice = this.focused) {
    const hit = this.hits.get(choice) ?? this.hits.values().next().value;
    if (!hit) return;
    this.hits.get(this.focused)?.element.setAttribute("tabindex", "-1");
    this.focused = hit.choice;
    if (!isWay(hit.shapes[0])) this.place = hit.choice;
    hit.element.setAttribute("tabindex", "0");
    hit.element.focus();
  }

  /** Move the focus to the nearest place in a direction. @param {Point} way */
  step([dx, dy]) {
    const from = this.hits.get(this.focused);
    if (!from) return;
    let [best, nearest] = ["", Infinity];
    for (const hit of this.hits.values()) {
      if (hit === from || !hit.element.childElementCount) continue;
      const [x, y] = [hit.centre[0] - from.centre[0], hit.centre[1] - from.centre[1]];
      const ahead = x * dx + y * dy;
      const aside = Math.abs(x * dy) + Math.abs(y * dx);
      const cost = ahead + 2.5 * aside;
      if (ahead > 0.05 && cost < nearest) [best, nearest] = [hit.choice, cost];
    }
    if (best) this.focus(best);
  }

  /** A point of the screen in the picture. @param {{clientX: number, clientY: number}} event @returns {Point} */
  pointOf(event) {
    const matrix = this.picture?.root.getScreenCTM()?.inverse();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix ?? undefined);
    return [point.x, point.y];
  }
}
