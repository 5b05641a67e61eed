import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { type AdaptedSystem, labAdapt, type Task } from '../../lab/index.ts';
import { createWorkspace } from '../../workbench/index.ts';
import type { Args, Command } from '../command.ts';
import { readCount } from '../read-count.ts';
import { withSignal } from './lab.ts';

/** Subjects of the example task, by day. */
const SUBJECTS = [
  'Science/Biology/Mammals',
  'Science/Biology/Birds',
  'Science/Biology/Insects_Reptiles_and_Fish',
  'Science/Biology/Dinosaurs',
  'Geography/Geology_and_geophysics',
  'Science/Chemistry/Chemical_elements',
];
const TASK = 'wikispeedia/mammals';
/** Crawls per query, so that a night takes a minute. */
const ITERATIONS = 2;

export const labAdaptCommand: Command = {
  name: 'lab adapt',
  summary: 'Simulate days of drifting queries: bingo adapt against no adaptation and a plain recrawl.',
  positionals: ['TASKS'],
  flags: {
    webs: { value: 'DIR', help: 'Folder with NAME.warc.gz and NAME.labels.tsv.' },
    task: { value: 'ID', help: `Task whose topic the workspace begins with. Default: ${TASK}.` },
    subjects: {
      value: 'A,B,…',
      help: 'Labels that are asked for, by day; one more than days. Default: six of wikispeedia.',
    },
    days: { value: 'N', help: 'Days. Default: 5.' },
    queries: { value: 'N', help: 'Queries per day. Default: 30.' },
    next: { value: 'SHARE', help: 'Share of queries on the subject of the next day. Default: 0.4.' },
    pages: { value: 'N', help: 'Pages of a collection. Default: 300.' },
    sample: { value: 'N', help: 'Queries of the day to adapt to, drawn at random. Default: 6.' },
    seed: { value: 'N', help: 'Seed of the queries. Default: 1.' },
    out: { value: 'DIR', help: 'Folder for adapt.json, table.txt and adapt.svg.' },
    json: { help: 'One JSON object on stdout, with the queries and every figure.' },
  },
  examples: [
    ['bingo lab adapt tasks.json --webs webs --out days', 'Five days, from mammals to chemical elements.'],
    ['bingo lab adapt tasks.json --webs webs --pages 400 --next 0.2', 'A larger collection, a slower drift.'],
  ],
  notes: [
    'Queries are titles of pages with the label of the day. P@10 counts results with that label. "repeated" is P@10 of the queries of the day ' +
      'before, asked again. "cosine" compares the pages with the queries of the day. "fetched" is the cost of the night before.',
  ],
  run: async (args, io) => {
    const folder = mkdtempSync(join(tmpdir(), 'bingo-lab-adapt-'));
    try {
      const world = (task: Task, port: number) => (name: string) => systemAt(join(folder, name), task, port);
      return await withSignal(io, (lab) => labAdapt(optionsOf(args), world, lab));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function optionsOf(args: Args): Parameters<typeof labAdapt>[0] {
  const [out, subjects, webs] = [args.value('out'), args.value('subjects'), args.value('webs')];
  if (webs === undefined) throw new UsageError('--webs is missing.', 'Name the folder of the frozen webs.');
  const next = Number(args.value('next') ?? '0.4');
  if (!(next >= 0 && next <= 1)) throw new UsageError(`--next takes a share from 0 to 1, got "${args.value('next')}".`);
  return {
    ...{ tasks: args.positionals[0]!, webs, task: args.value('task') ?? TASK, next, json: args.has('json') },
    subjects: subjects?.split(',').map((name) => name.trim()) ?? SUBJECTS,
    days: readCount('--days', args.value('days'), 5),
    queries: readCount('--queries', args.value('queries'), 30),
    pages: readCount('--pages', args.value('pages'), 300),
    sample: readCount('--sample', args.value('sample'), 6),
    seed: readCount('--seed', args.value('seed'), 1, { min: 0 }),
    ...(out !== undefined && { out }),
  };
}

/** Makes a workspace of a task. One request at a time, so that a repeated experiment fetches the same pages. */
async function systemAt(dir: string, task: Task, port: number): Promise<AdaptedSystem> {
  const topics = task.topics.map(({ name, examples }) => ({ name, examples: [...examples] }));
  const network = { 'network.proxy': `http://127.0.0.1:${port}`, 'network.delayMs': 0, 'network.concurrency': 1 };
  const workspace = await createWorkspace(dir, { topics, others: task.others, settings: network, env: {} });
  return {
    begin: async (budget) => {
      await workspace.crawl({ only: 'harvest', ordering: 'breadth-first', budget }).summary;
    },
    crawl: async (budget) => {
      await workspace.crawl({ budget }).summary;
    },
    adapt: async (queries, pages) => (await workspace.adapt({ queries, pages, iterations: ITERATIONS })).pages,
    search: async (query, limit) => {
      const { results } = await workspace.search(query, { limit }).catch(unlessUnsearchable);
      return results.map(({ url }) => url);
    },
    pages: async () => {
      const pages: { readonly url: string; readonly text: string }[] = [];
      for await (const { url, title, text = '', role } of workspace.pages({ text: true }))
        if (role === 'crawled') pages.push({ url, text: `${title} ${text}` });
      return pages;
    },
    close: () => workspace.close(),
  };
}

/** A title may have no searchable word: it finds nothing. */
function unlessUnsearchable(error: unknown): { readonly results: readonly { readonly url: string }[] } {
  if (error instanceof UsageError) return { results: [] };
  throw error;
}
