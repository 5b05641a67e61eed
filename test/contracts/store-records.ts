import {
  type AnalyzedDocument,
  type CanonicalUrl,
  type Confidence,
  type CrawlStatus,
  type Link,
  type PageRecord,
  packLinks,
  type RoundRecord,
  type TopicId,
  type TopicScores,
  type VisitRecord,
} from '../../src/core/index.ts';
import { hash32 } from '../../src/kit/index.ts';
import { packCounts } from '../support/pack-counts.ts';

export const url = (text: string): CanonicalUrl => text as CanonicalUrl;
export const topic = (text: string): TopicId => text as TopicId;

export const link = (target: string, anchor = 'a link'): Link => ({
  url: target,
  anchor,
  context: 'words before and after',
  flags: 0,
  position: 0.5,
});

export function document(parts: Partial<AnalyzedDocument> = {}): AnalyzedDocument {
  return {
    title: 'A title',
    language: 'en',
    text: 'Some text of the page.',
    tokens: 5,
    features: { terms: packCounts([['text', 1]]) },
    links: packLinks([]),
    canonical: '',
    noindex: false,
    nofollow: false,
    contentHash: '0123456789abcdef0123456789abcdef',
    simhash: [4_294_967_295, 7],
    ...parts,
  };
}

export function scores(id: string, relevance: number): TopicScores {
  const confidence = (relevance - 0.5) as Confidence;
  return {
    topic: topic(id),
    confidence,
    calibrated: relevance,
    bayes: 0.25,
    bayesCalibrated: 1.5,
    cosine: 0.125,
    relevance,
  };
}

/** The fields that a test sets; all others have defaults. */
export interface PageParts {
  readonly topic?: string;
  readonly others?: boolean;
  readonly relevance?: number;
  readonly from?: string;
  readonly links?: readonly Link[];
  readonly stems?: Readonly<Record<string, number>>;
  readonly document?: Partial<AnalyzedDocument>;
  readonly record?: Partial<PageRecord>;
}

export function page(sequence: number, address: string, parts: PageParts = {}): PageRecord {
  const id = parts.topic ?? 'databases';
  const relevance = parts.relevance ?? 0.75;
  const from = parts.from ?? '';
  return {
    kind: 'page',
    sequence,
    url: url(address),
    finalUrl: url(address),
    redirects: [],
    host: new URL(address).host,
    role: 'crawled',
    origin: {
      via: from === '' ? 'seed' : 'link',
      from,
      topic: topic(id),
      depth: from === '' ? 0 : 1,
      tunnelDepth: 0,
      priority: 0.5,
    },
    status: 200,
    contentType: 'text/html',
    fetchedAt: 1_041_775_200_000 + sequence * 1000,
    bytes: 12_345,
    address: '192.0.2.1',
    etag: '"abc"',
    lastModified: 'Sun, 05 Jan 2003 14:00:00 GMT',
    document: document({
      features: { terms: packCounts(Object.entries(parts.stems ?? { text: 1 })) },
      links: packLinks(parts.links ?? []),
      ...parts.document,
    }),
    assignment: {
      topic: topic(id),
      others: parts.others ?? false,
      confidence: (relevance - 0.5) as Confidence,
      relevance,
      scores: [scores(id, relevance)],
      model: 1,
    },
    ...parts.record,
  };
}

export function visit(sequence: number, address: string, parts: Partial<VisitRecord> = {}): VisitRecord {
  return {
    kind: 'visit',
    sequence,
    url: url(address),
    origin: { via: 'link', from: '', topic: topic('databases'), depth: 1, tunnelDepth: 1, priority: 0.25 },
    result: 'failed',
    reason: 'timeout',
    detail: 'no answer within 60 s',
    status: 0,
    target: '',
    page: 0,
    retried: false,
    fetchedAt: 1_041_775_200_000 + sequence * 1000,
    ...parts,
  };
}

export function round(sequence: number, parts: Partial<RoundRecord> = {}): RoundRecord {
  return {
    kind: 'round',
    sequence,
    model: 1,
    blob: Uint8Array.of(1, 2, 3, 255),
    training: [
      { key: 'https://a.example/', title: 'A', topic: topic('databases'), origin: 'user', confidence: 0.5 },
      { key: 'query', title: 'query', topic: topic(''), origin: 'others', confidence: Number.NaN },
    ],
    estimates: [
      {
        topic: topic('databases'),
        positives: 3,
        negatives: 50,
        xiAlphaPrecision: Number.NaN,
        xiAlphaRecall: 0,
        heldOutPrecision: 0.5,
        heldOutRecall: 1,
        heldOutMethod: 'leave-one-out',
        heldOutAuc: 0.875,
        exampleRank: 0.75,
        features: 2000,
      },
    ],
    admitted: [{ key: 'https://b.example/', topic: topic('databases'), origin: 'archetype-by-authority' }],
    dropped: [{ key: 'https://c.example/', topic: topic('databases') }],
    refused: [{ key: 'https://e.example/', topic: topic('databases') }],
    links: [{ topic: topic('databases'), url: 'https://a.example/', hub: 0.75, authority: 0.25 }],
    boosted: [{ url: url('https://d.example/'), topic: topic('databases'), from: 'https://a.example/' }],
    undone: false,
    reason: 'after 100 pages',
    at: 1_041_775_300_000,
    ...parts,
  };
}

/** The numbers of a crawl, one of them NaN. */
export function crawlStatus(parts: Partial<CrawlStatus>): CrawlStatus {
  const queue = { topic: 'databases', incoming: 5, outgoing: 2, accepted: 1, meanConfidence: 0.5, archetypes: 0 };
  return {
    phase: 'learning',
    fetched: 3,
    budget: 100,
    relevant: 1,
    failed: 0,
    refused: 0,
    duplicates: 0,
    pagesPerSecond: 1.5,
    recentHarvestRate: 0.25,
    queues: [{ ...queue, xiAlphaPrecision: Number.NaN }],
    hosts: { active: 1, slow: 0, bad: 0, named: [{ host: 'a.example', standing: 'active' }] },
    inFlight: 1,
    elapsedMs: 2000,
    paused: false,
    ordering: 'bingo',
    ...parts,
  };
}

const WORDS =
  'recovery log checkpoint transaction buffer page index lock commit abort undo redo latch query plan join'.split(' ');

/** A typical crawled page: 800 words, 180 stems, 30 links, most of them to known URLs. Deterministic. */
export function typicalPage(sequence: number): PageRecord {
  const draw = (i: number, n: number): number => hash32(`${sequence}/${i}`) % n;
  const site = (i: number): string => `https://www.site${i % 997}.example/articles/${i}/a-longer-path-segment.html`;
  const text = Array.from(
    { length: 800 },
    (_, i) => `${WORDS[draw(i, WORDS.length)]}${draw(i, 4) === 0 ? draw(i, 9000) : ''}`,
  );
  const stems = new Map<string, number>();
  for (let i = 0; i < 260; i++) stems.set(`stem${Math.floor(9000 * (draw(i, 10_000) / 10_000) ** 3)}`, 1 + draw(i, 5));
  const reach = 8 * sequence + 100;
  const links = Array.from({ length: 30 }, (_, i) => ({
    ...link(site(i < 8 ? reach - i : draw(i, reach)), `anchor text ${draw(i, 500)}`),
    context: text.slice(i * 20, i * 20 + 20).join(' '),
  }));
  return page(sequence, `https://www.site${sequence % 997}.example/pages/${sequence}.html`, {
    topic: draw(1, 3) === 0 ? 'databases/recovery' : 'databases',
    others: draw(2, 2) === 0,
    relevance: draw(3, 100) / 100,
    from: site(draw(4, reach)),
    links,
    document: {
      text: text.join(' '),
      features: { terms: packCounts(stems) },
      tokens: 800,
      contentHash: sequence.toString(16).padStart(32, '0'),
    },
  });
}

/** A page without relevant contents. */
export function tiny(sequence: number): PageRecord {
  return page(sequence, `https://t.example/${sequence}`);
}

/** A page with these stems and their counts. */
export function stems(sequence: number, counts: Readonly<Record<string, number>>, parts: PageParts = {}): PageRecord {
  return page(sequence, `https://s.example/${sequence}`, { stems: counts, ...parts });
}
