/** What the browser keeps: the game of this tab, and what the reader likes. */

import { Story } from "./story.js";

/** @typedef {import("./types.js").Side} Side */

const GAME = "ludens.game";
const LIKES = "ludens.likes";
const ADDRESS = "ludens.address";

/** @param {Story} story @param {Side[]} sides @param {boolean} isPaused */
export function save(story, sides, isPaused) {
  const text = JSON.stringify({ story: story.saved(), sides, isPaused });
  for (const storage of [sessionStorage, localStorage]) {
    try {
      storage.setItem(GAME, text);
    } catch {
      // A full or forbidden storage costs the reader a reload, not the game: the link has it.
    }
  }
}

/** @returns {{story: Story, sides: Side[], isPaused: boolean} | null} */
export function load() {
  try {
    const text = sessionStorage.getItem(GAME) ?? localStorage.getItem(GAME);
    const kept = text && JSON.parse(text);
    return kept ? { ...kept, story: Story.restore(kept.story) } : null;
  } catch {
    return null;
  }
}

/** Whether the address asks for a game that this tab has not begun yet. */
export function isNewAddress() {
  const { search } = location;
  if (!/[?&](game|record)=/.test(search) || sessionStorage.getItem(ADDRESS) === search) return false;
  sessionStorage.setItem(ADDRESS, search);
  return true;
}

/** @returns {Record<string, any>} */
export function likes() {
  try {
    return JSON.parse(localStorage.getItem(LIKES) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {Record<string, any>} changed */
export function like(changed) {
  try {
    localStorage.setItem(LIKES, JSON.stringify({ ...likes(), ...changed }));
  } catch {
    // Likes are for comfort only.
  }
}
