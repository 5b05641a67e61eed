import { HASH_START, hashStep, mix32, SECOND_SEED } from '../kit/index.ts';
import type { PageFields, PageVote } from './extension.ts';
import type { CanonicalUrl } from './ids.ts';
import type { TextStructure } from './structure.ts';

/**
 * Feature spaces (BINGO! §3.4). `terms`, `pairs`, `lead` and `form` are built from the page itself; `anchors` and
 * `neighbours` from the pages around it. `lead` holds the words of the title and the first words of the main text, where
 * a page says what it is about. `form` holds what kind of page it is: address, patterns, counts. `meaning` holds a vector
 * of the first words, by the server of `learn.embeddings`.
 */
export const FEATURE_SPACES = ['terms', 'pairs', 'anchors', 'neighbours', 'lead', 'form', 'meaning'] as const;
export type FeatureSpace = (typeof FEATURE_SPACES)[number];

/** A feature space, or several joined into one (BINGO! §3.4): `terms+anchors`. Each has its own classifier. */
export type SpaceName = FeatureSpace | `${FeatureSpace}+${string}`;

/** Returns the feature spaces joined by a name, in its order; `undefined` if a part is missing, unknown or repeated. */
export function spaceParts(name: string): readonly FeatureSpace[] | undefined {
  const words = name.split('+').map((word) => word.trim());
  const parts = words.flatMap((word) => FEATURE_SPACES.filter((space) => space === word));
  return parts.length === words.length && new Set(parts).size === parts.length ? parts : undefined;
}

/** Returns all feature spaces in these names, without duplicates, in the order of {@link FEATURE_SPACES}. */
export function baseSpaces(names: readonly SpaceName[]): readonly FeatureSpace[] {
  const used = new Set(names.flatMap((name) => spaceParts(name) ?? []));
  return FEATURE_SPACES.filter((space) => used.has(space));
}

/**
 * A bag of features, packed so that it is sent to threads as one string and one typed array. `features` are joined by
 * `\n`, distinct, not empty; `counts[i]` (>= 1) belongs to the i-th.
 */
export interface TermCounts {
  readonly features: string;
  readonly counts: Uint16Array;
  /** Two numbers per feature, see {@link hashesOf}, if already computed. Never stored. */
  readonly hashes?: Uint32Array;
}

/** Feature bags of one document; spaces that were not built are absent. */
export type DocumentFeatures = Readonly<Partial<Record<FeatureSpace, TermCounts>>>;

/**
 * All links of a page, packed in the same way: strings joined by `\n` (no string contains one), one item per link.
 * URLs are absolute and canonical, without the page's own; each pair of URL and anchor is listed once, in document
 * order.
 */
export interface LinkTable {
  /** Number of links. */
  readonly size: number;
  readonly urls: string;
  readonly anchors: string;
  /** About ten words before and after the anchor, with `…` for the anchor itself. */
  readonly contexts: string;
  /** Bit field per link, see {@link LINK_FLAG}. */
  readonly flags: Uint8Array;
  /** Position in the page: 0 at the first byte, 65535 at the last. */
  readonly positions: Uint16Array;
  /** Priorities by an extension, if one gave any. Not part of the packed content. */
  readonly given?: GivenPriorities;
}

/** Priorities that an ordering of the user gave to the links of a page. */
export interface GivenPriorities {
  /** Name of the extension. */
  readonly ordering: string;
  /** In [0,1], one per link; NaN where it gave none. */
  readonly priorities: Float64Array;
}

export const LINK_FLAG = {
  nofollow: 1,
  /** In navigation, header, footer or an aside. */
  boilerplate: 2,
  /** An image, an image map or an element without words: the anchor is the alternative text or the name. */
  image: 4,
  /** A frame, iframe or meta refresh. */
  frame: 8,
  /** Inside a list that is mostly links. */
  list: 16,
  /** Link to a sitemap, from robots.txt or a sitemap index. */
  sitemap: 32,
} as const;

/** One link, unpacked. */
export interface Link {
  readonly url: string;
  readonly anchor: string;
  readonly context: string;
  readonly flags: number;
  /** 0 at the start of the page … 1 at its end. */
  readonly position: number;
  /** Priority by an extension, in [0,1], if it gave one. */
  readonly priority?: number;
}

/** Result of analysing a page: one small plain object. */
export interface AnalyzedDocument {
  readonly title: string;
  /** ISO 639-1 code, or `''` if unknown. */
  readonly language: string;
  /** Main text with collapsed white space, at most `analyze.maxTextChars`. */
  readonly text: string;
  /** Number of content tokens, including stop words. */
  readonly tokens: number;
  readonly features: DocumentFeatures;
  readonly links: LinkTable;
  /** What the paragraphs of `text` are; absent if unknown. The fold does not need it. */
  readonly structure?: TextStructure;
  /** Target of `<link rel=canonical>` or of the equivalent `Link` header, absolute and canonical, or `''`. */
  readonly canonical: string;
  /** The bibliographic record and fields that extractors added, if any. The fold does not need them, so the journal is read without. */
  readonly fields?: PageFields;
  /** Votes of page classifiers, if any. The fold does not need them, either. */
  readonly votes?: readonly PageVote[];
  /** From meta robots. */
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** Maximum snippet length in characters, 0 for no snippet (`nosnippet`, `max-snippet`); absent: no limit. */
  readonly maxSnippet?: number;
  /**
   * Target of an automatic redirect by a page of few words; absent without one. Never stored: the page counts as a
   * redirect.
   */
  readonly forward?: Forward;
  /** 32 hex digits over the normalised text; equal text has equal hashes. `''` without text. */
  readonly contentHash: string;
  /** 64-bit simhash of the terms, as two unsigned 32-bit halves. */
  readonly simhash: readonly [number, number];
  /** See `statementsOf`. Not stored: it follows from the text. Absent if the text is unknown. */
  readonly statements?: Uint32Array;
  /** Data for packing, if already computed; it then holds the only copy of the text. Never stored or sent. */
  readonly noted?: TextNotes;
}

/** A meta refresh to another page. */
export interface Forward {
  readonly target: CanonicalUrl;
  readonly isAtOnce: boolean;
}

/** Data derived from title and text, in packed form. */
export interface TextNotes {
  /** The text in UTF-8. */
  readonly utf8: Uint8Array;
  /** See `PackedDocument`. */
  readonly pairs: Uint8Array<ArrayBuffer>;
}

export const EMPTY_LINKS: LinkTable = Object.freeze({
  size: 0,
  urls: '',
  anchors: '',
  contexts: '',
  flags: new Uint8Array(0),
  positions: new Uint16Array(0),
});

export const EMPTY_COUNTS: TermCounts = Object.freeze({ features: '', counts: new Uint16Array(0) });

/** The position 1 in link tables. */
export const MAX_POSITION = 0xffff;

/** Unpacks a link table. */
export function unpackLinks(table: LinkTable): Link[] {
  if (table.size === 0) return [];
  const urls = table.urls.split('\n');
  const anchors = table.anchors.split('\n');
  const contexts = table.contexts.split('\n');
  const { priorities } = table.given ?? {};
  return urls.map((url, i) => {
    const link: Link = {
      url,
      anchor: anchors[i] ?? '',
      context: contexts[i] ?? '',
      flags: table.flags[i] ?? 0,
      position: (table.positions[i] ?? 0) / MAX_POSITION,
    };
    const priority = priorities?.[i] ?? Number.NaN;
    return Number.isNaN(priority) ? link : { ...link, priority };
  });
}

/** Packs links; line breaks inside strings become spaces. Positions are clamped to [0,1]. */
export function packLinks(links: readonly Link[]): LinkTable {
  const line = (s: string): string => (s.includes('\n') || s.includes('\r') ? s.replace(/[\n\r]+/g, ' ') : s);
  return {
    size: links.length,
    urls: links.map((l) => line(l.url)).join('\n'),
    anchors: links.map((l) => line(l.anchor)).join('\n'),
    contexts: links.map((l) => line(l.context)).join('\n'),
    flags: Uint8Array.from(links, (l) => l.flags),
    positions: Uint16Array.from(links, (l) => Math.round(Math.min(1, Math.max(0, l.position)) * MAX_POSITION)),
  };
}

/** Unpacks a bag into `[feature, count]` pairs, in stored order. */
export function unpackCounts(bag: TermCounts): [string, number][] {
  if (bag.counts.length === 0) return [];
  return bag.features.split('\n').map((feature, i) => [feature, bag.counts[i] ?? 0]);
}

const LINE_BREAK = 10;
const LAST_ASCII = 127;

/** Returns two 32-bit hashes per feature of a bag, side by side: `hash32` and `hash32` with {@link SECOND_SEED}. */
export function hashesOf({ features, counts, hashes }: TermCounts): Uint32Array {
  if (hashes !== undefined || counts.length === 0) return hashes ?? new Uint32Array(0);
  const computed = new Uint32Array(2 * counts.length);
  let n = 0;
  let first = HASH_START;
  let second = SECOND_SEED | 0;
  for (let i = 0; i <= features.length; i++) {
    const unit = i < features.length ? features.charCodeAt(i) : LINE_BREAK;
    if (unit !== LINE_BREAK) {
      first = hashStep(first, unit);
      second = hashStep(second, unit);
      continue;
    }
    computed[n++] = mix32(first);
    computed[n++] = mix32(second);
    first = HASH_START;
    second = SECOND_SEED | 0;
  }
  return computed;
}

/**
 * Returns {@link hashesOf} of features in UTF-8, without making a string of them; `undefined` if they are not ASCII.
 * @param count number of features, >= 1
 */
export function hashesOfAscii(bytes: Uint8Array, count: number): Uint32Array | undefined {
  const computed = new Uint32Array(2 * count);
  let n = 0;
  let first = HASH_START;
  let second = SECOND_SEED | 0;
  for (let i = 0; i <= bytes.length; i++) {
    const unit = i < bytes.length ? bytes[i]! : LINE_BREAK;
    if (unit > LAST_ASCII) return undefined;
    if (unit !== LINE_BREAK) {
      first = hashStep(first, unit);
      second = hashStep(second, unit);
      continue;
    }
    computed[n++] = mix32(first);
    computed[n++] = mix32(second);
    first = HASH_START;
    second = SECOND_SEED | 0;
  }
  return computed;
}

/** Returns URLs of links without any flag of a mask, joined by `\n`. @param leftOut 0 = keeps all links */
export function linkedUrls({ size, urls, flags }: LinkTable, leftOut: number): string {
  if (size === 0) return '';
  if (!flags.some((flag) => (flag & leftOut) !== 0)) return urls;
  const isKept = (_: string, i: number): boolean => ((flags[i] ?? 0) & leftOut) === 0;
  return urls.split('\n').filter(isKept).join('\n');
}
