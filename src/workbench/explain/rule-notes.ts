import {
  type CanonicalUrl,
  type Config,
  canonicalize,
  hostOf,
  lockedSearchEngines,
  sitesOf,
  type TopicTree,
} from '../../core/index.ts';
import { barredShape, type KeptOut, type Preference, UrlRules } from '../../crawl/index.ts';
import { count, counted } from '../../kit/index.ts';
import type { Store } from '../../store/index.ts';
import { markedSites } from '../judging/marked-sites.ts';
import { WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';

/** What the user's URL rules mean for one URL, in sentences; `''` if no rule applies. */
export interface RuleNote {
  /** The rule that blocks it, or blocked it in the last run. */
  readonly keptOut: string;
  /** The rule that puts its links before or behind others while they wait. */
  readonly order: string;
  /** The limit that prevents links to it from being followed, if it was never fetched. */
  readonly limit: string;
}

const NOTHING: RuleNote = Object.freeze({ keptOut: '', order: '', limit: '' });

/** No rules. */
export const NO_RULES: (url: CanonicalUrl) => RuleNote = () => NOTHING;

/** Reads the rules of a workspace and those of the previous run, which may differ. */
export async function ruleNotes(
  store: Pick<Store, 'steers' | 'lastRun'>,
  workspace: Workspace,
): Promise<(url: CanonicalUrl) => RuleNote> {
  const { config } = workspace;
  const now = new UrlRules(config.crawl);
  const before = await lastRules(store);
  const isNamed = namedIn(workspace.tree);
  const { marks } = await markedSites(store);
  const lockOf = await locks(store, workspace);
  return (url) => {
    if (isNamed(url)) return NOTHING;
    const lock = lockOf(hostOf(url));
    if (lock !== undefined) return { ...NOTHING, keptOut: lock };
    const site = marks.markOf(hostOf(url));
    if (site === 'bad-site') return { ...NOTHING, keptOut: 'a person marked its site bad (bingo mark --bad-site).' };
    const order = site === 'good-site' ? GOOD_SITE : orderOf(now.preference(url), workspace);
    const [kept, was] = [now.against(url), before?.against(url)];
    if (kept !== undefined) {
      const since = before !== undefined && was === undefined ? ' The last run did not have this rule yet.' : '';
      return { ...NOTHING, keptOut: `${keptOutNow(kept, workspace)}${since}`, order };
    }
    return { keptOut: was === undefined ? '' : keptOutThen(was), order, limit: limitOf(url, config) };
  };
}

/** Finds what blocks a host or one of its parent domains: a setting, a topic, or the user while the crawl ran. */
async function locks(
  store: Pick<Store, 'steers'>,
  workspace: Workspace,
): Promise<(host: string) => string | undefined> {
  const reasons = new Map<string, string>();
  for (const command of await store.steers())
    if (command.kind === 'lock-host')
      reasons.set(command.host, `a person locked the host ${command.host} while the crawl ran.`);
  for (const { id, lockedHosts } of workspace.tree.nodes.values())
    for (const host of lockedHosts)
      reasons.set(host, `lockedHosts of the topic "${id}" has "${host}" (${WORKSPACE_FILE}).`);
  if (workspace.config.crawl.lockSearchEngines)
    for (const host of lockedSearchEngines(workspace.tree))
      reasons.set(host, `${host} is a search engine (crawl.lockSearchEngines).`);
  for (const [number, host] of workspace.config.crawl.lockedHosts.entries())
    reasons.set(host, `crawl.lockedHosts has "${host}" (${placeOf(workspace, 'crawl.lockedHosts', number)}).`);
  return (host) => [...sitesOf(host)].map((site) => reasons.get(site)).find((reason) => reason !== undefined);
}

/** Names the limit on URLs themselves that prevents links to it from being followed. */
function limitOf(url: CanonicalUrl, { crawl, traps }: Config): string {
  if (url.length > crawl.maxUrlChars)
    return `addresses of more than ${count(crawl.maxUrlChars)} characters are not followed (crawl.maxUrlChars), and it has ${count(url.length)}.`;
  switch (traps.enabled ? barredShape(url, traps) : undefined) {
    case 'maxPathDepth':
      return `its path has more than ${counted(traps.maxPathDepth, 'segment')} (traps.maxPathDepth).`;
    case 'maxSegmentRepeats':
      return `its path has a segment more than ${counted(traps.maxSegmentRepeats, 'time')} (traps.maxSegmentRepeats).`;
    case undefined:
      return '';
  }
}

function keptOutNow(kept: KeptOut, workspace: Workspace): string {
  const place = placeOf(workspace, kept.setting, kept.rule === undefined ? 0 : kept.number);
  return kept.rule === undefined
    ? `no rule of ${kept.setting} matches it (${place}).`
    : `${kept.setting} excludes it: "${kept.rule}" (${place}).`;
}

const GOOD_SITE =
  'Links to it go before all others of their topic: a person marked its site good (bingo mark --good-site).';

function orderOf(preference: Preference | undefined, workspace: Workspace): string {
  if (preference === undefined) return '';
  const { setting, rule, number } = preference;
  const where = setting === 'crawl.prefer' ? 'before' : 'behind';
  return `Links to it go ${where} all others of their topic: ${setting} has "${rule}" (${placeOf(workspace, setting, number)}).`;
}

function keptOutThen({ setting, rule }: KeptOut): string {
  const what = rule === undefined ? `no rule of ${setting} matched it` : `${setting} excluded it: "${rule}"`;
  return `${what} in the last run. ${WORKSPACE_FILE} has changed since.`;
}

/** The place of an item of a setting: file and line, or flag. */
function placeOf({ overridden, lines }: Workspace, setting: string, number: number): string {
  if (overridden.has(setting)) return 'by the command line or the environment';
  const line = lines.get(setting)?.[number];
  return line === undefined ? WORKSPACE_FILE : `${WORKSPACE_FILE}, line ${line}`;
}

/** Rules of the last run; `undefined` before the first run. */
async function lastRules(store: Pick<Store, 'lastRun'>): Promise<UrlRules | undefined> {
  const { settings } = await store.lastRun();
  try {
    return new UrlRules((JSON.parse(settings) as Partial<Config>).crawl ?? {});
  } catch {
    // No run yet, written by another version, or truncated: its rules are unknown.
    return undefined;
  }
}

/** Matches URLs that the user named: rules do not block these. */
function namedIn(tree: TopicTree): (url: CanonicalUrl) => boolean {
  const named = new Set<string | undefined>();
  for (const { examples, others, seeds } of tree.nodes.values()) {
    for (const example of [...examples, ...others]) if (example.kind === 'url') named.add(canonicalize(example.url));
    for (const seed of seeds) named.add(canonicalize(seed));
  }
  return (url) => named.has(url);
}
