/** What a paragraph of a page's text is. */
export const PARAGRAPH = {
  plain: 0,
  /** `value` is the level, 1 to 6. */
  heading: 1,
  /** Its line breaks are in {@link TextStructure.codes}. */
  code: 2,
  /** `value` is the column, from 0. */
  cell: 3,
  headerCell: 4,
  /** Further paragraph of a cell. */
  cellRest: 5,
  /** `value` is the depth of the list, from 0. */
  item: 6,
  numberedItem: 7,
} as const;
export type ParagraphKind = (typeof PARAGRAPH)[keyof typeof PARAGRAPH];

/** The paragraphs of a text, which are separated by line breaks, and what it leaves out. */
export interface TextStructure {
  /** One entry per paragraph: kind, 0x10 in a quotation, 0x20 beside the main text, value from 0x100 on. */
  readonly kinds: readonly number[];
  /** Source code by the number of its first paragraph. */
  readonly codes: readonly (readonly [paragraph: number, text: string])[];
  /** Images by the number of the paragraph after them; the address is absolute or `''`. */
  readonly images: readonly (readonly [paragraph: number, alternative: string, address: string])[];
}

/** Bit of a kind: the paragraph is in a quotation. */
export const IN_QUOTATION = 0x10;
/** Bit of a kind: the paragraph stands beside the main text: a caption, a byline, a comment, a related page. */
export const BESIDE_TEXT = 0x20;

export function paragraphKind(entry: number): ParagraphKind {
  return (entry & 0xf) as ParagraphKind;
}

/** Returns the level, column or depth of a paragraph. */
export function paragraphValue(entry: number): number {
  return entry >>> 8;
}

/** Returns a text without the paragraphs that stand beside the main text. */
export function mainTextOf({
  text,
  structure,
}: {
  readonly text: string;
  readonly structure?: TextStructure | undefined;
}): string {
  const kinds = structure?.kinds ?? [];
  if (!kinds.some((kind) => (kind & BESIDE_TEXT) !== 0)) return text;
  return text
    .split('\n')
    .filter((_, i) => ((kinds[i] ?? 0) & BESIDE_TEXT) === 0)
    .join('\n');
}
