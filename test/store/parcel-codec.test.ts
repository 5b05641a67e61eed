import { expect, test } from 'vitest';
import { type CanonicalUrl, joinParcels, type Lesson, parseTopicId, type SentPage } from '../../src/core/index.ts';
import { packBytes } from '../../src/store/rows/codec.ts';
import { packParcel, unpackParcel } from '../../src/store/rows/parcel-codec.ts';

const url = 'http://a.test/' as CanonicalUrl;
const page: SentPage = {
  ...{ url, host: 'a.test', title: 'Hubs', language: 'en', entry: undefined },
  links: [{ url: 'http://b.test/', anchor: 'b', context: '', flags: 0, position: 0.5 }],
  assignment: {
    topic: parseTopicId('t'),
    others: false,
    confidence: Number.NaN,
    relevance: 0.5,
    scores: [],
    model: 1,
  } as unknown as SentPage['assignment'],
  whole: { links: 3, known: [[16, 0.25]] },
};
const lessons: readonly Lesson[] = [
  { url, relevance: 0.5, link: undefined, words: [], known: [] },
  {
    ...{ url, relevance: 0, words: [7, 8, 65_535], known: [{ words: [[1], [], [2]], relevance: 0.5 }] },
    link: { features: [1, 0.25], words: [[3], [], [9, 4]], offers: [[2 ** 52, 31]] },
  },
];

test('a parcel is restored as it was', () => {
  const parcel = { pages: [page], redirects: [], lessons };
  expect(unpackParcel(packParcel(parcel))).toEqual(parcel);
  const both = joinParcels([parcel, parcel]);
  expect(unpackParcel(packParcel(both))).toEqual({
    pages: [page, page],
    redirects: [],
    lessons: [...lessons, ...lessons],
  });
});

test('a parcel of a version that sent no lessons is read', () => {
  const { whole: _, ...older } = page;
  const parcel = unpackParcel(packBytes(Buffer.from(JSON.stringify({ pages: [older], redirects: [] }))));
  expect(parcel.lessons).toEqual([]);
  expect(parcel.pages[0]!.whole).toEqual({ links: 1, known: [] });
});
