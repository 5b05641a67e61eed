import type { KeyPress } from './key-press.ts';

/**
 * Where a list of `length` lines stands after a key; `undefined` when the key does not move it.
 * @param page - lines of one step by page
 * @param seen - lines that are seen at once, from the one on where the list stands. Default: 1, for a list that a line is chosen from
 */
export function stepped(
  at: number,
  key: KeyPress,
  { length, page, seen = 1 }: { readonly length: number; readonly page: number; readonly seen?: number },
): number | undefined {
  const last = Math.max(0, length - seen);
  const to = (n: number): number => Math.min(last, Math.max(0, n));
  // It may stand further down than it can in a window that has grown meanwhile.
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
