import fc from 'fast-check';
import { expect, test } from 'vitest';
import { corpusOf, FeatureNames } from '../../src/learn/index.ts';
import { packCounts } from '../support/pack-counts.ts';
import { bagOf } from './bags.ts';

const words = fc.array(fc.constantFrom('war', 'tea', 'cake', 'army', 'rail', 'of'), { maxLength: 8 });

test('a corpus is the same whatever was numbered before it', () => {
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

test('features are numbered in order of first occurrence, each once', () => {
  const { names, bags } = corpusOf([bagOf('tea cake'), undefined, bagOf('rail tea')]);
  expect(names).toEqual(['tea', 'cake', 'rail']);
  expect(bags.map(({ ids }) => [...ids])).toEqual([[0, 1], [], [2, 0]]);
});

test('thousands of features keep their names, in one document or another', () => {
  const features = Array.from({ length: 20_000 }, (_, i) => `${i % 3 === 0 ? 'ü' : ''}feature ${i}`);
  const documents = [features.slice(0, 15_000), features.slice(5_000)].map((own) =>
    packCounts(own.map((name) => [name, 1])),
  );
  const { names, bags } = corpusOf(documents);
  expect(names).toEqual(features);
  expect(bags[1]!.ids[0]).toBe(5_000);
  expect(bags[1]!.ids.at(-1)).toBe(19_999);
});
