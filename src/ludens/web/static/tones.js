/** Colours that shapes keep after they are placed: the rules do not know them. */

/** @typedef {import("./story.js").Move} Move */
/** @typedef {import("./types.js").Shape} Shape */

/** Work out which colours the filled cells after a move have. @param {Move} move */
export function keepTones(move) {
  const before = move.parent?.position;
  if (!before || !move.position || Object.keys(move.tones).length) return;
  const filled = move.position.scene.filter((shape) => shape.role === "filled");
  if (!filled.length) return;
  const slot = before.legal.find((legal) => legal.action === move.steps[0])?.choices[0];
  const tone = before.scene.find((shape) => shape.choice === slot && shape.tone)?.tone ?? 0;
  const old = move.parent?.tones ?? {};
  move.tones = Object.fromEntries(filled.map(({ choice = "" }) => [choice, old[choice] ?? tone]));
}

/** @param {Shape[]} scene @param {Record<string, number>} tones @returns {Shape[]} */
export function toned(scene, tones) {
  return scene.map((shape) =>
    shape.role === "filled" && tones[shape.choice] ? { ...shape, tone: tones[shape.choice] } : shape,
  );
}
