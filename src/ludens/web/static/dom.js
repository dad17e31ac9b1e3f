/** Elements made from code; text is always text, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, any>} Attributes
 */

/**
 * @param {Element} element
 * @param {(Attributes | Child)[]} parts  attributes first, if any; `onclick` is a function
 */
function fill(element, [first, ...rest]) {
  const hasAttributes = first?.constructor === Object;
  if (hasAttributes) dress(element, /** @type {Attributes} */ (first));
  for (const child of hasAttributes ? rest : [first, ...rest]) {
    if (child === null || child === undefined || child === false) continue;
    element.append(
      typeof child === "number" ? String(child) : /** @type {Node | string} */ (child),
    );
  }
}

/** @param {Element} element @param {Attributes} attributes */
function dress(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @template {Element} T
 * @param {(tag: string) => T} create @param {string} tag @param {(Attributes | Child)[]} parts
 */
function make(create, tag, parts) {
  const [name, ...classes] = tag.split(".");
  const element = create(name);
  if (classes.length) element.classList.add(...classes);
  fill(element, parts);
  return element;
}

/**
 * Make an HTML element: a tag with its classes, attributes if there are any, children.
 * @template {string} T
 * @param {T} tag such as `p` or `p.small.quiet` @param {...(Attributes | Child)} parts
 * @returns {T extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[T] : HTMLElement}
 */
export function h(tag, ...parts) {
  return /** @type {any} */ (make((name) => document.createElement(name), tag, parts));
}

/**
 * Make an SVG element in the same way.
 * @template {string} T
 * @param {T} tag @param {...(Attributes | Child)} parts
 * @returns {T extends keyof SVGElementTagNameMap ? SVGElementTagNameMap[T] : SVGGraphicsElement}
 */
export function svg(tag, ...parts) {
  return /** @type {any} */ (make((name) => document.createElementNS(SVG, name), tag, parts));
}

/**
 * Give an element other children, without those that are not there.
 * @param {Element | undefined} host @param {...Child} children
 */
export function refill(host, ...children) {
  host?.replaceChildren();
  if (host) fill(host, children);
}

/**
 * Return an element of the page that must be there.
 * @param {string} id @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no element ${id}`);
  return found;
}

/** A small picture for a button. @param {string} name */
export function icon(name) {
  return svg("svg.icon", { "aria-hidden": "true" }, svg("use", { href: `#i-${name}` }));
}

/** Whether the reader asked for less motion. */
export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
