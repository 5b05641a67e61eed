import { PassThrough } from 'node:stream';
import type { Terminal } from '../../../src/dashboard/index.ts';

export interface PaperTerminal {
  readonly terminal: Terminal;
  readonly type: (input: string) => void;
  readonly written: () => string;
  /** True if keys are read one by one. */
  readonly isRaw: () => boolean;
}

/** Returns a simulated terminal. */
export function paperTerminal(): PaperTerminal {
  let isRaw = false;
  const setRawMode = (mode: boolean): void => {
    isRaw = mode;
  };
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode, ref: () => {}, unref: () => {} });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let text = '';
  stdout.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  const terminal = { stdin, stdout, isColourful: false } as unknown as Terminal;
  return { terminal, type: (input) => stdin.write(input), written: () => text, isRaw: () => isRaw };
}
