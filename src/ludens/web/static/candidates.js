/**
 * The table of candidate moves: a row stays while its numbers change, so that it can be clicked.
 */

import { h } from "./dom.js";
import { isKnown } from "./sides.js";
import { grouped, percent } from "./words.js";

/** @import { Analysis, Candidate } from "./types.js" */

/**
 * @typedef {{
 *   element: HTMLElement, cells: HTMLElement[], bar: HTMLElement, move: Candidate
 * }} Row
 */

const SHOWN = 12;
const BAR_REM = 2.2;
/** Of a main line: further on it is guesswork. */
const PLIES = 12;

/**
 * @typedef {object} Handlers
 * @property {(line: string[]) => void} show
 * @property {() => void} hide
 * @property {(action: number) => void} play
 */

export class Candidates {
  /** @param {HTMLElement} host @param {Handlers} handlers */
  constructor(host, handlers) {
    this.host = host;
    this.handlers = handlers;
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** The row whose line is on the board. @type {Row | null} */
    this.pointed = null;
    this.body = h("tbody");
    this.rate = h("th", { scope: "col" });
    const titles = ["Move", "Visits", this.rate, "95 %", "Prior", "Main line"];
    this.table = h(
      "table",
      h(
        "thead",
        h(
          "tr",
          ...titles.map((title, i) =>
            typeof title === "string"
              ? h("th", { scope: "col", class: i === 5 ? "left" : null }, title)
              : title,
          ),
        ),
      ),
      this.body,
    );
  }

  /**
   * @param {Analysis | null} analysis @param {boolean} isTwo whether two play: rates, not scores
   * @param {(rate: number) => string} worth
   */
  draw(analysis, isTwo, worth = String) {
    if (!analysis) {
      this.host.replaceChildren();
      this.rows.clear();
      this.pointed = null;
      return;
    }
    this.rate.textContent = isTwo ? "Win rate" : analysis.discount < 1 ? "Outlook" : "Score";
    const moves = analysis.moves.slice(0, SHOWN);
    const most = Math.max(1, ...moves.map((move) => move.visits));
    this.put(moves.map((move) => this.update(move, analysis, isTwo, most, worth)));
    if (!this.host.firstChild) this.host.append(this.table);
  }

  /**
   * Put rows into the table, which they leave only if their order is another.
   * @param {Row[]} rows
   */
  put(rows) {
    if (this.pointed && !rows.includes(this.pointed)) this.unpoint();
    const elements = rows.map((row) => row.element);
    if (
      elements.length === this.body.childElementCount &&
      elements.every((one, i) => one === this.body.children[i])
    )
      return;
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const isInside = this.body.contains(focused);
    this.body.replaceChildren(...elements);
    if (isInside) focused.focus();
  }

  /**
   * @param {Candidate} move @param {Analysis} analysis @param {boolean} isTwo @param {number} most
   * @param {(rate: number) => string} worth @returns {Row}
   */
  update(move, analysis, isTwo, most, worth) {
    const row = this.rows.get(keyOf(move)) ?? this.newRow(move);
    const isNewLine = String(shown(row.move)) !== String(shown(move));
    row.move = move;
    const [visits, value, range, prior, line] = row.cells;
    row.bar.style.width = `${(BAR_REM * move.visits) / most}rem`;
    visits.textContent = grouped(move.visits);
    value.replaceChildren(
      move.proof
        ? h("span", { class: `proof ${move.proof}` }, move.proof)
        : isKnown(move, analysis)
          ? worth(move.winrate)
          : "–",
    );
    range.textContent = interval(move, isTwo, worth);
    prior.textContent = percent(move.prior, 1);
    line.textContent = shown(move).join(" ") + (move.line.length > PLIES ? " …" : "");
    if (isNewLine && this.pointed === row) this.handlers.show(shown(move));
    return row;
  }

  unpoint() {
    this.pointed = null;
    this.handlers.hide();
  }

  /** @param {Candidate} move @returns {Row} */
  newRow(move) {
    const show = () => {
      this.pointed = row;
      this.handlers.show(shown(row.move));
    };
    const hide = () => this.unpoint();
    const bar = h("span.bar");
    const visits = h("span");
    const cells = [visits, h("td"), h("td"), h("td"), h("td.pv")];
    const button = h(
      "button",
      {
        "data-action": move.action,
        onfocus: show,
        onblur: hide,
        onclick: () => this.handlers.play(move.action),
      },
      move.name,
    );
    const element = h(
      "tr.pick",
      { onmouseenter: show, onmouseleave: hide },
      h("td", button),
      h("td", bar, " ", visits),
      ...cells.slice(1),
    );
    /** @type {Row} */
    const row = { element, cells, bar, move };
    this.rows.set(keyOf(move), row);
    return row;
  }
}

/** The part of its main line that is shown. @param {Candidate} move */
const shown = (move) => move.line.slice(0, PLIES);

/** @param {Candidate} move */
const keyOf = (move) => `${move.action} ${move.name}`;

/** @param {Candidate} move @param {boolean} isTwo @param {(rate: number) => string} worth */
function interval({ interval, proof }, isTwo, worth) {
  if (proof || !interval || interval[0] === null || interval[1] === null) return "–";
  const [low, high] = interval.map((x) =>
    isTwo ? String(Math.round(100 * (x ?? 0))) : worth(x ?? 0),
  );
  return `${low}–${high}`;
}
