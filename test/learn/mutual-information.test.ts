import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  corpusOf,
  mutualInformation,
  type SelectionInput,
  selectBothSides,
  selectFeatures,
} from '../../src/learn/index.ts';
import { packCounts } from '../support/pack-counts.ts';
import { bagOf } from './bags.ts';

const DOCUMENTS = ['war peace war', 'war army', 'tea cake', 'tea peace', 'cake bread'];
const corpus = corpusOf(DOCUMENTS.map(bagOf));

function input(limits: Partial<SelectionInput> = {}): SelectionInput {
  return { corpus, positives: [0, 1], negatives: [2, 3, 4], candidates: 100, features: 100, ...limits };
}

function names(selected: Iterable<number>): string[] {
  return [...selected].map((id) => corpus.names[id]!);
}

describe('mutualInformation', () => {
  it('is P[X∧V]·log(P[X∧V] / (P[X]·P[V])), counted by hand', () => {
    // 10 documents, 4 of the topic, 5 with the word, 3 both: .3·ln(.3 / (.5·.4))
    const counts = { documents: 10, inTopic: 4, withFeature: 5, both: 3 };
    expect(mutualInformation(counts)).toBeCloseTo(0.3 * Math.log(1.5), 12);
  });

  it('is 0 for independent and unused words, and negative for rarer ones', () => {
    expect(mutualInformation({ documents: 8, inTopic: 4, withFeature: 2, both: 1 })).toBe(0);
    expect(mutualInformation({ documents: 8, inTopic: 4, withFeature: 2, both: 0 })).toBe(0);
    expect(mutualInformation({ documents: 8, inTopic: 4, withFeature: 6, both: 1 })).toBeLessThan(0);
  });
});

describe('selectFeatures', () => {
  it('ranks the words first that separate the topic from its siblings', () => {
    // war: 2 of 2 and nowhere else; army: 1 of 2; peace: once on each side
    expect(names(selectFeatures(input()).map(({ id }) => id))).toEqual(['war', 'army', 'peace']);
    expect(selectFeatures(input())[0]!.information).toBeCloseTo(0.4 * Math.log(0.4 / (0.4 * 0.4)), 12);
  });

  it('considers only the most frequent candidates, and keeps at most the given number', () => {
    expect(names(selectFeatures(input({ candidates: 1 })).map(({ id }) => id))).toEqual(['war']);
    expect(selectFeatures(input({ features: 2 }))).toHaveLength(2);
  });

  it('considers as many candidates as given, whatever their ties and frequency', () => {
    const rare = fc.integer({ min: 1, max: 4 });
    const among = (count: fc.Arbitrary<number>) => fc.array(count, { minLength: 1, maxLength: 30 });
    const counts = fc.oneof(among(rare), among(fc.oneof(rare, fc.constant(65_535))));
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 30 }), (occurrences, candidates) => {
        const name = (i: number): string => `w${String(i).padStart(2, '0')}`;
        const bag = packCounts(occurrences.map((count, i): [string, number] => [name(i), count]).reverse());
        // The same page 20 times: the most frequent words occur a million times.
        const many = corpusOf([...Array.from({ length: 20 }, () => bag), bagOf('other')]);
        const positives = Array.from({ length: 20 }, (_, i) => i);
        const selected = selectFeatures({ corpus: many, positives, negatives: [20], candidates, features: 100 });
        const expected = [...occurrences.keys()]
          .toSorted((a, b) => occurrences[b]! - occurrences[a]! || a - b)
          .slice(0, candidates);
        expect(selected.map(({ id }) => many.names[id]).toSorted()).toEqual(expected.map(name).toSorted());
      }),
    );
  });

  it('breaks ties alphabetically, so that the order of documents does not matter', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }), (order) => {
        const shuffled = corpusOf(order.map((i) => bagOf(DOCUMENTS[i]!)));
        const at = (i: number): number => order.indexOf(i);
        const moved = input({ corpus: shuffled, positives: [at(0), at(1)], negatives: [at(2), at(3), at(4)] });
        expect(selectFeatures(moved).map(({ id }) => shuffled.names[id])).toEqual(['war', 'army', 'peace']);
      }),
    );
  });
});

describe('selectBothSides', () => {
  it('adds the words that indicate the competitors, each word once', () => {
    expect(names(selectBothSides(input()))).toEqual(['war', 'army', 'peace', 'cake', 'tea', 'bread']);
  });

  it('uses the topic alone if nothing competes', () => {
    expect(names(selectBothSides(input({ negatives: [] }))).sort()).toEqual(['army', 'peace', 'war']);
  });
});
