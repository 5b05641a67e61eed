import type { KeyPress } from './key-press.ts';

/**
 * Returns the new position in a list of `length` lines after a key; `undefined` if the key does not move it.
 * @param page - lines of one step by page
 * @param seen - number of visible lines, from the position on. Default: 1, for a list in which a line is selected
 */
export function stepped(
  at: number,
  key: KeyPress,
  { length, page, seen = 1 }: { readonly length: number; readonly page: number; readonly seen?: number },
): number | undefined {
  const last = Math.max(0, length - seen);
  const to = (n: number): number => Math.min(last, Math.max(0, n));
  // The position may be too far down after the window has grown.
  const from = to(at);
  switch (key.name === 'text' ? key.text : key.name) {
    case 'up':
    case 'k':
      return to(from - 1);
    case 'down':
    case 'j':
      return to(from + 1);
    case 'page-up':
      return to(from - page);
    case 'page-down':
      return to(from + page);
    case 'home':
      return 0;
    case 'end':
      return last;
    default:
      return undefined;
  }
}
