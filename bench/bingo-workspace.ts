import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CrawlStart } from './web.ts';

/**
 * `chain`: links are followed as they come and the first model judges all pages. `links`: the same, but the default ordering scores
 * every link and the best goes first. `focused`: as shipped.
 */
export type WorkspaceMode = 'chain' | 'links' | 'focused';

export interface WorkspaceOptions {
  readonly start: CrawlStart;
  readonly pages: number;
  readonly concurrency: number;
  readonly names: string;
  readonly mode: WorkspaceMode;
  readonly spaces: readonly string[];
  /** Default: SQLite. */
  readonly store?: string;
}

/**
 * Writes `bingo.yaml` (JSON is YAML) into a folder. Limits per host and pauses are lifted, since the hosts are ours;
 * robots.txt is obeyed.
 */
export function writeWorkspace(folder: string, options: WorkspaceOptions): void {
  const { start, pages, concurrency, names, mode, spaces, store } = options;
  const isOneModel = mode !== 'focused';
  const ordering = mode === 'chain' ? { ordering: 'breadth-first' } : {};
  const workspace = {
    topics: start.topics,
    others: start.others,
    // A topic may be found whole before the budget is spent. The crawl continues, so that every run fetches the same number of pages.
    crawl: { budget: pages, stagnationPages: 0, ...ordering, ...(isOneModel ? { learn: 0 } : {}) },
    network: {
      concurrency,
      perHost: concurrency,
      perDomain: concurrency,
      perAddress: 0,
      delayMs: 0,
      dnsServers: [names],
      allowPrivate: true,
      contact: 'bench@example.org',
    },
    learn: { spaces, ...(isOneModel ? { maxArchetypes: 0 } : {}) },
    ...(store && { store: { url: store } }),
  };
  writeFileSync(join(folder, 'bingo.yaml'), `${JSON.stringify(workspace, undefined, 2)}\n`);
}
