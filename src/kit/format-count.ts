/** Formats an integer with thousands separators: `1,234`. */
export function count(n: number): string {
  return n.toLocaleString('en-US');
}

/**
 * Formats a number with its noun: `1 page`, `2,345 pages`.
 * @param word the singular; the plural adds -s, or -ies or -ches as English requires
 */
export function counted(n: number, word: string): string {
  return `${count(n)} ${n === 1 ? word : pluralOf(word)}`;
}

/** Formats a share in [0,1] as percentage with `digits` decimals; `–` if it is NaN. */
export function percent(share: number, digits: number = 0): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(digits)} %` : '–';
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
