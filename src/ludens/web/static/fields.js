/** Parts of forms: buttons, lists to choose from, fields to fill in. */

import { h } from "./dom.js";

/** @import { Attributes, Child } from "./dom.js" */

/** @typedef {string | number} Value */

/**
 * A button.
 * @param {Child} words @param {() => void} onclick @param {Attributes} [more]
 */
export function button(words, onclick, more = {}) {
  return h("button", { ...more, onclick }, words);
}

/**
 * A list to choose from.
 * @param {[Value, string][]} options values and their words @param {Value} chosen
 * @param {(value: any) => void} pick @param {Attributes} [more]
 */
export function list(options, chosen, pick, more = {}) {
  return h(
    "select",
    { ...more, onchange: (/** @type {any} */ event) => pick(event.target.value) },
    ...options.map(([value, words]) => h("option", { value, selected: value === chosen }, words)),
  );
}

/** A list of words to choose from. @param {string[]} words @param {Attributes} more */
export function wordList(words, more) {
  return h("select", more, ...words.map((word) => h("option", word)));
}

/**
 * A field for a number or some words.
 * @param {Value} value @param {(text: string) => void} take @param {Attributes} [more]
 */
export function field(value, take, more = {}) {
  const onchange = (/** @type {any} */ event) => take(event.target.value);
  return h("input", { ...more, value, onchange });
}

/**
 * What has a label, as two parts of a form.
 * @param {string} id @param {string} label @param {...Child} parts
 */
export function labelled(id, label, ...parts) {
  return [h("label", { for: id }, label), h("div.field", ...parts)];
}

/**
 * The list of the nets for a game, if there is more than one.
 * @param {string[]} nets @param {string} chosen
 * @param {(weights: string) => void} pick @param {Attributes} [more]
 */
export function netList(nets, chosen, pick, more = {}) {
  if (nets.length < 2) return null;
  return list(
    nets.map((net) => [net, net || "shipped"]),
    chosen,
    pick,
    more,
  );
}

/**
 * A form that stays on the page when it is sent.
 * @param {Attributes} attributes @param {() => void} submit
 * @param {...Child} parts
 */
export function form(attributes, submit, ...parts) {
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    submit();
  };
  return h("form", { ...attributes, onsubmit }, ...parts);
}

/**
 * A dialog that is closed by a button.
 * @param {string} id of its title @param {string} title @param {string} closing
 * @param {...Child} parts
 */
export function dialog(id, title, closing, ...parts) {
  const close = h("form.buttons", { method: "dialog" }, h("button.primary", closing));
  const made = h("dialog", { "aria-labelledby": id }, h("h2", { id }, title), ...parts, close);
  document.body.append(made);
  return made;
}
