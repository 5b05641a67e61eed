// Portals load this file as a script, too: it has no imports and uses only what browsers have.

/**
 * Wraps Snowball's Bulgarian stemmer so that it accepts every word. The stemmer writes letters into its argument
 * (*ученици*: *ученик*) and throws if that is a string, so it gets a list of letters.
 */
export function withLetters(stemmer: (word: string) => string): (word: string) => string {
  return (word) => {
    const letters = [...word];
    const substring = (start: number, end: number): string => letters.slice(start, end).join('');
    return stemmer(Object.assign(letters, { substring }) as unknown as string);
  };
}
