/** The games that the browser has kept, to go back to. */

import { byId, h } from "./dom.js";
import * as keeping from "./keeping.js";
import { ago } from "./words.js";

/** @import { App } from "./app.js" */

/** @param {App} app @returns {HTMLElement | null} */
export function drawGames(app) {
  const games = keeping.list().filter(({ id, numMoves }) => numMoves > 0 || id === app.story.id);
  if (games.length < 2) return null;
  return h(
    "section",
    { "aria-labelledby": "kept-title" },
    h("h2", { id: "kept-title" }, "Games"),
    h("ul.kept", ...games.map((game) => h("li", drawGame(app, game)))),
  );
}

/** @param {App} app @param {keeping.Listed} game */
function drawGame(app, { id, title, words, when }) {
  const reopen = async () => {
    await app.attempt(app.games.reopen(keeping.find(id)));
    byId("board-host").scrollIntoView({ block: "nearest" });
  };
  const isHere = id === app.story.id;
  return h(
    "button",
    { "aria-current": isHere ? "true" : null, onclick: reopen },
    h("b", title),
    h("span", words),
    h("small.quiet", isHere ? "on the board" : `${ago((Date.now() - when) / 1000)} ago`),
  );
}
