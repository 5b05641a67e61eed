import type { KeyPress } from './keys.ts';

/**
 * Where a list of `length` lines stands after a key; `undefined` when the key does not move it.
 * @param page - lines of one step by page
 */
export function stepped(
  at: number,
  key: KeyPress,
  { length, page }: { readonly length: number; readonly page: number },
): number | undefined {
  const last = Math.max(0, length - 1);
  const to = (n: number): number => Math.min(last, Math.max(0, n));
  switch (key.name === 'text' ? key.text : key.name) {
    case 'up':
    case 'k':
      return to(at - 1);
    case 'down':
    case 'j':
      return to(at + 1);
    case 'page-up':
      return to(at - page);
    case 'page-down':
      return to(at + page);
    case 'home':
      return 0;
    case 'end':
      return last;
    default:
      return undefined;
  }
}
