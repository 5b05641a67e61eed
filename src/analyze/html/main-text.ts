import { PARAGRAPH, paragraphKind } from '../../core/index.ts';
import type { Block, Layout } from './layout.ts';
import { isEndMark, isRemark } from './remarks.ts';

/** A short paragraph with a greater share of link characters is a list of links. */
const LINK_SHARE = 0.6;
const SHORT_CHARS = 120;
/** Maximum average number of characters per link in a row of links. */
const ROW_LINK_CHARS = 40;
/** This many consecutive lists of links are navigation; fewer may be a "see also". */
const RUN_OF_LINKS = 4;
/** A page is an article if its sentences have this many characters and this share of the text. Our choice. */
const ARTICLE_CHARS = 600;
const ARTICLE_SHARE = 0.6;
/** A paragraph with at least this many characters, and a smaller share of link characters, is made of sentences. */
const SENTENCE_CHARS = 80;
const SENTENCE_LINK_SHARE = 0.4;
/** A paragraph with a greater share of link characters is one link, apart from a bullet or an arrow. */
const LONE_LINK_SHARE = 0.9;
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
  /** Paragraphs of `shown` that stand beside the text: captions, bylines, comments, related pages. */
  readonly beside: ReadonlySet<Block>;
}

/** Selects the paragraphs of the page's own content. */
export function mainText(layout: Layout): MainText {
  const { blocks } = layout;
  const marked = withoutLinkRuns(
    blocks.filter((block) => block.place !== 'boilerplate' && !isBracketed(layout, block)),
  );
  // A page without furniture, or a document, is all text.
  const hasFurniture = marked.length < blocks.length;
  const own = hasFurniture ? withoutBareHeadings(blocks, isArticle(marked) ? articleOf(marked) : marked) : marked;
  const kept = charsOf(own);
  if (kept >= MIN_CHARS || (kept > 0 && kept >= MIN_SHARE * charsOf(blocks)))
    return { own, shown: own, beside: besideOf(layout, own) };
  // The marks are misleading. Lists of links still count as navigation, unless there is nothing else.
  const unmarked = withoutLinkRuns(blocks);
  const shown = charsOf(unmarked) >= MIN_CHARS ? unmarked : blocks;
  return { own, shown, beside: besideOf(layout, shown) };
}

/** Paragraphs with at most this many characters may be a remark such as "Photo: …". */
const REMARK_CHARS = 200;

/**
 * Finds the paragraphs that stand beside the text: what the markup names so, remarks by their first words, the parts
 * that such a heading begins after the text, and links and short paragraphs around the sentences.
 */
function besideOf(layout: Layout, blocks: readonly Block[]): ReadonlySet<Block> {
  const beside = new Set(blocks.filter(({ place }) => place === 'beside'));
  const prose = proseOf(blocks.filter((block) => !beside.has(block)));
  let left = prose;
  for (const [i, block] of blocks.entries()) {
    if (beside.has(block)) continue;
    if (isSentence(block)) left -= block.end - block.start;
    if (!isText(block)) continue;
    if (isLoneLink(block)) beside.add(block);
    if (block.end - block.start > REMARK_CHARS) continue;
    const text = layout.slice(block.start, block.end);
    if (isRemark(text)) beside.add(block);
    if (isEndMark(text) && left <= TAIL_SHARE * prose) {
      for (const after of blocks.slice(i)) beside.add(after);
      break;
    }
  }
  if (beside.size === 0) return beside;
  const main = blocks.filter((block) => !beside.has(block));
  if (charsOf(main) < MIN_CHARS) return new Set();
  const kept = new Set(withoutBareHeadings(blocks, main));
  return new Set(blocks.filter((block) => !kept.has(block)));
}

/** An end mark with a greater share of the prose after it is a heading of the text. */
const TAIL_SHARE = 0.4;

function proseOf(blocks: readonly Block[]): number {
  return charsOf(blocks.filter(isSentence));
}

/** Whether it is neither a cell nor code. */
function isText({ kind }: Block): boolean {
  const of = paragraphKind(kind);
  return of === PARAGRAPH.plain || of === PARAGRAPH.heading || of === PARAGRAPH.item || of === PARAGRAPH.numberedItem;
}

/** `[edit]`, `[edit | edit source]`: command links for the preceding paragraph. */
function isBracketed({ chars }: Layout, { start, end, linkChars }: Block): boolean {
  return chars[start] === 91 && chars[end - 1] === 93 && linkChars >= (end - start) / 2;
}

/**
 * Leaves out what stands between and around the sentences of an article: paragraphs that are one short link, and short paragraphs before
 * its first heading and after its end. Lists, tables and source code belong to it.
 */
function articleOf(blocks: readonly Block[]): readonly Block[] {
  const kept = blocks.filter((block) => !isPlain(block) || !isLoneLink(block));
  const first = kept.findIndex((block) => isSentence(block) || isHeading(block));
  const last = kept.findLastIndex((block) => isSentence(block) || !(isHeading(block) || isPlain(block)));
  return kept.slice(first, last + 1);
}

/** Whether the page is an article: most of its text is sentences. */
function isArticle(blocks: readonly Block[]): boolean {
  const sentences = charsOf(blocks.filter(isSentence));
  return sentences >= ARTICLE_CHARS && sentences >= ARTICLE_SHARE * charsOf(blocks);
}

function isSentence({ start, end, linkChars }: Block): boolean {
  return end - start >= SENTENCE_CHARS && linkChars < SENTENCE_LINK_SHARE * (end - start);
}

function isLoneLink({ start, end, linkChars }: Block): boolean {
  return end - start < SHORT_CHARS && linkChars >= LONE_LINK_SHARE * (end - start);
}

function isHeading({ kind }: Block): boolean {
  return paragraphKind(kind) === PARAGRAPH.heading;
}

function isPlain({ kind }: Block): boolean {
  return paragraphKind(kind) === PARAGRAPH.plain;
}

/** Leaves out headings of parts that are left out. A heading without any text under it stays. */
function withoutBareHeadings(blocks: readonly Block[], kept: readonly Block[]): readonly Block[] {
  const isKept = new Set(kept);
  const left = new Set<Block>();
  /** Text under the current heading. */
  let [hasKept, hasOmitted] = [false, false];
  for (const block of blocks.toReversed()) {
    if (!isKept.has(block)) hasOmitted = true;
    else if (!isHeading(block)) hasKept = true;
    else {
      const isBare = hasOmitted && !hasKept;
      if (isBare) left.add(block);
      [hasKept, hasOmitted] = [false, isBare];
    }
  }
  return left.size === 0 ? kept : kept.filter((block) => !left.has(block));
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
