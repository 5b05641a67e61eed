import type { Readable } from 'node:stream';

/** Input and output of a command; it uses nothing else of the process. */
export interface Io {
  /** Writes results to stdout. Resolves if there is room for more. */
  readonly out: (text: string) => Promise<void>;
  /** Writes everything else to stderr. */
  readonly err: (text: string) => void;
  readonly stdin: Readable;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Columns of the terminal; infinite for a file or a pipe, so that nothing is truncated there. */
  readonly columns: () => number;
  /** Size of the terminal that stderr writes to. */
  readonly screen: () => { readonly columns: number; readonly rows: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current folder. */
  readonly cwd: string;
  /**
   * Passes Ctrl-C (and SIGTERM, and SIGHUP once) to `listener` instead of ending the process; call the returned
   * function to stop that.
   */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, misused: 2, stopped: 130 } as const;

/** A flag of a command. */
export interface Flag {
  /** Name of the value in help, such as `N`; missing for a switch. */
  readonly value?: string;
  /** May be repeated. */
  readonly repeats?: boolean;
  /** Takes all following words up to the next flag: `--seed URL URL`. Implies `repeats`. */
  readonly greedy?: boolean;
  /** Its name in older versions, which is still read. */
  readonly former?: string;
  readonly help: string;
}

/** Parsed words and flags of a command. */
export interface Args {
  readonly positionals: readonly string[];
  readonly has: (flag: string) => boolean;
  /** Returns the last value of a flag. */
  readonly value: (flag: string) => string | undefined;
  /** Returns all values of a flag, in order. */
  readonly values: (flag: string) => readonly string[];
}

/** One command: its words and flags, its help, and its action. */
export interface Command {
  /** `crawl`, or two words: `lab serve`. */
  readonly name: string;
  readonly summary: string;
  /**
   * Names of its words; words in brackets are optional: `['[DIR]', '[QUERY]']`. A name that ends with `...` takes all
   * remaining words as one text. `run` always receives a `[DIR]`.
   */
  readonly positionals: readonly string[];
  /** The words of its last `...` stay separate: they are names, not a text. */
  readonly takesList?: boolean;
  /** Its `[DIR]` is '' if no workspace is named or found. */
  readonly withoutWorkspace?: boolean;
  readonly flags: Readonly<Record<string, Flag>>;
  /** Flags that users expect here, with the command that has them. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** Each is a command line and its effect. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** Additional paragraphs of the help. */
  readonly notes?: readonly string[];
  /** Resolves with the exit code. */
  readonly run: (args: Args, io: Io) => Promise<number>;
}

/** Flags that every command has. */
export const COMMON_FLAGS: Readonly<Record<string, Flag>> = {
  help: { help: 'Show this help.' },
  debug: { help: 'Show where in the program an error came from.' },
};
