import {
  type AnalyzedDocument,
  contentHash,
  type FeatureSpace,
  type LinkTable,
  statementsOf,
  type TermCounts,
} from '../core/index.ts';
import { ownCopy, packSorted, WordTrail } from '../kit/index.ts';
import { codeUnits } from './code-units.ts';
import { pairCounts, StemCounter } from './features.ts';
import { simhash } from './fingerprint.ts';
import { clip } from './fold.ts';
import { type Block, type Layout, utf8Of, wholeUnit } from './html/layout.ts';
import { charsOf, type MainText, mainText } from './html/main-text.ts';
import type { PageMeta } from './html/page-meta.ts';
import { standIn } from './html/structured-text.ts';
import { structureIn } from './html/text-structure.ts';
import { hasMarks } from './words/char-class.ts';
import { languageOf, primaryTag } from './words/language.ts';
import { scanWords, TokenStream, unitsOf, vocabularyOf } from './words/tokenize.ts';
import { NO_STEM, type Vocabulary } from './words/vocabulary.ts';

/**
 * Weight of a title word relative to a word of the text. Titles are the shortest reliable summary of a page. Three
 * lifts a title's words above chance mentions, and does not dominate a text about something else.
 */
const TITLE_WEIGHT = 3;

/** Number of words at the start of the text, stop words included, that belong to the lead. More than 80 help less. */
const LEAD_WORDS = 40;

/** English text has 40 to 50 % stop words; no other language has this share of English ones. */
const SURE_ENGLISH = 0.3;
const STOP_SHARE_WORDS = 400;
const MIN_STOP_SHARE_WORDS = 20;

/** A page with less text than this is filled by scripts, or almost empty. Our choice. */
const SHELL_CHARS = 100;

const NO_BLOCKS: ReadonlySet<Block> = new Set();

/** How much of a page is read, and for what. */
export interface AnalyzeOptions {
  /** False: all paragraphs count, including navigation and banners. Default: true. */
  readonly mainText?: boolean;
  readonly maxTextChars: number;
  readonly maxTokens: number;
  readonly pairWindow: number;
  /** True: the document will be packed, and the data for that is recorded in it. Default: false. */
  readonly noted?: boolean;
  /** Feature spaces to build; only `terms`, `pairs`, `lead` and `form` can be built from the page alone. */
  readonly spaces: readonly FeatureSpace[];
}

/** A thread makes one document at a time, and reuses the stream. */
const stream = new TokenStream();
const counter = new StemCounter();
const trail = new WordTrail();

/** Makes a document from the text in a layout, and overwrites the layout. @param said the page's metadata and links */
export function documentOf(
  layout: Layout,
  said: { readonly meta: PageMeta; readonly links: LinkTable },
  options: AnalyzeOptions,
): AnalyzedDocument {
  const { meta, links } = said;
  const { blocks } = layout;
  const main = options.mainText === false ? { own: blocks, shown: blocks, beside: NO_BLOCKS } : mainText(layout);
  const drawn = structureIn(layout, main);
  const packed = packText(layout, main, meta, options.maxTextChars);
  const length = compose(layout, packed.length, options.maxTextChars);
  const noted = options.noted === true;
  const chars = layout.chars.subarray(0, length);
  const text = (): string => layout.slice(0, length);
  const { language, vocabulary, titleTokens } = readWords(meta.language, {
    title: meta.title,
    text,
    chars,
    maxTokens: options.maxTokens,
    noted,
  });
  const utf8 = utf8Of(chars);
  counter.add(stream, { from: 0, to: titleTokens, weight: TITLE_WEIGHT }, vocabulary);
  counter.add(stream, { from: titleTokens, to: stream.length, weight: 1 }, vocabulary);
  const terms = counter.take(vocabulary);
  const features: { -readonly [S in FeatureSpace]?: TermCounts } = {};
  if (options.spaces.includes('terms')) features.terms = terms;
  if (options.spaces.includes('pairs')) features.pairs = pairCounts(stream, options.pairWindow, vocabulary);
  if (options.spaces.includes('lead')) {
    counter.add(stream, { from: 0, to: Math.min(stream.length, titleTokens + LEAD_WORDS), weight: 1 }, vocabulary);
    features.lead = counter.take(vocabulary);
  }
  return {
    title: ownCopy(meta.title),
    language,
    text: noted ? '' : text(),
    tokens: stream.length,
    features,
    links,
    ...(packed.isShown && drawn && { structure: drawn }),
    canonical: meta.canonical,
    noindex: meta.noindex,
    nofollow: meta.nofollow,
    ...(Number.isFinite(meta.maxSnippet) && { maxSnippet: meta.maxSnippet }),
    contentHash: contentHash(utf8),
    simhash: simhash(terms),
    statements: statementsOf(chars),
    ...(noted && { noted: { utf8, pairs: packSorted(trail.pairs()) } }),
  };
}

interface Packed {
  readonly length: number;
  /** The text consists of the page's own paragraphs. */
  readonly isShown: boolean;
}

/** Packs the page's text. A page that is almost empty uses its metadata if that is longer. */
function packText(layout: Layout, { own, shown }: MainText, meta: PageMeta, maxChars: number): Packed {
  if (charsOf(own) >= SHELL_CHARS) return { length: packBlocks(layout, shown, maxChars), isShown: true };
  const { passage, description } = standIn(meta);
  if (passage.length > charsOf(shown))
    return { length: packBehind(layout, packBlocks(layout, own, maxChars), passage, maxChars), isShown: false };
  const length = packBlocks(layout, shown, maxChars);
  const isSilent = length < SHELL_CHARS && description.length > length;
  return isSilent
    ? { length: packBehind(layout, length, description, maxChars), isShown: false }
    : { length, isShown: true };
}

function packBehind(layout: Layout, length: number, text: string, maxChars: number): number {
  const added = clip(text, maxChars - length - 1).trimEnd();
  return added === '' ? length : layout.extend(length, added);
}

/**
 * Normalizes the text at the front of the layout as users type it, with letters and marks composed. Returns its end.
 */
function compose(layout: Layout, length: number, maxChars: number): number {
  if (!hasMarks(layout.chars, length)) return length;
  const text = clip(layout.slice(0, length).normalize('NFC'), maxChars);
  layout.chars = codeUnits(text, layout.chars);
  return text.length;
}

interface Words {
  readonly language: string;
  readonly vocabulary: Vocabulary;
  /** Number of title words at the start of the stream. */
  readonly titleTokens: number;
}

interface WordSource {
  readonly title: string;
  readonly text: () => string;
  /** The text's code units. */
  readonly chars: Uint16Array;
  readonly maxTokens: number;
  /** Whether the trail also records the words. */
  readonly noted: boolean;
}

/**
 * Fills the stream with the words of title and text. Most pages are English: all are read as English first, and many
 * stop words confirm it without another test.
 */
function readWords(declared: string, source: WordSource): Words {
  const claim = primaryTag(declared);
  if (claim === '' || claim === 'en') {
    const words = readWordsAs('en', source);
    if (stopShare(words.titleTokens) >= SURE_ENGLISH) return words;
  }
  return readWordsAs(languageOf(source.text(), claim), source);
}

function readWordsAs(language: string, { title, chars, maxTokens, noted }: WordSource): Words {
  const vocabulary = vocabularyOf(language);
  vocabulary.freshen();
  const into = { vocabulary, stream, limit: maxTokens, ...(noted && { trail }) };
  stream.length = 0;
  trail.clear();
  scanWords(unitsOf(title), 0, title.length, into);
  const titleTokens = stream.length;
  scanWords(chars, 0, chars.length, into);
  return { language, vocabulary, titleTokens };
}

/** Returns the share of stop words among the first words of the text. */
function stopShare(from: number): number {
  const to = Math.min(stream.length, from + STOP_SHARE_WORDS);
  let stops = 0;
  for (let i = from; i < to; i++) if (stream.ids[i] === NO_STEM) stops++;
  return to - from < MIN_STOP_SHARE_WORDS ? 0 : stops / (to - from);
}

/** Moves the blocks to the front of the layout, separated by line breaks; links must have been read before. */
function packBlocks({ chars }: Layout, blocks: readonly Block[], maxChars: number): number {
  let n = 0;
  for (const { start, end } of blocks) {
    if (n > 0 && n < maxChars) chars[n++] = 10;
    const taken = Math.min(end - start, maxChars - n);
    if (taken <= 0) break;
    if (n !== start) chars.copyWithin(n, start, start + taken);
    n += taken;
  }
  if (n === maxChars) n = wholeUnit(chars, n);
  while (n > 0 && chars[n - 1]! <= 32) n--;
  return n;
}
