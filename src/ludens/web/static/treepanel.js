/** The search tree as a picture: open, fold, zoom. */

import { byId, h, svg } from "./dom.js";
import { asked, sideOf } from "./sides.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./types.js").Branch} Branch */

const BOX = { width: 148, height: 40, gapX: 34, gapY: 8 };
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
    this.box = h("div", {
      class: "treebox",
      role: "tree",
      "aria-label": "Search tree",
      tabindex: -1,
    });
    this.note = h(
      "p",
      { class: "small quiet", role: "status" },
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
        "div",
        { class: "row" },
        h("label", { for: "tree-sims" }, "Simulations"),
        this.sims,
        h("button", { class: "primary", onclick: () => this.grow() }, "Grow the tree"),
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
    if (past > 0) this.box.scrollLeft += past + BOX.gapX;
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
    /** @type {SVGElement[]} */
    const shapes = [];
    const { height, depth } = this.place(this.tree, [], 0, 8, shapes);
    const width = (depth + 1) * (BOX.width + BOX.gapX) + 8;
    const picture = svg(
      "svg",
      {
        width: width * this.zoom,
        height: (height + 16) * this.zoom,
        viewBox: `0 0 ${width} ${height + 16}`,
        role: "presentation",
      },
      ...shapes,
    );
    const { scrollLeft, scrollTop } = this.box;
    this.box.replaceChildren(picture);
    this.box.scrollTo(scrollLeft, scrollTop);
  }

  /**
   * @param {Branch} branch @param {number[]} path @param {number} depth @param {number} top
   * @param {SVGElement[]} shapes @returns {{height: number, depth: number, middle: number}}
   */
  place(branch, path, depth, top, shapes) {
    const key = path.join(".");
    const children = this.folded.has(key) ? [] : branch.children;
    const x = 8 + depth * (BOX.width + BOX.gapX);
    const node = shapes.length;
    shapes.push(svg("g"));
    let [height, deepest] = [0, depth];
    const middles = children.map((child) => {
      const placed = this.place(child, [...path, child.choice], depth + 1, top + height, shapes);
      height += placed.height;
      deepest = Math.max(deepest, placed.depth);
      return placed.middle;
    });
    height = Math.max(height, BOX.height + BOX.gapY);
    const middle = middles.length
      ? (middles[0] + middles[middles.length - 1]) / 2
      : top + height / 2;
    const [from, to] = [x + BOX.width, x + BOX.width + BOX.gapX];
    const half = (from + to) / 2;
    const edges = middles.map((y, i) =>
      svg("path", {
        class: "edge",
        d: `M${from} ${middle}C${half} ${middle} ${half} ${y} ${to} ${y}`,
        "stroke-width": 1 + 4 * (children[i].visits / Math.max(1, branch.visits)),
      }),
    );
    shapes[node] = this.drawNode(branch, path, x, middle - BOX.height / 2, children.length > 0);
    shapes.unshift(...edges);
    return { height, depth: deepest, middle };
  }

  /** @param {number} rate */
  worth(rate) {
    return this.app.position?.players === 1 ? this.app.points(rate) : rate.toFixed(2);
  }

  /**
   * @param {Branch} branch @param {number[]} path @param {number} x @param {number} y
   * @param {boolean} isOpen
   */
  drawNode(branch, path, x, y, isOpen) {
    const name = path.length ? branch.title : "This position";
    const title = name.length > 17 ? `${name.slice(0, 16)}…` : name;
    const prior = path.length ? ` · p ${branch.prior.toFixed(2)}` : "";
    const visits = branch.visits.toLocaleString("en");
    const facts = `${visits} · ${this.worth(branch.rate)}${prior} ${branch.proof}`;
    const hidden = branch.num_hidden ? `, ${branch.num_hidden} more below` : "";
    const key = path.join(".");
    const sign = isOpen ? "−" : branch.is_leaf && !branch.children.length ? "" : "+";
    return svg(
      "g",
      {
        role: "treeitem",
        tabindex: key === this.focused ? 0 : -1,
        "data-path": key,
        class: `by${branch.player}`,
        "aria-expanded": sign ? String(isOpen) : null,
        "aria-level": path.length + 1,
        "aria-label": `${name}: ${branch.visits} visits, value ${this.worth(branch.rate)}${hidden}`,
        onclick: () => this.open(branch, path),
      },
      svg("rect", { x, y, width: BOX.width, height: BOX.height, rx: 6 }),
      svg("text", { x: x + 8, y: y + 17, "font-weight": 600 }, title),
      svg("text", { x: x + 8, y: y + 32, class: "facts" }, facts),
      svg("text", { x: x + BOX.width - 14, y: y + 18, class: "fold" }, sign),
    );
  }
}
