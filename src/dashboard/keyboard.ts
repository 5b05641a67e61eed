type Input = NodeJS.ReadableStream & Partial<Pick<NodeJS.ReadStream, 'setRawMode' | 'unref'>>;

/** Terminals whose keys are dropped while nothing reads them. */
const held = new WeakMap<Input, HeldKeys>();

/** Ctrl-C as a character: a terminal that is read key by key sends no signal. */
const INTERRUPT = '\u0003';

/** Who reads the keys: a screen of this process or another process, key by key; or a prompt, line by line. */
type Reader = 'screen' | 'process' | 'lines';

/** Reads and drops keys. They are not echoed, and no other program receives them. */
class HeldKeys {
  readonly #stdin: Input;
  readonly #onKeys = (keys: Buffer | string): void => {
    if (String(keys).includes(INTERRUPT)) process.kill(process.pid, 'SIGINT');
  };

  constructor(stdin: Input) {
    this.#stdin = stdin;
  }

  take(): void {
    this.#stdin.setRawMode?.(true);
    this.#stdin.on('data', this.#onKeys).resume();
    this.#stdin.unref?.();
  }

  /** Node.js stops reading one tick after a pause: a screen that begins to read in the same tick would receive nothing. */
  give(to: Reader): void {
    this.#stdin.off('data', this.#onKeys);
    if (to !== 'screen') this.#stdin.pause();
    if (to === 'lines') this.#stdin.setRawMode?.(false);
  }
}

/**
 * Drops the keys of a terminal until {@link freeKeys}, while screens load and other work is done: they would be echoed between the
 * lines of a screen, or reach the shell. Ctrl-C still interrupts. Does nothing if the input is not a terminal.
 */
export function holdKeys(stdin: Input): void {
  if (stdin.setRawMode === undefined || held.has(stdin)) return;
  const keys = new HeldKeys(stdin);
  held.set(stdin, keys);
  keys.take();
}

/** Stops dropping the keys of a terminal. */
export function freeKeys(stdin: Input): void {
  const keys = held.get(stdin);
  if (keys === undefined) return;
  held.delete(stdin);
  keys.give('lines');
}

/**
 * Lets another reader have the keys, if they are held.
 * @returns a function that takes them back, unless they were freed
 */
export function lendKeys(stdin: Input, to: Reader): () => void {
  const keys = held.get(stdin);
  keys?.give(to);
  return () => {
    if (keys !== undefined && held.get(stdin) === keys) keys.take();
  };
}
