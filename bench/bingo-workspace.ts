import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CrawlStart } from './web.ts';

export interface WorkspaceOptions {
  readonly start: CrawlStart;
  readonly pages: number;
  readonly concurrency: number;
  readonly names: string;
  /** `chain`: every link is followed and the first model judges all pages. `focused`: as shipped. */
  readonly mode: 'chain' | 'focused';
  readonly spaces: readonly string[];
}

/**
 * Writes `bingo.yaml` (JSON is YAML) into a folder. Limits per host and pauses are lifted, since the hosts are ours;
 * robots.txt is obeyed.
 */
export function writeWorkspace(folder: string, options: WorkspaceOptions): void {
  const { start, pages, concurrency, names, mode, spaces } = options;
  const unfocused = mode === 'chain';
  const workspace = {
    topics: start.topics,
    others: start.others,
    crawl: { budget: pages, ...(unfocused ? { ordering: 'breadth-first', learn: 0 } : {}) },
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
    learn: { spaces, ...(unfocused ? { maxArchetypes: 0 } : {}) },
  };
  writeFileSync(join(folder, 'bingo.yaml'), `${JSON.stringify(workspace, undefined, 2)}\n`);
}
