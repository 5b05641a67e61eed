import { expect, test } from 'vitest';
import type { TopicId } from '../../../src/core/index.ts';
import { AuthorityNews } from '../../../src/engine/rounds/authority-changes.ts';

const topic = 'cycling' as TopicId;

function distilled(size: number): Parameters<AuthorityNews['of']>[0] {
  const authorities = new Map(
    Array.from({ length: size }, (_, i) => [`https://a.example/${i + 1}`, 1 / size] as const),
  );
  return [{ topic, authorities, citations: new Map(), scores: [], unvisited: [] }];
}
const pageOf = (url: string): number => Number(url.split('/').at(-1));

test('reports authorities after growth by a fifth, or after ten distillations', () => {
  const news = new AuthorityNews();
  const told = (size: number): number => news.of(distilled(size), pageOf)[0]?.pages.length ?? 0;
  expect([0, 10, 11, 12, 13, 14].map(told)).toEqual([0, 10, 0, 0, 13, 0]);
  expect(Array.from({ length: 10 }, () => told(13))).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 13, 0]);
  const empty = new AuthorityNews();
  expect(Array.from({ length: 12 }, () => empty.of(distilled(0), pageOf)).flat()).toEqual([]);
  expect(new AuthorityNews().of(distilled(3), (url) => (url.endsWith('2') ? 0 : pageOf(url)))).toEqual([
    { topic, pages: [1, 3], scores: [1 / 3, 1 / 3] },
  ]);
});
