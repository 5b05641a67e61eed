import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const BINGO: string = join(import.meta.dirname, '../../../bin/bingo.js');

/** One line of `bingo crawl --json`. */
export interface ReportedLine {
  readonly kind: string;
  readonly url: string;
  readonly sequence: number;
  readonly role: string;
  readonly [key: string]: unknown;
}

/** The result of a run of `bingo`, complete or killed. */
export interface BingoRun {
  readonly code: number | null;
  /** Lines of stdout, without an incomplete last line of a killed process. */
  readonly lines: readonly ReportedLine[];
  readonly err: string;
}

export interface StartedBingo {
  readonly child: ChildProcess;
  readonly ended: Promise<BingoRun>;
  /** Resolves after this number of lines of a kind, or when the process ends. */
  reported(kind: string, count: number): Promise<void>;
}

/**
 * Starts `bingo` in a separate process.
 * @param under a program, with its first words, that becomes that process
 */
export function startBingo(
  words: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  under: readonly string[] = [],
): StartedBingo {
  const [program = '', ...rest] = [...under, process.execPath, BINGO, ...words];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env });
  // A test that times out must not leave a crawl behind.
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  let out = '';
  let err = '';
  let check = (): void => {};
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
    check();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  const lines = (): ReportedLine[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as ReportedLine);
  const ended = new Promise<BingoRun>((resolve) => {
    child.on('close', (code) => resolve({ code, lines: lines(), err }));
  });
  const reported = (kind: string, count: number): Promise<void> => {
    const enough = new Promise<void>((resolve) => {
      check = () => {
        if (out.split(`"kind":"${kind}"`).length > count) resolve();
      };
      check();
    });
    return Promise.race([enough, ended.then(() => {})]);
  };
  return { child, ended, reported };
}

/** Runs `bingo` to its end. @throws Error if it fails */
export function runBingo(words: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [BINGO, ...words]);
  if (status !== 0) throw new Error(`bingo ${words[0]} ended with ${status}: ${stderr}`);
}
