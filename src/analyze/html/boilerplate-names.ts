import { LINK_FLAG, PARAGRAPH, paragraphKind } from '../../core/index.ts';
import type { Block, Layout, Place } from './layout.ts';

/** A part of the page whose name says what it is. */
export interface Part {
  /** Start and end in {@link Layout.chars}. */
  readonly from: number;
  readonly to: number;
}

/** Flag on links until doubts are settled; not a flag of {@link LINK_FLAG}. */
const DOUBTFUL = 64;

/** Flags of links in each place. */
export const PLACE_FLAGS: Readonly<Record<Place, number>> = {
  own: 0,
  doubtful: LINK_FLAG.boilerplate | DOUBTFUL,
  boilerplate: LINK_FLAG.boilerplate,
};

/** Paragraphs with at least this many characters, and a smaller share of link characters, are prose. */
const PROSE_CHARS = 80;
const PROSE_LINK_SHARE = 0.4;
/** A part is content if it has this much prose, this share of prose and no more links than this. Our choice. */
const MIN_PROSE = 250;
const MIN_PROSE_SHARE = 0.6;
const MAX_LINK_SHARE = 0.15;
/** A part with more than this share of the page's prose is the page's content. */
const PAGE_SHARE = 0.5;

interface Amount {
  chars: number;
  readonly linkChars: number;
  readonly prose: number;
}

/**
 * Decides which doubtful parts are boilerplate. Names mislead: `sidebar` may be a box in a book's chapter, `search`
 * the id of a manual's section about searching. Navigation, log-ins and similar parts have few sentences.
 * @param doubts - without overlap, in page order
 */
export function settleDoubts(layout: Layout, doubts: readonly Part[]): void {
  if (doubts.length === 0) return;
  const { blocks, links } = layout;
  const page = amountOf(blocks);
  let n = 0;
  let k = 0;
  for (const { from, to } of doubts) {
    while (n < blocks.length && blocks[n]!.start < from) n++;
    const first = n;
    while (n < blocks.length && blocks[n]!.start < to) n++;
    const isOwn = isReading(amountOf(blocks.slice(first, n).filter(({ place }) => place === 'doubtful')), page);
    for (let i = first; i < n; i++) {
      const block = blocks[i]!;
      if (block.place === 'doubtful') blocks[i] = { ...block, place: isOwn ? 'own' : 'boilerplate' };
    }
    while (k < links.length && links[k]!.start < from) k++;
    for (; k < links.length && links[k]!.start <= to; k++) {
      const link = links[k]!;
      if ((link.flags & DOUBTFUL) !== 0) link.flags &= isOwn ? ~(DOUBTFUL | LINK_FLAG.boilerplate) : ~DOUBTFUL;
    }
  }
}

/** A part with more than this share of the page's own prose is its text, whatever its name. Our choice. */
const TEXT_SHARE = 0.4;
const COVERED_SHARE = 0.7;

/**
 * Sets apart what its name marks as beside the text: captions, bylines, comments, related pages. Names mislead: a
 * part with much of the page's prose stays.
 * @param parts - of any order; may be nested
 */
export function setBeside(layout: Layout, parts: readonly Part[]): void {
  if (parts.length === 0) return;
  const { blocks } = layout;
  const prose = [0];
  for (const block of blocks) prose.push(prose.at(-1)! + (block.place === 'own' ? proseOf(block) : 0));
  const most = TEXT_SHARE * prose.at(-1)!;
  for (const { from, to } of parts) {
    const [first, end] = [blockAt(blocks, from), blockAt(blocks, to)];
    if (prose[end]! - prose[first]! > most) continue;
    // An inline element counts if it is nearly the whole paragraph.
    if (end > first && to - from < COVERED_SHARE * (blocks[end - 1]!.end - from)) continue;
    for (let i = first; i < end; i++)
      if (blocks[i]!.place === 'own' && !isData(blocks[i]!)) blocks[i] = { ...blocks[i]!, place: 'beside' };
  }
}

/** Tables and source code in figures belong to the text. */
function isData({ kind }: Block): boolean {
  const of = paragraphKind(kind);
  return of === PARAGRAPH.code || of === PARAGRAPH.cell || of === PARAGRAPH.headerCell || of === PARAGRAPH.cellRest;
}

/** Returns the index of the first block that starts at `at` or later. */
function blockAt(blocks: readonly Block[], at: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.start < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the number of characters if the paragraph is prose, else 0. */
function proseOf({ start, end, linkChars }: Block): number {
  const chars = end - start;
  return chars >= PROSE_CHARS && linkChars < PROSE_LINK_SHARE * chars ? chars : 0;
}

function isReading({ chars, linkChars, prose }: Amount, page: Amount): boolean {
  if (prose < MIN_PROSE) return false;
  return (prose >= MIN_PROSE_SHARE * chars && linkChars <= MAX_LINK_SHARE * chars) || prose > PAGE_SHARE * page.prose;
}

function amountOf(blocks: readonly Block[]): Amount {
  const amount = { chars: 0, linkChars: 0, prose: 0 };
  for (const block of blocks) {
    const { start, end, linkChars } = block;
    const chars = end - start;
    amount.chars += chars;
    amount.linkChars += linkChars;
    amount.prose += proseOf(block);
  }
  return amount;
}
