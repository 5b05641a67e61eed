import { displayWidth } from '../kit/index.ts';
import type { KeyPress } from './key-press.ts';

/** A key of the bottom line: `p pause`; without a key it is a note. */
export interface KeyHint {
  readonly key: string;
  readonly text: string;
}

const HINT = /^(\+ -|↑↓|Enter|Esc|Tab|Space|[^\s]) (.*)$/;

/** Splits hints such as `Enter why` into keys and actions. */
export function keyHints(hints: readonly string[]): readonly KeyHint[] {
  return hints.map((hint) => {
    const [, key = '', text = hint] = HINT.exec(hint) ?? [];
    return { key, text };
  });
}

/** Returns the hints that fit, from the first on; they are joined by two spaces. */
export function shownHints(hints: readonly KeyHint[], columns: number): readonly KeyHint[] {
  let end = 0;
  const fitting = hints.findIndex((hint) => {
    end += widthOf(hint) + 2;
    return end - 2 > columns;
  });
  return fitting < 0 ? hints : hints.slice(0, Math.max(1, fitting));
}

/** Returns the key that a click on the line of hints means. */
export function hintAt(hints: readonly KeyHint[], columns: number, column: number): KeyPress | undefined {
  let from = 0;
  for (const hint of shownHints(hints, columns)) {
    if (column >= from && column < from + widthOf(hint)) return pressOf(hint.key);
    from += widthOf(hint) + 2;
  }
  return undefined;
}

function widthOf({ key, text }: KeyHint): number {
  return displayWidth(key === '' ? text : `${key} ${text}`);
}

const NAMED: Readonly<Record<string, KeyPress>> = {
  Enter: { name: 'enter' },
  Esc: { name: 'escape' },
  Tab: { name: 'tab' },
  Space: { name: 'text', text: ' ' },
};

/** Hints of two keys mean no single one. */
function pressOf(key: string): KeyPress | undefined {
  return NAMED[key] ?? ([...key].length === 1 ? { name: 'text', text: key } : undefined);
}
