import type { Readable } from 'node:stream';

/** What a command reads and writes; nothing else of the process. */
export interface Io {
  /** Results: stdout. Resolves when there is room for more. */
  readonly out: (text: string) => Promise<void>;
  /** Everything else: stderr. */
  readonly err: (text: string) => void;
  readonly stdin: Readable;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Columns of the terminal; infinite where results go to a file or a pipe, so that nothing is cut there. */
  readonly columns: () => number;
  /** Size of the terminal that stderr writes to. */
  readonly screen: () => { readonly columns: number; readonly rows: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current folder. */
  readonly cwd: string;
  /** Hands Ctrl-C (and SIGTERM, and SIGHUP once) to `listener` instead of ending the process; call the result to hand it back. */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, misused: 2, stopped: 130 } as const;

/** A flag of a command. */
export interface Flag {
  /** Name of the value in help, such as `N`; absent for a switch. */
  readonly value?: string;
  /** May be given more than once. */
  readonly repeats?: boolean;
  /** Words behind it belong to it as well, up to the next flag: `--seed URL URL`. Implies `repeats`. */
  readonly greedy?: boolean;
  readonly help: string;
}

/** What a command was called with. */
export interface Args {
  readonly positionals: readonly string[];
  readonly has: (flag: string) => boolean;
  /** The last value of a flag. */
  readonly value: (flag: string) => string | undefined;
  /** All values of a flag, in order. */
  readonly values: (flag: string) => readonly string[];
}

/** One command: what it is called with, what its help says, and what it does. */
export interface Command {
  /** `crawl`, or two words: `lab serve`. */
  readonly name: string;
  readonly summary: string;
  /**
   * Names of the words it takes; those in brackets may be left out: `['[DIR]', '[QUERY]']`. One that ends with `...` takes all words that
   * follow, as one text. `run` always receives a `[DIR]`.
   */
  readonly positionals: readonly string[];
  /** Its `[DIR]` is '' if no workspace is named and none is near. */
  readonly withoutWorkspace?: boolean;
  readonly flags: Readonly<Record<string, Flag>>;
  /** Flags that people look for here in vain, and what does it. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** Each a command line and what it does. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** More to know, as paragraphs. */
  readonly notes?: readonly string[];
  /** Resolves with the exit code. */
  readonly run: (args: Args, io: Io) => Promise<number>;
}

/** Flags that every command has. */
export const COMMON_FLAGS: Readonly<Record<string, Flag>> = {
  help: { help: 'Show this help.' },
  debug: { help: 'Show where in the program an error came from.' },
};
