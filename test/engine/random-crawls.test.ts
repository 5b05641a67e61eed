import { expect, test } from 'vitest';
import {
  type Config,
  type CrawlEvent,
  type CrawlStatus,
  DEFAULTS,
  type JournalRecord,
  LINKS_FOLLOWED,
  ORDERINGS,
  type PageRecord,
  parseTopicId,
  ROOT,
  type SiteUse,
  type SteerCommand,
  siteKey,
  siteOfKey,
  topicTree,
  type VisitRecord,
} from '../../src/core/index.ts';
import { PAGE_USES } from '../../src/core/steer.ts';
import { seededRandom } from '../../src/kit/index.ts';
import {
  type Answer,
  exactConfig,
  type PaperCrawl,
  paperCrawl,
  paperUrl,
  RecordingJournal,
  sent,
} from './support/paper-web.ts';
import { FaultyFetcher, wildWeb } from './support/wild-web.ts';

/** `BINGO_CRAWLS=1000 BINGO_FIRST=5000 npx vitest run test/engine/random-crawls.test.ts` tries others. */
const FIRST = Number(process.env.BINGO_FIRST ?? 1);
const CRAWLS = Number(process.env.BINGO_CRAWLS ?? 20);
const SEEDS = Array.from({ length: CRAWLS }, (_, i) => FIRST + i);
/** A crawl of paper takes a second. */
const HANGS_MS = 60_000;
const CUTS = 3;
const RUNS = 4;
/** Most crawls have the usual one: others take longer to learn. */
const SPACES: readonly Config['learn']['spaces'][] = [
  ...Array.from({ length: 5 }, () => ['terms'] as const),
  ['terms', 'anchors'],
  ['pairs', 'terms+anchors'],
  ['terms', 'anchors', 'neighbours'],
  ['terms+lead'],
];

/** A crawl made up by chance: settings, a web, faults, and what a person does when so many pages are there. */
interface Plan {
  readonly seed: number;
  readonly config: Config;
  readonly steps: readonly { readonly at: number; readonly command: SteerCommand }[];
  readonly faults: number;
}

class Chance {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!;
  }
}

function planOf(seed: number): Plan {
  const chance = new Chance(seed);
  const budget = 20 + chance.below(80);
  const config = exactConfig({
    crawl: {
      ...{
        budget,
        seed,
        learn: chance.below(budget),
        ordering: chance.one(ORDERINGS),
        reserve: chance.one([true, false]),
      },
      ...{
        fairShare: chance.one([0, 0.5, 1]),
        maxPagesPerSite: chance.one([0, 0, 10, 24]),
        tunnelDistance: chance.below(4),
      },
      ...{ maxPagesPerTopic: chance.one([0, 0, 15, 40]), sitemaps: chance.one([true, false]) },
      ...{ learnMaxDepth: chance.one([1, 4]), tunnelDecay: chance.one([0.01, 0.5, 1]) },
      ...rulesOf(chance),
      ...{ incomingQueue: chance.one([5, 1000]), outgoingQueue: chance.one([1, 1000]), maxTries: 1 + chance.below(3) },
    },
    network: { concurrency: chance.one([1, 1, 2, 8]), perHost: 1 + chance.below(2), perDomain: chance.one([1, 2, 8]) },
    learn: { retrainEvery: chance.one([5, 10, 30]), spaces: chance.one(SPACES), calibrated: chance.below(4) > 0 },
    ...(chance.below(5) === 0 && { traps: DEFAULTS.traps }),
  });
  const steps = Array.from({ length: 1 + chance.below(6) }, () => {
    return { at: 1 + chance.below(budget), command: commandOf(chance, budget) };
  });
  return { seed, config, steps, faults: chance.one([0, 0.1, 0.3]) };
}

function siteMark(host: string, use: SiteUse | 'free'): SteerCommand {
  return { kind: 'judge-page', judgement: { key: siteKey(host), sequence: 0, title: '', use, topic: ROOT } };
}

/** Rules on addresses, of half the crawls. */
function rulesOf(chance: Chance): Partial<Config['crawl']> {
  const some = (): readonly string[] => {
    const rules = ['rail1.paper.test', '/page/3', '*.paper.test/page/*2$', 'food0.paper.test/page/1', '/*?'];
    return chance.below(2) === 0 ? [] : rules.filter(() => chance.below(3) === 0);
  };
  const include = chance.below(3) === 0 ? [...some(), 'rail0.paper.test'] : [];
  return { exclude: some(), include, prefer: some(), defer: some() };
}

function commandOf(chance: Chance, budget: number): SteerCommand {
  const topic = parseTopicId(chance.one(['railways', 'cooking']));
  const subject = chance.one(['rail', 'food'] as const);
  const commands: readonly SteerCommand[] = [
    { kind: 'end-learning' },
    { kind: 'begin-learning' },
    { kind: 'begin-learning' },
    { kind: 'set-budget', budget: 5 + chance.below(2 * budget) },
    { kind: 'set-limit', limit: 'learn', value: 1 + chance.below(budget) },
    { kind: 'set-limit', limit: 'tunnel', value: chance.below(4) },
    { kind: 'set-limit', limit: 'parallel', value: 1 + chance.below(8) },
    { kind: 'lock-host', host: `${subject}${chance.below(3)}.paper.test` },
    siteMark(`${subject}${chance.below(3)}.paper.test`, chance.one(['bad-site', 'good-site', 'free'])),
    { kind: 'mark-topic', topic, good: chance.one([true, false]) },
    { kind: 'set-ordering', ordering: chance.one(ORDERINGS) },
    {
      kind: 'judge-page',
      judgement: {
        key: paperUrl(subject, chance.below(60)),
        sequence: 1,
        title: '',
        use: chance.one(PAGE_USES),
        topic,
      },
    },
  ];
  return chance.one(commands);
}

function crawlOf(plan: Plan, journal = new RecordingJournal()): PaperCrawl {
  const pagesOf = (subject: 'rail' | 'food', ...pages: readonly number[]) => {
    return pages.map((page) => ({ kind: 'url', url: paperUrl(subject, page) }) as const);
  };
  const below = [
    { name: 'steam', examples: pagesOf('rail', 5, 6), budget: 9 },
    { name: 'diesel', examples: pagesOf('rail', 4) },
  ];
  const topics = [
    {
      ...{ name: 'railways', examples: pagesOf('rail', 0, 1, 2) },
      // They are always there: what failed is asked for again by a crawl that is resumed where nothing else waits.
      ...(plan.seed % 3 === 0 && { seeds: [paperUrl('rail', 3), paperUrl('food', 6)] }),
      ...(plan.seed % 4 === 1 && { topics: below }),
    },
    { name: 'cooking', examples: pagesOf('food', 0, 1, 2), good: plan.seed % 2 === 0 },
  ];
  let pages = journal.crawled().length;
  const onEvent = (event: CrawlEvent): void => {
    if (event.kind !== 'page' || event.record.role !== 'crawled') return;
    pages++;
    for (const { at, command } of plan.steps) if (at === pages) made.crawl.steer(ofStoredPage(command, made));
  };
  const web = wildWeb(plan.seed);
  for (const subject of ['rail', 'food'] as const) addSitemap(web, subject);
  const made = paperCrawl(web, plan.config, {
    ...{ tree: topicTree(topics, pagesOf('food', 3, 4)), onEvent, journal },
    fetcher: new FaultyFetcher(web, plan.faults, plan.config.network.concurrency > 1),
  });
  return made;
}

/** Of every page of the first host, and some that are not there. */
function addSitemap(web: Map<string, Answer>, subject: 'rail' | 'food'): void {
  const origin = `http://${subject}0.paper.test`;
  const pages = Array.from({ length: 22 }, (_, i) => `<url><loc>${origin}/page/${3 * i}</loc></url>`);
  const xml = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages.join('')}</urlset>`;
  web.set(
    `${origin}/robots.txt`,
    sent(`${origin}/robots.txt`, `User-agent: *\nDisallow:\nSitemap: ${origin}/map.xml\n`),
  );
  web.set(`${origin}/map.xml`, sent(`${origin}/map.xml`, xml));
}

/** People judge what was stored. */
function ofStoredPage(command: SteerCommand, { journal }: PaperCrawl): SteerCommand {
  if (command.kind !== 'judge-page' || siteOfKey(command.judgement.key) !== undefined) return command;
  const pages = journal.pages();
  const { finalUrl: key, sequence } = pages.find(({ finalUrl }) => finalUrl === command.judgement.key) ?? pages[0]!;
  return { ...command, judgement: { ...command.judgement, key, sequence } };
}

/** Runs it to its end. @throws Error when it stands still */
async function end(made: PaperCrawl, run = made.run()): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`stands still: ${JSON.stringify(made.crawl.status())}`)),
    HANGS_MS,
  );
  try {
    await Promise.race([run, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function expectSound({ journal }: PaperCrawl): void {
  expect(journal.records.map(({ sequence }) => sequence)).toEqual(journal.records.map((_, i) => i + 1));
  const stored = journal.pages().map(({ finalUrl }) => finalUrl);
  expect(new Set(stored).size, 'pages stored once').toBe(stored.length);
}

/** What a status says is what was recorded, and no limit is passed. */
function expectCounted({ crawl, journal }: PaperCrawl, { config: { crawl: limits }, steps }: Plan): void {
  const visits = journal.records.flatMap((r) => (r.kind === 'visit' ? [r] : []));
  const isBudgeted = ({ origin: { via } }: PageRecord | VisitRecord): boolean => via !== 'seed' && via !== 'sitemap';
  const pages = journal.pages().filter((page) => page.role === 'crawled' && isBudgeted(page));
  const unstored = visits.filter((v) => isBudgeted(v) && (v.result === 'duplicate' || v.reason === LINKS_FOLLOWED));
  const resultsOf = (...results: string[]) => visits.filter(({ result }) => results.includes(result)).length;
  const fetched = pages.length + unstored.length;
  expect(crawl.status()).toMatchObject({
    ...{ fetched, failed: resultsOf('failed'), refused: resultsOf('refused', 'noindex') },
    duplicates: resultsOf('duplicate'),
  });
  if (limits.maxPagesPerSite > 0) expect(fetched).toBeLessThanOrEqual(limits.maxPagesPerSite); // It is all one site.
  const perTopic = Map.groupBy([...pages, ...unstored], ({ origin }) => origin.topic);
  for (const [topic, { length }] of perTopic) {
    const most = topic === 'railways/steam' ? 9 : limits.maxPagesPerTopic;
    if (most > 0) expect(length, topic).toBeLessThanOrEqual(most);
  }
  const hasOtherBudget = steps.some(({ command }) => command.kind === 'set-budget');
  if (!hasOtherBudget) expect(fetched).toBeLessThanOrEqual(limits.budget);
}

/** The status without times, and without hosts, whose clocks start again. */
function statusOf({ crawl }: PaperCrawl): Partial<CrawlStatus> {
  const { hosts: _, elapsedMs: _e, pagesPerSecond: _p, ...status } = crawl.status();
  return status;
}

function told(records: readonly JournalRecord[]): string[] {
  return records.flatMap((record) => {
    if (record.kind === 'run') return [];
    const what =
      record.kind === 'phase' ? record.phase : record.kind === 'page' || record.kind === 'visit' ? record.url : '';
    return [`${record.kind} ${what}`];
  });
}

test.each(SEEDS)(
  'random crawl %i ends, respects limits, and repeats if it is cut and resumed',
  async (seed) => {
    const plan = planOf(seed);
    const whole = crawlOf(plan);
    await end(whole);
    expectSound(whole);
    expectCounted(whole, plan);
    const { records } = whole.journal;
    const round = new Set(records.flatMap((r) => (r.kind === 'visit' && r.target === r.url ? [r.url as string] : [])));
    for (const [url, asked] of Map.groupBy(whole.fetcher.asked, (each) => each)) {
      // Who is sent back to where he is may have got a cookie on the way.
      const tries = plan.config.crawl.maxTries + (round.has(url) ? 1 : 0);
      expect(asked.length, url).toBeLessThanOrEqual(tries);
    }
    if (plan.config.network.concurrency > 1) return;
    for (let n = 1; n <= CUTS; n++) {
      let cut = Math.floor((n * records.length) / (CUTS + 1));
      // The command came with the page before it.
      while (records[cut]?.kind === 'steer') cut++;
      const resumed = crawlOf(plan, RecordingJournal.holding(records.slice(0, cut)));
      await end(resumed);
      expect(told(resumed.journal.records), `cut behind ${cut} of ${records.length} records`).toEqual(told(records));
      expect(statusOf(resumed)).toEqual(statusOf(whole));
    }
  },
  2 * HANGS_MS,
);

test.each(SEEDS)(
  'crawl %i, stopped or killed with changing settings, continues and stores nothing twice',
  async (seed) => {
    const chance = new Chance(seed);
    let plan = planOf(seed);
    let journal = new RecordingJournal();
    for (let run = 1; run <= RUNS; run++) {
      const made = crawlOf(plan, journal);
      const stopAt = run < RUNS ? journal.crawled().length + 1 + chance.below(40) : Number.POSITIVE_INFINITY;
      const running = made.run();
      const watch = setInterval(() => {
        if (made.journal.crawled().length >= stopAt) made.crawl.stop();
      }, 1);
      await end(made, running).finally(() => clearInterval(watch));
      expectSound(made);
      const { records } = journal;
      // What a killed process had not stored is lost.
      const lost = chance.one([0, chance.below(Math.min(6, records.length))]);
      journal = RecordingJournal.holding(records.slice(0, records.length - lost));
      plan = changed(plan, planOf(seed + 1000 * run), chance, journal.crawled().length);
    }
  },
  RUNS * HANGS_MS,
);

/** Some settings are another plan's by the next run, and so is what a person does in it. */
function changed(plan: Plan, { config, steps }: Plan, chance: Chance, pages: number): Plan {
  const { crawl, network, learn } = plan.config;
  const configs = [
    plan.config,
    { ...plan.config, crawl: { ...crawl, budget: crawl.budget + chance.below(60) } },
    { ...config, network },
    { ...plan.config, network: config.network, learn: { ...learn, retrainEvery: config.learn.retrainEvery } },
  ];
  return { ...plan, config: chance.one(configs), steps: steps.map((step) => ({ ...step, at: step.at + pages })) };
}
