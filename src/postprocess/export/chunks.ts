import type { Bibliography } from '../../core/index.ts';
import { hash32 } from '../../kit/index.ts';
import { joinedMarkdown, type MarkedParagraph } from './paragraphs.ts';

/** How a page is divided. */
export interface ChunkOptions {
  /** Greatest length in characters of Markdown; one longer paragraph is a chunk of its own. */
  readonly size: number;
  /** Characters of the end of a chunk that the next one repeats, in whole paragraphs. */
  readonly overlap: number;
}

export const CHUNKS: ChunkOptions = { size: 2_000, overlap: 0 };

/** The page that chunks cite. */
export interface ChunkedPage {
  readonly finalUrl: string;
  readonly title: string;
  readonly topic: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  readonly bibliography?: Bibliography | undefined;
}

/** A passage with what leads back to it. */
export interface Chunk {
  /** Derived from page and paragraphs: unchanged passages keep it in later exports. */
  readonly id: string;
  /** Markdown. */
  readonly text: string;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** Ids of its paragraphs, in order. */
  readonly paragraphs: readonly string[];
  readonly url: string;
  /** Opens the page at the passage: a text fragment. */
  readonly link: string;
  readonly title: string;
  readonly topic: string;
  readonly language: string | null;
  readonly authors: readonly string[];
  readonly published: string | null;
  /** ISO 8601, UTC. */
  readonly fetchedAt: string;
  /** Title, authors, date and address as one line. */
  readonly citation: string;
}

/** A chunk reaches this share of its size before a heading ends it; a chunk of a heading alone is useless. */
const LEAST_SHARE = 0.25;

/** Divides a page into passages. A heading begins a new one if the current passage is long enough. */
export function chunksOf(page: ChunkedPage, paragraphs: readonly MarkedParagraph[], options: ChunkOptions): Chunk[] {
  const chunks: Chunk[] = [];
  const above: string[] = [];
  let headings: readonly string[] = [];
  let current: MarkedParagraph[] = [];
  let isRepeated = false;
  const end = (): void => {
    if (current.length > 0 && !isRepeated) chunks.push(chunkOf(page, current, headings));
    current = overlapOf(current, options.overlap);
    isRepeated = true;
  };
  for (const paragraph of paragraphs) {
    const length = lengthOf(current);
    const { level } = paragraph;
    const isFull = length > 0 && length + paragraph.markdown.length > options.size;
    if (isFull || (level > 0 && length >= LEAST_SHARE * options.size)) end();
    // A passage under another heading repeats nothing.
    if (level > 0 && isRepeated) current = [];
    if (level > 0) above.splice(level - 1, above.length, paragraph.text);
    if (current.length === 0 || isRepeated) headings = [...above];
    current.push(paragraph);
    isRepeated = false;
  }
  end();
  return chunks;
}

function lengthOf(paragraphs: readonly MarkedParagraph[]): number {
  return paragraphs.reduce((sum, { markdown }) => sum + markdown.length + 2, 0);
}

function overlapOf(paragraphs: readonly MarkedParagraph[], chars: number): MarkedParagraph[] {
  let from = paragraphs.length;
  for (let sum = 0; from > 1; from--) {
    sum += paragraphs[from - 1]!.markdown.length;
    if (sum > chars) break;
  }
  return paragraphs.slice(from);
}

function chunkOf(page: ChunkedPage, paragraphs: readonly MarkedParagraph[], headings: readonly string[]): Chunk {
  const { authors = [], published, title: stated } = page.bibliography ?? {};
  const ids = paragraphs.map(({ id }) => id);
  const title = (stated ?? page.title).toWellFormed();
  const fetchedAt = new Date(page.fetchedAt).toISOString();
  const said = [title, authors.join(', '), published ?? `fetched ${fetchedAt.slice(0, 10)}`, page.finalUrl];
  return {
    id: `${hash32(page.finalUrl).toString(36)}-${hash32(ids.join(' ')).toString(36)}`,
    text: joinedMarkdown(paragraphs),
    headings,
    paragraphs: ids,
    url: page.finalUrl,
    link: linkTo(page.finalUrl, paragraphs),
    title,
    topic: page.topic,
    language: page.language === '' ? null : page.language,
    authors,
    published: published ?? null,
    fetchedAt,
    citation: said.filter((part) => part !== '').join('. '),
  };
}

/** Words of a paragraph that a text fragment names. */
const FRAGMENT_WORDS = 8;

function linkTo(url: string, paragraphs: readonly MarkedParagraph[]): string {
  const text = paragraphs.find((paragraph) => paragraph.text !== '')?.text.split('\n')[0] ?? '';
  if (text === '' || url.includes('#')) return url;
  const words = text.split(' ').slice(0, FRAGMENT_WORDS).join(' ');
  return `${url}#:~:text=${encodeURIComponent(words.toWellFormed()).replaceAll('-', '%2D')}`;
}
