import { expect, test } from 'vitest';
import type { CanonicalUrl, TopicId, VisitRecord } from '../../../src/core/index.ts';
import { KnownCopies } from '../../../src/engine/state/known-copies.ts';

function copy(page: number, n: number): VisitRecord {
  const place = { topic: 'a' as TopicId, depth: 1, tunnelDepth: 0, priority: 0.5 };
  return {
    ...{ kind: 'visit', sequence: 0, url: `http://a.test/${page}/${n}` as CanonicalUrl, page, retried: false },
    ...{ origin: { via: 'link', from: 'http://a.test/', ...place }, result: 'duplicate', reason: 'same-content' },
    ...{ detail: '', status: 200, target: '', fetchedAt: 0 },
  };
}

test('keeps a few URLs of a page with countless copies, and the latest of countless pages', () => {
  const known = new KnownCopies();
  for (let page = 1; page <= 30_000; page++) known.note(copy(page, 0), [0, 0]);
  for (let n = 0; n < 1_000; n++) known.note(copy(30_001, n), [0, 0]);
  expect(known.left(30_001)).toHaveLength(4);
  expect(known.left(30_001)).toEqual([]);
  expect(known.left(30_000)).toMatchObject([{ url: 'http://a.test/30000/0', host: 'a.test', via: 'link', tries: 0 }]);
  expect(known.left(1)).toEqual([]);
});

test('adds up slow changes: a text unlike the copied one releases its copies', () => {
  const known = new KnownCopies();
  const newer = (sequence: number, bits: number, urls: string[] = []) => ({
    ...{ sequence, urls, print: [2 ** bits - 1, 0] as const },
  });
  for (const n of [1, 2]) known.note(copy(1, n), [0, 0]);
  expect(known.renewed(1, newer(2, 10), 14)).toEqual([]);
  // The page has moved to where one of its copies was.
  expect(known.renewed(2, newer(3, 14, ['http://a.test/1/1']), 14)).toEqual([]);
  expect(known.renewed(3, newer(4, 20), 14)).toMatchObject([{ url: 'http://a.test/1/2' }]);
  expect(known.left(4)).toEqual([]);
});

test('keeps a URL once, however often it returned the copy', () => {
  const known = new KnownCopies();
  for (let n = 0; n < 3; n++) known.note(copy(1, 7), [0, 0]);
  known.note(copy(1, 8), [0, 0]);
  expect(known.left(1).map(({ url }) => url)).toEqual(['http://a.test/1/7', 'http://a.test/1/8']);
});
