import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  BingoError,
  type CanonicalUrl,
  canonicalize,
  type Example,
  InputError,
  type TopicId,
  type TopicSpec,
  type TopicTree,
  topicTree,
  UsageError,
} from '../../core/index.ts';
import { slugOf } from '../../postprocess/index.ts';
import {
  addPages,
  askService,
  checkContact,
  checkFolder,
  examplePages,
  FILE_LIMITS,
  inFolder,
  loadWorkspace,
  parseOthers,
  parseService,
  parseWorkspace,
  quoted,
  readBounded,
  readFlags,
  readSeeds,
  readSettings,
  readTextFile,
  renderWorkspace,
  type ServiceResult,
  sanitizeForTerminal,
  shippedOthers,
  showAddress,
  splitAssignment,
  topicName,
  truncate,
  WORKSPACE_FILE,
  type Workspace,
  writeOutFile,
} from '../../workbench/index.ts';
import type { Args, Io } from '../command.ts';
import { withUnit } from '../read-time.ts';

/** Number of search service results used as examples: as in the paper's own search (BINGO! §5.3). */
const SERVICE_RESULTS = 7;
const BUDGET = 1_000;
const TIME = '10m';

const NAME_FOLDER = 'Name one: --keep DIR.';

/** Flags of `bingo find` that set settings. */
const SETTING_FLAGS: Readonly<Record<string, string>> = {
  budget: 'crawl.budget',
  time: 'crawl.timeMs',
  contact: 'network.contact',
  proxy: 'network.proxy',
  'search-service': 'network.searchService',
};

/** Asks the user which pages become examples: positions from 0; `undefined` if the user cancels. */
export type Choose = (results: readonly ServiceResult[]) => Promise<readonly number[] | undefined>;

/** Returns the settings that flags set. */
function findSettings(args: Args): ReadonlyMap<string, string> {
  const flags = new Map(args.values('set').map(splitAssignment));
  for (const [flag, key] of Object.entries(SETTING_FLAGS)) {
    const value = args.value(flag);
    if (value !== undefined) flags.set(key, flag === 'time' ? withUnit(value) : value);
  }
  return flags;
}

/**
 * Returns the folder of a search: the named one, else one named by its words in the user's data folder. Searches with
 * equal folder names (*C++* and *C#*, or any two without Latin letters) get numbered folders.
 * @throws UsageError if the data folder is unknown or unusable
 */
function findFolder(query: string, args: Args, io: Io): string {
  const named = args.value('keep');
  if (named !== undefined) {
    checkFolder(named);
    return resolve(named);
  }
  const folder = join(dataFolder(io.env), 'bingo', 'find', slugOf(query, 'search'));
  for (let n = 1; ; n++) {
    const numbered = n === 1 ? folder : `${folder}-${n}`;
    if (!isOtherSearch(numbered, query)) return numbered;
  }
}

/** Returns the user's data folder. */
function dataFolder({ XDG_DATA_HOME, LOCALAPPDATA, HOME = userHome() }: Io['env']): string {
  const named = XDG_DATA_HOME || LOCALAPPDATA || (HOME && join(HOME, '.local', 'share'));
  if (named) return resolve(named);
  throw new UsageError('There is no folder of yours to keep the search in: HOME is not set.', NAME_FOLDER);
}

/** `undefined` for a user without an account name, as in a container. */
function userHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

function isOtherSearch(folder: string, query: string): boolean {
  const path = join(folder, WORKSPACE_FILE);
  if (!existsSync(path)) return false;
  const { mistakes, topics } = parseWorkspace(readBounded(path, FILE_LIMITS.workspace).toString('utf8'), path, folder);
  // Mistakes in the file are reported when it is opened.
  return mistakes.length === 0 && !asksFor(topics, query);
}

function asksFor(topics: readonly Pick<TopicSpec, 'examples'>[], query: string): boolean {
  return topics.some((topic) => topic.examples?.some((e) => e.kind === 'text' && e.text === query));
}

/**
 * Opens the workspace of a search, and creates it if missing: the query becomes a virtual training document beside
 * the start pages.
 * @returns `undefined` if the user cancels
 * @throws UsageError if there is no start page, or the folder belongs to something else
 * @throws BingoError if the search service returns no page
 */
export async function openSearch(query: string, args: Args, io: Io, choose: Choose): Promise<Workspace | undefined> {
  const folder = findFolder(query, args, io);
  const flags = findSettings(args);
  if (existsSync(join(folder, WORKSPACE_FILE))) {
    const workspace = loadWorkspace(folder, { flags, env: io.env });
    const topic = topicOfSearch(workspace, query, folder);
    const late = lateSeeds(workspace, args);
    if (late.length === 0) return workspace;
    addPages(folder, topic, 'examples', late);
    io.err(`New to learn from and to start at: ${late.join(', ')}.\n`);
    return loadWorkspace(folder, { flags, env: io.env });
  }
  if (existsSync(folder) && args.has('keep') && readdirSync(folder).length > 0)
    throw new UsageError(`${args.value('keep')} holds other files.`, 'Name a new or an empty folder.');
  const draft = { query, folder, flags, listed: listedOthers(args.value('others')) };
  // Report mistakes in the query before asking a service.
  textOf(draft, [ANY_PAGE]);
  const seeds = await findSeeds(query, args, io, choose);
  if (seeds === undefined) return undefined;
  return writeSearch(draft, seeds, io);
}

/** Start pages: those given, and those of the search service. */
async function findSeeds(query: string, args: Args, io: Io, choose: Choose): Promise<readonly string[] | undefined> {
  const given = readSeeds(args.values('seed'));
  const { network } = readSettings({ flags: findSettings(args), env: io.env });
  const { searchService: spec } = network;
  if (spec === '') {
    if (given.length > 0) return given;
    throw new UsageError(
      'The search has no page to start from.',
      'Name pages on the subject with --seed URL, or a search service: --search-service wikipedia:en.',
    );
  }
  // If pages are given, the search service is only used if the command line names it.
  if (given.length > 0 && !args.has('search-service')) return given;
  const userAgent = network.contact === '' ? network.userAgent : `${network.userAgent} (${network.contact})`;
  io.err(`Asking ${sanitizeForTerminal(spec)} …\n`);
  const results = await askService(parseService(spec)!, query, { limit: SERVICE_RESULTS, userAgent, network });
  io.err(`${results.map((result, i) => resultLine(result, i, io)).join('')}\n`);
  const chosen = await choose(results);
  if (chosen === undefined) return undefined;
  const seeds = [...new Set([...given, ...chosen.flatMap((i) => results[i]?.url ?? [])])];
  if (seeds.length > 0) return seeds;
  throw new UsageError('No page was chosen.', 'Choose at least one, or name one with --seed URL.');
}

function resultLine({ url, title }: ServiceResult, index: number, io: Io): string {
  const width = Math.max(20, Math.min(100, io.screen().columns) - 6);
  const name = title === '' ? [] : [truncate(sanitizeForTerminal(title), width)];
  const lines = [...name, truncate(showAddress(url), width)];
  return `${String(index + 1).padStart(4)}  ${lines.join('\n      ')}\n`;
}

/** Placeholder for the start pages, which are not known yet. */
const ANY_PAGE = 'http://page.invalid/';

interface SearchDraft {
  readonly query: string;
  readonly folder: string;
  readonly flags: ReadonlyMap<string, string>;
  /** Counter-examples. */
  readonly listed: readonly Example[];
}

function listedOthers(file: string | undefined): readonly Example[] {
  return file === undefined ? shippedOthers() : parseOthers(readTextFile(file), file);
}

/**
 * Returns the text of the new bingo.yaml, and its parsed content.
 * @throws InputError
 */
function textOf(
  { query, folder, flags, listed }: SearchDraft,
  seeds: readonly string[],
): { readonly text: string; readonly tree: TopicTree } {
  const examples: Example[] = [
    { kind: 'text', name: 'query', text: query },
    ...seeds.map((url): Example => ({ kind: 'url', url })),
  ];
  const known = new Set(seeds);
  const others = listed.filter((other) => other.kind !== 'url' || !known.has(canonicalize(other.url) ?? ''));
  const values = readFlags(new Map([['crawl.budget', String(BUDGET)], ['crawl.timeMs', TIME], ...flags]));
  const text = renderWorkspace({ topics: [{ name: topicName(query), examples }], others, values }, folder);
  const { mistakes, topics } = parseWorkspace(text, WORKSPACE_FILE, folder);
  if (mistakes.length > 0)
    throw new InputError(
      'The query cannot be used',
      mistakes.map((mistake) => ({ ...mistake, file: 'command line', line: undefined })),
    );
  return { text, tree: topicTree(topics, others) };
}

async function writeSearch(draft: SearchDraft, seeds: readonly string[], io: Io): Promise<Workspace> {
  const { query, folder, flags } = draft;
  const { text, tree } = textOf(draft, seeds);
  // Before anything is written: the same command with a contact starts from the beginning.
  const settings = readSettings({ flags: flags, env: io.env });
  // The crawl itself warns about a proxy on this machine.
  checkContact(settings, tree, `bingo find ${quoted(query)} …`, () => {});
  await inFolder(folder, () => writeOutFile(join(folder, WORKSPACE_FILE), [text])).catch((cause: Error) => {
    const message = `The search cannot be kept in ${folder} (${cause.message}).`;
    throw new BingoError({
      code: 'FIND_NOT_KEPT',
      message,
      hint: `Free some space or name another folder: --keep DIR.`,
      cause,
    });
  });
  return loadWorkspace(folder, { flags, env: io.env });
}

/**
 * Returns the topic of a search.
 * @throws UsageError if the folder belongs to another search
 */
function topicOfSearch({ tree }: Workspace, query: string, folder: string): TopicId {
  const topic = [...tree.nodes.values()].find((node) => asksFor([node], query));
  if (topic !== undefined) return topic.id;
  throw new UsageError(
    `${folder} is the workspace of something else.`,
    'Name another folder with --keep DIR; pages that are there are asked with bingo search.',
  );
}

/**
 * Pages on the command line that bingo.yaml does not name: added later, or replacing pages that could not be fetched.
 */
function lateSeeds({ topics }: Workspace, args: Args): readonly CanonicalUrl[] {
  const begunWith = new Set(topics.flatMap(examplePages));
  return readSeeds(args.values('seed')).filter((url) => !begunWith.has(url));
}
