import { describe, expect, it, test } from 'vitest';
import { DEFAULTS, type TopicId, type TrainingEntry, type TrainingOrigin } from '../../src/core/index.ts';
import {
  type ArchetypeInput,
  archetypeGate,
  isUnlike,
  rankAbove,
  roundIsWorse,
  selectArchetypes,
} from '../../src/learn/index.ts';

const topic = 'war' as TopicId;
type Candidate = ArchetypeInput['candidates'][number];

function entry(key: string, origin: TrainingOrigin, confidence: number, of = topic): TrainingEntry {
  return { key, title: '', topic: of, origin, confidence };
}

function candidate(key: string, calibrated: number, more: Partial<Candidate> = {}): Candidate {
  return { key, title: key, topic, calibrated, authority: 0, bayesCalibrated: 1, citations: 1, ...more };
}

function choose(more: Partial<ArchetypeInput>): { admitted: string[]; dropped: string[] } {
  const training = [entry('a', 'user', 1), entry('b', 'user', 1.4)];
  const choice = selectArchetypes({ topic, candidates: [], training, config: DEFAULTS.learn, ...more });
  return { admitted: choice.admitted.map(({ key }) => key), dropped: choice.dropped.map(({ key }) => key) };
}

describe('selectArchetypes', () => {
  it('admits pages above the mean held-out confidence of the training pages, best first', () => {
    const candidates = [candidate('low', 1.19), candidate('good', 1.3), candidate('best', 2)];
    expect(choose({ candidates }).admitted).toEqual(['best', 'good']);
  });

  it('admits every accepted page without the gate', () => {
    const candidates = [candidate('rejected', 0.8), candidate('low', 0.95), candidate('best', 2)];
    expect(choose({ candidates }).admitted).toEqual(['best']);
    const config = { ...DEFAULTS.learn, archetypeGate: false };
    expect(choose({ candidates, config }).admitted).toEqual(['best', 'low']);
  });

  it('prefers pages that naive Bayes and links of other pages confirm', () => {
    const candidates = [
      candidate('doubted', 9, { bayesCalibrated: 0.9, citations: 0 }),
      candidate('unlinked', 3, { citations: 0 }),
      candidate('unlike', 2.5, { bayesCalibrated: 0.9 }),
      candidate('sure', 2),
      candidate('surer', 2.2),
    ];
    expect(choose({ candidates }).admitted).toEqual(['surer', 'sure', 'unlinked']);
  });

  it('takes pages that one of both confirms only until the topic has three', () => {
    const candidates = [candidate('unlinked', 3, { citations: 0 }), candidate('unlike', 2.5, { bayesCalibrated: 0.9 })];
    const held = (many: number): TrainingEntry[] =>
      Array.from({ length: many }, (_, i) => entry(`h${i}`, 'archetype-by-confidence', 1.2));
    expect(choose({ candidates, training: held(1) }).admitted).toEqual(['unlinked', 'unlike']);
    expect(choose({ candidates, training: held(2) }).admitted).toEqual(['unlinked']);
    expect(choose({ candidates, training: held(3) }).admitted).toEqual([]);
  });

  it('reports how a page qualified', () => {
    const candidates = [candidate('cited', 2, { authority: 0.5 }), candidate('sure', 3)];
    const { admitted } = selectArchetypes({ topic, candidates, training: [], config: DEFAULTS.learn });
    expect(admitted.map(({ origin }) => origin)).toEqual(['archetype-by-confidence', 'archetype-by-authority']);
  });

  it('rejects an authority that is off topic', () => {
    expect(choose({ candidates: [candidate('celebrity', 0.1, { authority: 1 })] }).admitted).toEqual([]);
  });

  it('admits at most min{N_auth, N_conf} pages and at most the limit of a round', () => {
    const candidates = Array.from({ length: 20 }, (_, i) => candidate(`p${i}`, 2 + i));
    expect(choose({ candidates }).admitted).toHaveLength(DEFAULTS.learn.maxArchetypesPerRound);
    const config = { ...DEFAULTS.learn, authorityArchetypes: 2 };
    expect(choose({ candidates, config }).admitted).toEqual(['p19', 'p18']);
  });

  it('fills a topic only up to its limit', () => {
    const held = Array.from({ length: 29 }, (_, i) => entry(`h${i}`, 'archetype-by-confidence', 1.2));
    const candidates = [candidate('x', 5), candidate('y', 6)];
    expect(choose({ candidates, training: held }).admitted).toEqual(['y']);
  });

  it('drops archetypes that weakened, and never drops examples of the user', () => {
    const training = [
      entry('mine', 'user', -2),
      entry('approved', 'feedback', -1),
      entry('weak', 'archetype-by-authority', 0.1),
      entry('strong', 'archetype-by-confidence', 1.5),
      entry('unknown', 'archetype-by-confidence', Number.NaN),
    ];
    expect(choose({ training }).dropped).toEqual(['weak']);
  });

  it('skips pages of other topics, OTHERS, and pages already in training', () => {
    const training = [entry('a', 'user', 1), entry('o', 'others', -5), entry('z', 'user', 9, 'tea' as TopicId)];
    const candidates = [candidate('a', 4), candidate('t', 4, { topic: 'tea' as TopicId }), candidate('new', 1.1)];
    expect(choose({ training, candidates }).admitted).toEqual(['new']);
  });
});

describe('archetypeGate', () => {
  it('is the mean of known confidences, at least the confidence of a mean positive', () => {
    expect(archetypeGate([{ confidence: 1.5 }, { confidence: 2.5 }, { confidence: Number.NaN }])).toBe(2);
    expect(archetypeGate([{ confidence: -0.6 }])).toBe(1);
    expect(archetypeGate([])).toBe(1);
  });
});

describe('the drift guard', () => {
  it('ranks held-out examples among off-topic pages, and counts ties half', () => {
    expect(rankAbove([1, 3], [0, 1, 2, 4])).toBe((1.5 + 3) / 8);
    expect(rankAbove([], [1])).toBeNaN();
  });

  it('calls a round worse if the rank fell by more than the tolerance', () => {
    expect(roundIsWorse(0.9, 0.85, 0.02)).toBe(true);
    expect(roundIsWorse(0.9, 0.89, 0.02)).toBe(false);
    expect(roundIsWorse(Number.NaN, 0.1, 0.02)).toBe(false);
  });
});

test('calls an archetype unlike the examples if it is below their mean, not if unknown', () => {
  expect([0.99, 1, 3, undefined].map(isUnlike)).toEqual([true, false, false, false]);
});
