/** The options of a game as fields of a form. */

import { h } from "./dom.js";
import { field, labelled, list } from "./fields.js";

/** @import { Option } from "./types.js" */

/**
 * @param {Option[]} options @param {Record<string, string>} chosen those that were changed
 * @param {boolean} isOpen @param {(name: string, text: string) => void} change
 */
export function optionFields(options, chosen, isOpen, change) {
  if (!options.length) return null;
  const fields = options.flatMap((option) => {
    const { name, help } = option;
    const value = chosen[name] ?? String(option.default);
    const id = `option-${name}`;
    const input = optionField(option, id, value, (text) => change(name, text));
    return [...labelled(id, name.replaceAll("_", " "), input), h("div.hint", help)];
  });
  return h(
    "details.more",
    { open: isOpen || Object.keys(chosen).length > 0 },
    h("summary", "Options of the game"),
    h("div.form", ...fields),
  );
}

/**
 * @param {Option} option @param {string} id @param {string} value
 * @param {(text: string) => void} change
 */
function optionField({ default: usual, choices, low, high }, id, value, change) {
  if (typeof usual === "boolean") {
    const onchange = () => change(String(box.checked));
    const box = h("input", { type: "checkbox", id, checked: value === "true", onchange });
    return box;
  }
  if (choices.length) {
    const options = choices.map((one) => /** @type {[string, string]} */ ([`${one}`, `${one}`]));
    return list(options, value, change, { id });
  }
  return field(value, change, {
    id,
    type: typeof usual === "number" ? "number" : "text",
    min: low,
    max: high,
    step: Number.isInteger(usual) ? 1 : "any",
  });
}
