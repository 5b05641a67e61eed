import {
  type CanonicalUrl,
  type CrawlStatus,
  confidence,
  EMPTY_COUNTS,
  type NextLink,
  type PageRecord,
  type PhaseRecord,
  packLinks,
  parseTopicId,
  type RoundRecord,
  type TopicTree,
  topicTree,
  type VisitRecord,
} from '../../../src/core/index.ts';
import {
  type DashboardEvent,
  type DashboardState,
  dashboardState,
  initialState,
} from '../../../src/dashboard/index.ts';

/** A tree with databases and a subtopic, and with bicycles, which is not good. */
export function sampleTree(): TopicTree {
  const example = (url: string) => ({ kind: 'url', url }) as const;
  return topicTree(
    [
      {
        name: 'databases',
        good: false,
        topics: [{ name: 'recovery', examples: [example('http://a.example/1')] }],
      },
      { name: 'bicycles', good: false, examples: [example('http://b.example/1')] },
      { name: 'mining', examples: [example('http://c.example/1')] },
    ],
    [],
  );
}

export function emptyState(parts: Partial<DashboardState> = {}): DashboardState {
  return { ...initialState({ title: 'papers', ownsCrawl: true, timeMs: 0, tree: sampleTree() }), ...parts };
}

export function fold(state: DashboardState, ...events: readonly DashboardEvent[]): DashboardState {
  return events.reduce(dashboardState, state);
}

interface PageParts {
  readonly topic?: string;
  readonly others?: boolean;
  readonly relevance?: number;
  readonly title?: string;
  readonly url?: string;
  readonly role?: PageRecord['role'];
  readonly via?: PageRecord['origin']['via'];
}

export function pageEvent(sequence: number, parts: PageParts = {}): DashboardEvent & { kind: 'page' } {
  const { topic = 'databases/recovery', others = false, relevance = 0.9, role = 'crawled', via = 'link' } = parts;
  const url = (parts.url ?? `http://host${sequence % 3}.example/page/${sequence}`) as CanonicalUrl;
  const record: PageRecord = {
    kind: 'page',
    sequence,
    url,
    finalUrl: url,
    redirects: [],
    host: new URL(url).host,
    role,
    origin: { via, from: '', topic: parseTopicId(topic), depth: 1, tunnelDepth: 0, priority: 0.5 },
    status: 200,
    contentType: 'text/html',
    fetchedAt: sequence * 100,
    bytes: 100,
    address: '192.0.2.1',
    etag: '',
    lastModified: '',
    document: {
      title: parts.title ?? `Page ${sequence}`,
      language: 'en',
      text: '',
      tokens: 10,
      features: { terms: EMPTY_COUNTS },
      links: packLinks([]),
      canonical: '',
      noindex: false,
      nofollow: false,
      contentHash: '',
      simhash: [0, 0],
    },
    assignment: {
      topic: parseTopicId(topic),
      others,
      confidence: confidence(relevance - 0.5),
      relevance,
      scores: [],
      model: 1,
    },
  };
  return { kind: 'page', record };
}

/** Rejected pages are in OTHERS of the root. */
export const rejected: PageParts = { topic: '', others: true, relevance: 0.1 };

export function pageEvents(from: number, n: number, parts: PageParts = {}): DashboardEvent[] {
  return Array.from({ length: n }, (_, i) => pageEvent(from + i, parts));
}

export function visitEvent(sequence: number, parts: Partial<VisitRecord> = {}): DashboardEvent {
  const url = `http://down.example/${sequence}` as CanonicalUrl;
  const origin = {
    via: 'link',
    from: '',
    topic: parseTopicId('mining'),
    depth: 1,
    tunnelDepth: 0,
    priority: 0,
  } as const;
  const end = { result: 'failed', reason: 'timeout', detail: '', status: 0, target: '', page: 0 } as const;
  return {
    kind: 'visit',
    record: { kind: 'visit', sequence, url, origin, ...end, retried: false, fetchedAt: 0, ...parts },
  };
}

export function phaseEvent(phase: PhaseRecord['phase'], reason = 'training pages fetched'): DashboardEvent {
  return { kind: 'phase', record: { kind: 'phase', sequence: 1, phase, reason, at: 0 } };
}

export function roundEvent(parts: Partial<RoundRecord> = {}): DashboardEvent {
  const topic = parseTopicId('databases/recovery');
  const entry = (key: string, origin: RoundRecord['training'][number]['origin']) => {
    return { key, title: key, topic, origin, confidence: 0.5 };
  };
  const record: RoundRecord = {
    kind: 'round',
    sequence: 1,
    model: 2,
    blob: new Uint8Array(),
    training: [
      entry('http://a.example/1', 'user'),
      entry('http://a.example/2', 'archetype-by-authority'),
      entry('http://a.example/3', 'archetype-by-confidence'),
      entry('http://a.example/4', 'archetype-by-confidence'),
    ],
    estimates: [],
    admitted: [],
    dropped: [],
    links: [],
    boosted: [],
    undone: false,
    reason: '3 archetypes admitted',
    at: 0,
    ...parts,
  };
  return { kind: 'round', record };
}

export function statusOf(parts: Partial<CrawlStatus> = {}): CrawlStatus {
  const recovery = { topic: 'databases/recovery', incoming: 1234, outgoing: 56, accepted: 78, meanConfidence: 0.42 };
  return {
    phase: 'harvesting',
    fetched: 250,
    budget: 1000,
    relevant: 100,
    failed: 3,
    refused: 2,
    duplicates: 1,
    pagesPerSecond: 5,
    recentHarvestRate: 0.4,
    queues: [{ ...recovery, archetypes: 3, xiAlphaPrecision: 0.87 }],
    hosts: { active: 4, slow: 1, bad: 1, named: [{ host: 'down.example', standing: 'bad' }] },
    inFlight: 7,
    elapsedMs: 50_000,
    paused: false,
    ordering: 'bingo',
    ...parts,
  };
}

/** The links fetched next: two of different topics, one of a bad host. */
export const NEXT_LINKS: readonly NextLink[] = [
  ...(
    [
      ['http://host0.example/next', 'databases/recovery', 0.91, 'ready'],
      ['http://host1.example/a?b=\u001b[31m', 'mining', 0.5, 'resting'],
      ['http://down.example/', 'mining', 0.25, 'bad'],
    ] as const
  ).map(([url, topic, priority, host], i) => ({
    ...{ url: url as CanonicalUrl, topic: parseTopicId(topic), priority, host, via: 'link' as const },
    ...{ from: 'http://host2.example/page/239', tunnelDepth: i, tries: i === 2 ? 1 : 0, isPreferred: i === 1 },
  })),
];

/** A crawl in the middle of its harvest. */
export function busyState(parts: Partial<DashboardState> = {}): DashboardState {
  const pages = Array.from({ length: 240 }, (_, i) =>
    pageEvent(i + 1, (i * 7) % 10 < 4 ? { title: `ARIES and logging, part ${i}` } : rejected),
  );
  return fold(
    emptyState(parts),
    { kind: 'tick', now: 1000 },
    phaseEvent('harvesting', '200 pages fetched'),
    roundEvent(),
    ...pages,
    { kind: 'status', status: statusOf() },
  );
}
