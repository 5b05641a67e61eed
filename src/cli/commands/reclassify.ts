import { BingoError, UsageError } from '../../core/index.ts';
import { count, counted, percent, safeJson } from '../../kit/index.ts';
import {
  dropReclassified,
  loadForReading,
  quoted,
  type Reclassification,
  reclassify as reclassifyPages,
  table,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { sqlWatchOn } from '../judging/judging.ts';
import { readCount } from '../read-count.ts';

const LIMIT = 10;

export const reclassify: Command = {
  name: 'reclassify',
  summary: 'Judge stored pages by naive Bayes in SQL, and show which would change topic.',
  positionals: ['[DIR]'],
  flags: {
    topic: { value: 'TOPIC', help: 'Only pages of this topic or its subtopics.' },
    limit: { value: 'N', help: `Changing pages shown, highest probability first. Default: ${LIMIT}.` },
    all: { help: 'Judge all pages. Default: an even sample of 2,000, if there are more.' },
    store: { former: 'keep', help: 'Judge all pages, and keep the tables (terms, model, answers) in the store.' },
    drop: { help: 'Only remove those tables from the store.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo reclassify bikes', 'How the last model judges pages; nothing is changed.'],
    ['bingo reclassify bikes --topic cycling --json', 'The same for one topic, for programs.'],
    ['bingo reclassify bikes --store', 'Then: bingo sql bikes "select * from bayes_score"'],
  ],
  notes: [
    'One SQL statement per inner node of the topic tree judges the pages at once. Training pages are left out. ' +
      'A crawl also uses support vector machines, so some differences are usual.',
    'Without --store and --drop the store is only read, also while a crawl runs.',
  ],
  run: runReclassify,
};

/** Report before the first training. */
const NO_REPORT: Reclassification = {
  model: 0,
  pages: 0,
  of: 0,
  changed: 0,
  moves: [],
  examples: [],
  seconds: { terms: 0, statements: 0 },
};

async function runReclassify(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  const workspace = loadForReading(dir, io);
  const [keep, drop] = [args.has('store'), args.has('drop')];
  if (keep && drop) throw new UsageError('--store and --drop cannot be combined.');
  if (drop && args.has('json')) throw new UsageError('--drop and --json cannot be combined.', '--drop prints no JSON.');
  if (drop) {
    await dropReclassified(workspace, sqlWatchOn(io));
    io.err('Removed the tables of bulk classification from the store.\n');
    return EXIT.done;
  }
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  try {
    const found = await reclassifyPages(workspace, sqlWatchOn(io), {
      ...{ topic: args.value('topic'), limit, keep },
      ...(args.has('all') && { sample: Number.POSITIVE_INFINITY }),
    });
    if (args.has('json')) await io.out(`${safeJson(found)}\n`);
    else await io.out(`${describe(found, io.columns()).join('\n')}\n`);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof BingoError) || error.code !== 'NO_MODEL') throw error;
    io.err(`No model yet. Next: bingo crawl ${quoted(dir)}\n`);
    if (args.has('json')) await io.out(`${safeJson(NO_REPORT)}\n`);
    return EXIT.failed;
  }
}

function describe({ model, pages, of, changed, moves, examples, seconds }: Reclassification, width: number): string[] {
  const share = pages === 0 ? '' : ` (${percent(changed / pages)})`;
  const took = `terms ${seconds.terms.toFixed(1)} s, statements ${seconds.statements.toFixed(1)} s`;
  const judged = pages === of ? counted(pages, 'page') : `${counted(pages, 'page')}, an even sample of ${count(of)},`;
  const lines = [
    `${count(changed)} of ${judged}${share} would change topic by naive Bayes, model ${model} (${took}).`,
    ...(pages === of ? [] : ['--all judges all pages.']),
  ];
  if (changed === 0) return lines;
  const number = { align: 'right' as const };
  const moveRows = moves.map(({ from, to, pages: n }) => [from, to, count(n)]);
  const pageRows = examples.map(({ url, from, to, probability }) => [from, to, probability.toFixed(3), url]);
  return [
    ...lines,
    '',
    ...table([{ title: 'from' }, { title: 'to' }, { title: 'pages', ...number }], moveRows, width),
    '',
    ...table([{ title: 'from' }, { title: 'to' }, { title: 'Pr', ...number }, { title: 'page' }], pageRows, width),
  ];
}
