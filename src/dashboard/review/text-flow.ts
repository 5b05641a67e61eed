import { displayWidth } from '../../core/index.ts';
import type { Segment } from './review-page.ts';

/** One row of a text on the screen. */
export interface TextRow {
  readonly paragraph: number;
  /** The paragraph begins here. */
  readonly isFirst: boolean;
  readonly segments: readonly Segment[];
}

/** Rows of a text at the most: nobody reads more in a review. */
const MAX_ROWS = 2_000;

/** Paragraphs as rows of at most `width` columns, broken at spaces; marked terms stay marked. */
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
    for (const { text, isTerm } of segments) {
      for (const piece of text.match(/\s+|\S+/g) ?? []) {
        for (const part of parts(piece, width)) {
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

/** A word that is wider than the screen is broken anywhere. */
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
