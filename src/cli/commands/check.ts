import { count, counted, safeJson } from '../../kit/index.ts';
import {
  checkWorkspace,
  paint,
  quoted,
  sanitizeForTerminal,
  type Watch,
  type WorkspaceCheck,
  wrap,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { watchOn } from '../judging/judging.ts';
import { wantsColour } from '../process-io.ts';

/** Problems shown per part; `--json` has more. */
const SHOWN = 10;

export const check: Command = {
  name: 'check',
  summary: 'Verify a workspace: database, journal, pages, search index, checkpoints, files.',
  positionals: ['[DIR]'],
  flags: { json: { help: 'One JSON object on stdout.' } },
  examples: [
    ['bingo check bikes', 'Says what is wrong in the workspace "bikes", where, and what to do.'],
    ['bingo check bikes --json | jq .ok', 'For programs.'],
  ],
  notes: [
    'The exit code is 1 if something is wrong. Nothing is written, and a crawl may run. It reads everything that is stored and folds the journal ' +
      'as a crawl without checkpoints does. The database checks its own files. Each page is compared with the digest of its text, its URL, its ' +
      'links and its words in the search index; word pairs, which only phrases need, are not compared.',
  ],
  run: runCheck,
};

async function runCheck(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0] ?? '';
  const found = await checkWorkspace(dir, { env: io.env, onEvent: progressOn(io) });
  if (args.has('json')) await io.out(`${safeJson(found)}\n`);
  else await io.out(`${describe(found, io).join('\n')}\n`);
  if (found.ok) return EXIT.done;
  io.err(`Next, after the repair: bingo check ${quoted(dir)}\n`);
  return EXIT.failed;
}

/** The database's own check reports no progress, so its beginning is printed. */
function progressOn(io: Io): Watch['onEvent'] {
  const { onEvent } = watchOn(io);
  return (event) => {
    if (event.kind !== 'checked' || event.part !== 'database') onEvent?.(event);
    else if (event.done === 0) io.err('Checking the files of the database\n');
  };
}

function describe({ ok, store, records, parts, problems }: WorkspaceCheck, io: Io): string[] {
  const style = paint(wantsColour(io, io.stdoutIsTerminal));
  const bad = parts.reduce((sum, part) => sum + part.problems, 0);
  const summary = ok ? 'Nothing is wrong.' : `${counted(bad, 'problem')}.`;
  return [
    `${counted(records, 'record')} in ${sanitizeForTerminal(store)}. ${summary}`,
    ...parts.flatMap(({ part, problems: number, isChecked }) => {
      const own = problems.filter((problem) => problem.part === part);
      if (!isChecked) return [`-     ${part.padEnd(12)}not checked`];
      if (number === 0) return [`ok    ${part}`];
      const hints = [...new Set(own.slice(0, SHOWN).map(({ hint }) => hint))].filter((hint) => hint !== '');
      return [
        `${style.bad('FAIL')}  ${part.padEnd(12)}${counted(number, 'problem')}`,
        ...own.slice(0, SHOWN).flatMap(({ where, message }) => indented([where, message], io)),
        ...(number > SHOWN ? [`      … and ${count(number - SHOWN)} more; --json lists ${count(own.length)}.`] : []),
        ...hints.flatMap((hint) => indented([hint], io)),
      ];
    }),
  ];
}

function indented(texts: readonly string[], io: Io): string[] {
  const text = texts
    .filter((part) => part !== '')
    .map(sanitizeForTerminal)
    .join(': ');
  return wrap(text, io.columns() - 6).map((line) => `      ${line}`);
}
