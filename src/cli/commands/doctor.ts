import { safeJson } from '../../kit/index.ts';
import { type Check, type CheckState, checkMachine, paint, sanitizeForTerminal } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { wantsColour } from '../process-io.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check Node.js, store, disk, DNS, MariaDB and Chromium; say how to fix each failure.',
  positionals: ['[DIR]'],
  withoutWorkspace: true,
  flags: { json: { help: 'One JSON object on stdout.' } },
  examples: [
    ['bingo doctor bikes', 'The machine, and the workspace "bikes".'],
    ['bingo doctor --json', 'For programs.'],
  ],
  notes: ['The exit code is 1 if a check fails. Outside a workspace, only the machine is checked.'],
  run: runDoctor,
};

const MARKS: Readonly<Record<CheckState, string>> = { ok: 'ok  ', warning: 'look', failed: 'FAIL' };

async function runDoctor(args: Args, io: Io): Promise<number> {
  const checks = await checkMachine({ dir: args.positionals[0] ?? '', env: io.env });
  const isWell = checks.every(({ state }) => state !== 'failed');
  if (args.has('json')) await io.out(`${safeJson({ ok: isWell, checks })}\n`);
  else await io.out(checks.map((check) => textOf(check, io)).join(''));
  return isWell ? EXIT.done : EXIT.failed;
}

function textOf({ name, state, message, hint }: Check, io: Io): string {
  const style = paint(wantsColour(io, io.stdoutIsTerminal));
  const mark = state === 'failed' ? style.bad(MARKS[state]) : MARKS[state];
  const advice = hint === undefined ? '' : `      ${' '.repeat(10)}${sanitizeForTerminal(hint)}\n`;
  return `${mark}  ${name.padEnd(10)}${sanitizeForTerminal(message)}\n${advice}`;
}
