/** The moves of the game with their variations. */

import { h } from "./dom.js";

/**
 * @import { App } from "./app.js"
 * @import { Move } from "./story.js"
 */

export const SLIP = 0.08;

/**
 * What a move gave away: a share of wins, or of the expected score in a single-player game.
 * @param {App} app @param {Move} move
 */
export function slipOf(app, { drop, parent }) {
  return (drop ?? 0) / (app.position?.players === 1 ? Math.abs(parent?.rate || 1) : 1);
}

/** The list of moves: stepping through it moves its mark, other moves draw it anew. */
export class MoveList {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.element = h("div.moves", { role: "group", "aria-label": "Moves" });
    /** What is drawn, with the sign of each. @type {[Move, string][]} */
    this.drawn = [];
    /** @type {Map<Move, HTMLElement>} */
    this.buttons = new Map();
    /** @type {HTMLElement | undefined} */
    this.here = undefined;
  }

  show() {
    const { app } = this;
    const moves = app.story
      .all()
      .map((move) => /** @type {[Move, string]} */ ([move, signOf(app, move)]));
    const isSame =
      moves.length === this.drawn.length &&
      moves.every(([move, sign], i) => move === this.drawn[i][0] && sign === this.drawn[i][1]);
    if (!isSame) this.draw();
    this.drawn = moves;
    this.mark(this.buttons.get(app.here));
  }

  draw() {
    this.element.replaceChildren();
    this.buttons.clear();
    addLine(this, this.element, this.app.story.root);
    if (!this.buttons.size) this.element.append(h("span.quiet", "No moves yet."));
  }

  /** @param {HTMLElement | undefined} here */
  mark(here) {
    this.here?.classList.remove("here");
    this.here?.removeAttribute("aria-current");
    here?.classList.add("here");
    here?.setAttribute("aria-current", "step");
    this.here = here;
    queueMicrotask(() => this.scroll());
  }

  /** Scroll the list, not the page. */
  scroll() {
    if (this.here) this.element.scrollTop = this.here.offsetTop - this.element.clientHeight / 2;
  }
}

/** What is written after a move that was a mistake. @param {App} app @param {Move} move */
function signOf(app, move) {
  const slip = slipOf(app, move);
  return slip >= SLIP ? (slip > 0.25 ? "??" : "?") : "";
}

/**
 * Add the moves after one, and what else was tried.
 * @param {MoveList} list @param {HTMLElement} host @param {Move} from
 */
function addLine(list, host, from) {
  let isFirst = true;
  for (let at = from; at.children.length; at = at.children[0]) {
    const [main, ...others] = at.children;
    addMove(list, host, main, isFirst);
    isFirst = others.length > 0;
    for (const other of others) {
      const box = h("span.variation");
      addMove(list, box, other, true);
      addLine(list, box, other);
      host.append(box);
    }
  }
}

/** A move's number: two players' moves share one. @param {App} app @param {Move} move */
export function numberOf(app, move) {
  const { ply } = move;
  if (app.position?.players === 1) return `${ply}.`;
  return `${Math.ceil(ply / 2)}${ply % 2 ? "." : "…"}`;
}

/**
 * @param {MoveList} list @param {HTMLElement} host @param {Move} move @param {boolean} isNumbered
 */
function addMove({ app, buttons }, host, move, isNumbered) {
  const players = app.position?.players ?? 2;
  if (players === 1 || move.ply % 2 === 1 || isNumbered)
    host.append(h("span.number", numberOf(app, move)));
  const sign = signOf(app, move);
  const button = h(
    "button",
    { title: move.notes || null, onclick: () => app.lookAt(move) },
    move.isEdit ? `✎ ${move.name}` : move.name,
    sign && h("span.bad", sign),
  );
  buttons.set(move, button);
  host.append(button);
}
