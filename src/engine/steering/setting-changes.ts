import { type Config, hidePassword, type SettingChange, type VisitRecord } from '../../core/index.ts';

/** Settings of a run; those of another version may lack anything. */
export type RunSettings = { readonly [S in keyof Config]?: Partial<Config[S]> } & {
  /** What its local documents said, see `documentsDigest`; absent without any. */
  readonly documents?: { readonly digest: string };
};

/** What stood in the way of a fetch, the setting that it was up to, and whether that lets more through now. */
interface Obstacle {
  readonly end: `${VisitRecord['result']} ${string}`;
  readonly setting: `${keyof Config}.${string}`;
  readonly isLifted: (before: never, now: never) => boolean;
}

const isOn = (before: boolean, now: boolean): boolean => !before && now;
const isOther = (before: unknown, now: unknown): boolean => JSON.stringify(before) !== JSON.stringify(now);
const isFewer = (before: readonly string[], now: readonly string[]): boolean =>
  before.some((each) => !now.includes(each));
const isMore = (before: number, now: number): boolean => now > before;

/** Fetches that gave no page for a setting's sake. Links that a setting kept from being asked for at all are offered again by the fold itself. */
const OBSTACLES: readonly Obstacle[] = [
  { end: 'refused robots', setting: 'network.robots', isLifted: (before: boolean, now: boolean) => before && !now },
  // robots.txt has rules by name.
  { end: 'refused robots', setting: 'network.userAgent', isLifted: isOther },
  // Rules on the host that another one's robots.txt leads to.
  { end: 'refused locked-host', setting: 'crawl.lockedHosts', isLifted: isFewer },
  { end: 'refused locked-host', setting: 'crawl.exclude', isLifted: isFewer },
  { end: 'refused private-address', setting: 'network.allowPrivate', isLifted: isOn },
  { end: 'refused size', setting: 'network.maxBodyBytes', isLifted: isMore },
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
 * The setting that stood in the way of a fetch and does so no more.
 * @param before settings of the run that fetched
 * @returns its key; `undefined` when there is none
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

/** How far a run goes: its command line says so, and its progress shows it. */
const LENGTHS = new Set(['crawl.budget', 'crawl.learn', 'crawl.timeMs']);
/** What a person does not set. */
const UNSET = new Set(['documents.digest']);

/**
 * Settings that are not what they were in the run before, in the order of the settings. A setting that another version did not have is no
 * change, nor is how far a run goes.
 * @param askedAgain fetches that are made again, by the setting that stood in their way
 */
export function settingChanges(
  before: RunSettings,
  now: RunSettings,
  askedAgain: ReadonlyMap<string, number>,
): readonly SettingChange[] {
  const keys = Object.entries(now).flatMap(([section, values]) =>
    Object.keys(values).map((name) => `${section}.${name}`),
  );
  return keys.flatMap((setting): SettingChange[] => {
    if (LENGTHS.has(setting) || UNSET.has(setting)) return [];
    const [was, is] = [settingAt(before, setting), settingAt(now, setting)];
    if (was === undefined || JSON.stringify(was) === JSON.stringify(is)) return [];
    return [{ setting, before: was, now: is, askedAgain: askedAgain.get(setting) ?? 0 }];
  });
}

/**
 * Settings as the record of a run keeps them: without passwords. See {@link readSettings}.
 * @param documents what its local documents say, see `documentsDigest`
 */
export function settingsText(config: Config, documents: string | undefined): string {
  const { network, store } = config;
  const { proxy, searchService } = network;
  const shown: RunSettings = {
    ...config,
    network: { ...network, proxy: hidePassword(proxy), searchService: hidePassword(searchService) },
    store: { ...store, url: store.url.replace(/\/\/[^/]*@/, '//') },
    ...(documents && { documents: { digest: documents } }),
  };
  return JSON.stringify(shown);
}

/** What a run's record says of its settings; nothing when it cannot be read. */
export function readSettings(text: string): RunSettings {
  try {
    return (JSON.parse(text) as RunSettings | null) ?? {};
  } catch {
    return {};
  }
}

/** The value of a setting by its key, as `traps.maxPathDepth`. */
export function settingAt(settings: RunSettings, key: string): unknown {
  const [section, name] = key.split('.') as [keyof Config, string];
  return (settings[section] as Readonly<Record<string, unknown>> | undefined)?.[name];
}
