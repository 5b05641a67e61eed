import { displayWidth } from '../../kit/index.ts';
import type { Segment } from '../../workbench/index.ts';

/** One row of a text on the screen. */
export interface TextRow {
  readonly paragraph: number;
  /** The paragraph begins here. */
  readonly isFirst: boolean;
  readonly segments: readonly Segment[];
}

/** Width of the column beside a text: paragraph number, and whether it is left out. */
export const GUTTER = 5;

/** Maximum number of rows of a text: more are not read in a review. */
const MAX_ROWS = 2_000;

/** Breaks paragraphs at spaces into rows of at most `width` columns; terms stay highlighted. */
export function flow(paragraphs: readonly (readonly Segment[])[], width: number): readonly TextRow[] {
  const rows: TextRow[] = [];
  for (const [paragraph, segments] of paragraphs.entries()) {
    let row: Segment[] = [];
    let used = 0;
    let isFirst = true;
    const end = (): void => {
      rows.push({ paragraph, isFirst, segments: row });
      row = [];
      used = 0;
      isFirst = false;
    };
    for (const word of words(segments)) {
      // A word stays together with the following punctuation, if it fits a row at all.
      const wordWidth = word.reduce((sum, { text }) => sum + displayWidth(text), 0);
      if (used + wordWidth > width && wordWidth <= width) end();
      for (const { text, isTerm } of word) {
        for (const part of parts(text, width)) {
          const partWidth = displayWidth(part);
          if (used + partWidth > width) end();
          if (used === 0 && /^\s+$/.test(part)) continue;
          row.push({ text: part, isTerm });
          used += partWidth;
        }
      }
    }
    end();
    if (rows.length > MAX_ROWS) return rows.slice(0, MAX_ROWS);
  }
  return rows;
}

/** Splits into words and spaces; a word may be a highlighted term with the characters around it. */
function words(segments: readonly Segment[]): readonly (readonly Segment[])[] {
  const found: Segment[][] = [];
  let isOpen = false;
  for (const { text, isTerm } of segments) {
    for (const piece of text.match(/\s+|\S+/g) ?? []) {
      const isSpace = /^\s/.test(piece);
      if (isOpen && !isSpace) found.at(-1)!.push({ text: piece, isTerm });
      else found.push([{ text: piece, isTerm }]);
      isOpen = !isSpace;
    }
  }
  return found;
}

/** Breaks a word that is wider than the screen anywhere. */
function parts(piece: string, width: number): readonly string[] {
  if (piece.length <= width / 2) return [piece];
  const cut: string[] = [];
  let part = '';
  for (const character of piece) {
    if (displayWidth(part + character) > width) {
      cut.push(part);
      part = '';
    }
    part += character;
  }
  return [...cut, part];
}
