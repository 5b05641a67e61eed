import { join, relative, resolve } from 'node:path';
import { InputError, type Mistake } from '../../core/index.ts';
import { listOf, text } from './rules.ts';
import { SETTINGS, type Setting } from './settings.ts';
import {
  describeMistakes,
  type Overrides,
  parseWorkspace,
  readOverrides,
  readWorkspaceFile,
  shownPath,
  WORKSPACE_FILE,
  type WorkspaceContent,
} from './workspace.ts';

/** Where the value of a setting comes from. */
export type SettingSource = 'default' | 'file' | 'environment' | 'flag';

/** A setting as lists show it. The key `extensions` of bingo.yaml has no environment variable. */
export type ListedSetting = Pick<Setting, 'key' | 'rule' | 'help' | 'default'> & {
  readonly variable?: string;
  /** For a retired setting: what to do instead. */
  readonly instead?: string | undefined;
};

const EXTENSIONS: ListedSetting = {
  key: 'extensions',
  rule: listOf(text('the path of an ES module, relative to the workspace')) as Setting['rule'],
  help: 'Modules of yours that take part in a crawl ("bingo help extensions").',
  default: [],
};

/** A setting with its current value. */
export interface SettingInForce {
  readonly setting: ListedSetting;
  readonly value: unknown;
  readonly from: SettingSource;
}

/**
 * Returns every setting in the order of the file, with its value; retired ones as well.
 * @param dir `undefined` for the settings outside a workspace
 * @throws InputError that lists every invalid setting
 */
export function settingsInForce(dir: string | undefined, { flags, env }: Overrides): readonly SettingInForce[] {
  const mistakes: Mistake[] = [];
  const { values: ofFile, extensions = [] } = dir === undefined ? NO_FILE : fileContent(dir, mistakes);
  const ofEnvironment = readOverrides(env === undefined ? {} : { env }, mistakes);
  const ofFlags = readOverrides(flags === undefined ? {} : { flags }, mistakes);
  if (mistakes.length > 0) throw new InputError(describeMistakes(mistakes.length), mistakes);
  const sources = [
    ['flag', ofFlags],
    ['environment', ofEnvironment],
    ['file', ofFile],
  ] as const;
  const own = SETTINGS.map((setting): SettingInForce => {
    const [from, values] = sources.find(([, known]) => known.has(setting.key)) ?? [];
    if (from === undefined || values === undefined) return { setting, value: setting.default, from: 'default' };
    return { setting, value: values.get(setting.key), from };
  });
  return [...own, { setting: EXTENSIONS, value: extensions, from: extensions.length > 0 ? 'file' : 'default' }];
}

type FileContent = Pick<WorkspaceContent, 'values' | 'extensions'>;

const NO_FILE: FileContent = { values: new Map() };

/** Paths of extensions are relative to the workspace. */
function fileContent(dir: string, mistakes: Mistake[]): FileContent {
  const folder = resolve(dir);
  const path = shownPath(join(folder, WORKSPACE_FILE));
  // Missing training documents do not affect the settings.
  const content = parseWorkspace(readWorkspaceFile(folder, dir), path, folder, (file) => file);
  mistakes.push(...content.mistakes);
  const { values, extensions = [] } = content;
  return { values, extensions: extensions.map((file) => written(relative(folder, file))) };
}

function written(path: string): string {
  return path.startsWith('.') ? path : `./${path}`;
}

/** Settings that a new user needs first. */
const COMMON: ReadonlySet<string> = new Set([
  ...['crawl.budget', 'crawl.timeMs', 'crawl.ordering', 'crawl.maxPagesPerSite', 'crawl.exclude', 'crawl.include'],
  ...['network.contact', 'network.concurrency', 'network.delayMs', 'network.proxy', 'network.allowPrivate'],
  ...['learn.spaces', 'learn.acceptThreshold', 'recheck.firstMs', 'store.url'],
]);

/** Whether lists show a setting: a retired one only if it is set. */
export function isListed({ setting, from }: SettingInForce): boolean {
  return setting.instead === undefined || from !== 'default';
}

/**
 * Selects the settings to show: by key; by words in keys or descriptions; otherwise the common ones and those that
 * are set.
 */
export function settingsAsked(all: readonly SettingInForce[], asked: string | undefined): readonly SettingInForce[] {
  if (asked === undefined) return all.filter(({ setting, from }) => from !== 'default' || COMMON.has(setting.key));
  const exact = all.filter(({ setting }) => setting.key === asked);
  if (exact.length > 0) return exact;
  const words = asked.toLowerCase().split(/\s+/);
  return all.filter(isListed).filter(({ setting }) => {
    const text = `${setting.key} ${setting.help}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
