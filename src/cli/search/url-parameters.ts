import type { Args } from '../command.ts';
import { SEARCH_FLAGS } from './search-flags.ts';

/** Converts URL parameters to flags; ignores empty fields. */
export function argsOf(asked: URLSearchParams): Args {
  const values = (flag: string): string[] =>
    Object.hasOwn(SEARCH_FLAGS, flag) ? asked.getAll(flag).filter((value) => value.trim() !== '') : [];
  const isNo = (flag: string, value: string): boolean =>
    SEARCH_FLAGS[flag]?.value === undefined && /^(0|no|off|false)$/i.test(value);
  return {
    positionals: [],
    has: (flag) => values(flag).some((value) => !isNo(flag, value)),
    value: (flag) => values(flag).at(-1),
    values,
  };
}
