import { describe, expect, test } from 'vitest';
import {
  DEFAULTS,
  ROOT,
  type TopicId,
  type TopicTree,
  type TrainingEntry,
  topicTree,
} from '../../../src/core/index.ts';
import { KeptPages } from '../../../src/engine/state/kept-pages.ts';
import { page } from '../../contracts/store-records.ts';

const address = (n: number): string => `http://found.test/${n}`;

test('drops a rejected page from OTHERS if a model without it finds it on topic', () => {
  const tree = topicTree(
    [{ name: 'rail', examples: [{ kind: 'url', url: 'http://found.test/' }] }],
    [{ kind: 'url', url: 'http://found.test/others' }],
  );
  const kept = new KeptPages(tree, DEFAULTS);
  for (const n of [1, 2, 3, 4])
    kept.note(page(n, address(n), { others: true, relevance: n === 4 ? 0.4 : 0.1 }), undefined);
  const names = (): string[] =>
    kept.rejected
      .values()
      .map(({ url }) => url)
      .toSorted();
  expect(names()).toEqual([1, 2, 3].map(address));

  const entry = (n: number, confidence: number, origin: TrainingEntry['origin'] = 'rejected'): TrainingEntry => {
    return { key: address(n), title: '', topic: ROOT as TopicId, origin, confidence };
  };
  kept.trained([entry(1, 0.29), entry(2, 0.31), entry(3, 2, 'others'), entry(9, 1)]);
  expect(names()).toEqual([1, 3].map(address));
  kept.trained([entry(1, Number.NaN)]);
  expect(names()).toEqual([1, 3].map(address));
});

describe('a model that rejects everything', () => {
  const tree = (others: number): TopicTree =>
    topicTree(
      [{ name: 'rail', examples: [{ kind: 'url', url: 'http://found.test/' }] }],
      Array.from({ length: others }, (_, i) => ({ kind: 'url', url: `http://found.test/others/${i}` })),
    );
  const entry = (key: string, origin: TrainingEntry['origin'], confidence: number): TrainingEntry => {
    return { key, title: '', topic: ROOT as TopicId, origin, confidence };
  };
  /** Ten pages that were rejected by a model of two examples, held out. */
  const rejecting = (others: number, ...heldOut: readonly number[]): KeptPages => {
    const kept = new KeptPages(tree(others), DEFAULTS);
    kept.modelChanged(heldOut.map((confidence, i) => entry(`http://found.test/example/${i}`, 'user', confidence)));
    for (let n = 1; n <= 10; n++) kept.note(page(n, address(n), { others: true, relevance: 0 }), undefined);
    return kept;
  };

  test.each([
    ['its examples as well', 2, [-3, 1], true],
    ['and examples of which nobody knows', 2, [Number.NaN], true],
    ['but knows its examples again', 2, [-1, 2], false],
    ['beside OTHERS enough', 15, [-3, 1], false],
  ])('%s: whether it is blind', (_what, others, heldOut, isBlind) => {
    expect(rejecting(others, ...heldOut).isBlind).toBe(isBlind);
  });

  test('is not degenerate if it knows only the words of a query', () => {
    const kept = new KeptPages(
      topicTree([{ name: 'rail', examples: [{ kind: 'text', name: 'query', text: 'steam' }] }], []),
      DEFAULTS,
    );
    kept.modelChanged([entry('query', 'user', Number.NaN)]);
    for (let n = 1; n <= 10; n++) kept.note(page(n, address(n), { others: true, relevance: 0 }), undefined);
    expect(kept.isBlind).toBe(false);
  });

  test('leaves as OTHERS only what the next model was trained on, if it was degenerate', () => {
    const trained = [entry('http://found.test/example/0', 'user', 1), entry(address(3), 'rejected', 0)];
    const blind = rejecting(2, -1);
    blind.modelChanged(trained);
    expect(blind.rejected.values().map(({ url }) => url)).toEqual([address(3)]);
    expect(blind.isBlind).toBe(false);
    const seeing = rejecting(2, 1);
    seeing.modelChanged(trained);
    expect(seeing.rejected.values()).toHaveLength(10);
  });
});
