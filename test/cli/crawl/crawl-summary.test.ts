import { expect, test } from 'vitest';
import { summaryRow, summaryText } from '../../../src/cli/crawl/crawl-summary.ts';
import type { CrawlStatus } from '../../../src/core/index.ts';
import type { CrawlSummary } from '../../../src/engine/index.ts';
import type { StoreStatus } from '../../../src/store/index.ts';
import { capturedIo } from '../support/captured-io.ts';

const QUIET: Pick<CrawlStatus, 'hosts' | 'queues'> = { hosts: { active: 0, slow: 0, bad: 0, named: [] }, queues: [] };

/** Returns the summary of a run that ran out of links, changed by `parts`. */
function summaryOf(parts: Partial<CrawlSummary> & Pick<CrawlSummary, 'status'>): CrawlSummary {
  return {
    reason: 'frontier-dry',
    isResumed: true,
    budget: 100,
    fetchedNow: 2,
    isReclassificationDue: false,
    isRoundLeft: false,
    spent: { topics: [], sites: 0 },
    unusedTraining: [],
    ...parts,
  };
}

test('puts one empty line between its parts, even if no topic has a page', () => {
  const status = { ...QUIET, fetched: 2, relevant: 0, elapsedMs: 1000 } as CrawlStatus;
  const summary = summaryOf({ status });
  const visits = [{ result: 'failed', reason: 'dns', count: 5 }];
  const found = { relevant: 0, harvestRate: 0, topics: [], left: {}, visits } as unknown as StoreStatus;
  const text = summaryText(summary, found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  expect(text).toContain('harvest rate 0 %.\n\nFetches that gave no page:\n');
});

test('says what helps if all waiting links are on failing hosts', () => {
  const named = ['a.test', 'b.test', 'c.test', 'd.test'].map((host) => ({ host, standing: 'bad' as const }));
  const hosts = { active: 0, slow: 0, bad: 4, named };
  const queues = [{ incoming: 3, outgoing: 4 }] as unknown as CrawlStatus['queues'];
  const status = { hosts, queues, fetched: 2, relevant: 1, elapsedMs: 1000 } as unknown as CrawlStatus;
  const summary = summaryOf({ status });
  const found = { relevant: 1, harvestRate: 0.5, topics: [], left: {}, visits: [] } as unknown as StoreStatus;
  const text = summaryText(summary, found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  expect(text).not.toContain('no link left');
  expect(text).toContain(
    '\nWaiting links: 7. Hosts skipped after failures or for a requested pause: 4 (a.test, b.test, c.test, …).\n',
  );
  expect(text).toContain('Next:\n  bingo crawl mine\n      continue later');
  expect(summaryRow(summary, found)).toMatchObject({ reason: 'frontier-dry', waiting: 7, hostsLeftAlone: 4 });
});

test('says which rules left links out if a crawl ran out of links', () => {
  const leftOut = [
    { rule: 'traps.wastedFetches', addresses: 1204 },
    { rule: 'crawl.lockedHosts', addresses: 1 },
  ] as const;
  const status = { ...QUIET, fetched: 2, relevant: 1, elapsedMs: 1000, leftOut } as unknown as CrawlStatus;
  const found = { relevant: 1, harvestRate: 0.5, topics: [], left: {}, visits: [] } as unknown as StoreStatus;
  const text = summaryText(summaryOf({ status }), found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  expect(text).toContain(
    '\nLinks left out: 1,204 addresses like others that gave nothing new (traps.wastedFetches), 1 on locked hosts.\n',
  );
  expect(text).toContain('add seeds or loosen a rule');
  expect(summaryRow(summaryOf({ status }), found)).toMatchObject({ leftOut });
});

test('names at most five training pages that teach nothing', () => {
  const unusedTraining = [1, 2, 3, 4, 5, 6].map((n) => ({
    url: `http://a.test/${n}`,
    why: 'HTTP 404',
    isExample: n < 3,
    isNew: true,
  }));
  const status = { ...QUIET, fetched: 2, relevant: 1, elapsedMs: 0 } as CrawlStatus;
  const found = { relevant: 1, harvestRate: 0.5, topics: [], left: {}, visits: [] } as unknown as StoreStatus;
  const summary = summaryOf({ status, unusedTraining });
  const text = summaryText(summary, found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  expect(text).toContain(
    '\n2 examples and 4 counter-examples could not be fetched. Replace them in bingo.yaml:\n' +
      `${[1, 2, 3, 4, 5].map((n) => `  http://a.test/${n}: HTTP 404\n`).join('')}  … and 1 more\n`,
  );
  expect(summaryRow(summary, found)).toMatchObject({ unusedTraining });
  const one = summaryOf({ status, unusedTraining: unusedTraining.slice(0, 1) });
  expect(summaryText(one, found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io)).toContain(
    '\n1 example could not be fetched. Replace it in bingo.yaml:\n',
  );
  const later = unusedTraining.map((page) => ({ ...page, isNew: page.url.endsWith('6') }));
  const told = summaryText(
    summaryOf({ status, unusedTraining: later }),
    found,
    { again: 'bingo crawl mine', dir: 'mine' },
    capturedIo().io,
  );
  expect(told).toMatch(
    /\n1 counter-example could not be fetched\..*\n {2}http:\/\/a\.test\/6: HTTP 404\n2 examples and 3 counter-examples could not be fetched in an earlier run. List them, .*: {2}bingo sql mine "select .*"\n/,
  );
});

test('counts pages of a topic that is not marked good as rejected under it', () => {
  const status = { ...QUIET, fetched: 130, relevant: 34, elapsedMs: 0 } as CrawlStatus;
  const topics = [
    { topic: '', accepted: 0, others: 4, meanConfidence: Number.NaN },
    { topic: 'food', accepted: 0, others: 96, meanConfidence: Number.NaN },
    { topic: 'rail', accepted: 34, others: 0, meanConfidence: 0.888 },
  ];
  const textOf = (shown: typeof topics): string => {
    const found = { relevant: 34, harvestRate: 0.26, topics: shown, left: {}, visits: [] } as unknown as StoreStatus;
    return summaryText(summaryOf({ status }), found, { again: 'x', dir: 'mine' }, capturedIo().io);
  };
  expect(textOf(topics)).toMatch(
    /topic +pages +rejected +mean confidence\n[^\n]+\nfood +0 +96 +–\nrail +34 +0 +0.89\n/,
  );
  expect(textOf(topics.slice(2))).toMatch(/topic +pages +mean confidence\n/);
});

test('shows the largest topics if there are more than fifteen', () => {
  const status = { ...QUIET, fetched: 400, relevant: 400, elapsedMs: 0 } as CrawlStatus;
  const topics = Array.from({ length: 20 }, (_, i) => {
    return { topic: `birds/${i + 1}`, accepted: i + 1, others: 0, meanConfidence: 1 };
  });
  const found = { relevant: 400, harvestRate: 1, topics, left: {}, visits: [] } as unknown as StoreStatus;
  const text = summaryText(summaryOf({ status }), found, { again: 'x', dir: 'mine' }, capturedIo().io);
  expect(text).toMatch(/─\nbirds\/20 +20 [\s\S]*\nbirds\/6 +6 +1.00\n… and 5 more topics: bingo status mine\n/);
});

test('shows pages that are gone separately from the pages of the topics', () => {
  const status = { ...QUIET, fetched: 10, relevant: 6, elapsedMs: 0 } as CrawlStatus;
  const left = { gone: 2, moved: 1, same: 0, noindex: 0 };
  const found = { relevant: 6, harvestRate: 0.6, topics: [], left, visits: [] } as unknown as StoreStatus;
  const text = summaryText(summaryOf({ status }), found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  expect(text).toContain('\nRelevant: 6, 3 of which left since, harvest rate 60 %.\n');
});

test('proposes a review if a crawl found nothing for a long time', () => {
  const told = (sinceRelevant: number, fetched: number, reason: CrawlSummary['reason'] = 'budget'): string => {
    const status = {
      ...{ ...QUIET, ...WAITING, fetched, budget: fetched, relevant: 9, elapsedMs: 0, sinceRelevant },
    } as unknown as CrawlStatus;
    const found = { relevant: 9, harvestRate: 0.01, topics: [], left: {}, visits: [] } as unknown as StoreStatus;
    const again = `bingo crawl mine --budget ${fetched}`;
    return summaryText(summaryOf({ reason, status, budget: fetched }), found, { again, dir: 'mine' }, capturedIo().io);
  };
  const barren = told(812, 1000);
  expect(barren).toContain(
    '\nThe last 812 pages gave nothing relevant: what can be reached from here has probably been found.\n',
  );
  expect(barren).toContain('Next:\n  bingo search mine');
  expect(barren).toMatch(/ {2}bingo crawl mine --budget 2000\n {6}continue anyway, .*seeds.*\n$/);
  expect(told(812, 1000, 'time')).toMatch(/ {2}bingo crawl mine --budget 1000\n {6}continue anyway/);
  for (const text of [told(199, 1000), told(300, 5000), told(900, 1000, 'stopped')])
    expect(text).not.toContain('The last');
});

test('proposes a budget greater than the one spent, and none if no link waits', () => {
  const told = (waiting: object): string => {
    const status = {
      ...QUIET,
      ...waiting,
      fetched: 12,
      budget: 3,
      relevant: 1,
      elapsedMs: 0,
    } as unknown as CrawlStatus;
    const summary = summaryOf({ reason: 'budget', status, budget: 3, fetchedNow: 0 });
    const found = { relevant: 1, harvestRate: 0.5, topics: [], left: {}, visits: [] } as unknown as StoreStatus;
    return summaryText(summary, found, { again: 'bingo crawl mine --budget 3', dir: 'mine' }, capturedIo().io);
  };
  expect(told(WAITING)).toContain('bingo crawl mine --budget 24\n');
  expect(told({ queues: [] })).not.toContain('--budget');
});

test('prints what is stored, whatever was printed while pages were fetched', () => {
  const status = { ...QUIET, fetched: 10, budget: 10, relevant: 6, elapsedMs: 1234.56789 } as CrawlStatus;
  const summary = summaryOf({ reason: 'budget', status, budget: 10, fetchedNow: 10 });
  const found = {
    relevant: 4,
    fetched: 10,
    harvestRate: 0.4,
    topics: [],
    left: {},
    visits: [],
  } as unknown as StoreStatus;
  const text = summaryText(summary, found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  expect(text).toContain(
    'Relevant: 4, harvest rate 40 %.\n(60 % while it ran: pages as they were judged when they were fetched',
  );
  const same = { ...found, relevant: 6, harvestRate: 0.6 };
  expect(summaryText(summary, same, { again: 'x', dir: 'mine' }, capturedIo().io)).not.toContain('while it ran');
  expect(summaryRow(summary, found)).toMatchObject({
    pages: 10,
    fetched: 10,
    relevant: 4,
    harvestRate: 0.4,
    elapsedMs: 1235,
  });
});

test('counts the pages that a browser showed, if there are any', () => {
  const found = { relevant: 1, harvestRate: 0.5, topics: [], left: {}, visits: [] } as unknown as StoreStatus;
  const told = (rendered?: CrawlStatus['rendered']): string => {
    const status = { ...QUIET, fetched: 2, relevant: 1, elapsedMs: 1000, rendered } as unknown as CrawlStatus;
    const summary = summaryOf({ status });
    expect((summaryRow(summary, found) as { rendered?: unknown }).rendered).toEqual(rendered);
    return summaryText(summary, found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  };
  expect(told({ rendered: 1200, gained: 900, failed: 2, leftOut: 31 })).toContain(
    '\nShown in a browser: 1,200 pages, 900 showed more, 2 failed, 31 left out (network.renderPages).\n',
  );
  expect(told({ rendered: 1, gained: 0, failed: 0, leftOut: 0 })).toContain(
    '\nShown in a browser: 1 page, 0 showed more.\n',
  );
  expect(told()).not.toContain('browser');
});

test('after a recheck, proposes waiting links, the same flags, and a budget if it is spent', () => {
  const next = (budget: number, incoming = 3): string => {
    // The run itself could fetch no more pages than there were.
    const queues = [{ incoming, outgoing: 0 }];
    const status = { ...QUIET, queues, fetched: 10, budget: 10, relevant: 6, elapsedMs: 0 } as unknown as CrawlStatus;
    const summary = summaryOf({ reason: 'rechecked', status, budget, fetchedNow: 0 });
    const found = { relevant: 6, harvestRate: 0.6, topics: [], left: {}, visits: [] } as unknown as StoreStatus;
    const again = 'bingo crawl mine --contact me@a.test --recheck';
    return summaryText(summary, found, { again, dir: 'mine' }, capturedIo().io);
  };
  expect(next(10)).toContain('Next:\n  bingo crawl mine --contact me@a.test --budget 20\n');
  expect(next(11)).toContain('Next:\n  bingo crawl mine --contact me@a.test\n');
  expect(next(10, 0)).toContain('Next:\n  bingo search mine');
  expect(next(11, 0)).toContain('Next:\n  bingo search mine');
});

const WAITING = { queues: [{ incoming: 3, outgoing: 0 }] };

test('proposes to repeat an interrupted recheck, and says if no page was due', () => {
  const status = { ...QUIET, ...WAITING, fetched: 10, relevant: 6, elapsedMs: 0 } as unknown as CrawlStatus;
  const found = { relevant: 6, harvestRate: 0.6, topics: [], left: {}, visits: [] } as unknown as StoreStatus;
  const told = (reason: 'stopped' | 'budget' | 'rechecked', total = 9): string => {
    const recheck = { total, unchanged: 0, changed: 0, moved: 0, gone: 0, back: 0, away: 0, failed: 0 };
    const summary = summaryOf({ reason, status, budget: 10, fetchedNow: 0, recheck });
    return summaryText(summary, found, { again: 'bingo crawl mine --recheck --fast', dir: 'mine' }, capturedIo().io);
  };
  expect(told('stopped')).toContain('Next:\n  bingo crawl mine --recheck --fast\n');
  expect(told('budget')).toContain('Next:\n  bingo crawl mine --fast --budget 20\n');
  expect(told('rechecked')).toContain('Rechecked 0 pages: ');
  expect(told('rechecked', 0)).not.toContain('Rechecked');
});

test('prints no numbers if a run was stopped while it read its journal', () => {
  const status = { ...QUIET, fetched: 2, relevant: 1, elapsedMs: 1000 } as CrawlStatus;
  const summary = summaryOf({ reason: 'stopped', status, fetchedNow: 0, isResumed: false });
  const found = {
    relevant: 40,
    fetched: 80,
    harvestRate: 0.5,
    topics: [],
    left: {},
    visits: [],
  } as unknown as StoreStatus;
  const text = summaryText(summary, found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  expect(text).toMatch(/^\nStopped while reading the store; nothing was changed\.\n\nNext:\n {2}bingo crawl mine\n/);
  expect(summaryRow(summary, found)).toMatchObject({ reason: 'stopped', isResumed: false, fetchedNow: 0, fetched: 80 });
  expect(summaryRow(summary, found)).not.toHaveProperty('pages');
});

test('shows seeds, which count towards no budget, beside the pages', () => {
  const status = { ...QUIET, fetched: 10, relevant: 4, elapsedMs: 1000 } as CrawlStatus;
  const told = (seeds: number): string => {
    const found = { relevant: 4, fetched: 10 + seeds, harvestRate: 0.4, topics: [], left: {}, visits: [], seeds };
    const summary = summaryOf({ reason: 'budget', status, fetchedNow: 2 });
    return summaryText(summary, found as unknown as StoreStatus, { again: 'x', dir: 'mine' }, capturedIo().io);
  };
  expect(told(0)).toContain(' 2 pages in 1s, 10 in all.\n');
  expect(told(2)).toContain(' 2 pages in 1s, 10 in all beside 2 seeds.\n');
});

test('offers to fetch again only seeds that failed, not other links', () => {
  const status = { ...QUIET, fetched: 0, relevant: 0, failed: 2, refused: 0, elapsedMs: 0 } as unknown as CrawlStatus;
  const textOf = (pages: number): string => {
    const found = { pages, relevant: 0, harvestRate: 0, topics: [], left: {}, visits: [] } as unknown as StoreStatus;
    return summaryText(summaryOf({ status }), found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  };
  expect(textOf(0)).toContain('  bingo crawl mine\n      try the failed pages again\n');
  expect(textOf(1)).not.toContain('try the failed pages again');
});
