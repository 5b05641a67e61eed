import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TopicId } from '../../src/core/index.ts';
import { TopicShares } from '../../src/crawl/topic-shares.ts';

const [A, B, C] = ['a', 'b', 'c'] as TopicId[] as [TopicId, TopicId, TopicId];

describe('TopicShares', () => {
  it('makes no topic due at first, or without a share', () => {
    const none = new TopicShares(0);
    for (let i = 0; i < 10; i++) none.took(A, new Set([A, B]));
    expect([new TopicShares(1).due(), none.due()]).toEqual([[], []]);
  });

  it('makes a topic due at half of an equal share: one take in four of two topics', () => {
    const shares = new TopicShares(0.5);
    for (let i = 0; i < 3; i++) shares.took(A, new Set([A, B]));
    expect(shares.due()).toEqual([]);
    shares.took(A, new Set([A, B]));
    expect(shares.due()).toEqual([B]);
    shares.took(B, new Set([A, B]));
    expect(shares.due()).toEqual([]);
  });

  it('puts the topic first that has waited longest', () => {
    const shares = new TopicShares(1);
    shares.took(A, new Set([A, B]));
    for (let i = 0; i < 3; i++) shares.took(A, new Set([A, B, C]));
    expect(shares.due()).toEqual([B, C]);
    for (let i = 0; i < 3; i++) shares.took(A, new Set([A, B, C]));
    shares.took(B, new Set([A, B, C]));
    expect(shares.due()).toEqual([C, B]);
  });

  it('forgets a topic without entries', () => {
    const shares = new TopicShares(1);
    for (let i = 0; i < 4; i++) shares.took(A, new Set([A, B]));
    shares.took(A, new Set([A]));
    expect(shares.due()).toEqual([]);
  });

  it('lets a blocked topic save two takes, and no more', () => {
    const shares = new TopicShares(1);
    for (let i = 0; i < 20; i++) shares.took(A, new Set([A, B]));
    const due = [0, 1, 2].map(() => {
      const isDue = shares.due().includes(B);
      shares.took(B, new Set([A, B]));
      return isDue;
    });
    expect(due).toEqual([true, true, false]);
  });

  it('never makes the only topic wait', () => {
    const shares = new TopicShares(1);
    for (let i = 0; i < 4; i++) {
      expect(shares.due().every((topic) => topic === A)).toBe(true);
      shares.took(A, new Set([A]));
    }
  });

  it('gives every ready topic at least its share of any takes, less two', () => {
    const crawl = fc.record({
      topics: fc.integer({ min: 1, max: 6 }),
      fairShare: fc.constantFrom(0.25, 0.5, 1),
      // The topic of the best link, per take.
      best: fc.array(fc.nat(5), { minLength: 60, maxLength: 60 }),
      from: fc.nat(30),
    });
    fc.assert(
      fc.property(crawl, ({ topics, fairShare, best, from }) => {
        const ids = Array.from({ length: topics }, (_, i) => `t${i}` as TopicId);
        const shares = new TopicShares(fairShare);
        const taken = best.map((wanted) => {
          const topic = shares.due()[0] ?? ids[wanted % topics]!;
          shares.took(topic, new Set(ids));
          return topic;
        });
        const takes = taken.slice(from);
        for (const id of ids)
          expect(takes.filter((topic) => topic === id).length).toBeGreaterThanOrEqual(
            (fairShare * takes.length) / topics - 2,
          );
      }),
    );
  });
});
