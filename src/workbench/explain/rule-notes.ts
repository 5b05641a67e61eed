import {
  type CanonicalUrl,
  type Config,
  canonicalize,
  hostOf,
  parseSteerCommand,
  sitesOf,
  type TopicTree,
} from '../../core/index.ts';
import { barredShape, type KeptOut, type Preference, UrlRules } from '../../crawl/index.ts';
import { count, counted } from '../../kit/index.ts';
import type { Store } from '../../store/index.ts';
import { markedSites } from '../judging/marked-sites.ts';
import { WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';

/** What a person's rules on addresses say of one, in sentences; `''` where they say nothing. */
export interface RuleNote {
  /** What keeps it out, or kept it out in the last run. */
  readonly keptOut: string;
  /** What puts its links before others, or behind them, while they wait. */
  readonly order: string;
  /** What keeps links to it from being followed, in the case of one that was never asked for. */
  readonly limit: string;
}

const NOTHING: RuleNote = Object.freeze({ keptOut: '', order: '', limit: '' });

/** Locks by hand that are read at the most. */
const MAX_LOCKS = 100_000;

/** No rules. */
export const NO_RULES: (url: CanonicalUrl) => RuleNote = () => NOTHING;

/** Reads the rules of a workspace and those of the run before, which may have had others. */
export async function ruleNotes(
  store: Pick<Store, 'sql'>,
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

/** What locks a host, or one that it lies below: a setting, a topic, or a person while the crawl ran. */
async function locks(store: Pick<Store, 'sql'>, workspace: Workspace): Promise<(host: string) => string | undefined> {
  const reasons = new Map<string, string>();
  for (const host of await lockedByHand(store))
    reasons.set(host, `a person locked the host ${host} while the crawl ran.`);
  for (const { id, lockedHosts } of workspace.tree.nodes.values())
    for (const host of lockedHosts)
      reasons.set(host, `lockedHosts of the topic "${id}" has "${host}" (${WORKSPACE_FILE}).`);
  for (const [number, host] of workspace.config.crawl.lockedHosts.entries())
    reasons.set(host, `crawl.lockedHosts has "${host}" (${placeOf(workspace, 'crawl.lockedHosts', number)}).`);
  return (host) => [...sitesOf(host)].map((site) => reasons.get(site)).find((reason) => reason !== undefined);
}

async function lockedByHand(store: Pick<Store, 'sql'>): Promise<readonly string[]> {
  const { rows } = await store.sql(`select command from steer where command like '%"lock-host"%'`, {
    maxRows: MAX_LOCKS,
  });
  const hosts: string[] = [];
  for await (const [text] of rows) {
    const command = parseSteerCommand(JSON.parse(String(text)));
    if (command?.kind === 'lock-host') hosts.push(command.host);
  }
  return hosts;
}

/** What of its letters alone keeps links to it from being followed. */
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
    ? `no rule of ${kept.setting} lets it in (${place}).`
    : `${kept.setting} keeps it out: "${kept.rule}" (${place}).`;
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
  const what = rule === undefined ? `no rule of ${setting} let it in` : `${setting} kept it out: "${rule}"`;
  return `${what}, in the last run. It is not so in ${WORKSPACE_FILE} now.`;
}

/** Where an item of a setting stands. */
function placeOf({ overridden, lines }: Workspace, setting: string, number: number): string {
  if (overridden.has(setting)) return 'by the command line or the environment';
  const line = lines.get(setting)?.[number];
  return line === undefined ? WORKSPACE_FILE : `${WORKSPACE_FILE}, line ${line}`;
}

/** Rules as the last run had them; `undefined` before the first. */
async function lastRules(store: Pick<Store, 'sql'>): Promise<UrlRules | undefined> {
  const { rows } = await store.sql('select settings from run order by sequence desc limit 1', { maxRows: 1 });
  for await (const [settings] of rows) {
    try {
      return new UrlRules((JSON.parse(String(settings)) as Partial<Config>).crawl ?? {});
    } catch {
      // Written by another version, or cut off: nothing is known of it.
    }
  }
  return undefined;
}

/** Rules keep out no address that a person named. */
function namedIn(tree: TopicTree): (url: CanonicalUrl) => boolean {
  const named = new Set<string | undefined>();
  for (const { examples, others, seeds } of tree.nodes.values()) {
    for (const example of [...examples, ...others]) if (example.kind === 'url') named.add(canonicalize(example.url));
    for (const seed of seeds) named.add(canonicalize(seed));
  }
  return (url) => named.has(url);
}
