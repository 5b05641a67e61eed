import type { Block, Layout } from './layout.ts';

/** A paragraph with a greater share of link characters is a list of links, if it is short too. */
const LINK_SHARE = 0.6;
const SHORT_CHARS = 120;
/** A row of links has hardly more characters than this for each. */
const ROW_LINK_CHARS = 40;
/** This many lists of links in a row are navigation; fewer may be a "see also". */
const RUN_OF_LINKS = 4;
/** Less main text than this, and less than a tenth of all, means that the marks misled us. */
const MIN_CHARS = 100;
const MIN_SHARE = 0.1;

export interface MainText {
  /** What is surely the page's own: without navigation, header, footer and asides, and without long runs of paragraphs that are nothing but links. */
  readonly own: readonly Block[];
  /** The same; where that is next to nothing (a hub, a misleading class name), all but the runs of links, or all. */
  readonly shown: readonly Block[];
}

/** The paragraphs that are the page's own. */
export function mainText(layout: Layout): MainText {
  const { blocks } = layout;
  const own = withoutLinkRuns(blocks.filter((block) => block.place === 'own' && !isBracketed(layout, block)));
  const kept = charsOf(own);
  if (kept >= MIN_CHARS || (kept > 0 && kept >= MIN_SHARE * charsOf(blocks))) return { own, shown: own };
  // The marks misled us; lists of links are navigation all the same, unless they are all there is.
  const unmarked = withoutLinkRuns(blocks);
  return { own, shown: charsOf(unmarked) >= MIN_CHARS ? unmarked : blocks };
}

/** `[edit]`, `[edit | edit source]`: links that do something with the paragraph above. */
function isBracketed({ chars }: Layout, { start, end, linkChars }: Block): boolean {
  return chars[start] === 91 && chars[end - 1] === 93 && linkChars >= (end - start) / 2;
}

function withoutLinkRuns(blocks: readonly Block[]): readonly Block[] {
  const kept: Block[] = [];
  let run: Block[] = [];
  let weight = 0;
  for (const block of blocks) {
    if (isLinkList(block)) {
      run.push(block);
      weight += isRow(block) ? block.links : 1;
      continue;
    }
    if (weight < RUN_OF_LINKS) kept.push(...run);
    run = [];
    weight = 0;
    kept.push(block);
  }
  if (weight < RUN_OF_LINKS) kept.push(...run);
  return kept;
}

function isLinkList(block: Block): boolean {
  const chars = block.end - block.start;
  return block.linkChars > LINK_SHARE * chars && (chars < SHORT_CHARS || isRow(block));
}

/** Several links with nothing but blanks between them: a menu that is no list. Authors of a paper have commas between. */
function isRow({ start, end, linkChars, links }: Block): boolean {
  return links > 1 && end - start - linkChars < links && end - start < ROW_LINK_CHARS * links;
}

/** Characters of some paragraphs. */
export function charsOf(blocks: readonly Block[]): number {
  let sum = 0;
  for (const block of blocks) sum += block.end - block.start;
  return sum;
}
