import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TermCounts } from '../../src/core/index.ts';
import { corpusOf, FeatureNames, type KeptBag } from '../../src/learn/index.ts';
import { packCounts } from '../support/pack-counts.ts';
import { bagOf } from './bags.ts';

const words = fc.array(fc.constantFrom('war', 'tea', 'cake', 'army', 'rail', 'of'), { maxLength: 8 });

test('builds the same corpus whatever was numbered before', () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), fc.array(words, { maxLength: 6 }), (before, now) => {
      const remembered = new FeatureNames();
      const earlier = before.map((text) => bagOf(text.join(' ')));
      const bags = [...now.map((text) => bagOf(text.join(' '))), ...earlier.slice(0, 2), undefined];
      corpusOf(earlier, remembered);
      expect(corpusOf(bags, remembered)).toEqual(corpusOf(bags));
    }),
  );
});

test('numbers features in order of first occurrence, each once', () => {
  const { names, bags } = corpusOf([bagOf('tea cake'), undefined, bagOf('rail tea')]);
  expect(names).toEqual(['tea', 'cake', 'rail']);
  expect(bags.map(({ ids }) => [...ids])).toEqual([[0, 1], [], [2, 0]]);
});

test('keeps the names of thousands of features, in one document or in many', () => {
  const features = Array.from({ length: 20_000 }, (_, i) => `${i % 3 === 0 ? 'ü' : ''}feature ${i}`);
  const documents = [features.slice(0, 15_000), features.slice(5_000)].map((own) =>
    packCounts(own.map((name) => [name, 1])),
  );
  const { names, bags } = corpusOf(documents);
  expect(names).toEqual(features);
  expect(bags[1]!.ids[0]).toBe(5_000);
  expect(bags[1]!.ids.at(-1)).toBe(19_999);
});

test('builds the same corpus from stored documents as from the originals', () => {
  const texts = fc.array(words, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, fc.nat()), { maxLength: 4 }), (rounds) => {
      const names = new FeatureNames();
      const kept: [TermCounts, KeptBag][] = [];
      for (const [now, dropped] of rounds) {
        for (const [, bag] of kept.splice(dropped % (kept.length + 1), 2)) names.drop(bag);
        for (const text of now) {
          const document = bagOf(text.join(' '));
          kept.push([document, names.keep(document)]);
        }
        const [documents, bags] = [kept.map(([document]) => document), kept.map(([, bag]) => bag)];
        expect(corpusOf(bags, names)).toEqual(corpusOf(documents));
        expect(bags.map(({ features }) => features)).toEqual(documents.map(({ features }) => features));
        // Documents that a corpus omits keep their features.
        expect(corpusOf(bags.slice(1), names)).toEqual(corpusOf(documents.slice(1)));
      }
    }),
  );
});

test('moves documents that fill many slabs together if others are removed', () => {
  const names = new FeatureNames();
  const documents = Array.from({ length: 60 }, (_, i) =>
    packCounts(Array.from({ length: 9_000 }, (_, k) => [`f${(i * 31 + k) % 20_000}`, 1 + (k % 7)])),
  );
  const bags = documents.map((document) => names.keep(document));
  for (let i = 0; i < bags.length; i += 3) names.drop(bags[i]!);
  const left = bags.filter((_, i) => i % 3 > 0);
  expect(corpusOf(left, names)).toEqual(corpusOf(documents.filter((_, i) => i % 3 > 0)));
  expect(new Set(left.map(({ ids }) => ids.buffer)).size).toBe(3);
});

test('stores feature numbers in two bytes if there are few, and fits all if many', () => {
  const names = new FeatureNames();
  const few = bagOf('tea cake');
  const many = packCounts(Array.from({ length: 70_000 }, (_, i) => [`word ${i}`, 1]));
  const kept = [few, many, few].map((document) => names.keep(document));
  const corpus = corpusOf(kept.toReversed(), names);
  expect(corpus.names.slice(0, 3)).toEqual(['tea', 'cake', 'word 0']);
  expect(Array.from(corpus.bags[1]!.ids)).toEqual(Array.from({ length: 70_000 }, (_, i) => i + 2));
  names.drop(kept[0]!);
  expect(corpusOf(kept.slice(1), names).names.slice(-2)).toEqual(['tea', 'cake']);
  expect(kept[2]!.features).toBe('tea\ncake');
  names.drop(kept[1]!);
  expect(corpusOf(kept.slice(2), names).bags[0]!.ids).toEqual(Uint16Array.of(0, 1));
});
