/** A whole number with its thousands apart: `1,234`. */
export function count(n: number): string {
  return n.toLocaleString('en-US');
}

/**
 * A number of things: `1 page`, `2,345 pages`.
 * @param word - the name of one of them; its plural is made with an s, and with `-ies` and `-ches` where English wants it.
 */
export function counted(n: number, word: string): string {
  return `${count(n)} ${n === 1 ? word : pluralOf(word)}`;
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
