import { expect, test } from 'vitest';
import { failureLines } from '../../../src/cli/crawl/failure-lines.ts';
import type { StoreStatus } from '../../../src/store/index.ts';

const linesOf = (...visits: StoreStatus['visits']): string => failureLines({ visits } as StoreStatus).join('\n');

test('says that pages of a blocked host were not fetched', () => {
  const text = linesOf(
    { result: 'refused', reason: 'bad-host', status: 0, count: 12 },
    { result: 'failed', reason: 'timeout', status: 0, count: 3 },
  );
  expect(text).toContain('12  refused bad-host (not asked for: fetches from the host had failed too often in a row)');
  expect(text).toMatch(/3 {2}failed timeout$/);
});

test('shows the status codes of answers without a page', () => {
  const [forbidden, gone] = [403, 404].map(
    (status) => ({ result: 'failed', reason: 'http', status, count: 2 }) as const,
  );
  expect(linesOf(forbidden!, gone!)).toMatch(/2 {2}failed http 403\n +2 {2}failed http 404$/);
});

test('says nothing if every fetch returned a page or an unchanged one', () => {
  expect(linesOf({ result: 'unchanged', reason: 'not-modified', status: 304, count: 3 })).toBe('');
});
