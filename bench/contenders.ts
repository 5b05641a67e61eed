import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type WorkspaceMode, writeWorkspace } from './bingo-workspace.ts';
import type { ContenderTask } from './contender.ts';
import type { CrawlStart } from './web.ts';

/** How much is crawled, and how. */
export interface CrawlSize {
  readonly pages: number;
  readonly concurrency: number;
  /** Bingo: the file that starts it. */
  readonly bingo: string;
  /** Bingo: feature spaces of its classifiers. */
  readonly spaces: readonly string[];
}

/** All parameters of a crawl of the benchmark. */
export interface CrawlOrder extends CrawlSize {
  readonly start: CrawlStart;
  /** `address:port` of the name server. */
  readonly names: string;
  /** An empty folder for what the crawler writes. */
  readonly folder: string;
}

/** A program that crawls. */
export interface Contender {
  readonly key: string;
  readonly title: string;
  /** Arguments of Node. */
  command(order: CrawlOrder): readonly string[];
  /** True: asks the system for names, which the probe answers without cost; false: asks our name server. */
  readonly namesFromProbe: boolean;
}

export const CONTENDERS: readonly Contender[] = [
  {
    key: 'bare',
    title: 'bare loop: undici + htmlparser2',
    namesFromProbe: true,
    command: (order) => script('bare-loop.ts', order, 'pages.jsonl'),
  },
  {
    key: 'storing',
    title: 'bare loop, pages stored',
    namesFromProbe: true,
    command: (order) => script('storing-loop.ts', order, 'pages.db'),
  },
  {
    key: 'indexing',
    title: 'bare loop, stems counted, pages stored and indexed',
    namesFromProbe: true,
    command: (order) => script('indexing-loop.ts', order, 'pages.db'),
  },
  {
    key: 'bingo',
    title: 'Bingo, whole chain',
    namesFromProbe: false,
    command: (order) => bingo('chain', order),
  },
  {
    key: 'links',
    title: 'Bingo, whole chain and link decisions',
    namesFromProbe: false,
    command: (order) => bingo('links', order),
  },
  {
    key: 'focused',
    title: 'Bingo as shipped: focused, learning, retraining',
    namesFromProbe: false,
    command: (order) => bingo('focused', order),
  },
  {
    key: 'crawlee',
    title: 'Crawlee CheerioCrawler, its own storage',
    namesFromProbe: true,
    command: (order) => script('crawlee/crawl.js', order, 'storage'),
  },
  {
    key: 'crawlee-memory',
    title: 'Crawlee CheerioCrawler, storage in memory',
    namesFromProbe: true,
    command: (order) => script('crawlee/crawl.js', order, 'storage', false),
  },
];

function script(file: string, order: CrawlOrder, output: string, persist = true): readonly string[] {
  const { pages, concurrency, folder, start } = order;
  const task: ContenderTask = { seeds: start.seeds, pages, concurrency, output: join(folder, output), persist };
  return [fileURLToPath(new URL(file, import.meta.url)), JSON.stringify(task)];
}

function bingo(mode: WorkspaceMode, order: CrawlOrder): readonly string[] {
  const folder = join(order.folder, 'workspace');
  mkdirSync(folder);
  writeWorkspace(folder, { ...order, mode });
  return [order.bingo, 'crawl', folder, '--json'];
}
