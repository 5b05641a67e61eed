// Read by portals, too, as a script: no imports, nothing that a browser lacks.

/** A word of Hebrew without points and accents, which few texts have and nobody types. */
export function withoutPoints(word: string): string {
  return word.replace(/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g, '');
}
