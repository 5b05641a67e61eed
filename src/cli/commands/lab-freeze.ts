import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import {
  type FrozenCrawl,
  FrozenWeb,
  frozenCrawl,
  type JudgedAddress,
  labelsPath,
  renderTasks,
  webName,
} from '../../lab/index.ts';
import type { Store } from '../../store/index.ts';
import { openFeedback, quoted, requireModel, type Workspace, withStore } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readCount } from '../read-count.ts';
import { exitingAtInterrupt } from '../until-interrupt.ts';

export const labFreeze: Command = {
  name: 'lab freeze',
  summary: 'Turn your own crawl into a frozen web and a task, to compare orderings and settings.',
  positionals: ['[DIR]'],
  flags: {
    warc: { value: 'FILE', help: 'Recording of bingo crawl DIR --warc FILE. Labels and task are written beside it.' },
    budget: { value: 'N', help: 'Fetches of the task. Default: a quarter of the pages found, at most 2,000.' },
    'skip-damaged': { help: 'Continue if the recording is truncated or damaged.' },
    force: { help: 'Overwrite existing labels and tasks.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    [
      'bingo lab freeze bikes --warc bikes.warc.gz',
      'After bingo crawl bikes --warc bikes.warc.gz: writes bikes.labels.tsv and bikes.tasks.json.',
    ],
    [
      'bingo lab run bikes.tasks.json --webs . --out compared --orderings learned,breadth-first',
      'Shows how soon each of them finds the pages of the crawl.',
    ],
  ],
  notes: [
    'The labels are the verdicts of the last model and of people on every stored page. A comparison shows how soon an ordering ' +
      'finds the pages that this crawl accepted. Pages that the crawl never fetched are missing for every ordering. Record a ' +
      'generous crawl and mark wrong verdicts (bingo mark) before you rely on it. It cannot measure classifiers, because the labels are their own verdicts.',
  ],
  run: (args, io) => exitingAtInterrupt(io, () => runFreeze(args, io)),
};

async function runFreeze(args: Args, io: Io): Promise<number> {
  const warc = args.value('warc');
  if (warc === undefined)
    throw new UsageError('--warc is missing.', 'Record a crawl first: bingo crawl DIR --warc FILE; --help has more.');
  const name = webName(warc);
  if (name === '' || name === basename(warc))
    throw new UsageError(`${warc} is not a WARC file name.`, 'The name must end with .warc, .warc.gz or .warc.zst.');
  const files = { labels: labelsPath(dirname(warc), name), tasks: join(dirname(warc), `${name}.tasks.json`) };
  const there = Object.values(files).find((file) => existsSync(file));
  if (there !== undefined && !args.has('force'))
    throw new UsageError(`${there} already exists.`, 'Rename it, or overwrite it with --force.');
  const budget = args.has('budget') ? { budget: readCount('--budget', args.value('budget'), 1) } : {};
  return withStore(args.positionals[0]!, io, async (_, workspace, tables) => {
    const onDamage = ({ message }: Error): void => io.err(`${message}\n`);
    const web = await FrozenWeb.open(warc, args.has('skip-damaged') ? { onDamage } : {});
    try {
      const frozen = frozenCrawl({
        ...{ name, tree: workspace.tree, pages: await judgedPages(tables.store, workspace, args.positionals[0]!) },
        has: (url) => web.has(url),
        ...budget,
      });
      check(frozen, warc);
      writeFileSync(files.labels, frozen.labels);
      writeFileSync(files.tasks, renderTasks([frozen.task]));
      if (args.has('json')) await io.out(`${safeJson({ ...files, ...facts(frozen) })}\n`);
      io.err(told(frozen, files, dirname(warc)));
      return EXIT.done;
    } finally {
      web.close();
    }
  });
}

/** Returns every stored page with the verdicts of the last model and the user. */
async function judgedPages(store: Store, workspace: Workspace, dir: string): Promise<readonly JudgedAddress[]> {
  const feedback = await openFeedback(store, workspace);
  try {
    requireModel(feedback.desk, quoted(dir));
    const pages: JudgedAddress[] = [];
    for await (const { page, assignment } of feedback.judgedNow()) {
      const topic = assignment.others ? undefined : assignment.topic;
      pages.push({ url: page.finalUrl, topic, role: page.role });
    }
    return pages;
  } finally {
    await feedback.close();
  }
}

/** @throws UsageError if nothing can be measured */
function check({ task, relevant, pages }: FrozenCrawl, warc: string): void {
  if (task.topics.length === 0)
    throw new UsageError(
      `${warc} has no example page of any topic.`,
      'Name the recording of this crawl, from its first page on.',
    );
  if (task.seeds.length === 0)
    throw new UsageError(
      `${warc} has no page to start from.`,
      'Name the recording of this crawl, from its first page on.',
    );
  if (pages === 0 || relevant === 0)
    throw new UsageError(
      `${warc} has ${pages === 0 ? 'no stored page of the crawl' : 'no page on a topic'}, so a task would have nothing to find.`,
      'Record more: bingo crawl DIR --budget N --warc FILE continues the crawl.',
    );
}

function facts({ task, pages, relevant, leftOut }: FrozenCrawl): Record<string, unknown> {
  return { pages, relevant, budget: task.budget, topics: task.topics.map(({ name }) => name), leftOut };
}

function told(frozen: FrozenCrawl, { labels, tasks }: { labels: string; tasks: string }, webs: string): string {
  const { task, pages, relevant, leftOut } = frozen;
  const lines = [
    `Written: ${labels}, ${tasks}`,
    `${counted(pages, 'page')} found, ${count(relevant)} of them on ${counted(task.topics.length, 'topic')}; ${counted(task.budget, 'fetch')} to find them again.`,
    ...leftOut.map((what) => `Left out: ${what}.`),
    `Next: bingo lab run ${quoted(tasks)} --webs ${quoted(webs)} --out compared --orderings learned,breadth-first`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
