import { UsageError } from '../../core/index.ts';
import { counted, safeJson } from '../../kit/index.ts';
import {
  deleteQueries,
  expireQueries,
  type LoggedQuery,
  linesOf,
  loadForReading,
  loggedQueries,
  queryKey,
  quoted,
  readQueryLog,
  table,
  writeNamedFile,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { writeJsonArray } from '../json-array.ts';
import { readCount } from '../read-count.ts';

const LIMIT = 20;

export const queries: Command = {
  name: 'queries',
  summary: 'List, export or delete the logged queries of a workspace.',
  positionals: ['[DIR]'],
  flags: {
    limit: { value: 'N', help: `Queries shown. Default: ${LIMIT}.` },
    export: { value: 'FILE', help: 'Write every logged search and opened result to a file, one JSON object per line.' },
    delete: { value: 'WORDS', repeats: true, help: 'Delete a query from the log, with the results opened for it.' },
    'delete-all': { help: 'Delete the whole log.' },
    json: { help: 'A JSON array on stdout.' },
  },
  examples: [
    ['bingo queries bikes', 'The queries, last asked first.'],
    ['bingo queries bikes --export queries.jsonl', 'For other programs.'],
    ['bingo queries bikes --delete "knee pain"', 'Forgets a query.'],
    ['bingo queries bikes --delete-all', 'Forgets all.'],
  ],
  notes: [
    'Queries are logged only if search.log is true (bingo settings set DIR search.log true) or bingo serve runs with ' +
      '--log. The log is queries.jsonl in the workspace, and is sent nowhere. Entries expire after search.keepMs.',
  ],
  run: runQueries,
};

async function runQueries(args: Args, io: Io): Promise<number> {
  const [dir = ''] = args.positionals;
  const workspace = loadForReading(dir, io);
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  const [unwanted, isAll, file] = [args.values('delete'), args.has('delete-all'), args.value('export')];
  if (isAll && unwanted.length > 0) throw new UsageError('--delete-all goes without --delete.');
  if (file !== undefined) {
    const entries = readQueryLog(workspace);
    await writeNamedFile(file, [linesOf(entries)]);
    io.err(`${counted(entries.length, 'entry')} in ${quoted(file)}.\n`);
  }
  if (isAll || unwanted.length > 0) return await remove(dir, { args, io, unwanted });
  if (file !== undefined) return EXIT.done;
  expireQueries(workspace);
  const all = loggedQueries(readQueryLog(workspace));
  if (args.has('json')) await writeJsonArray(io, all);
  else await list(all, { dir, limit, isOn: workspace.config.search.log }, io);
  return EXIT.done;
}

async function remove(
  dir: string,
  { args, io, unwanted }: { readonly args: Args; readonly io: Io; readonly unwanted: readonly string[] },
): Promise<number> {
  const keys = new Set(unwanted.map(queryKey));
  const removed = deleteQueries(dir, ({ query }) => unwanted.length === 0 || keys.has(queryKey(query)));
  if (removed === 0 && unwanted.length > 0)
    throw new UsageError(
      `No logged query is "${unwanted.join('", "')}".`,
      `bingo queries ${quoted(dir)} lists them. Name one exactly.`,
    );
  if (args.has('json')) await io.out(`${safeJson({ removed })}\n`);
  io.err(`Deleted ${counted(removed, 'entry')}.\n`);
  return EXIT.done;
}

interface Shown {
  readonly dir: string;
  readonly limit: number;
  readonly isOn: boolean;
}

async function list(all: readonly LoggedQuery[], { dir, limit, isOn }: Shown, io: Io): Promise<void> {
  if (all.length === 0) {
    const next = isOn ? `bingo search ${quoted(dir)} WORDS` : `bingo settings set ${quoted(dir)} search.log true`;
    io.err(`No query is logged${isOn ? '' : ': the log is off'}. Next: ${next}\n`);
    return;
  }
  const right = { align: 'right' as const };
  const columns = [
    { title: 'last' },
    { title: 'times', ...right },
    { title: 'matches', ...right },
    { title: 'opened', ...right },
    { title: 'query' },
  ];
  const rows = all.slice(0, limit).map(({ last, times, matches, opened, query }) => {
    return [last.slice(0, 16).replace('T', ' '), String(times), String(matches ?? '–'), String(opened.length), query];
  });
  await io.out(`${table(columns, rows, io.columns()).join('\n')}\n`);
  if (all.length > limit) io.err(`${limit} of ${counted(all.length, 'query')}; --limit ${all.length} shows all.\n`);
  if (!isOn) io.err(`The log is off. Next: bingo settings set ${quoted(dir)} search.log true\n`);
}
