import { KEPT_SCORES, relevanceText, type TopicId } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import { distillInSql, openStore, type PageScore, type RankedPage, type SqlDistillation } from '../../store/index.ts';
import {
  claimWorkspace,
  loadForReading,
  placeOf,
  quoted,
  sanitizeForTerminal,
  table,
  tableNames,
  topicMeant,
  type Workspace,
  wrap,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readCount } from '../read-count.ts';
import { workInSql } from '../work-in-sql.ts';

const LIMIT = 10;

export const distill: Command = {
  name: 'distill',
  summary: 'Rank the hubs and authorities of a topic, in SQL over all stored links.',
  positionals: ['[DIR]', '[TOPIC]'],
  flags: {
    limit: { value: 'N', help: `Hubs and authorities shown. Default: ${LIMIT}.` },
    keep: {
      help: 'Over all pages of the topic, however many, and kept: bingo search --rank authority=… goes by it until the next round of a crawl.',
    },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo distill bikes cycling', 'The best lists of links, and the pages that they recommend.'],
    ['bingo distill bikes cycling --keep', 'Authorities of all pages, for the rankings of bingo search.'],
    ['bingo distill bikes cycling --limit 100 --json', 'For other programs.'],
  ],
  notes: [
    'Where there is one topic alone, TOPIC may be left out. Links count by the relevance of the pages they join; links within a host recommend nothing. The settings under ' +
      '"distill" in bingo.yaml hold here as in the crawl. The store is only read, and may be used while a crawl runs; with ' +
      '--keep it is written, when no crawl runs.',
  ],
  run: runDistill,
};

async function runDistill(args: Args, io: Io): Promise<number> {
  const [dir = '', name] = args.positionals;
  const workspace = loadForReading(dir, io);
  const topic = topicMeant(workspace.tree, name);
  const inTables = await inTablesOf(workspace, topic);
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  const found = args.has('keep')
    ? await distillAndKeep(inTables, { workspace, io, limit })
    : await workInSql({ ...workspace, io, isWriting: false }, (scratch) =>
        distillInSql(scratch, inTables, { ...workspace.config.distill, limit }),
      );
  if (args.has('json')) await io.out(`${safeJson({ topic, ...found })}\n`);
  else await io.out(`${describe(found, topic, io.columns()).join('\n')}\n`);
  if (found.positives === 0) io.err(`No page of this topic is stored. bingo status ${quoted(dir)} shows which are.\n`);
  return EXIT.done;
}

/** Returns the name of a topic in the tables. */
async function inTablesOf(workspace: Workspace, topic: TopicId): Promise<TopicId> {
  const store = await openStore({ ...placeOf(workspace), readOnly: true });
  try {
    return (await tableNames(store, workspace)).inTables(topic)[0];
  } finally {
    await store.close();
  }
}

/** Distills all pages of a topic, and replaces the result of the last round. */
async function distillAndKeep(
  topic: TopicId,
  { workspace, io, limit }: { readonly workspace: Workspace; readonly io: Io; readonly limit: number },
): Promise<SqlDistillation> {
  const { config, dir } = workspace;
  const lock = await claimWorkspace(dir);
  try {
    const store = await openStore(placeOf(workspace));
    try {
      const all = { ...config.distill, maxBaseSet: ALL_PAGES, limit: Math.max(KEPT_SCORES, limit), every: true };
      const { every, ...found } = await workInSql({ ...workspace, io, isWriting: false }, (scratch) =>
        distillInSql(scratch, topic, all),
      );
      await store.saveScores(topic, bestScores(found), every);
      return { ...found, hubs: found.hubs.slice(0, limit), authorities: found.authorities.slice(0, limit) };
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

/** Larger than any store. */
const ALL_PAGES = 2 ** 31 - 1;

function bestScores({ hubs, authorities }: SqlDistillation): readonly PageScore[] {
  const scores = new Map<string, PageScore>();
  for (const { url, score } of hubs.slice(0, KEPT_SCORES)) scores.set(url, { url, hub: score, authority: 0 });
  for (const { url, score } of authorities.slice(0, KEPT_SCORES))
    scores.set(url, { url, hub: scores.get(url)?.hub ?? 0, authority: score });
  return [...scores.values()];
}

function describe(found: SqlDistillation, topic: TopicId, width: number): string[] {
  const { positives, nodes, edges, iterations, converged, hubs, authorities } = found;
  const end = converged ? 'converged' : 'not yet converged';
  return [
    ...wrap(
      `${sanitizeForTerminal(topic)}: ${counted(positives, 'page')} in a base set of ${count(nodes)}, ` +
        `${counted(edges, 'link')} that recommend, ${end} after ${counted(iterations, 'iteration')}.`,
      width,
    ),
    ...(edges === 0 ? [] : ['', ...ranking('hub', hubs, width), '', ...ranking('authority', authorities, width)]),
  ];
}

function ranking(role: string, pages: readonly RankedPage[], width: number): string[] {
  const number = { align: 'right' as const };
  const columns = [
    { title: role, ...number },
    { title: 'relevance', ...number },
    { title: 'title' },
    { title: 'page' },
  ];
  const rows = pages.map(({ score, relevance, title, url }) => [
    score.toFixed(4),
    relevanceText(relevance),
    title,
    url,
  ]);
  return table(columns, rows, width);
}
