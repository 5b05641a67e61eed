import { createInterface, type Interface } from 'node:readline';
import { lendKeys } from '../dashboard/index.ts';
import { paint } from '../workbench/index.ts';
import type { Io } from './command.ts';
import { wantsColour } from './process-io.ts';

/** Lines that the user types; ends with the input, or by Ctrl-C. */
export class Lines {
  readonly #io: Io;

  constructor(io: Io) {
    this.#io = io;
  }

  /** Returns the next line; `undefined` at the end, or if the signal aborts. */
  async ask(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    const style = paint(wantsColour(this.#io, this.#io.stderrIsTerminal));
    this.#io.err(style.bold(prompt));
    // Repeat for each line: in between, the dashboard reads the keys, and its release of stdin would end this
    // process.
    const takeBack = lendKeys(this.#io.stdin, 'lines');
    (this.#io.stdin as Partial<NodeJS.ReadStream>).ref?.();
    const lines: Interface = createInterface({ input: this.#io.stdin, terminal: false });
    const close = (): void => lines.close();
    const handBack = this.#io.onInterrupt(close);
    signal?.addEventListener('abort', close, { once: true });
    try {
      return await new Promise((resolve) => {
        lines.once('line', resolve);
        lines.once('close', () => resolve(undefined));
      });
    } finally {
      handBack();
      signal?.removeEventListener('abort', close);
      lines.close();
      this.#io.stdin.pause();
      takeBack();
    }
  }
}
