/** Rules that change while they are played: the game is kept if it still plays. */

import { Refused } from "./socket.js";
import { Story } from "./story.js";

/** @import { App } from "./app.js" */

/** @param {App} app */
export function followRules(app) {
  if (!app.catalogue?.is_watched) return;
  app.line.begin("changes", {}, async ({ games, troubles }) => {
    for (const text of Object.values(troubles)) app.tell(text);
    await app.learnGames();
    if (games.includes(app.story.spec.split(":")[0])) await replay(app);
  });
}

/** @param {App} app */
async function replay(app) {
  const { sides, isPaused } = app;
  const { spec, setup } = app.story;
  try {
    const { position } = await app.line.ask("position", { game: app.story.sent() });
    const story = Story.of(position);
    story.setup = setup;
    await app.open({ story, sides, isPaused });
    app.tell("The rules were read again; the game goes on.");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await app.games.begin(spec);
    app.tell(`The rules have changed, and the game does not play any more: ${error.message}`);
  }
}
