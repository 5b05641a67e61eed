import { accessSync, constants, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isMap, isSeq, type Node } from 'yaml';
import {
  type Config,
  type Example,
  type ExtensionSource,
  hidePassword,
  InputError,
  isBuiltInOrdering,
  type Mistake,
  ORDERINGS,
  type TopicSpec,
  type TopicTree,
  topicTree,
  UsageError,
  WorkspaceLockedError,
} from '../../core/index.ts';
import { hasContent } from '../../postprocess/index.ts';
import { lockWorkspace, type WorkspaceLock } from '../../store/index.ts';
import { quoted } from '../words/shell-words.ts';
import { didYouMean } from '../words/suggest.ts';
import { FILE_LIMITS, readBounded } from './bounded-file.ts';
import { type KnownTopics, readKnownTopics } from './known-topics.ts';
import {
  configWith,
  LISTED_SETTINGS,
  retiredNotes,
  SECTIONS,
  SETTINGS,
  type Section,
  type Setting,
  settingOf,
} from './settings.ts';
import { readSpread } from './spread-file.ts';
import { TopicFileReader } from './topic-file.ts';
import { type Entry, shape, YamlReader } from './yaml-reader.ts';

/** The file that makes a folder a workspace. */
export const WORKSPACE_FILE = 'bingo.yaml';
/** The file of a workspace that says how its portal looks. */
export const CURATION_FILE = 'portal.yaml';

/** A loaded and checked workspace. */
export interface Workspace {
  /** Absolute path of the folder. */
  readonly dir: string;
  readonly topics: readonly TopicSpec[];
  readonly tree: TopicTree;
  /** The topics that the workspace has, or had; missing before the first crawl. */
  readonly known?: KnownTopics | undefined;
  readonly config: Config;
  /** Keys set by the command line or the environment instead of the file. */
  readonly overridden: ReadonlySet<string>;
  /** What the user should know of the file, one sentence each: retired settings, addresses with a password. */
  readonly notes?: readonly string[];
  /** For list settings in the file: the line of each item, from 1. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
  /** Flags and environment with which it was loaded. */
  readonly overrides?: Overrides;
  /** Absolute paths of ES modules in bingo.yaml, and objects of the calling program. Missing without extensions. */
  readonly extensions?: readonly ExtensionSource[];
}

/** Reloads a workspace after its file changed, with the same overrides. */
export function reloadWorkspace({ dir, overrides }: Pick<Workspace, 'dir' | 'overrides'>): Workspace {
  return loadWorkspace(dir, overrides);
}

/**
 * Limits the learning phase to a tenth of the budget, so that a small `--budget` still harvests. Unchanged if a flag
 * or the environment sets its length, or if only learning is requested.
 */
export function withLearnShare(workspace: Workspace, only: 'learn' | 'harvest' | undefined): Workspace {
  const { crawl } = workspace.config;
  if (only === 'learn' || workspace.overridden.has('crawl.learn')) return workspace;
  const learn = Math.min(crawl.learn, Math.floor(crawl.budget / 10));
  return { ...workspace, config: { ...workspace.config, crawl: { ...crawl, learn } } };
}

/** A killed process keeps its lock until its child processes have noticed. */
const CLAIM_TRIES = 10;
const CLAIM_PAUSE_MS = 100;

/**
 * Locks a workspace for writing. Waits up to a second for a process that is about to end.
 * @throws WorkspaceLockedError if another process works in it, or leads a spread crawl
 * @throws UsageError if the crawl is spread and no process on this machine leads it
 */
export async function claimWorkspace(dir: string): Promise<WorkspaceLock> {
  const spread = readSpread(dir);
  if (spread !== undefined) {
    // The process that leads takes marks, as a crawl does.
    lockWorkspace(dir).release();
    throw new UsageError(
      `The crawl of ${dir} is spread over ${spread.shards} shards, so nothing else may change it.`,
      `Continue it: bingo work ${quoted(dir)}\nMake one store of it: bingo gather ${quoted(dir)}`,
    );
  }
  for (let tries = 1; ; tries++) {
    try {
      return lockWorkspace(dir);
    } catch (error) {
      if (!(error instanceof WorkspaceLockedError) || tries === CLAIM_TRIES) throw error;
      await setTimeout(CLAIM_PAUSE_MS);
    }
  }
}

/**
 * Sources that override the file: flags override the environment, which overrides the file, which overrides the
 * defaults.
 */
export interface Overrides {
  /** Values by key (`crawl.budget`), as typed, or as bingo.yaml has them. */
  readonly flags?: ReadonlyMap<string, unknown>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Extensions of the calling program, in addition to those of the file. */
  readonly extensions?: readonly ExtensionSource[];
}

/**
 * Loads and checks a workspace.
 * @param find finds a training document by its absolute path. Default: it must exist
 * @throws UsageError if the folder is not a workspace
 * @throws InputError that lists every mistake in the file, the environment and the flags
 */
export function loadWorkspace(dir: string, overrides: Overrides = {}, find: FindFile = findFile): Workspace {
  const folder = resolve(dir);
  const shown = shownPath(join(folder, WORKSPACE_FILE));
  const content = parseWorkspace(readWorkspaceFile(folder, dir), shown, folder, find);
  const mistakes = [...content.mistakes];
  const fromAbove = readOverrides(overrides, mistakes);
  if (mistakes.length > 0) throw new InputError(describeMistakes(mistakes.length), mistakes);
  const extensions = [...(content.extensions ?? []), ...(overrides.extensions ?? [])];
  const config = configWith(new Map([...content.values, ...fromAbove]));
  const { ordering } = config.crawl;
  if (extensions.length === 0 && isUnknownOrdering(ordering))
    throw new UsageError(`Unknown ordering: ${ordering}.`, `Known are ${ORDERINGS.join(', ')}. ${ORDERING_HINT}`);
  const tree = topicTree(content.topics, content.others);
  return {
    dir: folder,
    topics: content.topics,
    ...{ tree, known: readKnownTopics(folder, tree) },
    config,
    overridden: new Set(fromAbove.keys()),
    notes: [...content.notes, ...retiredNotes(new Set([...content.values.keys(), ...fromAbove.keys()]))],
    lines: content.lines,
    overrides,
    ...(extensions.length > 0 && { extensions }),
  };
}

/** Content of a workspace file, and all its mistakes. */
export interface WorkspaceContent {
  readonly topics: readonly TopicSpec[];
  readonly others: readonly Example[];
  /** Checked settings by key. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Absolute paths of the extensions. */
  readonly extensions?: readonly string[];
  /** See {@link Workspace.lines}. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
  readonly mistakes: readonly Mistake[];
  /** What the user should know about valid lines. */
  readonly notes: readonly string[];
}

/** Parses the text of a workspace file. `shown` is its name in messages; its paths are relative to `folder`. */
export function parseWorkspace(
  text: string,
  shown: string,
  folder: string,
  find: FindFile = findFile,
): WorkspaceContent {
  const yaml = new YamlReader(text, shown);
  const { notes } = yaml;
  if (!yaml.isReadable)
    return { topics: [], others: [], values: new Map(), lines: new Map(), mistakes: yaml.mistakes, notes };
  const known = ['topics', 'others', 'extensions', ...Object.keys(SECTIONS)];
  const entries = yaml.entries(yaml.root, known, 'a workspace');
  const reader = new TopicFileReader(yaml, { findFile: (path) => find(resolve(folder, path)), hasContent });
  const topics = reader.topics(entries.get('topics'));
  const others = reader.others(entries.get('others'));
  const lone = topics.length === 1;
  if (lone && others.length === 0 && yaml.mistakes.length === 0) {
    const hint = 'Add "others: everyday" to bingo.yaml, or list pages of other subjects there.';
    yaml.mistake(entries.get('others')?.keyNode, 'others', 'A single topic needs counter-examples.', hint);
  }
  const values = new Map<string, unknown>();
  const lines = new Map<string, readonly number[]>();
  for (const section of Object.keys(SECTIONS) as Section[])
    readSection(yaml, section, entries.get(section), { values, lines });
  const extensions = readExtensions(yaml, entries.get('extensions'), (path) => find(resolve(folder, path)));
  const ordering = values.get('crawl.ordering');
  if (entries.get('extensions') === undefined && isUnknownOrdering(ordering))
    yaml.mistake(entries.get('crawl')?.value, ORDERING, expected(settingOf(ORDERING)!, ordering), ORDERING_HINT);
  const mistakes = [...yaml.mistakes].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { topics, others, extensions, values, lines, mistakes, notes };
}

const RELATIVE = 'Paths are relative to the workspace.';
const ORDERING = 'crawl.ordering';
const ORDERING_HINT = 'Modules with orderings of yours are named under "extensions".';

/** True for a name that belongs to an extension, if to any. */
function isUnknownOrdering(name: unknown): name is string {
  return typeof name === 'string' && !isBuiltInOrdering(name);
}

/** Returns the absolute paths of extensions. */
function readExtensions(yaml: YamlReader, entry: Entry | undefined, find: FindFile): readonly string[] {
  return yaml.items(entry?.value).flatMap((item) => {
    const path = yaml.plain(item);
    const found = typeof path === 'string' ? find(path) : undefined;
    const isMissing = typeof path === 'string' && path !== '' && found === undefined;
    const message = isMissing
      ? `The file ${path} does not exist.`
      : `Expected the path of an ES module, such as ./my-sink.js, got ${shape(item)}.`;
    const hint = isMissing ? `${RELATIVE} Without an entry the crawl continues without the extension.` : RELATIVE;
    if (found === undefined) yaml.mistake(item, 'extensions', message, hint);
    return found === undefined ? [] : [found];
  });
}

/** `store: mysql://…` is short for `store: { url: mysql://… }`, also on the command line. */
const SHORT_FOR: ReadonlyMap<string, string> = new Map([['store', 'store.url']]);

/** Collects the settings of a file. */
interface ReadSettings {
  readonly values: Map<string, unknown>;
  readonly lines: Map<string, readonly number[]>;
}

function readSection(yaml: YamlReader, section: Section, entry: Entry | undefined, into: ReadSettings): void {
  if (entry?.value === undefined) return;
  const short = SHORT_FOR.get(section);
  if (short !== undefined && !isMap(entry.value)) {
    readSetting(yaml, settingOf(short)!, entry, into);
    return;
  }
  const settings = SETTINGS.filter((setting) => setting.section === section);
  const names = settings.map((setting) => setting.name);
  for (const found of yaml.entries(entry.value, names, section).values()) {
    readSetting(yaml, settings.find((setting) => setting.name === found.key)!, found, into);
  }
}

function readSetting(yaml: YamlReader, setting: Setting, entry: Entry, { values, lines }: ReadSettings): void {
  const told = yaml.mistakes.length;
  const read = setting.rule.read(yaml.plain(entry.value));
  if (yaml.mistakes.length > told) return;
  if (isSeq(entry.value))
    lines.set(
      setting.key,
      yaml.items(entry.value).map((item) => yaml.lineOf(item)),
    );
  if (read.ok) values.set(setting.key, read.value);
  else if (!isSeq(entry.value) || !readItems(yaml, setting, entry.value))
    yaml.mistake(entry.value ?? entry.keyNode, setting.key, expected(setting, shape(entry.value)), read.hint);
}

/** Reports each invalid item of a list with its own line; returns false if every item by itself is valid. */
function readItems(yaml: YamlReader, { key, rule }: Setting, list: Node): boolean {
  let isAnyWrong = false;
  for (const item of yaml.items(list)) {
    const read = rule.item?.read(yaml.plain(item));
    if (read === undefined || read.ok) continue;
    yaml.mistake(item, key, expected({ rule: rule.item! }, shape(item)), read.hint);
    isAnyWrong = true;
  }
  return isAnyWrong;
}

function expected(setting: { readonly rule: Pick<Setting['rule'], 'expects'> }, got: string): string {
  return `Expected ${setting.rule.expects}, got ${hidePassword(got)}.`;
}

/**
 * Reads and checks the settings on the command line.
 * @throws InputError that lists every mistake
 */
export function readFlags(flags: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const mistakes: Mistake[] = [];
  const values = readOverrides({ flags }, mistakes);
  if (mistakes.length > 0) throw new InputError(describeMistakes(mistakes.length), mistakes);
  return values;
}

/**
 * Reads the settings outside a workspace: flags override the environment, which overrides the defaults.
 * @throws InputError that lists every mistake
 */
export function readSettings(overrides: Overrides): Config {
  const mistakes: Mistake[] = [];
  const values = readOverrides(overrides, mistakes);
  if (mistakes.length > 0) throw new InputError(describeMistakes(mistakes.length), mistakes);
  return configWith(values);
}

/** Returns checked settings of flags and environment, by key. */
export function readOverrides({ flags, env }: Overrides, mistakes: Mistake[]): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  const set = (setting: Setting, text: unknown, file: string, key: string): void => {
    const read = setting.rule.read(text);
    if (read.ok) values.set(setting.key, read.value);
    else mistakes.push({ file, key, message: expected(setting, JSON.stringify(text)), hint: read.hint });
  };
  const prefixes = Object.keys(SECTIONS).map((section) => `BINGO_${section.toUpperCase()}_`);
  for (const [variable, text] of Object.entries(env ?? {})) {
    if (text === undefined || !prefixes.some((prefix) => variable.startsWith(prefix))) continue;
    const setting = SETTINGS.find((setting) => setting.variable === variable);
    if (setting !== undefined) set(setting, text, 'environment', variable);
    else mistakes.push(unknownVariable(variable));
  }
  for (const [key, text] of flags ?? []) {
    const setting = settingOf(SHORT_FOR.get(key) ?? key);
    if (setting !== undefined) set(setting, text, 'command line', key);
    else mistakes.push(unknownKey(key));
  }
  return values;
}

function unknownVariable(variable: string): Mistake {
  const hint = didYouMean(
    variable,
    LISTED_SETTINGS.map((setting) => setting.variable),
  );
  return { file: 'environment', key: variable, message: 'No setting has this name.', hint };
}

function unknownKey(key: string): Mistake {
  const named = LISTED_SETTINGS.filter(({ name, section }) => name === key || section === key).map(
    (setting) => setting.key,
  );
  const hint =
    named.length > 0
      ? `Name it with its part of the file: ${named.join(', ')}.`
      : didYouMean(
          key,
          LISTED_SETTINGS.map((setting) => setting.key),
        );
  return {
    file: 'command line',
    key,
    message: 'Unknown setting.',
    hint: hint ?? 'bingo settings --all lists them.',
  };
}

/** Returns the text of the workspace file in `folder`; the user typed its path as `dir`. */
export function readWorkspaceFile(folder: string, dir: string): string {
  const path = join(folder, WORKSPACE_FILE);
  try {
    const text = readBounded(path, FILE_LIMITS.workspace, join(dir, WORKSPACE_FILE)).toString('utf8');
    if (!text.includes('\0')) return text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EISDIR') throw new UsageError(`${join(dir, WORKSPACE_FILE)} is a folder; it should be a file.`);
    if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true)
      throw new UsageError(`${dir} is a file.`, `Name the folder that contains ${WORKSPACE_FILE}.`);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new UsageError(
      `${dir} is not a workspace: it has no ${WORKSPACE_FILE}.`,
      `Make one: bingo init ${dir} --help`,
    );
  }
  throw new UsageError(
    `${join(dir, WORKSPACE_FILE)} is not valid UTF-8.`,
    'Save it as UTF-8, or take it from a backup; stored pages are not affected.',
  );
}

type FindFile = (path: string) => string | undefined;

/** Returns the absolute path of a file if it can be read. */
export function findFile(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
    accessSync(path, constants.R_OK);
    return path;
  } catch {
    return undefined;
  }
}

/** A path for messages: relative to the current folder if it is inside it. */
export function shownPath(path: string): string {
  const near = relative('', path);
  return near.startsWith('..') ? path : near || '.';
}

/** Heading for a list of mistakes, with their number. */
export function describeMistakes(count: number): string {
  return count === 1 ? 'One mistake to correct' : `${count} mistakes to correct`;
}
