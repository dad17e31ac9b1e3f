/** The search tree as a picture: open, fold, zoom. */

import { byId, h } from "./dom.js";
import { button } from "./fields.js";
import { asked, sideOf } from "./sides.js";
import { GAP, drawTree } from "./treepicture.js";

/**
 * @import { App } from "./app.js"
 * @import { Branch } from "./types.js"
 */

/** @type {Record<string, [number, number]>} */
const ZOOMS = { out: [0.8, 0.3], in: [1.25, 3] };

export class TreePanel {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.host = byId("panel-tree");
    this.zoom = 0.9;
    /** @type {Branch | null} */
    this.tree = null;
    this.move = app.here;
    this.focused = "";
    /** @type {Set<string>} paths that are folded */
    this.folded = new Set();
    this.box = h("div.treebox", { role: "tree", "aria-label": "Search tree", tabindex: -1 });
    this.note = h(
      "p.small.quiet",
      { role: "status" },
      "Search this position and look at the tree: click a node to open or fold it.",
    );
    this.sims = h("input", {
      type: "number",
      min: 1,
      max: 100000,
      step: 100,
      value: 800,
      id: "tree-sims",
    });
    this.host.append(
      h(
        "div.row",
        h("label", { for: "tree-sims" }, "Simulations"),
        this.sims,
        button("Grow the tree", () => this.grow(), { class: "primary" }),
        h("button", { "aria-label": "Smaller", onclick: () => this.rescale("out") }, "−"),
        h("button", { "aria-label": "Larger", onclick: () => this.rescale("in") }, "+"),
      ),
      this.note,
      this.box,
    );
    this.box.hidden = true;
    this.box.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.rescale(event.deltaY > 0 ? "out" : "in");
      },
      { passive: false },
    );
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.drag();
    app.listen((what) => {
      if (what !== "position" || this.move === app.here || !this.tree) return;
      this.note.textContent = "The tree is of an earlier position; grow it again for this one.";
    });
  }

  /** Move the picture by dragging. */
  drag() {
    /** @type {{x: number, y: number} | null} */
    let from = null;
    this.box.addEventListener(
      "pointerdown",
      (e) => (from = e.pointerType === "mouse" ? { x: e.clientX, y: e.clientY } : null),
    );
    this.box.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.box.scrollBy(from.x - event.clientX, from.y - event.clientY);
      from = { x: event.clientX, y: event.clientY };
    });
    for (const end of ["pointerup", "pointerleave"])
      this.box.addEventListener(end, () => (from = null));
  }

  /** @param {string} way */
  rescale(way) {
    const [by, limit] = ZOOMS[way];
    this.zoom = way === "in" ? Math.min(limit, this.zoom * by) : Math.max(limit, this.zoom * by);
    this.show();
  }

  get request() {
    const { agent } = asked(sideOf(this.app.described?.default_agent ?? "mcts"), []);
    return {
      game: this.app.story.sent(this.move),
      agent,
      sims: Math.max(1, Number(this.sims.value) || 800),
    };
  }

  async grow() {
    this.move = this.app.here;
    if (this.app.position?.is_over) {
      this.note.textContent = "The game is over.";
      return;
    }
    this.note.textContent = "Searching…";
    const answer = await this.app.attempt(this.app.line.ask("tree", { ...this.request, depth: 2 }));
    this.note.textContent = answer
      ? "Enter or a click opens and folds; arrows move; + and − zoom."
      : "";
    if (!answer) return;
    this.tree = answer.tree;
    this.folded.clear();
    this.focused = "";
    this.show();
    const root = this.box.querySelector("[data-path='']")?.getBoundingClientRect();
    if (root)
      this.box.scrollTop +=
        root.top - this.box.getBoundingClientRect().top - this.box.clientHeight / 2;
  }

  /** @param {Branch} branch @param {number[]} path */
  async open(branch, path) {
    const key = path.join(".");
    this.focused = key;
    if (branch.children.length) {
      if (!this.folded.delete(key)) this.folded.add(key);
    } else if (!branch.is_leaf) {
      const answer = await this.app.attempt(
        this.app.line.ask("tree", { ...this.request, path, depth: 1 }),
      );
      if (answer)
        Object.assign(branch, {
          children: answer.tree.children,
          num_hidden: answer.tree.num_hidden,
        });
    }
    this.show();
    this.focusNode();
    this.reveal(this.childOf(key));
  }

  /** The first node that a node has opened. @param {string} key */
  childOf(key) {
    const prefix = key ? `${key}.` : "";
    return [...this.box.querySelectorAll("[role=treeitem]")].find((item) => {
      const path = item.getAttribute("data-path") ?? "";
      return path !== key && path.startsWith(prefix) && !path.slice(prefix.length).includes(".");
    });
  }

  /** Scroll to the right until a node is seen. @param {Element} [node] */
  reveal(node) {
    const past =
      (node?.getBoundingClientRect().right ?? 0) - this.box.getBoundingClientRect().right;
    if (past > 0) this.box.scrollLeft += past + GAP;
  }

  focusNode() {
    /** @type {HTMLElement | null} */ (
      this.box.querySelector(`[data-path="${CSS.escape(this.focused)}"]`)
    )?.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const items = /** @type {HTMLElement[]} */ ([...this.box.querySelectorAll("[role=treeitem]")]);
    const index = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" || event.key === " ")
      document.activeElement?.dispatchEvent(new MouseEvent("click"));
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      this.sideways(event.key === "ArrowRight");
    else if (by && items[index + by]) {
      this.focused = items[index + by].dataset.path ?? "";
      items[index + by].focus();
    } else if (event.key === "+" || event.key === "-")
      this.rescale(event.key === "+" ? "in" : "out");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {boolean} isDeeper */
  sideways(isDeeper) {
    const parts = this.focused ? this.focused.split(".") : [];
    if (isDeeper)
      this.focused = this.childOf(this.focused)?.getAttribute("data-path") ?? this.focused;
    else this.focused = parts.slice(0, -1).join(".");
    this.focusNode();
  }

  show() {
    if (!this.tree) return;
    this.box.hidden = false;
    const { scrollLeft, scrollTop } = this.box;
    this.box.replaceChildren(
      drawTree(this.tree, {
        zoom: this.zoom,
        folded: this.folded,
        focused: this.focused,
        worth: (rate) => this.worth(rate),
        open: (branch, path) => this.open(branch, path),
      }),
    );
    this.box.scrollTo(scrollLeft, scrollTop);
  }

  /** @param {number} rate */
  worth(rate) {
    return this.app.position?.players === 1 ? this.app.points(rate) : rate.toFixed(2);
  }
}
