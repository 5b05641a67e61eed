// Portals load this file as a script, too: it has no imports and uses only what browsers have.

/** Returns a Hebrew word without points and accents, which few texts have and no user types. */
export function withoutPoints(word: string): string {
  return word.replace(/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g, '');
}
