import { expect, test, vi } from 'vitest';
import type { TopicId, VisitRecord } from '../../../src/core/index.ts';
import { HostClocks } from '../../../src/crawl/index.ts';
import { BacklinkOrdering } from '../../../src/crawl/orderings/backlink.ts';
import { CrawlState } from '../../../src/engine/state/crawl-state.ts';
import { entry } from '../../crawl/support/entries.ts';
import { exactConfig, railTree } from '../support/paper-web.ts';

const URL = 'http://a.test/page';

/** Returns the addresses that the ordering must forget after a fetch failed and will be retried. */
function forgotten(lockedHosts: readonly string[]): readonly string[] {
  const gone = vi.spyOn(BacklinkOrdering.prototype, 'gone');
  const config = exactConfig();
  const state = new CrawlState(
    railTree(),
    { ...config, crawl: { ...config.crawl, ordering: 'backlink', lockedHosts } },
    { hosts: new HostClocks({ ...config.network, maxTries: 3 }), resolve() {} },
  );
  const job = { entry: entry(URL, { topic: 'rail' as TopicId }), role: 'crawled' } as const;
  const visit = {
    kind: 'visit',
    sequence: 1,
    url: URL,
    origin: { via: 'link', from: '', topic: 'rail' },
    result: 'failed',
  };
  state.apply({ ...visit, reason: 'timeout', retried: true } as unknown as VisitRecord, job);
  const told = gone.mock.calls.flat();
  gone.mockRestore();
  return told;
}

test('the ordering forgets a link to retry only if its host was blocked meanwhile', () => {
  expect([forgotten(['a.test']), forgotten([])]).toEqual([[URL], []]);
});
