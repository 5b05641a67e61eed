import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { type BaseSet, type BaseSetPage, type BaseSetParts, buildBaseSet } from '../support/base-set.ts';

const page = (url: string, links: readonly string[], relevance = 1): BaseSetPage => ({ url, links, relevance });

function build(
  positives: readonly BaseSetPage[],
  others: readonly BaseSetPage[],
  fields: Partial<BaseSetParts> = {},
): BaseSet {
  return buildBaseSet({
    positives,
    others,
    maxPredecessors: 10,
    hostOf: (url) => url.split('/')[0]!,
    random: seededRandom(1),
    ...fields,
  });
}

function edgesOf({ urls, graph }: BaseSet): string[] {
  return [...graph.sources].map((from, i) => `${urls[from]} -> ${urls[graph.targets[i]!]}`).sort();
}

describe('buildBaseSet', () => {
  it('holds positives, what they link to, and what links to them', () => {
    const base = build([page('a/1', ['b/1'])], [page('c/1', ['a/1', 'd/1']), page('e/1', ['f/1'])]);
    expect(base.urls).toEqual(['a/1', 'b/1', 'c/1']);
    expect(edgesOf(base)).toEqual(['a/1 -> b/1', 'c/1 -> a/1']);
  });

  it('holds all known links among its members, including links of fetched successors', () => {
    const base = build([page('a/1', ['b/1'])], [page('b/1', ['c/1', 'd/1'], 0.3), page('c/1', ['a/1'], 0.2)]);
    expect(edgesOf(base)).toEqual(['a/1 -> b/1', 'b/1 -> c/1', 'c/1 -> a/1']);
    expect([...base.graph.relevance]).toEqual([1, 0.3, 0.2]);
  });

  it('gives relevance 0 to successors that were not fetched, and marks the positives', () => {
    const { graph } = build([page('a/1', ['b/1'], 0.8)], []);
    expect([...graph.relevance]).toEqual([0.8, 0]);
    expect([...graph.positive!]).toEqual([1, 0]);
  });

  it('numbers hosts, so that links within one host can be recognised', () => {
    const { graph } = build([page('a/1', ['b/1', 'a/2'])], []);
    expect([...graph.hosts]).toEqual([0, 1, 0]);
  });

  it('leaves out links of a page to itself', () => {
    expect(edgesOf(build([page('a/1', ['a/1', 'b/1'])], []))).toEqual(['a/1 -> b/1']);
  });

  it('samples predecessors with equal chance if there are too many', () => {
    const fans = Array.from({ length: 20 }, (_, i) => page(`fan${i}/`, ['a/1']));
    const random = seededRandom(7);
    const counts = new Map<string, number>();
    for (let round = 0; round < 2000; round++) {
      const { urls } = build([page('a/1', [])], fans, { maxPredecessors: 5, random });
      expect(urls).toHaveLength(6);
      for (const url of urls.slice(1)) counts.set(url, (counts.get(url) ?? 0) + 1);
    }
    expect(counts.size).toBe(20);
    for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(100);
  });

  it('has no predecessors if the caller asks for none', () => {
    expect(build([page('a/1', [])], [page('b/1', ['a/1'])], { maxPredecessors: 0 }).urls).toEqual(['a/1']);
  });

  it('is empty for no pages', () => {
    expect(build([], [page('b/1', ['a/1'])]).graph.size).toBe(0);
  });
});
