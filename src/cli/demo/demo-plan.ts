import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BingoError, type Example, type TopicSpec } from '../../core/index.ts';
import type { PackageWeb } from '../../lab/index.ts';
import { PACKAGE_ROOT } from '../../workbench/index.ts';

/** The demo's topic and its start pages. */
export interface DemoPlan {
  readonly topic: TopicSpec;
  readonly others: readonly Example[];
  /** Names of the packages that mention the topic in their keywords or description. */
  readonly onTopic: ReadonlySet<string>;
}

type Package = PackageWeb['packages'][number];

const TOPIC = 'terminal user interfaces';
const TOPIC_WORDS = /\b(terminals?|tty|ansi|command-line|cli|console|cursor|xterm|stdout)\b/i;
/** Good start pages, best first; the first two installed ones are used. */
const FAVOURITES = ['ink', 'chalk', 'string-width', 'cli-truncate', 'yargs', 'picocolors'];
const EXAMPLES = 2;
const OTHERS = 24;
/** The page of the package itself: its dependencies lead everywhere, so that a crawl loses its way. */
const CROSSROADS = 'bingo-crawler';
/** A README with fewer keywords has too little text for training. */
const MIN_KEYWORDS = 3;

/**
 * Chooses two packages as examples. Counter-examples are READMEs of packages that do not mention the topic, spread
 * evenly over the alphabet, so that it works with any installed packages.
 * @returns `undefined` if too few packages are installed
 */
export function planDemo(web: PackageWeb, url: (name: string, path: string) => string): DemoPlan | undefined {
  const documented = web.packages.filter((found) => readme(found) !== undefined);
  const onTopic = documented.filter(isOnTopic);
  const examples = [...onTopic].sort((a, b) => favour(a) - favour(b)).slice(0, EXAMPLES);
  const others = spread(
    documented.filter((found) => !isOnTopic(found) && found.keywords.length >= MIN_KEYWORDS),
    OTHERS,
  );
  if (examples.length < EXAMPLES || others.length < 5) return undefined;
  const address = (found: Package): string => url(found.name, readme(found)!);
  const page = (found: Package): Example => ({ kind: 'url', url: address(found) });
  const crossroads = web.packages.filter(({ name }) => name === CROSSROADS).map(({ name }) => url(name, '/'));
  return {
    topic: { name: TOPIC, examples: examples.map(page), seeds: [...examples.slice(0, 1).map(address), ...crossroads] },
    others: others.map(page),
    onTopic: new Set(onTopic.map(({ name }) => name)),
  };
}

function readme(found: Package): string | undefined {
  return [...found.files.keys()].find((path) => path.startsWith('/readme'));
}

function isOnTopic({ name, keywords, description }: Package): boolean {
  return TOPIC_WORDS.test([name, description, ...keywords].join(' '));
}

function favour({ name }: Package): number {
  const place = FAVOURITES.indexOf(name);
  return place < 0 ? FAVOURITES.length : place;
}

function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!);
}

/**
 * Returns every `node_modules` folder on the way up: in a clone it is below this package, in an installation around
 * it.
 */
export function nodeModulesFolders(): readonly string[] {
  const folders: string[] = [];
  for (let folder = PACKAGE_ROOT.replace(/[/\\]$/, ''); ; folder = dirname(folder)) {
    const modules = basename(folder) === 'node_modules' ? folder : join(folder, 'node_modules');
    if (existsSync(modules) && !folders.includes(modules)) folders.push(modules);
    if (folder === dirname(folder)) return folders;
  }
}

/** Too few packages are installed for a demo. */
export function tooFewPackages(count: number): BingoError {
  return new BingoError({
    code: 'DEMO_TOO_SMALL',
    message: `The demo crawls the documentation of installed packages, and found only ${count} of them with too little text.`,
    hint: 'Reinstall Bingo with its dependencies (npm install bingo-crawler), or crawl the web: bingo init --help.',
  });
}
