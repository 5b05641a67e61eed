import { describe, expect, test } from 'vitest';
import { type CanonicalUrl, type Config, canonicalize, DEFAULTS, topicTree } from '../../src/core/index.ts';
import { type ParkVisit, scorePark, TrapPark } from '../../src/lab/index.ts';
import { type Answer, exactConfig, type PaperCrawl, paperCrawl, RecordingJournal } from './support/paper-web.ts';

const park = new TrapPark(3);
const topics = [
  { name: 'bees', examples: park.examples.map((url) => ({ kind: 'url' as const, url })), seeds: [...park.seeds] },
];
const tree = topicTree(
  topics,
  park.others.map((url) => ({ kind: 'url' as const, url })),
);

/** The park as a paper web: what drips, pours, breaks off or is not what it says is a failure at once. */
const web = {
  get(address: string): Answer {
    const url = canonicalize(address) as CanonicalUrl;
    const { status, headers, body, manner } = park.answer(url);
    if (status === 302) {
      const target = canonicalize(headers.location!, url)!;
      return { kind: 'redirected', url, target, status, permanent: false, fetchedAt: 0 };
    }
    const isReadable = headers['content-type']?.startsWith('text/html') && headers['content-encoding'] === undefined;
    if (status === 200 && manner === 'plain' && isReadable) return body;
    return {
      kind: 'failed',
      url,
      retry: 'never',
      reason: 'timeout',
      detail: 'no whole answer',
      status: 0,
      fetchedAt: 0,
    };
  },
} as unknown as ReadonlyMap<string, Answer>;

function crawlOf(
  traps: Partial<Config['traps']>,
  budget: number,
  records: RecordingJournal['records'] = [],
): PaperCrawl {
  const config = exactConfig({
    crawl: { budget, learn: 20, ordering: 'learned' },
    learn: { retrainEvery: 50 },
    traps: { ...DEFAULTS.traps, ...traps },
  });
  return paperCrawl(web, config, { tree, journal: RecordingJournal.holding(records) });
}

const scoreOf = ({ fetcher }: PaperCrawl, budget: number) =>
  scorePark(
    park,
    fetcher.asked.map((url): ParkVisit => ({ url, served: true })),
    budget,
  );

describe('a crawl of the trap park', () => {
  test('finds far more in the same number of requests than one that follows every link', async () => {
    const guarded = crawlOf({}, 500);
    await guarded.run();
    const open = crawlOf({ enabled: false }, 500);
    await open.run();
    const [with_, without] = [scoreOf(guarded, 500), scoreOf(open, 500)];
    expect(without.trapped).toBeGreaterThan(400);
    expect(with_.trapped).toBeLessThan(320);
    expect(with_.found).toBeGreaterThan(1.5 * without.found);
  });

  test('cut off anywhere and resumed fetches the same pages in the same order', async () => {
    const whole = crawlOf({}, 240);
    await whole.run();
    const { records } = whole.journal;
    for (const share of [0.3, 0.6, 0.9]) {
      const resumed = crawlOf({}, 240, records.slice(0, Math.floor(share * records.length)));
      await resumed.run();
      expect(resumed.journal.crawled()).toEqual(whole.journal.crawled());
    }
  });

  test('records copies with the page that they are copies of', async () => {
    const { run, journal } = crawlOf({}, 300);
    await run();
    const copies = journal.records.flatMap((record) =>
      record.kind === 'visit' && record.result === 'duplicate' ? [record] : [],
    );
    const pages = new Set(journal.pages().map(({ sequence }) => sequence));
    expect(copies.length).toBeGreaterThan(5);
    expect(new Set(copies.map(({ reason }) => reason))).toEqual(new Set(['same-content', 'near-duplicate']));
    expect(copies.filter(({ page }) => !pages.has(page))).toEqual([]);
  });
});
