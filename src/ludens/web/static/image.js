/** The board as a picture to take away: SVG that needs no style sheet, or PNG. */

import { svg } from "./dom.js";

/** What is copied, each with the value that need not be. @type {Record<string, string>} */
const PAINT = {
  fill: "",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-linejoin": "miter",
  "fill-opacity": "1",
  "stroke-opacity": "1",
  opacity: "1",
  "stroke-dasharray": "none",
  "stop-color": "rgb(0, 0, 0)",
  display: "inline",
};
const LETTERS = {
  "font-size": "",
  "font-family": "",
  "font-weight": "400",
  "text-anchor": "start",
  "dominant-baseline": "auto",
  "paint-order": "normal",
  "font-variant-caps": "normal",
};
const LEFT_OUT = ".hits, .ghosts, .hints";
const PIXELS = 1200;

/** @param {SVGSVGElement} board @returns {string} */
export function toSvg(board) {
  const twin = /** @type {SVGSVGElement} */ (board.cloneNode(true));
  const unwanted = [...twin.querySelectorAll(LEFT_OUT)];
  freeze(board, twin);
  for (const layer of unwanted) layer.remove();
  const paints = document.getElementById("paints");
  if (paints) {
    const copy = /** @type {Element} */ (paints.cloneNode(true));
    freeze(paints, copy);
    twin.prepend(copy);
  }
  const [x, y, width, height] = (board.getAttribute("viewBox") ?? "0 0 1 1").split(" ").map(Number);
  twin.prepend(
    svg("rect", {
      x,
      y,
      width,
      height,
      fill: getComputedStyle(document.documentElement).getPropertyValue("--paper"),
    }),
  );
  twin.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  twin.setAttribute("width", String(PIXELS));
  twin.setAttribute("height", String(Math.round((PIXELS * height) / width)));
  return new XMLSerializer().serializeToString(twin);
}

/** Write the looks of elements onto their twins. @param {Element} from @param {Element} to */
function freeze(from, to) {
  const style = getComputedStyle(from);
  const isText = from.localName === "text";
  for (const [name, usual] of Object.entries(isText ? { ...PAINT, ...LETTERS } : PAINT)) {
    const value = style.getPropertyValue(name);
    if (value !== usual)
      to.setAttribute(name, value.replace(/url\("[^#]*#/, 'url("#').replaceAll('"', ""));
  }
  if (style.transform !== "none" && !from.hasAttribute("transform"))
    to.setAttribute("transform", style.transform);
  for (const name of ["class", "tabindex", "role", "style"]) to.removeAttribute(name);
  [...from.children].forEach((child, i) => freeze(child, to.children[i]));
}

/** @param {string} text an SVG @returns {Promise<Blob>} */
export async function toPng(text) {
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.drawImage(picture, 0, 0);
  URL.revokeObjectURL(picture.src);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"),
  );
}
