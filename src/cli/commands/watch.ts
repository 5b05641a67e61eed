import { BingoError, UsageError } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import type { Store } from '../../store/index.ts';
import {
  addStanding,
  askStanding,
  loadForReading,
  markStandingSeen,
  type NewFinding,
  quoted,
  removeStanding,
  type StandingQuery,
  sanitizeForTerminal,
  showAddress,
  standingQueries,
  withStore,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { writeJsonArray } from '../json-array.ts';

const ACTIONS = ['list', 'add', 'remove', 'run', 'seen'] as const;

/** Findings shown per query. */
const SHOWN = 20;

export const watch: Command = {
  name: 'watch',
  summary: 'Keep standing queries, and show what is new for them.',
  positionals: ['[DIR]', '[ACTION]', '[QUERY]...'],
  flags: { json: { help: 'A JSON array on stdout: the standing queries with what is new.' } },
  examples: [
    ['bingo watch bikes add "hub gears"', 'Asks this search again after each crawl and recheck.'],
    ['bingo watch bikes add "select distinct host from page"', 'The same with a SQL statement: new hosts.'],
    ['bingo watch bikes', 'Shows what is new since it was last marked as seen.'],
    ['bingo watch bikes seen', 'Marks it as seen.'],
    ['bingo watch bikes run', 'Asks all queries now.'],
    ['bingo watch bikes remove 1', 'Removes a query, by its number or its text.'],
  ],
  notes: [
    'A search finds accepted pages, the best 1,000; it knows everything that bingo search knows (site:, type:, topic:). A SQL statement ' +
      'finds rows, the first 5,000. What a query finds when it is added is not new. The summary of a crawl counts what is new.',
  ],
  run: runWatch,
};

async function runWatch(args: Args, io: Io): Promise<number> {
  const [dir = '', name = 'list', text = ''] = args.positionals;
  const action = ACTIONS.find((known) => known === name);
  if (action === undefined)
    throw new UsageError(
      `Unknown action: ${name}.`,
      `Known are ${ACTIONS.join(', ')}. For a query: bingo watch ${quoted(dir)} add ${quoted(name)}`,
    );
  const takesQuery = action === 'add' || action === 'remove';
  if (takesQuery && text.trim() === '')
    throw new UsageError(
      `bingo watch ${action} needs a query.`,
      `For example: bingo watch ${quoted(dir)} ${action} "hub gears"`,
    );
  if (!takesQuery && text !== '') throw new UsageError(`bingo watch ${action} takes no query, got "${text}".`);
  const workspace = loadForReading(dir, io);
  if (action === 'add') await add(dir, text, io);
  if (action === 'remove') io.err(`Removed: ${sanitizeForTerminal(removeStanding(workspace.dir, text))}\n`);
  if (action === 'seen') io.err(`Marked ${counted(markStandingSeen(workspace.dir), 'finding')} as seen.\n`);
  if (action === 'run') {
    const answers = await withStore(dir, io, (store, opened) => askStanding(opened, store));
    for (const { query, problem } of answers)
      if (problem !== undefined) io.err(`${sanitizeForTerminal(`"${query}" could not be asked: ${problem}`)}\n`);
  }
  const all = standingQueries(workspace.dir);
  if (args.has('json')) await writeJsonArray(io, all);
  else if (action === 'list' || action === 'run') await show(all, dir, io);
  return EXIT.done;
}

async function add(dir: string, text: string, io: Io): Promise<void> {
  const workspace = loadForReading(dir, io);
  const { query, kind, askedAt } = await withStore(dir, io, (store: Store | undefined) =>
    addStanding(workspace, store, text),
  ).catch(async (error: unknown) => {
    if (!(error instanceof BingoError) || error.code !== 'STORE_MISSING') throw error;
    return await addStanding(workspace, undefined, text);
  });
  const what = kind === 'sql' ? 'SQL statement' : 'search';
  const when = askedAt === null ? 'the first crawl' : `bingo crawl ${quoted(dir)} --recheck, for example`;
  io.err(`Added the ${what}: ${sanitizeForTerminal(query)}\nNext: ${when}, then bingo watch ${quoted(dir)}\n`);
}

async function show(all: readonly StandingQuery[], dir: string, io: Io): Promise<void> {
  if (all.length === 0) {
    io.err(`No standing query yet. Next: bingo watch ${quoted(dir)} add "words, or a SQL statement"\n`);
    return;
  }
  const lines = all.flatMap(({ query, news, askedAt }, i) => {
    const asked = askedAt === null ? 'not asked yet' : `asked ${askedAt.slice(0, 16).replace('T', ' ')}`;
    return [
      `${i + 1}. ${sanitizeForTerminal(query)}: ${news.length} new (${asked})`,
      ...news.slice(-SHOWN).map(findingLine),
      ...(news.length > SHOWN ? [`     … and ${news.length - SHOWN} earlier ones; --json lists all.`] : []),
    ];
  });
  await io.out(`${lines.join('\n')}\n`);
  if (all.some(({ news }) => news.length > 0)) io.err(`Next: bingo watch ${quoted(dir)} seen\n`);
}

function findingLine({ title, url, foundAt }: NewFinding): string {
  const parts = [foundAt.slice(0, 10), sanitizeForTerminal(title), ...(url === null ? [] : [showAddress(url)])];
  return `     ${parts.filter((part) => part !== '').join('  ')}`;
}
