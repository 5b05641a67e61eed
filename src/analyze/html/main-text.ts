import type { Block, Layout } from './layout.ts';

/** A short paragraph with a greater share of link characters is a list of links. */
const LINK_SHARE = 0.6;
const SHORT_CHARS = 120;
/** Maximum average number of characters per link in a row of links. */
const ROW_LINK_CHARS = 40;
/** This many consecutive lists of links are navigation; fewer may be a "see also". */
const RUN_OF_LINKS = 4;
/** With less main text than this, and less than a tenth of all text, the marks are considered misleading. */
const MIN_CHARS = 100;
const MIN_SHARE = 0.1;

export interface MainText {
  /**
   * Certain content: without navigation, header, footer, asides, and long runs of paragraphs that contain only links.
   */
  readonly own: readonly Block[];
  /**
   * The same; if it is almost empty (a hub, a misleading class name), everything except the runs of links, or
   * everything.
   */
  readonly shown: readonly Block[];
}

/** Selects the paragraphs of the page's own content. */
export function mainText(layout: Layout): MainText {
  const { blocks } = layout;
  const own = withoutLinkRuns(blocks.filter((block) => block.place === 'own' && !isBracketed(layout, block)));
  const kept = charsOf(own);
  if (kept >= MIN_CHARS || (kept > 0 && kept >= MIN_SHARE * charsOf(blocks))) return { own, shown: own };
  // The marks are misleading. Lists of links still count as navigation, unless there is nothing else.
  const unmarked = withoutLinkRuns(blocks);
  return { own, shown: charsOf(unmarked) >= MIN_CHARS ? unmarked : blocks };
}

/** `[edit]`, `[edit | edit source]`: command links for the preceding paragraph. */
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

/**
 * Several links with only blanks between them: a menu that is not a list. Authors of a paper are separated by commas.
 */
function isRow({ start, end, linkChars, links }: Block): boolean {
  return links > 1 && end - start - linkChars < links && end - start < ROW_LINK_CHARS * links;
}

/** Total number of characters in paragraphs. */
export function charsOf(blocks: readonly Block[]): number {
  let sum = 0;
  for (const block of blocks) sum += block.end - block.start;
  return sum;
}
