import type { CanonicalUrl, Confidence, Link, TopicId, TopicScores } from '../../../src/core/index.ts';
import type { FrontierEntry, JudgedPage, LinkOffer, Ordering } from '../../../src/crawl/index.ts';
import { urlKey } from '../../../src/crawl/url-key.ts';

export const TOPIC = 'topic' as TopicId;

export interface PageFields {
  readonly sequence?: number;
  readonly title?: string;
  readonly language?: string;
  /** Scores of the single topic, or of several by name. */
  readonly scores?: Partial<TopicScores>;
  readonly more?: Readonly<Record<string, Partial<TopicScores>>>;
  readonly accepted?: boolean;
  readonly entry?: FrontierEntry;
  /** URLs, or URLs with anchor and context. */
  readonly links?: readonly (string | Partial<Link>)[];
}

let nextSequence = 1;

/** Builds a judged page from the fields of interest. */
export function page(url: string, fields: PageFields = {}): JudgedPage {
  const accepted = fields.accepted ?? true;
  return {
    sequence: fields.sequence ?? nextSequence++,
    url: url as CanonicalUrl,
    host: new URL(url).host,
    title: fields.title ?? '',
    language: fields.language ?? '',
    assignment: {
      topic: (accepted ? TOPIC : '') as TopicId,
      others: !accepted,
      confidence: 0 as Confidence,
      relevance: 0,
      scores: [
        scores(TOPIC, fields.scores ?? {}),
        ...Object.entries(fields.more ?? {}).map(([topic, s]) => scores(topic, s)),
      ],
      model: 1,
    },
    entry: fields.entry,
    links: (fields.links ?? []).map((link) => ({
      ...{ url: '', anchor: '', context: '', flags: 0, position: 0 },
      ...(typeof link === 'string' ? { url: link } : link),
    })),
  };
}

/** Builds the offer of one link of a page. */
export function offer(from: JudgedPage, to: string, fields: Partial<LinkOffer> = {}): LinkOffer {
  const link = from.links.find((l) => l.url === to);
  if (link === undefined) throw new Error(`No link to ${to} on ${from.url}`);
  const host = new URL(to).host;
  return { url: to as CanonicalUrl, host, topic: TOPIC, link, page: from, depth: 1, tunnelDepth: 0, ...fields };
}

/** Judges a page and offers all its links, like the engine; returns their priorities. */
export function follow(ordering: Ordering, from: JudgedPage, fields: Partial<LinkOffer> = {}): number[] {
  ordering.judged(from);
  return from.links.map((link) => ordering.priorityOf(offer(from, link.url, fields)));
}

function scores(topic: string, given: Partial<TopicScores>): TopicScores {
  return {
    topic: topic as TopicId,
    confidence: 0 as Confidence,
    calibrated: 0,
    bayes: 0,
    bayesCalibrated: 0,
    cosine: 0,
    relevance: 0,
    ...given,
  };
}

/** Changed priorities of an ordering, by URL. Each of these URLs must be among `urls`. */
export function changesOf(ordering: Ordering, urls: Iterable<string>): [url: string, priority: number][] {
  const byKey = new Map([...urls].map((url) => [urlKey(url), url]));
  return [...ordering.changes()].map(([key, priority]) => {
    const url = byKey.get(key);
    if (url === undefined) throw new Error(`No URL has the key ${key}`);
    return [url, priority];
  });
}
