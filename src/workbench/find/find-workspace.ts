import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  BingoError,
  type CanonicalUrl,
  type Config,
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
import { checkContact } from '../crawl/contact.ts';
import { checkFolder, inFolder } from '../sources/local-file.ts';
import { readSeeds } from '../sources/seeds.ts';
import { shippedOthers } from '../sources/shipped.ts';
import { addPages } from '../topics/change-topics.ts';
import { quoted } from '../words/shell-words.ts';
import { FILE_LIMITS, readBounded } from '../workspace/bounded-file.ts';
import { writeOutFile } from '../workspace/out-file.ts';
import { examplePages, topicName } from '../workspace/topic-draft.ts';
import {
  loadWorkspace,
  parseWorkspace,
  readFlags,
  readSettings,
  WORKSPACE_FILE,
  type Workspace,
} from '../workspace/workspace.ts';
import { renderWorkspace } from '../workspace/workspace-file.ts';
import type { ServiceResult } from './search-service.ts';
import { serviceResults } from './service-seeds.ts';

const BUDGET = 1_000;
const TIME = '10m';

const NAME_FOLDER = 'Name one: --keep DIR.';

/** Asks the user which pages become examples: positions from 0; `undefined` if the user cancels. */
export type Choose = (results: readonly ServiceResult[]) => Promise<readonly number[] | undefined>;

/** What opening a search reports. */
export type FindNews =
  /** A search service is asked for first pages. */
  | { readonly kind: 'asking'; readonly service: string }
  /** Pages that the workspace did not have yet. */
  | { readonly kind: 'pages-added'; readonly pages: readonly string[] };

/** A search to be opened. */
export interface FindRequest {
  readonly query: string;
  /** Folder of the workspace. Default: one named by the words, in the user's data folder. */
  readonly keep?: string | undefined;
  /** Pages on the subject. */
  readonly seeds: readonly string[];
  /** Ask the search service also if pages are given. */
  readonly asksService: boolean;
  /** Counter-examples. Default: everyday subjects. */
  readonly others?: readonly Example[] | undefined;
  /** Settings by key. */
  readonly flags: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly choose: Choose;
  readonly onNews: (news: FindNews) => void;
}

/**
 * Returns the folder of a search: the named one, else one named by its words in the user's data folder. Searches with
 * equal folder names (*C++* and *C#*, or any two without Latin letters) get numbered folders.
 * @throws UsageError if the data folder is unknown or unusable
 */
function findFolder({ query, keep: named, env }: FindRequest): string {
  if (named !== undefined) {
    checkFolder(named);
    return resolve(named);
  }
  const folder = join(dataFolder(env), 'bingo', 'find', slugOf(query, 'search'));
  for (let n = 1; ; n++) {
    const numbered = n === 1 ? folder : `${folder}-${n}`;
    if (!isOtherSearch(numbered, query)) return numbered;
  }
}

/** Returns the user's data folder. */
function dataFolder({ XDG_DATA_HOME, LOCALAPPDATA, HOME = userHome() }: FindRequest['env']): string {
  const named = XDG_DATA_HOME || LOCALAPPDATA || (HOME && join(HOME, '.local', 'share'));
  if (named) return resolve(named);
  throw new UsageError('No folder to keep the search in: HOME is not set.', NAME_FOLDER);
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

/** Returns the topic that learns from a query; `undefined` if none does. */
export function topicOfQuery({ nodes }: TopicTree, query: string): TopicId | undefined {
  return [...nodes.values()].find((node) => asksFor([node], query))?.id;
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
export async function openSearch(request: FindRequest): Promise<Workspace | undefined> {
  const { query, flags, env, others = shippedOthers() } = request;
  const folder = findFolder(request);
  if (existsSync(join(folder, WORKSPACE_FILE))) {
    const workspace = loadWorkspace(folder, { flags, env });
    const topic = topicOfSearch(workspace, query, folder);
    const late = newPages(workspace, request.seeds);
    if (late.length === 0) return workspace;
    addPages(folder, topic, 'examples', late);
    request.onNews({ kind: 'pages-added', pages: late });
    return loadWorkspace(folder, { flags, env });
  }
  if (existsSync(folder) && request.keep !== undefined && readdirSync(folder).length > 0)
    throw new UsageError(`${request.keep} holds other files.`, 'Name a new or an empty folder.');
  const draft = { query, folder, flags, listed: others };
  // Report mistakes in the query before asking a service.
  textOf(draft, [ANY_PAGE]);
  const seeds = await firstPages(request, readSettings({ flags, env }));
  if (seeds === undefined) return undefined;
  return await writeSearch(draft, seeds, env);
}

/** What first pages are chosen from. */
export type FirstPages = Pick<FindRequest, 'query' | 'seeds' | 'asksService' | 'choose' | 'onNews'>;

/**
 * Returns the start pages: those given, and those of the search service; `undefined` if the user cancels.
 * @throws UsageError without any page, BingoError if the search service returns none
 */
export async function firstPages(
  { query, seeds, asksService, choose, onNews }: FirstPages,
  { network }: Pick<Config, 'network'>,
): Promise<readonly string[] | undefined> {
  const given = readSeeds(seeds);
  const { searchService: spec } = network;
  if (spec === '') {
    if (given.length > 0) return given;
    throw new UsageError(
      'The search has no page to start from.',
      'Name pages on the subject with the option "seeds", or a search service with the option "searchService", such as wikipedia:en.',
    );
  }
  // If pages are given, the search service is only used if the caller asks for it.
  if (given.length > 0 && !asksService) return given;
  onNews({ kind: 'asking', service: spec });
  const results = await serviceResults({ network }, query);
  const chosen = await choose(results);
  if (chosen === undefined) return undefined;
  const pages = [...new Set([...given, ...chosen.flatMap((i) => results[i]?.url ?? [])])];
  if (pages.length > 0) return pages;
  throw new UsageError('No page was chosen.', 'Choose at least one, or name one with the option "seeds".');
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

async function writeSearch(draft: SearchDraft, seeds: readonly string[], env: FindRequest['env']): Promise<Workspace> {
  const { query, folder, flags } = draft;
  const { text, tree } = textOf(draft, seeds);
  // Before anything is written: the same command with a contact starts from the beginning.
  const settings = readSettings({ flags, env });
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
  return loadWorkspace(folder, { flags, env });
}

/**
 * Returns the topic of a search.
 * @throws UsageError if the folder belongs to another search
 */
function topicOfSearch({ tree }: Workspace, query: string, folder: string): TopicId {
  const topic = topicOfQuery(tree, query);
  if (topic !== undefined) return topic;
  throw new UsageError(
    `${folder} is a workspace without this search.`,
    'Name another folder with --keep DIR; bingo search searches the pages of that workspace.',
  );
}

/** Pages that bingo.yaml does not name: added later, or replacing pages that could not be fetched. */
export function newPages({ topics }: Pick<Workspace, 'topics'>, seeds: readonly string[]): readonly CanonicalUrl[] {
  const begunWith = new Set(topics.flatMap(examplePages));
  return readSeeds(seeds).filter((url) => !begunWith.has(url));
}
