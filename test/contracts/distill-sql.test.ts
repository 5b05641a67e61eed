import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULTS, hostOf, type JournalRecord, LINK_FLAG, type LinkScore, unpackLinks } from '../../src/core/index.ts';
import { type Distillation, distill } from '../../src/graph/index.ts';
import { seededRandom } from '../../src/kit/index.ts';
import {
  distillInSql,
  openScratch,
  type RankedPage,
  type SqlDistillation,
  type SqlDistillOptions,
  type Store,
} from '../../src/store/index.ts';
import { exactConfig, paperCrawl, paperWeb } from '../engine/support/paper-web.ts';
import { type BaseSetPage, buildBaseSet } from '../support/base-set.ts';
import { eachDatabase } from './each-database.ts';
import type { Database, Place } from './store-databases.ts';
import { link, type PageParts, page, topic, url, visit } from './store-records.ts';

/** A drawing of the pages of one topic: the links of each page. By default each page is on its own host. */
interface Drawing {
  readonly topic: string;
  readonly links: Readonly<Record<string, readonly string[]>>;
  readonly relevance?: Readonly<Record<string, number>>;
  readonly hosts?: Readonly<Record<string, string>>;
  /** Rejected pages. */
  readonly rejected?: readonly string[];
}

const BIPARTITE: Drawing = {
  topic: 'bipartite',
  // By hand: authorities 1 : φ, φ = (1 + √17) / 4, because the hub `only` recommends just `both`.
  links: { one: ['left', 'both'], two: ['left', 'both'], only: ['both'], left: [], both: [] },
};
const COMMUNITIES: Drawing = {
  topic: 'communities',
  links: {
    ...{ a1: ['a4', 'a5'], a2: ['a4', 'a5'], a3: ['a4', 'a5'], a4: [], a5: [] },
    ...{ b1: ['b3', 'b4'], b2: ['b3', 'b4'], b3: [], b4: [] },
  },
};
const EVEN: Drawing = {
  topic: 'even',
  links: { a1: ['a3', 'a4'], a2: ['a3', 'a4'], a3: [], a4: [], b1: ['b3', 'b4'], b2: ['b3', 'b4'], b3: [], b4: [] },
};
const FARM_PAGES = Array.from({ length: 10 }, (_, i) => `farm${i}`);
const FARM: Drawing = {
  topic: 'farm',
  links: {
    ...Object.fromEntries(FARM_PAGES.map((name) => [name, ['spam', ...FARM_PAGES]])),
    ...{ honest1: ['good'], honest2: ['good'], spam: [], good: [] },
  },
  hosts: Object.fromEntries(FARM_PAGES.map((name) => [name, 'farm'])),
};
const CELEBRITY: Drawing = {
  topic: 'celebrity',
  links: {
    one: ['star', 'left', 'right', 'cool', 'unfetched'],
    two: ['star', 'left', 'right', 'cool', 'unfetched'],
    three: ['star', 'cool', 'unfetched'],
    ...{ left: ['star'], right: ['star'], star: [], cool: [] },
  },
  relevance: { star: 0.9, cool: 0.3 },
  rejected: ['star'],
};
const DRAWINGS = [BIPARTITE, COMMUNITIES, EVEN, FARM, CELEBRITY];

function address(drawing: Drawing, name: string): string {
  return `https://${drawing.hosts?.[name] ?? name}.${drawing.topic}.example/${name}`;
}

function pagesOf(drawing: Drawing, first: number): JournalRecord[] {
  return Object.entries(drawing.links).map(([name, targets], i) =>
    page(first + i, address(drawing, name), {
      topic: drawing.rejected?.includes(name) ? '' : drawing.topic,
      others: drawing.rejected?.includes(name) ?? false,
      relevance: drawing.relevance?.[name] ?? 1,
      links: targets.map((target) => link(address(drawing, target))),
    }),
  );
}

const WILD = 'wild';
const WILD_PAGES = 160;

/** A small web after a crawl: three topics, rejected pages, hosts with several pages, aliases, unfetched links. */
function wildWeb(first: number): JournalRecord[] {
  const random = seededRandom(11);
  const below = (n: number): number => Math.floor(random() * n);
  const at = (n: number): string => `http://h${n % 37}.wild.example:8080/p/${n}?q=/x`;
  const alias = (n: number): string => `http://alias${n % 5}.wild.example/${n}`;
  const pages = Array.from({ length: WILD_PAGES }, (_, n) => {
    const place = below(10);
    const parts: PageParts = {
      topic: place < 5 ? WILD : place < 6 ? 'tame' : '',
      others: place >= 6,
      relevance: Math.round(random() * 1000) / 1000,
      links: Array.from({ length: below(14) }, () => {
        const to = Math.floor(WILD_PAGES * 1.3 * random() ** 2);
        return { ...link(random() < 0.15 ? alias(to) : at(to)), flags: random() < 0.1 ? LINK_FLAG.nofollow : 0 };
      }),
    };
    return page(first + n, at(n), { ...parts, record: { role: n % 23 === 0 ? 'example' : 'crawled' } });
  });
  const aliases = Array.from({ length: 60 }, (_, n) =>
    visit(first + WILD_PAGES + n, alias(n), { result: 'duplicate', page: first + n }),
  );
  return [...pages, ...aliases];
}

/** Crawls a simulated web up to its last round, and returns the scores of that round. */
async function paperCrawlToLastRound(): Promise<{ records: readonly JournalRecord[]; scores: readonly LinkScore[] }> {
  const { run, journal } = paperCrawl(paperWeb(), exactConfig({ learn: { retrainEvery: 25 }, distill: COARSE }));
  await run();
  const at = journal.records.findLastIndex((record) => record.kind === 'round' && record.links.length > 0);
  const round = journal.records[at];
  return { records: journal.records.slice(0, at), scores: round?.kind === 'round' ? round.links : [] };
}

/** Keeps the iterations few, because each is slow on a server. */
const COARSE = { tolerance: 1e-4 };
const CRAWL = await paperCrawlToLastRound();

const OPTIONS = { ...DEFAULTS.distill, limit: 10_000 };

/** Builds the base set of a topic from stored records, and scores it with `distill` of the graph. */
async function inProcess(
  store: Store,
  name: string,
  options = OPTIONS,
): Promise<Distillation & { readonly urls: readonly string[] }> {
  const records: JournalRecord[] = [];
  for await (const chunk of store.read()) records.push(...chunk);
  const pages = records.filter((record) => record.kind === 'page');
  const byNumber = new Map(pages.map((record) => [record.sequence, record.url]));
  const duplicates = records.filter((record) => record.kind === 'visit' && record.page > 0);
  const names = new Map(duplicates.map((v) => (v.kind === 'visit' ? [v.url, byNumber.get(v.page)!] : ['', ''])));
  const asPage = (record: (typeof pages)[number]): BaseSetPage => ({
    url: record.url,
    relevance: record.assignment.relevance,
    links: unpackLinks(record.document.links)
      .filter(({ flags }) => (flags & LINK_FLAG.nofollow) === 0)
      .map((to) => names.get(url(to.url)) ?? to.url),
  });
  const calibrated = (record: (typeof pages)[number]): number =>
    record.assignment.scores.find((score) => score.topic === name)?.calibrated ?? 0;
  const positives = pages
    .filter(({ assignment }) => assignment.topic === name && !assignment.others)
    .sort((a, b) => calibrated(b) - calibrated(a) || a.sequence - b.sequence)
    .slice(0, options.maxBaseSet);
  const rejected = pages
    .filter(({ assignment, role }) => role === 'crawled' && assignment.others && assignment.relevance > 0)
    .map(asPage)
    .filter(({ links }) => links.length > 0)
    .toSorted((a, b) => b.relevance - a.relevance)
    .slice(0, options.maxPredecessors);
  const { urls, graph } = buildBaseSet({
    positives: positives.map(asPage),
    others: rejected,
    maxPredecessors: Number.POSITIVE_INFINITY,
    hostOf: (text) => hostOf(url(text)),
    random: seededRandom(1),
  });
  return { urls, ...distill(graph, options) };
}

function expectSameScores(ranked: readonly RankedPage[], urls: readonly string[], scores: Float64Array): void {
  const expected = new Map(urls.map((at, i) => [at, scores[i]!] as const).filter(([, score]) => score > 1e-12));
  expect(new Set(ranked.filter(({ score }) => score > 1e-12).map((r) => r.url))).toEqual(new Set(expected.keys()));
  for (const { url: at, score } of ranked) expect(Math.abs(score - (expected.get(at) ?? 0))).toBeLessThan(1e-9);
  const order = [...expected].sort(([a, x], [b, y]) => (Math.abs(x - y) > 1e-11 ? y - x : a < b ? -1 : 1));
  expect(ranked.slice(0, order.length).map((r) => r.url)).toEqual(order.map(([at]) => at));
}

eachDatabase((name) => `distillation in ${name}`, contract);

function contract(database: Database): void {
  let place: Place;
  let store: Store;

  beforeAll(async () => {
    place = await database.place();
    store = await place.open();
    let last = 0;
    for (const records of [...DRAWINGS.map((drawing) => () => pagesOf(drawing, last + 1)), () => wildWeb(last + 1)])
      for (const record of records()) {
        store.append(record);
        last = record.sequence;
      }
    await store.flush();
  });

  afterAll(async () => {
    await store.close();
    await place.drop();
  });

  const known = new Map<string, Promise<SqlDistillation>>();

  /** Runs each topic once per choice of options, because temporary tables are slow on a server. */
  const distilled = (name: string, options = OPTIONS): Promise<SqlDistillation> => {
    const key = JSON.stringify([name, options]);
    if (!known.has(key)) known.set(key, distilledAnew(name, options));
    return known.get(key)!;
  };

  const distilledAnew = async (name: string, options: SqlDistillOptions): Promise<SqlDistillation> => {
    const scratch = await openScratch({ ...place.options, readOnly: true });
    try {
      return await distillInSql(scratch, topic(name), options);
    } finally {
      await scratch.close();
    }
  };

  const shares = (ranked: readonly RankedPage[]): Record<string, number> =>
    Object.fromEntries(ranked.map(({ url: at, score }) => [at.replace(/.*\//, ''), Number(score.toFixed(6))]));

  test('finds the hubs and authorities of a bipartite graph', async () => {
    const ratio = (1 + Math.sqrt(17)) / 4;
    const { hubs, authorities, converged } = await distilled(BIPARTITE.topic);
    expect(converged).toBe(true);
    expect(shares(authorities)).toEqual({
      both: Number((ratio / (1 + ratio)).toFixed(6)),
      left: Number((1 / (1 + ratio)).toFixed(6)),
    });
    expect(hubs.map((hub) => hub.url.replace(/.*\//, ''))).toEqual(['one', 'two', 'only']);
  });

  test('lets the stronger of two communities win, and gives equal ones equal shares', async () => {
    expect(shares((await distilled(COMMUNITIES.topic)).authorities)).toMatchObject({ a4: 0.5, a5: 0.5 });
    expect(shares((await distilled(EVEN.topic)).authorities)).toEqual({ a3: 0.25, a4: 0.25, b3: 0.25, b4: 0.25 });
  });

  test('counts many pages on one host as one vote, and ignores their links to each other', async () => {
    const { authorities } = await distilled(FARM.topic);
    expect(shares(authorities)).toMatchObject({ good: 1 });
    expect(authorities.filter(({ url: at }) => at.includes('farm.farm.'))).toEqual([]);
  });

  test('makes no authority of a page of another kind or of little relevance, despite its links', async () => {
    const { authorities, hubs } = await distilled(CELEBRITY.topic);
    expect(shares(authorities)).toEqual({ left: 0.5, right: 0.5 });
    expect(shares(hubs)).toEqual({ one: 0.5, two: 0.5 });
  });

  test.each(DRAWINGS)('scores the drawing $topic like the graph in process', async (drawing) => {
    const { urls, hubs, authorities, iterations } = await inProcess(store, drawing.topic);
    const found = await distilled(drawing.topic);
    expectSameScores(found.hubs, urls, hubs);
    expectSameScores(found.authorities, urls, authorities);
    expect(found.iterations).toBe(iterations);
  });

  test.each([
    OPTIONS,
    { ...OPTIONS, ...COARSE, maxBaseSet: 25, maxPredecessors: 10, relevanceThreshold: 0.2 },
    { ...OPTIONS, ...COARSE, maxPredecessors: 0, relevanceThreshold: 0 },
  ])('scores a small web as the graph in process does (%#)', async (options) => {
    const { urls, hubs, authorities } = await inProcess(store, WILD, options);
    const found = await distilled(WILD, options);
    expect(found.nodes).toBe(urls.length);
    expect(found.authorities.length).toBeGreaterThan(10);
    expectSameScores(found.hubs, urls, hubs);
    expectSameScores(found.authorities, urls, authorities);
  });

  test('gives the same hubs and authorities as the rounds of a crawl', async () => {
    const crawled = await database.place();
    const crawlStore = await crawled.open();
    for (const record of CRAWL.records) crawlStore.append(record);
    await crawlStore.flush();
    const scratch = await openScratch({ ...crawled.options, readOnly: true });
    const found = await distillInSql(scratch, topic('railways'), { ...OPTIONS, ...COARSE });
    await scratch.close();
    await crawlStore.close();
    await crawled.drop();
    expect(CRAWL.scores.length).toBeGreaterThan(20);
    const hubs = new Map(found.hubs.map((hub) => [hub.url, hub.score]));
    const authorities = new Map(found.authorities.map((authority) => [authority.url, authority.score]));
    for (const { url: at, hub, authority } of CRAWL.scores) {
      expect(hubs.get(at) ?? 0).toBeCloseTo(hub, 9);
      expect(authorities.get(at) ?? 0).toBeCloseTo(authority, 9);
    }
    const byAuthority = CRAWL.scores.filter(({ authority }) => authority > 0).map(({ url: at }) => at as string);
    expect(new Set(found.authorities.map((authority) => authority.url))).toEqual(new Set(byAuthority));
  });

  test('gives only the best if a limit is set, and stops at the iteration limit', async () => {
    const few = await distilled(BIPARTITE.topic, { ...OPTIONS, limit: 1, maxIterations: 2 });
    expect(few).toMatchObject({ iterations: 2, converged: false });
    expect([...few.hubs, ...few.authorities].map((ranked) => ranked.url)).toEqual([
      address(BIPARTITE, 'one'),
      address(BIPARTITE, 'both'),
    ]);
  });

  test('gives the authorities of all pages if asked, despite the limit', async () => {
    const { authorities } = await distilled(BIPARTITE.topic);
    const { every } = await distilledAnew(BIPARTITE.topic, { ...OPTIONS, limit: 1, every: true });
    const scores = every!.pages.map((page, i) => [page, every!.scores[i]!.toFixed(6)]);
    expect(scores.toSorted()).toEqual(authorities.map(({ page, score }) => [page, score.toFixed(6)]).toSorted());
  });

  test('leaves out pages that are gone', async () => {
    const left = await database.place();
    const written = await left.open();
    const records = pagesOf(BIPARTITE, 1);
    const gone = visit(records.length + 1, address(BIPARTITE, 'left'), { result: 'gone', page: 4 });
    for (const record of [...records, { ...gone, origin: { ...gone.origin, via: 'recheck' as const } }])
      written.append(record);
    await written.flush();
    const scratch = await openScratch({ ...left.options, readOnly: true });
    const { positives, authorities } = await distillInSql(scratch, topic(BIPARTITE.topic), OPTIONS);
    await scratch.close();
    await written.close();
    await left.drop();
    expect(positives).toBe(4);
    expect(authorities.filter(({ score }) => score > 0).map(({ title }) => title)).toHaveLength(1);
  });

  test('counts pages outside that are known to link to pages of the topic', async () => {
    const to = (name: string): string => address(BIPARTITE, name);
    const outside = [
      { from: 'https://list.example/', to: to('left') },
      { from: 'https://list.example/', to: to('both') },
      { from: 'https://other.example/', to: to('left') },
      { from: address(CELEBRITY, 'star'), to: to('left') },
      { from: to('one'), to: to('left') },
      { from: 'https://list.example/', to: 'https://unknown.example/' },
    ];
    const { nodes, edges } = await distilled(BIPARTITE.topic);
    const found = await distilledAnew(BIPARTITE.topic, { ...OPTIONS, outside });
    expect([found.nodes - nodes, found.edges - edges]).toEqual([3, 4]);
    expect(found.hubs.find(({ url: at }) => at === 'https://list.example/')).toMatchObject({
      page: 0,
      title: '',
      relevance: 1,
    });
    const ranks = found.authorities.map(({ url: at }) => at);
    expect(ranks).toEqual([to('left'), to('both')]);
    expect((await distilled(BIPARTITE.topic)).authorities[0]?.url).toBe(to('both'));
  });

  test('gives nothing for a topic without pages', async () => {
    const nothing = { positives: 0, edges: 0, converged: true, hubs: [], authorities: [] };
    expect(await distilled('nothing')).toMatchObject(nothing);
  });
}
