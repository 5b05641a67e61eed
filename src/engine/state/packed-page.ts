import {
  type Assignment,
  type Confidence,
  type Link,
  type LinkTable,
  MAX_POSITION,
  type TopicId,
  type TopicScores,
  unpackLinks,
} from '../../core/index.ts';
import type { JudgedPage } from '../../crawl/index.ts';
import { freeBytes } from '../../kit/index.ts';

/** Links outside the heap: as small objects or strings they would fill much of the main thread's heap. */
interface PackedLinks extends Pick<LinkTable, 'size' | 'flags' | 'positions'> {
  /** URLs, then anchors, then contexts, one per line. */
  readonly lines: Buffer;
  readonly encoding: 'utf8' | 'utf16le';
  /** Absent if no link has a priority by an extension; NaN for links without one. */
  readonly priorities?: Float64Array;
}

/**
 * Scores of all topics of the tree; equal scores of neighbouring topics are stored once. A page that the user placed
 * has one score there and another everywhere else: one object for each of hundreds of topics took half a gigabyte for
 * ten thousand examples.
 */
interface PackedScores {
  /** In tree order; pages with the same topics share one list. */
  readonly topics: readonly TopicId[];
  /** Scores of each run of equal neighbours, see {@link NUMBERS}. */
  readonly numbers: Float64Array;
  /** Number of topics in each run. */
  readonly counts: Uint32Array;
}

/** A judged page whose links are followed later, in a fraction of its memory. */
export interface PackedPage {
  readonly page: Omit<JudgedPage, 'links' | 'assignment'>;
  readonly assignment: Omit<Assignment, 'scores'>;
  readonly scores: PackedScores;
  readonly links: PackedLinks;
}

const NUMBERS = ['confidence', 'calibrated', 'bayes', 'bayesCalibrated', 'cosine', 'relevance'] as const;

/** Packs pages whose links are stored in a table. */
export class PagePacker {
  #topics: readonly TopicId[] = [];

  pack({ links, assignment: { scores, ...assignment }, ...page }: JudgedPage): PackedPage {
    return { page, assignment, scores: this.#packScores(scores), links: packLinks(links) };
  }

  #packScores(scores: readonly TopicScores[]): PackedScores {
    const isSame = scores.length === this.#topics.length && scores.every(({ topic }, i) => topic === this.#topics[i]);
    if (!isSame) this.#topics = scores.map(({ topic }) => topic);
    const starts = [...scores.keys()].filter((i) => i === 0 || !isAlike(scores[i - 1]!, scores[i]!));
    return {
      topics: this.#topics,
      numbers: Float64Array.from(starts.flatMap((i) => NUMBERS.map((name) => scores[i]![name]))),
      counts: Uint32Array.from(starts, (start, run) => (starts[run + 1] ?? scores.length) - start),
    };
  }
}

/** Returns the original page. */
export function unpackPage({ page, assignment, scores, links }: PackedPage): JudgedPage {
  const { orderedBy = '' } = page;
  const unpacked = unpackLinksOf(links, orderedBy);
  return { ...page, assignment: { ...assignment, scores: unpackScores(scores) }, links: unpacked };
}

/** Frees the memory outside the heap at once. */
export function freePages(pages: readonly PackedPage[]): void {
  freeBytes(...pages.map(({ links }) => links.lines));
}

function isAlike(a: TopicScores, b: TopicScores): boolean {
  return NUMBERS.every((name) => Object.is(a[name], b[name]));
}

function unpackScores({ topics, numbers, counts }: PackedScores): readonly TopicScores[] {
  const scores: TopicScores[] = [];
  counts.forEach((count, run) => {
    const [own, calibrated, bayes, bayesCalibrated, cosine, relevance] = numbers.subarray(NUMBERS.length * run);
    const same = { calibrated: calibrated!, bayes: bayes!, bayesCalibrated: bayesCalibrated! };
    const more = { confidence: own as Confidence, cosine: cosine!, relevance: relevance!, ...same };
    for (let i = 0; i < count; i++) scores.push({ topic: topics[scores.length]!, ...more });
  });
  return scores;
}

/** None of the texts contains a line break. */
function packLinks(links: readonly Link[]): PackedLinks {
  const size = links.length;
  const texts = new Array<string>(3 * size);
  const flags = new Uint8Array(size);
  const positions = new Uint16Array(size);
  for (let i = 0; i < size; i++) {
    const { url, anchor, context, flags: flag, position } = links[i]!;
    texts[i] = url;
    texts[size + i] = anchor;
    texts[2 * size + i] = context;
    flags[i] = flag;
    positions[i] = Math.round(position * MAX_POSITION);
  }
  const text = texts.join('\n');
  const encoding = text.isWellFormed() ? 'utf8' : 'utf16le';
  // Memory of its own can be freed: small buffers share Node's pools.
  const lines = Buffer.allocUnsafeSlow(Buffer.byteLength(text, encoding));
  lines.write(text, encoding);
  const packed: PackedLinks = { size, flags, positions, encoding, lines };
  if (links.every(({ priority }) => priority === undefined)) return packed;
  return { ...packed, priorities: Float64Array.from(links, ({ priority = Number.NaN }) => priority) };
}

function unpackLinksOf(
  { size, flags, positions, encoding, lines, priorities }: PackedLinks,
  ordering: string,
): readonly Link[] {
  const all = lines.toString(encoding).split('\n');
  const part = (i: number): string => all.slice(i * size, (i + 1) * size).join('\n');
  const table = { size, flags, positions, urls: part(0), anchors: part(1), contexts: part(2) };
  return unpackLinks(priorities === undefined ? table : { ...table, given: { ordering, priorities } });
}
