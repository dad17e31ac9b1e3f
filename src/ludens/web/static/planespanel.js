/** What the network sees of a position, plane by plane. */

import { byId, h, refill } from "./dom.js";

/** @import { App } from "./app.js" */

/** @typedef {{name: string, values: number[][]}} Plane */

export class PlanesPanel {
  /** @param {App} app */
  constructor(app) {
    this.host = byId("panel-planes");
    this.app = app;
    /** @type {import("./story.js").Move | null} */
    this.shown = null;
    this.host.addEventListener("shown", () => this.show());
    app.listen((what) => what === "position" && !this.host.hidden && this.show());
  }

  async show() {
    const { app } = this;
    const { here, position } = app;
    if (!position || this.shown === here) return;
    this.shown = here;
    if (position.is_over) {
      refill(this.host, h("p.small.quiet", "The game is over: nobody looks at it."));
      return;
    }
    const answer = await app.attempt(app.line.ask("observe", { game: app.story.sent(here) }));
    if (this.shown !== here || !answer) return;
    refill(
      this.host,
      h("p.small.quiet", "What a network sees for the player to move: every plane, by its name."),
      h("div.planes", ...answer.planes.map(figure)),
    );
  }
}

/** @param {Plane} plane */
function figure({ name, values }) {
  const all = values.flat();
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const range = low === high ? `${short(low)} everywhere` : `${short(low)} to ${short(high)}`;
  return h(
    "figure",
    picture(values, `${name}: ${range}`),
    h("figcaption", name, h("span.quiet", ` ${range}`)),
  );
}

/** @param {number[][]} values @param {string} label */
function picture(values, label) {
  const canvas = h("canvas", {
    width: values[0].length,
    height: values.length,
    role: "img",
    "aria-label": label,
  });
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const inks = ["--first", "--second"].map((name) => style.getPropertyValue(name));
  values.forEach((row, y) =>
    row.forEach((value, x) => {
      if (!pen || !value) return;
      pen.globalAlpha = Math.min(1, 0.1 + 0.9 * Math.abs(value));
      pen.fillStyle = inks[Number(value < 0)];
      pen.fillRect(x, y, 1, 1);
    }),
  );
  return canvas;
}

/** @param {number} value */
function short(value) {
  return String(Number(value.toPrecision(2)));
}
