import { expect, test } from 'vitest';
import { type CanonicalUrl, DEFAULTS, type TopicId, type TrainingEntry, topicTree } from '../../../src/core/index.ts';
import { nomineesOf } from '../../../src/engine/rounds/archetype-choice.ts';
import type { CrawlState } from '../../../src/engine/state/crawl-state.ts';
import { TopicPages } from '../../../src/engine/state/topic-pages.ts';

const RAIL = 'rail' as TopicId;
const address = (n: number): CanonicalUrl => `http://found.test/${n}` as CanonicalUrl;

/** A crawl with `pages` accepted pages, each a little less sure than the one before, all surer than its example. */
function crawlOf(pages: number): CrawlState {
  const accepted = new TopicPages(pages);
  for (let n = 1; n <= pages; n++)
    accepted.add({
      sequence: n,
      url: address(n),
      title: '',
      host: 'found.test',
      relevance: 1,
      calibrated: 2 - n / (10 * pages),
      bayesCalibrated: 1,
      links: '',
    });
  const example: TrainingEntry = { key: 'http://example.test/', title: '', topic: RAIL, origin: 'user', confidence: 1 };
  const links = [{ topic: RAIL, url: address(pages), authority: 0.9, hub: 0 }];
  return {
    tree: topicTree([{ name: 'rail', examples: [{ kind: 'url', url: example.key }] }], []),
    round: { training: [example], links },
    steering: { judgements: new Map() },
    kept: { topics: new Map([[RAIL, accepted]]) },
    seen: { pageOf: (url: string) => Number(url.split('/').at(-1)) },
  } as unknown as CrawlState;
}

test('proposes the best authority, however many pages have a higher confidence', () => {
  const learn = { ...DEFAULTS.learn, confidenceArchetypes: 1, authorityArchetypes: 2 };
  expect(nomineesOf(crawlOf(500), RAIL, learn).map(({ key, by }) => [key, by])).toEqual([
    [address(1), 'confidence'],
    [address(500), 'authority'],
  ]);
});
