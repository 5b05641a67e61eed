import {
  type Config,
  hidePassword,
  ROOT,
  type SettingChange,
  type TopicId,
  type TopicTree,
  type VisitRecord,
} from '../../core/index.ts';
import type { RunExtension } from '../extensions/missing.ts';

/** Settings of a run. Those of another version may lack some. */
export type RunSettings = { readonly [S in keyof Config]?: Partial<Config[S]> } & {
  /** Digest of its local documents, see `documentsDigest`; missing without documents. */
  readonly documents?: { readonly digest: string };
  /** Its extensions; missing without any. */
  readonly extensions?: { readonly loaded: readonly RunExtension[] };
  /** Whether each topic of bingo.yaml is good, by path. */
  readonly topics?: { readonly good: Readonly<Record<string, boolean>> };
};

/** A topic whose mark in bingo.yaml changed between two runs. */
export interface GoodChange {
  readonly topic: TopicId;
  readonly before: boolean;
  readonly now: boolean;
}

/** Returns topics of both runs that bingo.yaml marks otherwise than before. */
export function goodChanges({ topics: before }: RunSettings, { topics: now }: RunSettings): readonly GoodChange[] {
  return Object.entries(now?.good ?? {}).flatMap(([topic, good]): GoodChange[] => {
    const was = before?.good[topic];
    return was === undefined || was === good ? [] : [{ topic: topic as TopicId, before: was, now: good }];
  });
}

/** What prevented a fetch, the setting responsible, and whether that setting is now more permissive. */
interface Obstacle {
  readonly end: `${VisitRecord['result']} ${string}`;
  readonly setting: `${keyof Config}.${string}`;
  readonly isLifted: (before: never, now: never) => boolean;
}

const isOn = (before: boolean, now: boolean): boolean => !before && now;
const isOther = (before: unknown, now: unknown): boolean => JSON.stringify(before) !== JSON.stringify(now);
const isOff = (before: boolean, now: boolean): boolean => before && !now;
const isFewer = (before: readonly string[], now: readonly string[]): boolean =>
  before.some((each) => !now.includes(each));
const isMore = (before: number, now: number): boolean => now > before;

/**
 * Fetches that failed because of a setting. Links that a setting excluded before any request are offered again by the
 * fold itself.
 */
const OBSTACLES: readonly Obstacle[] = [
  { end: 'refused robots', setting: 'network.robots', isLifted: (before: boolean, now: boolean) => before && !now },
  // robots.txt has rules by name.
  { end: 'refused robots', setting: 'network.userAgent', isLifted: isOther },
  // The host that another host's robots.txt redirects to may be locked.
  { end: 'refused locked-host', setting: 'crawl.lockedHosts', isLifted: isFewer },
  { end: 'refused locked-host', setting: 'crawl.lockSearchEngines', isLifted: isOff },
  { end: 'refused locked-host', setting: 'crawl.exclude', isLifted: isFewer },
  { end: 'refused private-address', setting: 'network.allowPrivate', isLifted: isOn },
  { end: 'refused size', setting: 'network.maxBodyBytes', isLifted: isMore },
  { end: 'refused size', setting: 'network.maxBytesByType', isLifted: isOther },
  {
    end: 'refused language',
    setting: 'crawl.languages',
    isLifted: (before: readonly string[], now: readonly string[]) =>
      now.length === 0 || now.some((each) => !before.includes(each)),
  },
  { end: 'failed not-archived', setting: 'archive.source', isLifted: isOther },
  { end: 'failed not-archived', setting: 'archive.files', isLifted: isOther },
  { end: 'failed not-archived', setting: 'archive.missing', isLifted: isOther },
  { end: 'failed tls', setting: 'network.insecureTls', isLifted: isOn },
  { end: 'failed timeout', setting: 'network.connectTimeoutMs', isLifted: isMore },
  { end: 'failed timeout', setting: 'network.headersTimeoutMs', isLifted: isMore },
  { end: 'failed timeout', setting: 'network.totalTimeoutMs', isLifted: isMore },
  { end: 'failed dns', setting: 'network.dnsServers', isLifted: isOther },
  { end: 'failed dns', setting: 'network.dnsTimeoutMs', isLifted: isMore },
  { end: 'failed analysis-timeout', setting: 'analyze.timeoutMs', isLifted: isMore },
  {
    end: 'failed timeout',
    setting: 'network.minBytesPerSecond',
    isLifted: (before: number, now: number) => now < before,
  },
];

/**
 * Returns the setting that prevented a fetch and no longer does.
 * @param before settings of the run that fetched
 * @returns its key; `undefined` if no setting did
 */
export function liftedObstacle(
  { result, reason }: Pick<VisitRecord, 'result' | 'reason'>,
  before: RunSettings,
  now: Config,
): string | undefined {
  if (result !== 'refused' && result !== 'failed') return undefined;
  const lifted = OBSTACLES.find(({ end, setting, isLifted }) => {
    if (end !== `${result} ${reason}`) return false;
    const was = settingAt(before, setting);
    return was !== undefined && isLifted(was as never, settingAt(now, setting) as never);
  });
  return lifted?.setting;
}

/** Limits of a run's length. The command line sets them, and the progress shows them. */
const LENGTHS = new Set(['crawl.budget', 'crawl.learn', 'crawl.timeMs']);
/** Values that the user does not set. */
const UNSET = new Set(['documents.digest', 'extensions.loaded', 'topics.good']);

/**
 * Returns settings that differ from the previous run, in the order of the settings. Settings missing from another
 * version and limits of a run's length do not count.
 * @param askedAgain number of repeated fetches, by the setting that prevented them
 */
export function settingChanges(
  before: RunSettings,
  now: RunSettings,
  askedAgain: ReadonlyMap<string, number>,
): readonly SettingChange[] {
  const keys = Object.entries(now).flatMap(([section, values]) =>
    Object.keys(values).map((name) => `${section}.${name}`),
  );
  const marked = goodChanges(before, now).map(
    ({ topic, ...change }): SettingChange => ({ setting: `topics.${topic}.good`, ...change, askedAgain: 0 }),
  );
  const changed = keys.flatMap((setting): SettingChange[] => {
    if (LENGTHS.has(setting) || UNSET.has(setting)) return [];
    const [was, is] = [settingAt(before, setting), settingAt(now, setting)];
    if (was === undefined || JSON.stringify(was) === JSON.stringify(is)) return [];
    return [{ setting, before: was, now: is, askedAgain: askedAgain.get(setting) ?? 0 }];
  });
  return [...changed, ...marked];
}

/** What a run's record stores besides the settings. */
export interface RunParts {
  readonly tree: TopicTree;
  /** Digest of its local documents, see `documentsDigest`. */
  readonly documents: string | undefined;
  readonly extensions: readonly RunExtension[];
}

/** Returns settings as a run's record stores them: without passwords. See {@link readSettings}. */
export function settingsText(config: Config, { tree, documents, extensions }: RunParts): string {
  // Schedules and notifications do not change what a crawl finds.
  const { schedule: _, notify: __, ...rest } = config;
  const { network, store } = rest;
  const { proxy, searchService } = network;
  const shown: RunSettings = {
    ...rest,
    network: { ...network, proxy: hidePassword(proxy), searchService: hidePassword(searchService) },
    store: { ...store, url: store.url.replace(/\/\/[^/]*@/, '//') },
    ...(documents && { documents: { digest: documents } }),
    ...(extensions.length > 0 && { extensions: { loaded: extensions } }),
    topics: {
      good: Object.fromEntries([...tree.nodes].flatMap(([id, { good }]) => (id === ROOT ? [] : [[id, good]]))),
    },
  };
  return JSON.stringify(shown);
}

/** Returns the settings in a run's record; empty if they cannot be read. */
export function readSettings(text: string): RunSettings {
  try {
    return (JSON.parse(text) as RunSettings | null) ?? {};
  } catch {
    return {};
  }
}

/** Returns the value of a setting by its key, for example `traps.maxPathDepth`. */
export function settingAt(settings: RunSettings, key: string): unknown {
  const [section, name] = key.split('.') as [keyof Config, string];
  return (settings[section] as Readonly<Record<string, unknown>> | undefined)?.[name];
}
