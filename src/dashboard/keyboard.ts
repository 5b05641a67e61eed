type Input = NodeJS.ReadableStream & Partial<Pick<NodeJS.ReadStream, 'setRawMode' | 'unref'>>;

/** Terminals whose keys are read while no screen reads them. */
const held = new WeakMap<Input, HeldKeys>();

/** Ctrl-C as a character: a terminal that is read key by key sends no signal. */
const INTERRUPT = '\u0003';

/** Who reads the keys: a screen of this process or another process, key by key; or a prompt, line by line. */
type Reader = 'screen' | 'process' | 'lines';

/** Number of bytes that are kept for the first screen. */
const MAX_KEPT_BYTES = 1024;

/**
 * Reads keys so that they are not echoed and no other program receives them. The first screen receives those typed
 * before it; later ones are dropped.
 */
class HeldKeys {
  readonly #stdin: Input;
  /** Keys for the first screen; `undefined` once anything has read keys. */
  #kept: Buffer | undefined = Buffer.alloc(0);
  readonly #onKeys = (keys: Buffer | string): void => {
    if (String(keys).includes(INTERRUPT)) process.kill(process.pid, 'SIGINT');
    else if (this.#kept !== undefined)
      this.#kept = Buffer.concat([this.#kept, Buffer.from(keys)]).subarray(0, MAX_KEPT_BYTES);
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
    const kept = this.#kept ?? Buffer.alloc(0);
    this.#kept = undefined;
    if (to === 'screen' && kept.length > 0) giveOnceRead(this.#stdin, kept);
    if (to !== 'screen') this.#stdin.pause();
    if (to === 'lines') this.#stdin.setRawMode?.(false);
  }
}

/** Gives keys to the screen that reads next. */
function giveOnceRead(stdin: Input, keys: Buffer): void {
  const onListener = (event: string | symbol): void => {
    if (event !== 'readable') return;
    stdin.off('newListener', onListener);
    setImmediate(() => stdin.unshift(keys));
  };
  stdin.on('newListener', onListener);
}

/**
 * Reads the keys of a terminal until {@link freeKeys}, while screens load and other work is done: they would be echoed between the
 * lines of a screen, or reach the shell. The first screen receives those typed before it, later ones are dropped. Ctrl-C still
 * interrupts. Does nothing if the input is not a terminal.
 */
export function holdKeys(stdin: Input): void {
  if (stdin.setRawMode === undefined || held.has(stdin)) return;
  const keys = new HeldKeys(stdin);
  held.set(stdin, keys);
  keys.take();
}

/** Stops reading the keys of a terminal. */
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
