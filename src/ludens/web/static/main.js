/** Where everything begins: the parts of the page are made and wired. */

import { AnalysisPanel } from "./analysispanel.js";
import { App } from "./app.js";
import { ArenaPage } from "./arena.js";
import { byId } from "./dom.js";
import { EditPanel } from "./editpanel.js";
import { GamePanel } from "./gamepanel.js";
import { helpDialog, listen } from "./keys.js";
import { dress, looksDialog } from "./looks.js";
import { NewGame } from "./newgame.js";
import { closeNewest, tell } from "./notices.js";
import { PlanesPanel } from "./planespanel.js";
import { followRules } from "./rereading.js";
import { RulesPanel } from "./rulespanel.js";
import { RunsPage } from "./runs.js";
import { SharePanel } from "./sharepanel.js";
import { Table } from "./table.js";
import { makeTabs } from "./tabs.js";
import { TreePanel } from "./treepanel.js";

const OVERLAYS = ["visits", "value", "prior", "none"];

dress();
const app = new App(tell);
app.onConnection = (/** @type {boolean} */ isOpen) => {
  byId("connection").hidden = isOpen;
  app.notify("preparing");
};
const table = new Table(app);
const game = new GamePanel(app);
const analysis = new AnalysisPanel(app, table);
new TreePanel(app);
new EditPanel(app, table);
new RulesPanel(app);
new PlanesPanel(app);
const newGame = new NewGame(app);
const runs = new RunsPage(app);
const arena = new ArenaPage(app);
const help = helpDialog();
const looks = looksDialog();
const selectTab = makeTabs(byId("tabs"));

/**
 * Show the page that the address names.
 * @param {string} [id] the game of this entry in the browser's history
 */
async function route(id) {
  const [name] = /^#(run|arena)(?=s?(=|$))/.exec(location.hash) ?? ["#play"];
  const here = { "#run": "runs", "#arena": "arena" }[name] ?? "play";
  for (const page of ["play", "arena", "runs"]) {
    byId(page).hidden = page !== here;
    byId(`nav-${page}`).toggleAttribute("aria-current", page === here);
  }
  runs.show(here === "runs" ? location.hash : "");
  arena.show(here === "arena");
  if (here !== "play") return;
  await app.attempt(app.games.follow(id));
  if (app.position) app.save(); // a step that is on its way is saved when it is there
}

/** Show what the engine would play, as a ghost. */
async function hint() {
  const agent = app.described?.default_agent;
  const from = app.here;
  if (!agent || app.position?.is_over) return;
  table.say("The engine looks for a hint…");
  const answer = await app.attempt(app.line.ask("move", { game: app.story.sent(from), agent }));
  if (!answer || from !== app.here) return;
  table.say(`The engine would play ${answer.name}.`);
  table.ghosts.showLine([answer.action]);
}

function cycleOverlay() {
  const next = OVERLAYS[(OVERLAYS.indexOf(table.overlay) + 1) % OVERLAYS.length];
  analysis.overlay(next);
  table.say(`On the board: ${next}.`);
}

/** @type {Record<string, () => void>} */
const deeds = {
  "?": () => help.showModal(),
  n: () => newGame.open(),
  u: () => app.undo(),
  r: () => app.redo(),
  h: hint,
  a: () => analysis.toggle(),
  o: cycleOverlay,
  m: () => game.jump(1),
  M: () => game.jump(-1),
  b: () => table.board.focus(),
  t: () => byId("notation").focus(),
  "/": () => byId("notation").focus(),
  p: () => app.pause(!app.isPaused),
  ",": () => app.step(-1),
  ".": () => app.step(1),
  ArrowLeft: () => app.step(-1),
  ArrowRight: () => app.step(1),
  Home: () => app.step(-Infinity),
  End: () => app.step(Infinity),
};
[1, 2, 3, 4, 5, 6, 7].forEach((digit) => (deeds[String(digit)] = () => selectTab(digit - 1)));
listen(deeds, table);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]"))
    closeNewest();
});

byId("undo").onclick = deeds.u;
byId("redo").onclick = deeds.r;
byId("restart").onclick = () => app.games.restart();
byId("again").onclick = () => app.games.again(false);
byId("swap-sides").onclick = () => app.games.again(true);
byId("review").onclick = () => {
  selectTab(0);
  game.review();
};
byId("hint").onclick = hint;
byId("pause").onclick = deeds.p;
byId("help").onclick = deeds["?"];
byId("themes").onclick = () => looks.showModal();
byId("new-game").onclick = deeds.n;
byId("typing").addEventListener("submit", async (/** @type {Event} */ event) => {
  event.preventDefault();
  const input = byId("notation");
  if (input.value.trim() && (await app.play(input.value.trim()))) input.value = "";
});
app.listen((what) => {
  if (what !== "position") return;
  byId("undo").disabled = !app.here.parent;
  byId("redo").disabled = !app.here.children.length;
});

runs.onUse = (/** @type {string} */ weights, /** @type {boolean} */ isAnalysis) => {
  selectTab(isAnalysis ? 1 : 0);
  if (isAnalysis) analysis.useNet(weights);
};

await app.start();
new SharePanel(app, table);
followRules(app);
route(history.state?.game);
addEventListener("popstate", (event) => {
  clearTimeout(app.linking); // the reader has gone elsewhere
  route(event.state?.game);
});
