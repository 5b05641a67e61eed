import { type TopicId, UsageError } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import { bayesVerdict, decodeModels, spellBayes, type TopicModels } from '../../meta/index.ts';
import { BulkBayes, dropKept, openStore, type PagePosteriors, type Scratch } from '../../store/index.ts';
import {
  claimWorkspace,
  findTopic,
  loadForReading,
  placeOf,
  quoted,
  storedModel,
  type TableNames,
  table,
  tableNames,
  type Workspace,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { percent } from '../crawl/crawl-view.ts';
import { readCount } from '../read-count.ts';
import { tellNowAndThen, tellWhile } from '../tell-now-and-then.ts';
import { workInSql } from '../work-in-sql.ts';

const LIMIT = 10;
/** With this many pages, a statement takes seconds and is announced: SQLite allows no output until it ends. */
const MANY_PAGES = 10_000;

export const reclassify: Command = {
  name: 'reclassify',
  summary: 'Ask naive Bayes in SQL where every stored page belongs now, and which would change topic.',
  positionals: ['[DIR]'],
  flags: {
    topic: { value: 'T', help: 'Only pages stored under this topic, or one below it.' },
    limit: { value: 'N', help: `Pages named that would change, surest first. Default: ${LIMIT}.` },
    keep: { help: 'Leave the tables (terms of every page, model, answers) in the store, for SQL and the next time.' },
    drop: { help: 'Take those tables out of the store again; nothing else is done.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo reclassify bikes', 'What the last model makes of all pages; nothing is changed.'],
    ['bingo reclassify bikes --topic cycling --json', 'The same for one topic, for programs.'],
    ['bingo reclassify bikes --keep', 'Then: bingo sql bikes "select * from bayes_score"'],
  ],
  notes: [
    'One SQL statement for each inner node of the topic tree judges all pages at once. Training pages are left out. ' +
      'The crawl goes by support vector machines beside naive Bayes, so that some difference is usual.',
    'Without --keep and --drop the store is only read: it may be used while a crawl runs.',
  ],
  run: runReclassify,
};

/** Pages that would change their topic. */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly pages: number;
}

interface ChangedPage {
  readonly url: string;
  readonly title: string;
  readonly from: string;
  readonly to: string;
  readonly probability: number;
}

interface Report {
  readonly model: number;
  readonly pages: number;
  readonly changed: number;
  /** Most pages first. */
  readonly moves: readonly Move[];
  /** Highest confidence first. */
  readonly examples: readonly ChangedPage[];
  readonly seconds: { readonly terms: number; readonly statements: number };
}

/** Report before the first training. */
const NO_REPORT: Report = {
  model: 0,
  pages: 0,
  changed: 0,
  moves: [],
  examples: [],
  seconds: { terms: 0, statements: 0 },
};

async function runReclassify(args: Args, io: Io): Promise<number> {
  const workspace = loadForReading(args.positionals[0]!, io);
  const [keep, drop] = [args.has('keep'), args.has('drop')];
  if (keep && drop) throw new UsageError('--keep and --drop do not go together.');
  if (drop && args.has('json'))
    throw new UsageError('--drop and --json do not go together.', 'It has nothing to tell.');
  if (!keep && !drop)
    return workInSql({ ...workspace, io, isWriting: false }, (scratch) => report({ args, io, workspace, scratch }));
  const lock = await claimWorkspace(workspace.dir);
  try {
    return await workInSql({ ...workspace, io, isWriting: true }, async (scratch) => {
      if (keep) return report({ args, io, workspace, scratch });
      await dropKept(scratch);
      io.err('The tables of bulk classification are gone from the store.\n');
      return EXIT.done;
    });
  } finally {
    lock.release();
  }
}

interface Call {
  readonly args: Args;
  readonly io: Io;
  readonly workspace: Workspace;
  readonly scratch: Scratch;
}

async function report({ args, io, workspace, scratch }: Call): Promise<number> {
  const name = args.value('topic');
  const wanted = name === undefined ? [] : [findTopic(workspace.tree, name)];
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  const { models, names } = await lastModel(workspace);
  if (models === undefined) {
    io.err(`There is no model yet. Next: bingo crawl ${quoted(args.positionals[0]!)}\n`);
    if (args.has('json')) await io.out(`${safeJson(NO_REPORT)}\n`);
    return EXIT.failed;
  }
  const found = await reclassified(scratch, models, { keep: args.has('keep'), limit, wanted, names, io });
  if (args.has('json')) await io.out(`${safeJson(found)}\n`);
  else await io.out(`${describe(found, io.columns()).join('\n')}\n`);
  return EXIT.done;
}

interface LastModel {
  readonly models: TopicModels | undefined;
  /** Topic names of the workspace and of the tables. */
  readonly names: TableNames;
}

async function lastModel(workspace: Workspace): Promise<LastModel> {
  const store = await openStore({ ...placeOf(workspace), readOnly: true });
  try {
    const blob = await storedModel(store, undefined);
    return {
      models: blob === undefined ? undefined : decodeModels(blob),
      names: await tableNames(store, workspace),
    };
  } finally {
    await store.close();
  }
}

interface Asked {
  readonly keep: boolean;
  readonly limit: number;
  readonly wanted: readonly TopicId[];
  readonly names: TableNames;
  readonly io: Io;
}

async function reclassified(
  scratch: Scratch,
  models: TopicModels,
  { keep, limit, wanted, names, io }: Asked,
): Promise<Report> {
  const tell = tellNowAndThen(io);
  const nodes = spellBayes(models);
  const { named, below } = names;
  const { topics = [] } = wanted.length === 0 ? {} : below(wanted);
  const bulk = new BulkBayes(scratch, nodes, { keep, topics });
  const began = performance.now();
  const pages = await bulk.choose();
  await bulk.fill((read, of) => tell(`Reading terms: ${count(read)} of ${counted(of, 'page')}`));
  await bulk.saveModel();
  const filled = performance.now();
  for (const n of nodes.keys()) {
    const what = `Judging in SQL, statement ${n + 1} of ${nodes.length}`;
    if (pages >= MANY_PAGES) io.err(`${what}\n`);
    await tellWhile(io, what, bulk.probe(n));
  }
  const probed = performance.now();
  const changes = new Changes(limit);
  for await (const page of bulk.answers()) {
    changes.add(named(page), named(bayesVerdict(models, nodes, page.posteriors)));
    tell(`Comparing: ${count(changes.pages)} of ${counted(pages, 'page')}`);
  }
  const seconds = { terms: (filled - began) / 1000, statements: (probed - filled) / 1000 };
  return { model: models.model, ...changes.sums(), seconds };
}

/** Counts the pages that change their topic, and keeps those with the highest confidence. */
class Changes {
  readonly #limit: number;
  readonly #moves = new Map<string, { from: string; to: string; pages: number }>();
  #surest: ChangedPage[] = [];
  #pages = 0;
  #changed = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Pages checked so far. */
  get pages(): number {
    return this.#pages;
  }

  add(page: PagePosteriors, verdict: { topic: TopicId; others: boolean; probability: number }): void {
    const { url, title } = page;
    const [from, to] = [placeName(page), placeName(verdict)];
    this.#pages++;
    if (from === to) return;
    this.#changed++;
    const key = `${from}\n${to}`;
    const move = this.#moves.get(key) ?? { from, to, pages: 0 };
    this.#moves.set(key, { ...move, pages: move.pages + 1 });
    this.#surest.push({ url, title, from, to, probability: verdict.probability });
    if (this.#surest.length >= 2 * this.#limit + 1000) this.#surest = this.#best();
  }

  sums(): Pick<Report, 'pages' | 'changed' | 'moves' | 'examples'> {
    const moves = [...this.#moves.values()].sort((a, b) => b.pages - a.pages || (a.from < b.from ? -1 : 1));
    return { pages: this.#pages, changed: this.#changed, moves, examples: this.#best() };
  }

  #best(): ChangedPage[] {
    return this.#surest.toSorted((a, b) => b.probability - a.probability).slice(0, this.#limit);
  }
}

function placeName({ topic, others }: { readonly topic: TopicId; readonly others: boolean }): string {
  return others ? `${topic === '' ? '' : `${topic}/`}OTHERS` : topic;
}

function describe({ model, pages, changed, moves, examples, seconds }: Report, width: number): string[] {
  const share = pages === 0 ? '' : ` (${percent(changed / pages)})`;
  const took = `terms ${seconds.terms.toFixed(1)} s, statements ${seconds.statements.toFixed(1)} s`;
  const lines = [
    `${count(changed)} of ${counted(pages, 'page')}${share} would change topic by naive Bayes, model ${model} (${took}).`,
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
