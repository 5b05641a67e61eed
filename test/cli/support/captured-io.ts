import { Readable } from 'node:stream';
import type { Io } from '../../../src/cli/command.ts';
import { main } from '../../../src/cli/main.ts';

/** The result of a command line. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Returns the streams and signals of a process, captured as strings. */
export function capturedIo(overrides: Partial<Io> & { input?: string } = {}): {
  io: Io;
  out: () => string;
  err: () => string;
} {
  let out = '';
  let err = '';
  const { input = '', ...rest } = overrides;
  const io: Io = {
    out: async (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stdin: Readable.from([input]),
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    columns: () => 100,
    screen: () => ({ columns: 80, rows: 24 }),
    env: {},
    cwd: process.cwd(),
    onInterrupt: () => () => {},
    exit: (code) => {
      throw new Error(`exit ${code}`);
    },
    ...rest,
  };
  return { io, out: () => out, err: () => err };
}

/** Runs a command line in this process. */
export async function run(
  words: readonly string[],
  overrides: Partial<Io> & { input?: string } = {},
): Promise<Outcome> {
  const { io, out, err } = capturedIo(overrides);
  const code = await main(words, io);
  return { code, out: out(), err: err() };
}
