import { expect, test } from 'vitest';
import { summaryText } from '../../../src/cli/crawl/crawl-summary.ts';
import type { CrawlStatus } from '../../../src/core/index.ts';
import type { CrawlSummary } from '../../../src/engine/index.ts';
import type { StoreStatus } from '../../../src/store/index.ts';
import { capturedIo } from '../support/captured-io.ts';

test('leaves one line empty between its parts, also where no topic has a page', () => {
  const status = { fetched: 2, relevant: 0, elapsedMs: 1000 } as CrawlStatus;
  const spent = { topics: [], sites: 0 };
  const summary: CrawlSummary = { reason: 'frontier-dry', status, fetchedNow: 2, isReclassificationDue: false, spent };
  const found = { topics: [], visits: [{ result: 'failed', reason: 'dns', count: 5 }] } as unknown as StoreStatus;
  const text = summaryText(summary, found, { again: 'bingo crawl mine', dir: 'mine' }, capturedIo().io);
  expect(text).toContain('harvest rate 0 %.\n\nFetches that gave no page:\n');
});
