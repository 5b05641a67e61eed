import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Usage } from './usage.ts';

const PROBE = new URL('./probe.js', import.meta.url).href;

/** A process of bingo. */
export interface Running {
  readonly child: ChildProcess;
  /** File with what it prints. */
  readonly output: string;
  readonly words: readonly string[];
}

/** How a process of bingo is started. */
export interface StartOptions {
  /** `bin/bingo.js` */
  readonly bingo: string;
  /** Folder for what it prints and uses. */
  readonly root: string;
  /** What it uses is noted under this name. */
  readonly kind: string;
  /** Folder for CPU profiles. Default: none. */
  readonly profiles?: string | undefined;
  /** A program, with its first words, that starts it. */
  readonly under?: readonly string[];
}

/** Starts bingo. */
export function startBingo(words: readonly string[], options: StartOptions): Running {
  const { bingo, root, kind, profiles, under = [] } = options;
  const output = join(root, `output-${performance.now()}`);
  const file = openSync(output, 'w');
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const [program = '', ...rest] = [...under, process.execPath, ...profiling, bingo, ...words];
  const child = spawn(program, rest, {
    stdio: ['ignore', file, file],
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${PROBE} --disable-warning=ExperimentalWarning`,
      NODE_ENV: 'production',
      BENCH_USAGE: join(root, `usage-${kind}`),
    },
  });
  closeSync(file);
  return { child, output, words };
}

/** Resolves when the process ends. @throws Error with the end of what it printed if it failed */
export async function finish({ child, output, words }: Running): Promise<void> {
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  if (code !== 0)
    throw new Error(
      `bingo ${words.join(' ')} ended with exit code ${code}:\n${readFileSync(output, 'utf8').slice(-2000)}`,
    );
}

/** Returns what each process that has ended used. */
export function readUsages(root: string, kind: string): readonly Usage[] {
  const lines = readFileSync(join(root, `usage-${kind}`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}
