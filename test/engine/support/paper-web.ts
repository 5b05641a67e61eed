import {
  type CanonicalUrl,
  type Config,
  type CrawlEvent,
  canonicalize,
  DEFAULTS,
  type FetchOutcome,
  type JournalRecord,
  NO_HEADERS,
  type PageRecord,
  type TopicTree,
  topicTree,
} from '../../../src/core/index.ts';
import {
  analyzerSettings,
  Crawl,
  type CrawlOptions,
  type CrawlSummary,
  type Fetcher,
  ModelTrainer,
  PageAnalyzer,
} from '../../../src/engine/index.ts';
import { seededRandom } from '../../../src/kit/index.ts';
import { MemoryJournal } from '../../../src/lab/index.ts';

const WORDS = {
  rail: 'locomotive railway track gauge steam signal carriage platform tunnel viaduct timetable engine coupling boiler',
  food: 'flour butter oven recipe dough sugar vanilla whisk simmer garlic onion saucepan roast pastry yeast',
  plain: 'people place world year often later small large work name story great many number side house road',
} as const;
export type Subject = 'rail' | 'food';

/** How a URL of the paper web answers. */
export type Answer = string | Exclude<FetchOutcome, { kind: 'fetched' }>;

/** XML or text, as a server sends it. */
export function sent(url: string, text: string): Answer {
  const headers = { ...NO_HEADERS, contentType: 'text/plain' };
  const body = Buffer.from(text);
  return {
    kind: 'fetched',
    url: at(url),
    status: 200,
    headers,
    body,
    address: '',
    fetchedAt: 0,
    durationMs: 0,
  } as never;
}

/** A web on paper: pages by URL, no network. Each subject links mostly to itself, over three hosts each. */
export function paperWeb(pagesPerSubject = 60): Map<string, Answer> {
  const random = seededRandom(5);
  const web = new Map<string, Answer>();
  const pick = (words: string): string => words.split(' ')[Math.floor(random() * words.split(' ').length)]!;
  for (const subject of ['rail', 'food'] as const) {
    const other = subject === 'rail' ? 'food' : 'rail';
    for (let i = 0; i < pagesPerSubject; i++) {
      const text = Array.from({ length: 60 }, () => pick(random() < 0.4 ? WORDS[subject] : WORDS.plain)).join(' ');
      const links = Array.from({ length: 6 }, () => {
        const to = paperUrl(random() < 0.75 ? subject : other, Math.floor(random() * pagesPerSubject));
        return `<a href="${to}">${pick(WORDS.plain)}</a>`;
      }).join(' and ');
      const url = paperUrl(subject, i);
      web.set(url, `<html><head><title>${subject} ${i}</title></head><body><p>${text} ${links}</p></body></html>`);
    }
  }
  return web;
}

export function paperUrl(subject: Subject, i: number): string {
  return `http://${subject}${i % 3}.paper.test/page/${i}`;
}

/** The tree of the paper web: one topic, its first three pages as examples, six pages of the other subject as OTHERS. */
export function railTree(): TopicTree {
  return topicTreeWith([0, 1, 2]);
}

/** The same with these pages as examples, or under another name. */
export function topicTreeWith(examples: readonly number[], name = 'railways'): TopicTree {
  const url = (subject: Subject, i: number): { kind: 'url'; url: string } => ({
    kind: 'url',
    url: paperUrl(subject, i),
  });
  const others = [0, 1, 2, 3, 4, 5].map((i) => url('food', i));
  return topicTree([{ name, examples: examples.map((i) => url('rail', i)) }], others);
}

export type Overrides = { readonly [Group in keyof Config]?: Partial<Config[Group]> };

/** Settings of a crawl that repeats exactly: one fetch at a time, no pauses. */
export function exactConfig(overrides: Overrides = {}): Config {
  return {
    crawl: { ...DEFAULTS.crawl, budget: 60, learn: 20, ordering: 'bingo', ...overrides.crawl },
    network: { ...DEFAULTS.network, concurrency: 1, delayMs: 0, backoffMs: 1, ...overrides.network },
    archive: { ...DEFAULTS.archive, ...overrides.archive },
    analyze: { ...DEFAULTS.analyze, ...overrides.analyze },
    learn: { ...DEFAULTS.learn, retrainEvery: 10, ...overrides.learn },
    distill: { ...DEFAULTS.distill, ...overrides.distill },
    recheck: { ...DEFAULTS.recheck, ...overrides.recheck },
    // Paper pages are made of a dozen words: to a fingerprint they are all alike.
    traps: { ...DEFAULTS.traps, nearDuplicateBits: -1, staleBits: -1, ...overrides.traps },
    search: { ...DEFAULTS.search, ...overrides.search },
    notify: { ...DEFAULTS.notify, ...overrides.notify },
    schedule: { ...DEFAULTS.schedule, ...overrides.schedule },
    store: { ...DEFAULTS.store, ...overrides.store },
  };
}

/** A fetcher over a paper web that remembers what it was asked. */
export class PaperFetcher implements Fetcher {
  readonly asked: string[] = [];
  readonly #web: ReadonlyMap<string, Answer>;

  constructor(web: ReadonlyMap<string, Answer>) {
    this.#web = web;
  }

  async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    this.asked.push(url);
    const answer = this.#web.get(url);
    const fetchedAt = 0;
    if (answer === undefined)
      return { kind: 'failed', url, retry: 'never', reason: 'http', detail: 'HTTP 404', status: 404, fetchedAt };
    if (typeof answer !== 'string') return answer;
    const headers = { ...NO_HEADERS, contentType: 'text/html', charset: 'utf-8' };
    return {
      kind: 'fetched',
      url,
      status: 200,
      headers,
      body: Buffer.from(answer),
      address: '',
      fetchedAt,
      durationMs: 0,
    };
  }

  crawlDelayMs(): number {
    return 0;
  }

  async resolve(): Promise<boolean> {
    return true;
  }

  async close(): Promise<void> {}
}

/** A crawl of a paper web and all that it said. */
export interface PaperCrawl {
  readonly crawl: Crawl;
  readonly fetcher: PaperFetcher;
  readonly journal: RecordingJournal;
  readonly events: CrawlEvent[];
  run(): Promise<CrawlSummary>;
}

/** A journal whose records can be read as they are, and that can be started from a part of another. */
export class RecordingJournal extends MemoryJournal {
  readonly records: JournalRecord[] = [];

  static holding(records: readonly JournalRecord[]): RecordingJournal {
    const journal = new RecordingJournal();
    for (const record of records) journal.append(record);
    return journal;
  }

  override append(record: JournalRecord): void {
    super.append(record);
    this.records.push(record);
  }

  pages(): PageRecord[] {
    return this.records.filter((record) => record.kind === 'page');
  }

  /** URLs of crawled pages in the order of fetching. */
  crawled(): string[] {
    return this.pages().flatMap((page) => (page.role === 'crawled' ? [page.finalUrl] : []));
  }
}

export function paperCrawl(
  web: ReadonlyMap<string, Answer>,
  config: Config,
  options: Partial<CrawlOptions> & { readonly journal?: RecordingJournal; readonly fetcher?: PaperFetcher } = {},
): PaperCrawl {
  const tree = options.tree ?? railTree();
  const fetcher = options.fetcher ?? new PaperFetcher(web);
  const journal = options.journal ?? new RecordingJournal();
  const events: CrawlEvent[] = [];
  const crawl = new Crawl({
    tree,
    config,
    analyzer: new PageAnalyzer(analyzerSettings(config)),
    trainer: new ModelTrainer({ tree, learn: config.learn, seed: config.crawl.seed }),
    onEvent: (event) => events.push(event),
    ...options,
    fetcher,
    journal,
  });
  return { crawl, fetcher, journal, events, run: () => crawl.run() };
}

export function at(url: string): CanonicalUrl {
  return canonicalize(url)!;
}
