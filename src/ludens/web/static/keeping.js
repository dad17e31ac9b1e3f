/** What the browser keeps: every game, which one this tab has, and what the reader likes. */

import { Story } from "./story.js";

/** @import { Side } from "./sides.js" */

/** @typedef {{story: Story, sides: Side[], isPaused: boolean}} Kept */
/** @typedef {"localStorage" | "sessionStorage"} Where */
/**
 * @typedef {{
 *   id: string, when: number, title: string, words: string, numMoves: number, link: string
 * }} Listed
 */

const GAME = "ludens.game.";
const HERE = "ludens.here";
const LIKES = "ludens.likes";
const ADDRESS = "ludens.address";
const MAX_GAMES = 50;

/** @type {Map<string, Listed> | null} the games of all tabs, once they have been looked for */
let listed = null;

addEventListener("storage", () => (listed = null));

/** What this tab has written last for all tabs. */
let written = "";

/**
 * Keep a game. One that another tab has changed meanwhile becomes a game of its own.
 * @param {Kept} kept @param {string} title @param {string} words how it went
 * @param {string} link
 */
export function save({ story, sides, isPaused }, title, words, link) {
  const there = read("localStorage", GAME + story.id);
  const theirs = there === written ? story.known : movesOf(parse(there));
  const saved = story.saved();
  const ours = movesOf({ story: saved });
  const isChanged = !!theirs && theirs !== story.known;
  if (isChanged && ours !== story.known) saved.id = story.rename();
  const kept = { story: saved, sides, isPaused, title, words, link, when: Date.now() };
  const text = JSON.stringify(kept);
  write("sessionStorage", HERE, text);
  if (isChanged && ours === story.known) return;
  story.known = ours;
  write("localStorage", GAME + story.id, text);
  written = text;
  list();
  listed?.set(story.id, listing(kept));
  for (const old of surplus(story.id)) forget(old.id);
}

/** @param {any} kept */
function movesOf(kept) {
  return kept ? JSON.stringify(kept.story.moves) : "";
}

/**
 * What is kept for all tabs makes room by forgetting old games.
 * @param {Where} where @param {string} key @param {string} text
 */
function write(where, key, text) {
  for (;;) {
    try {
      window[where].setItem(key, text);
      return;
    } catch (error) {
      const isFull =
        where === "localStorage" && /** @type {Error} */ (error).name === "QuotaExceededError";
      const oldest = isFull && leastWorth().find(({ id }) => GAME + id !== key);
      if (!oldest) return; // the link in the address bar still has the game
      forget(oldest.id);
    }
  }
}

/** Games in the order in which they may be forgotten: those without a move, then the oldest. */
function leastWorth() {
  return list().sort((a, b) => Number(a.numMoves > 0) - Number(b.numMoves > 0) || a.when - b.when);
}

/** @param {string} here @returns {Listed[]} */
function surplus(here) {
  const games = leastWorth();
  return games.filter(({ id }) => id !== here).slice(0, Math.max(0, games.length - MAX_GAMES));
}

/** @param {string} id */
function forget(id) {
  listed?.delete(id);
  localStorage.removeItem(GAME + id);
}

/** @returns {Listed[]} the games of all tabs, the newest first */
export function list() {
  listed ??= new Map(
    keys()
      .map((key) => parse(read("localStorage", key)))
      .filter(Boolean)
      .map((kept) => [kept.story.id, listing(kept)]),
  );
  return [...listed.values()].sort((a, b) => b.when - a.when);
}

/** @param {any} kept @returns {Listed} */
function listing({ story, when, title, words, link }) {
  return { id: story.id, when, title, words, link, numMoves: story.moves.length - 1 };
}

function keys() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(GAME));
  } catch {
    return [];
  }
}

/** @param {Where} where @param {string} key @returns {string} */
function read(where, key) {
  try {
    return window[where].getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** What was written, null if it cannot be read. @param {string} text @returns {any} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A game that was kept. @param {string} [id] @returns {Kept | null} */
export function find(id) {
  return id ? restored(parse(read("localStorage", GAME + id))) : null;
}

/** The game of this tab, else the newest of any. @returns {Kept | null} */
export function last() {
  return restored(parse(read("sessionStorage", HERE))) ?? find(list()[0]?.id);
}

/** @param {any} kept @returns {Kept | null} */
function restored(kept) {
  try {
    if (!kept) return null;
    const story = Story.restore(kept.story);
    story.known = movesOf(kept);
    return { story, sides: kept.sides, isPaused: kept.isPaused };
  } catch {
    return null;
  }
}

/** Whether the address asks for a game that this tab has not begun yet. */
export function isNewAddress() {
  const { search } = location;
  if (!/[?&](game|record)=/.test(search) || sessionStorage.getItem(ADDRESS) === search)
    return false;
  sessionStorage.setItem(ADDRESS, search);
  return true;
}

/** @returns {Record<string, any>} */
export function likes() {
  return parse(read("localStorage", LIKES)) ?? {};
}

/** @param {Record<string, any>} changed */
export function like(changed) {
  write("localStorage", LIKES, JSON.stringify({ ...likes(), ...changed }));
}
