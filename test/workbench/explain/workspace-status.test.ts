import { expect, test } from 'vitest';
import type { CrawlStatus } from '../../../src/core/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { withRendering } from '../../../src/workbench/crawl/rendering.ts';
import { workspaceStatus } from '../../../src/workbench/explain/workspace-status.ts';

const COUNTS = { rendered: 7, gained: 5, failed: 1, leftOut: 2 };

/** Returns a store whose last crawl has reported this. */
function storeWith(status: Partial<CrawlStatus>): Pick<Store, 'status' | 'published' | 'steers'> {
  return {
    status: async () => ({ estimates: [] }),
    published: async () => ({ status }),
    steers: async () => [],
  } as unknown as Pick<Store, 'status' | 'published' | 'steers'>;
}

test('has the pages that a browser showed, as the crawl reported them', async () => {
  expect((await workspaceStatus(storeWith({ rendered: COUNTS }))).rendered).toEqual(COUNTS);
  expect(await workspaceStatus(storeWith({}))).not.toHaveProperty('rendered');
});

test('a fetcher with a browser gives its counts as they are now', () => {
  const rendering = { counts: { ...COUNTS } };
  const fetcher = withRendering({} as never, rendering as never);
  rendering.counts = { ...COUNTS, rendered: 8 };
  expect(fetcher.rendered).toEqual({ ...COUNTS, rendered: 8 });
});
