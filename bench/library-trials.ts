import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { stem } from '../src/analyze/index.ts';
import { readArgs } from '../src/cli/args.ts';
import { COMMANDS } from '../src/cli/command-list.ts';
import { RedBlackTree, seededRandom, TreeNodes } from '../src/kit/index.ts';
import { readWarc } from '../src/warc/index.ts';
import { editDistance } from '../src/workbench/words/suggest.ts';
import { gzippedWarc } from '../test/lab/support/warc-writer.ts';

/** One line of the table: what is tried, our result, the package's result. */
type Trial = [trial: string, ours: string, theirs: string];

/**
 * The same input for our code and for a package, package by package.
 * @param folderOf folder in which a package is installed
 * @param dir an empty folder
 */
export async function libraryTrials(folderOf: (name: string) => string, dir: string): Promise<Trial[]> {
  const load = (name: string): unknown => createRequire(join(folderOf(name), 'x.js'))(name);
  return [
    await mistypedWords(load('fastest-levenshtein') as Levenshtein),
    ...(await misusedFlags(load('commander') as Commander, load('@stricli/core') as Stricli)),
    ...orderedSets((load('sorted-btree') as Btree).default, (load('js-sdsl') as Sdsl).OrderedSet),
    stems((load('porter-stemmer') as Porter).stemmer),
    ...(await archives(load('warcio') as Warcio, dir)),
    fullDisk(folderOf('write-file-atomic'), dir),
    await threads(load('piscina') as PiscinaModule, dir),
  ];
}

const ms = (run: () => unknown): number => {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

interface Levenshtein {
  distance(a: string, b: string): number;
}

/** Names of commands and flags with two neighbouring letters swapped: how many are recognised. */
async function mistypedWords({ distance }: Levenshtein): Promise<Trial> {
  const commands = await Promise.all(COMMANDS.map(({ load }) => load()));
  const names = [
    ...new Set([...COMMANDS.map(({ name }) => name), ...commands.flatMap(({ flags }) => Object.keys(flags))]),
  ];
  const typos = names.flatMap((name) =>
    Array.from({ length: name.length - 1 }, (_, i) => [
      name,
      name.slice(0, i) + name[i + 1] + name[i] + name.slice(i + 2),
    ]),
  );
  const wrong = typos.filter(([, typo]) => !names.includes(typo!)) as [string, string][];
  const right = (measure: (a: string, b: string) => number): string => {
    const found = wrong.filter(([name, typo]) => {
      const limit = Math.max(1, Math.floor(typo.length / 3)) + 1;
      const distances = names.map((known) => measure(typo, known));
      const least = Math.min(...distances);
      return least < limit && names[distances.indexOf(least)] === name;
    });
    return `${found.length} of ${wrong.length}`;
  };
  return [
    'fastest-levenshtein: swapped letters in commands and flags, meant name found',
    right(editDistance),
    right(distance),
  ];
}

interface CommanderCommand {
  argument(text: string): this;
  option(text: string): this;
  exitOverride(): this;
  configureOutput(output: object): this;
  action(run: () => void): this;
  parse(words: readonly string[], from: { readonly from: 'user' }): this;
}
interface Commander {
  readonly Command: new () => CommanderCommand;
}

interface Stricli {
  buildCommand(command: object): unknown;
  buildApplication(command: unknown, options: { readonly name: string }): unknown;
  run(application: unknown, words: readonly string[], context: { readonly process: StricliProcess }): Promise<void>;
}
interface StricliProcess {
  readonly stdout: { write(text: string): void };
  readonly stderr: { write(text: string): void };
  exitCode?: number;
}

/** Mistakes that `test/cli/args.test.ts` expects to be refused. */
const MISTAKES: readonly (readonly string[])[] = [
  ['dir', '--bugdet', '5'],
  ['dir', '--budget'],
  ['dir', '--budget', '--json'],
  ['dir', '--json=yes'],
  ['dir', '--budget', '1', '--budget', '2'],
  [],
  [''],
  ['dir', 'two', 'words'],
  ['dir', '--constructor'],
];
const CALLS = 2_000;

/** Reads the words of a command line; throws if they are a misuse. */
type Reader = (words: readonly string[]) => unknown;

async function misusedFlags({ Command }: Commander, stricli: Stricli): Promise<Trial[]> {
  const readers: Readonly<Record<string, Reader>> = {
    commander: (words) => commanderCommand(Command).parse(words, { from: 'user' }),
    '@stricli/core': stricliReader(stricli),
  };
  const own = { budget: { value: 'N', help: '' }, json: { help: '' } };
  const positionals = ['DIR', '[WORDS]'];
  const command = { name: 'try', summary: '', positionals, flags: own, examples: [], run: async () => 0 };
  const ours = await readingCosts((words) => readArgs(command, words, { cwd: '/', env: {} }));
  const trials: Trial[] = [];
  for (const [name, read] of Object.entries(readers))
    trials.push([`${name}: misused flags refused, time for a command line`, ours, await readingCosts(read)]);
  return trials;
}

async function readingCosts(read: Reader): Promise<string> {
  let refused = 0;
  for (const words of MISTAKES) {
    try {
      await read(words);
    } catch {
      refused++;
    }
  }
  const start = process.cpuUsage();
  for (let i = 0; i < CALLS; i++) await read(['dir', '--budget', '5', '--json']);
  const { user, system } = process.cpuUsage(start);
  return `${refused} of ${MISTAKES.length}, ${((user + system) / CALLS).toFixed(0)} µs`;
}

function commanderCommand(Command: Commander['Command']): CommanderCommand {
  return new Command()
    .argument('<DIR>')
    .argument('[WORDS]')
    .option('--budget <N>')
    .option('--json')
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .action(() => {});
}

function stricliReader({ buildCommand, buildApplication, run }: Stricli): Reader {
  const word = { brief: '', parse: String };
  const flags = {
    budget: { kind: 'parsed', parse: String, brief: '', optional: true },
    json: { kind: 'boolean', brief: '', optional: true, withNegated: false },
  };
  const positional = { kind: 'tuple', parameters: [word, { ...word, optional: true }] };
  const command = buildCommand({ func: () => {}, parameters: { flags, positional }, docs: { brief: '' } });
  const application = buildApplication(command, { name: 'try' });
  const silent = { write: () => {} };
  return async (words) => {
    const context: { readonly process: StricliProcess } = { process: { stdout: silent, stderr: silent } };
    await run(application, words, context);
    if (context.process.exitCode !== 0) throw new Error('refused');
  };
}

interface AnySet {
  insert(value: number): unknown;
}
interface Btree {
  readonly default: new (
    entries?: undefined,
    compare?: (a: number, b: number) => number,
  ) => { set(value: number, to: undefined): unknown };
}
interface Sdsl {
  readonly OrderedSet: new (values: readonly number[], compare: (a: number, b: number) => number) => AnySet;
}

/** One large set, and as many small ones as a crawl with tens of thousands of hosts has. */
function orderedSets(BTree: Btree['default'], OrderedSet: Sdsl['OrderedSet']): Trial[] {
  const compare = (a: number, b: number): number => a - b;
  const nodes = new TreeNodes<number>();
  const makers: Readonly<Record<string, () => AnySet>> = {
    ours: () => new RedBlackTree(compare, nodes),
    'sorted-btree': () => {
      const tree = new BTree(undefined, compare);
      return { insert: (value) => tree.set(value, undefined) };
    },
    'js-sdsl': () => new OrderedSet([], compare),
  };
  const cases = [
    ['1 set of 300,000', 1, 300_000],
    ['100,000 sets of 2', 100_000, 2],
  ] as const;
  return cases.flatMap(([title, sets, size]) => {
    const figures = new Map(Object.entries(makers).map(([name, make]) => [name, setCosts(make, sets, size)]));
    return ['sorted-btree', 'js-sdsl'].map(
      (name): Trial => [`${name}: ${title}`, figures.get('ours')!, figures.get(name)!],
    );
  });
}

function setCosts(make: () => AnySet, sets: number, size: number): string {
  const random = seededRandom(1);
  const kept: AnySet[] = [];
  globalThis.gc?.();
  const before = heap();
  const spent = ms(() => {
    for (let i = 0; i < sets; i++) {
      const set = make();
      for (let k = 0; k < size; k++) set.insert(random());
      kept.push(set);
    }
  });
  globalThis.gc?.();
  const bytes = (heap() - before) / (sets * size);
  return kept.length === sets
    ? `${((1000 * spent) / (sets * size)).toFixed(2)} µs, ${bytes.toFixed(0)} bytes an entry`
    : '';
}

function heap(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

interface Porter {
  stemmer(word: string): string;
}

/** Words of our own documentation. */
function stems(porter: Porter['stemmer']): Trial {
  const text = ['ARCHITECTURE.md', 'docs/methods.md', 'docs/quality.md']
    .map((file) => readFileSync(file, 'utf8'))
    .join(' ');
  const words = text.toLowerCase().match(/[a-z]+/g)!;
  const perSecond = (stemmer: (word: string) => string): string => {
    for (const word of words) stemmer(word);
    const spent = ms(() => {
      for (let i = 0; i < 10; i++) for (const word of words) stemmer(word);
    });
    return `${((10 * words.length) / spent / 1000).toFixed(1)} M words/s`;
  };
  const other = words.filter((word) => word.length <= 30 && stem(word) !== porter(word)).length;
  return [`porter-stemmer: stems, ${other} of ${words.length} differ`, perSecond(stem), perSecond(porter)];
}

interface Warcio {
  readonly WARCParser: {
    iterRecords(source: ReadableStream): AsyncIterable<{ readFully(isContent: boolean): Promise<Uint8Array> }>;
  };
}

async function archives({ WARCParser }: Warcio, dir: string): Promise<Trial[]> {
  const pages = Array.from({ length: 3_000 }, (_, i) => ({
    url: `http://x.test/${i}`,
    body: `${i} some words `.repeat(700),
  }));
  const whole = join(dir, 'whole.warc.gz');
  const cut = join(dir, 'cut.warc.gz');
  writeFileSync(whole, gzippedWarc(pages));
  writeFileSync(cut, gzippedWarc(pages.slice(0, 3)).subarray(0, -20));
  const ours = async (file: string): Promise<number> => {
    let bytes = 0;
    for await (const { block } of readWarc(file)) bytes += block.length;
    return bytes;
  };
  const theirs = async (file: string): Promise<number> => {
    let bytes = 0;
    const stream = new Blob([readFileSync(file)]).stream();
    for await (const record of WARCParser.iterRecords(stream)) bytes += (await record.readFully(false)).length;
    return bytes;
  };
  const timed = async (read: (file: string) => Promise<number>): Promise<string> => {
    const start = process.cpuUsage();
    const bytes = await read(whole);
    const { user, system } = process.cpuUsage(start);
    return `${((user + system) / 1000).toFixed(0)} ms, ${(bytes / 1e6).toFixed(0)} MB`;
  };
  const onCut = (read: (file: string) => Promise<number>): Promise<string> =>
    read(cut).then(
      (bytes) => `no error, ${bytes} bytes`,
      (error: Error) => error.message.replace(cut, 'FILE').slice(0, 90),
    );
  return [
    ['warcio: 3,000 records read', await timed(ours), await timed(theirs)],
    ['warcio: a file that is cut in its last record', await onCut(ours), await onCut(theirs)],
  ];
}

/** Replaces a file by one that is longer than the system allows, as on a full disk. */
function fullDisk(folder: string, dir: string): Trial {
  const file = join(dir, 'bingo.yaml');
  const own = new URL('../src/workbench/workspace/replace-file.ts', import.meta.url).href;
  const text = "'x'.repeat(30_000)";
  const outcome = (load: string, call: string): string => {
    writeFileSync(file, 'old\n');
    const code = `${load}; try { ${call} } catch (error) { process.stdout.write(error.code + ', ') }`;
    const shell = ['-c', 'ulimit -f 12; exec "$0" --input-type=module -e "$1"', process.execPath, code];
    const { stdout } = spawnSync('bash', shell, { encoding: 'utf8', cwd: folder });
    return `${stdout}file has ${readFileSync(file).length} bytes`;
  };
  return [
    'write-file-atomic: 30,000 bytes replace 4, no space after 12 KiB',
    outcome(`import { replaceFile } from '${own}'`, `replaceFile('${file}', ${text})`),
    outcome("import write from 'write-file-atomic'", `write.sync('${file}', ${text})`),
  ];
}

interface PiscinaModule {
  readonly Piscina: new (options: object) => { run(task: unknown): Promise<unknown>; destroy(): Promise<void> };
}

/** Round trips of small tasks to one thread. */
async function threads({ Piscina }: PiscinaModule, dir: string): Promise<Trial> {
  const tasks = 20_000;
  const raw = join(dir, 'raw.mjs');
  const pooled = join(dir, 'pooled.mjs');
  writeFileSync(
    raw,
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', (x) => parentPort.postMessage(x));",
  );
  writeFileSync(pooled, 'export default (x) => x;');
  const perTask = async (run: (task: number) => Promise<unknown>): Promise<string> => {
    await run(0);
    const start = process.cpuUsage();
    for (let i = 0; i < tasks; i++) await run(i);
    const { user, system } = process.cpuUsage(start);
    return `${((user + system) / tasks).toFixed(0)} µs`;
  };
  const worker = new Worker(raw);
  const ours = await perTask(
    (task) =>
      new Promise((resolve) => {
        worker.once('message', resolve);
        worker.postMessage(task);
      }),
  );
  await worker.terminate();
  const pool = new Piscina({ filename: pooled, minThreads: 1, maxThreads: 1 });
  const theirs = await perTask((task) => pool.run(task));
  await pool.destroy();
  return ['piscina: a task to a thread and back', ours, theirs];
}
