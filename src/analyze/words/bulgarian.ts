// Read by portals, too, as a script: no imports, nothing that a browser lacks.

/**
 * A stemmer of Bulgarian that takes any word. Snowball's writes letters into the word that it is given (*ученици*: *ученик*), and
 * throws where that is a string: so it gets a list of letters.
 */
export function withLetters(stemmer: (word: string) => string): (word: string) => string {
  return (word) => {
    const letters = [...word];
    const substring = (start: number, end: number): string => letters.slice(start, end).join('');
    return stemmer(Object.assign(letters, { substring }) as unknown as string);
  };
}
