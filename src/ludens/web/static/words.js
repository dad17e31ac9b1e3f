/** Numbers, times and names as people read them. */

/** @param {number} share of 1 @param {number} [digits] */
export function percent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)} %`;
}

/** @param {number} count */
export function grouped(count) {
  return count.toLocaleString("en");
}

/** @param {number} count @param {string} noun */
export function plural(count, noun) {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A time in words. @param {number} seconds */
export function ago(seconds) {
  if (seconds < 90) return plural(Math.round(seconds), "second");
  if (seconds < 5400) return plural(Math.round(seconds / 60), "minute");
  if (seconds < 130_000) return plural(Math.round(seconds / 3600), "hour");
  return plural(Math.round(seconds / 86_400), "day");
}

/** With a capital letter. @param {string} text */
export function capital(text) {
  return text && text[0].toUpperCase() + text.slice(1);
}

/**
 * A game's name and what it is.
 * @param {{title: string, name: string}} game @returns {[string, string]}
 */
export function titleOf({ title, name }) {
  const [first, ...rest] = title.split(": ");
  const about = rest.join(": ");
  return about ? [first, about] : [name.replaceAll("_", " "), title];
}
