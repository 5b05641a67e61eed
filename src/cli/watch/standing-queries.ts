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
import { type Args, EXIT, type Io } from '../command.ts';
import { writeJsonArray } from '../json-array.ts';

/** What can be done with standing queries. */
export const STANDING_ACTIONS = ['list', 'add', 'remove', 'ask', 'seen'] as const;
export type StandingAction = (typeof STANDING_ACTIONS)[number];

/** Findings shown per query. */
const SHOWN = 20;

/** Runs `bingo watch DIR ACTION [QUERY]`. */
export async function standingAction(dir: string, action: StandingAction, args: Args, io: Io): Promise<number> {
  const text = args.positionals.slice(2).join(' ');
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
  if (action === 'ask') {
    const answers = await withStore(dir, io, (store, opened) => askStanding(opened, store));
    for (const { query, problem } of answers)
      if (problem !== undefined) io.err(`${sanitizeForTerminal(`"${query}" could not be asked: ${problem}`)}\n`);
  }
  const all = standingQueries(workspace.dir);
  if (args.has('json')) await writeJsonArray(io, all);
  else if (action === 'list' || action === 'ask') await show(all, dir, io);
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
  io.err(`Added the ${what}: ${sanitizeForTerminal(query)}\nNext: ${when}, then bingo watch ${quoted(dir)} list\n`);
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
