import { type BuiltInOrdering, ORDERINGS } from './config.ts';
import { ROOT, type TopicId } from './ids.ts';
import { MAX_SHARDS } from './shard.ts';

/** A change by the user to a running crawl. It is written to the journal, so that a resumed crawl repeats it. */
export type Steer =
  /** End the learning phase early: retrain and harvest. */
  | { readonly kind: 'end-learning' }
  /** Return from harvesting to learning, for the pages of one learning phase. */
  | { readonly kind: 'begin-learning' }
  /** Continue a crawl that finds nothing any more: the count of its irrelevant pages starts from zero. */
  | { readonly kind: 'continue-barren' }
  /** Total number of pages to fetch. */
  | { readonly kind: 'set-budget'; readonly budget: number }
  /** Set another limit, in the unit of its setting. */
  | { readonly kind: 'set-limit'; readonly limit: LimitName; readonly value: number }
  /** Do not visit a host and its subdomains. */
  | { readonly kind: 'lock-host'; readonly host: string }
  | { readonly kind: 'mark-topic'; readonly topic: TopicId; readonly good: boolean }
  | { readonly kind: 'set-ordering'; readonly ordering: BuiltInOrdering }
  /** Change the use of one page in training; the last decision on a page counts. */
  | { readonly kind: 'judge-page'; readonly judgement: Judgement }
  /**
   * From this record on, a topic has this path; the root: it was removed. The id is the path that the topic had when it
   * was first crawled.
   */
  | { readonly kind: 'name-topic'; readonly id: string; readonly topic: TopicId }
  /** Every stored page was classified again by this model. */
  | { readonly kind: 'reclassified'; readonly model: number }
  /** The crawl was spread: from this record on, this store fetches only hosts of its shard. */
  | { readonly kind: 'begin-shard'; readonly shard: number; readonly shards: number }
  /** The crawl of the whole found that a host repeats the pages of a host of another shard. */
  | { readonly kind: 'note-mirror'; readonly host: string; readonly original: string };

/**
 * `example`: an example of the topic. `others`: of OTHERS of that node. `dropped`: not used for training, whatever
 * the workspace or the crawl says. `free`: removes the user's decision.
 */
export const PAGE_USES = ['example', 'others', 'dropped', 'free'] as const;
export type PageUse = (typeof PAGE_USES)[number];

/**
 * The user's mark of a whole site. `bad-site`: it is not visited again, and its pages belong to OTHERS, except pages
 * that the user named. `good-site`: links to it go first. Removed by `free`.
 */
const SITE_USES = ['bad-site', 'good-site'] as const;
export type SiteUse = (typeof SITE_USES)[number];

const HOST = /^[a-z0-9_[\]:.-]{1,255}$/;
const SITE_KEY = 'site://';

/** Returns the key of a site (a host with its subdomains) among the user's decisions. */
export function siteKey(host: string): string {
  return SITE_KEY + host;
}

/** Returns the host of a site's key; `undefined` for the key of a page. */
export function siteOfKey(key: string): string | undefined {
  const host = key.startsWith(SITE_KEY) ? key.slice(SITE_KEY.length) : '';
  return HOST.test(host) ? host : undefined;
}

/** Names of site marks as shown to the user. */
export const SITE_WORDS: Readonly<Record<SiteUse, string>> = Object.freeze({
  'bad-site': 'bad site',
  'good-site': 'good site',
});

/** Returns the mark of a site, named by a host; `free` removes it. */
export function siteMark(host: string, use: SiteUse | 'free'): Judgement {
  return { key: siteKey(host), sequence: 0, title: '', use, topic: ROOT };
}

/** A decision of the user, or of a reader, on one page or site. */
export interface Judgement {
  /** Its training key: its final URL, or the name of a local file or query. For a site, see {@link siteKey}. */
  readonly key: string;
  /** The stored page that the user saw; 0 for a document that is not a stored page. */
  readonly sequence: number;
  readonly title: string;
  readonly use: PageUse | SiteUse;
  /** For `others`, the node whose OTHERS it trains; ignored for everything but `example` and `others`. */
  readonly topic: TopicId;
  /** The reader of `learn.reader` decided, not the user; a decision of the user overrides it. Absent: the user. */
  readonly by?: 'reader';
  /** Paragraphs of the page's text to leave out, from 0, ascending; absent: none. */
  readonly without?: readonly number[];
}

/** Limits that keep a decision within one row of the store; `json`: characters in total. */
export const MAX_JUDGED = { title: 200, topic: 500, without: 1_500, json: 15_900 } as const;

/** Limits besides the budget that can be changed while a crawl runs, with their settings. */
export const LIMIT_NAMES = ['learn', 'time', 'tunnel', 'parallel'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
export const LIMITS: Readonly<Record<LimitName, string>> = Object.freeze({
  learn: 'crawl.learn',
  time: 'crawl.timeMs',
  tunnel: 'crawl.tunnelDistance',
  parallel: 'network.concurrency',
});
/** Minimum and maximum of each: pages, ms (0: no limit), links, parallel fetches. */
export const LIMIT_BOUNDS: Readonly<Record<LimitName, readonly [least: number, greatest: number]>> = Object.freeze({
  learn: [1, 1_000_000],
  time: [0, 366 * 24 * 3_600_000],
  tunnel: [0, 20],
  parallel: [1, 500],
});

/** Commands of the dashboard. Those besides {@link Steer} change no decision, so they are not recorded. */
export type SteerCommand =
  | Steer
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** Close the question about a page without an answer. */
  | { readonly kind: 'skip-question'; readonly key: string }
  /** Ask nothing more in this run. */
  | { readonly kind: 'end-questions' };

const UNRECORDED: ReadonlySet<SteerCommand['kind']> = new Set(['pause', 'resume', 'skip-question', 'end-questions']);

/** True if the journal records the command. */
export function isRecorded(command: SteerCommand): command is Steer {
  return !UNRECORDED.has(command.kind);
}

const FOR_ALL: ReadonlySet<SteerCommand['kind']> = new Set([
  ...(['judge-page', 'lock-host', 'mark-topic', 'set-ordering'] as const),
  'note-mirror',
]);
const LIMITS_FOR_ALL: ReadonlySet<LimitName> = new Set(['tunnel', 'parallel']);
/** What the crawl of the whole obeys alone: its processes divide its budget, and pause with it. */
const FOR_WHOLE: ReadonlySet<SteerCommand['kind']> = new Set(['pause', 'resume', 'set-budget']);

/** True if every shard of a spread crawl adopts the command from the crawl of the whole. */
export function isForAllShards(command: SteerCommand): boolean {
  return command.kind === 'set-limit' ? LIMITS_FOR_ALL.has(command.limit) : FOR_ALL.has(command.kind);
}

/** True if the command can be given to a spread crawl. */
export function isForSpread(command: SteerCommand): boolean {
  return isForAllShards(command) || FOR_WHOLE.has(command.kind);
}

/** Parses a command from another process or the journal; `undefined` if it is not valid. */
export function parseSteerCommand(value: unknown): SteerCommand | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, budget, host, topic, good, ordering, judgement, model, limit, id, key } = value as Readonly<
    Record<string, unknown>
  >;
  switch (kind) {
    case 'pause':
    case 'resume':
    case 'end-learning':
    case 'begin-learning':
    case 'continue-barren':
    case 'end-questions':
      return { kind };
    case 'skip-question':
      return typeof key === 'string' ? { kind, key } : undefined;
    case 'set-budget':
      return Number.isSafeInteger(budget) && (budget as number) > 0 ? { kind, budget: budget as number } : undefined;
    case 'set-limit': {
      const known = LIMIT_NAMES.find((name) => name === limit);
      const wanted = (value as { readonly value?: unknown }).value;
      if (known === undefined || !isNumber(wanted)) return undefined;
      const [least, greatest] = LIMIT_BOUNDS[known];
      return wanted >= least && wanted <= greatest ? { kind, limit: known, value: wanted } : undefined;
    }
    case 'lock-host':
      return typeof host === 'string' && HOST.test(host) ? { kind, host } : undefined;
    case 'note-mirror': {
      const { original } = value as { readonly original?: unknown };
      const areHosts = [host, original].every((one) => typeof one === 'string' && HOST.test(one));
      return areHosts ? { kind, host: host as string, original: original as string } : undefined;
    }
    case 'mark-topic':
      return typeof topic === 'string' && typeof good === 'boolean'
        ? { kind, topic: topic as TopicId, good }
        : undefined;
    case 'name-topic':
      return typeof topic === 'string' && typeof id === 'string' && id !== ''
        ? { kind, id, topic: topic as TopicId }
        : undefined;
    case 'set-ordering': {
      const known = ORDERINGS.find((name) => name === ordering);
      return known === undefined ? undefined : { kind, ordering: known };
    }
    case 'reclassified':
      return isNumber(model) ? { kind, model } : undefined;
    case 'begin-shard': {
      const { shard, shards } = value as Readonly<Record<string, unknown>>;
      return isNumber(shard) && isNumber(shards) && shard < shards && shards <= MAX_SHARDS
        ? { kind, shard, shards }
        : undefined;
    }
    case 'judge-page': {
      const parsed = parseJudgement(judgement);
      return parsed === undefined ? undefined : { kind, judgement: parsed };
    }
    default:
      return undefined;
  }
}

function parseJudgement(value: unknown): Judgement | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { key, sequence, title, use, topic, by, without = [] } = value as Readonly<Record<string, unknown>>;
  const known = [...PAGE_USES, ...SITE_USES].find((name) => name === use);
  if (known === undefined || !isNumber(sequence) || !Array.isArray(without)) return undefined;
  if (by !== undefined && by !== 'reader') return undefined;
  if (typeof key !== 'string' || typeof title !== 'string' || typeof topic !== 'string') return undefined;
  if (isSiteUse(known) && siteOfKey(key) === undefined) return undefined;
  if (key === '' || title.length > MAX_JUDGED.title) return undefined;
  if (topic.length > MAX_JUDGED.topic || without.length > MAX_JUDGED.without || !without.every(isNumber))
    return undefined;
  const same = {
    key,
    sequence,
    title,
    use: known,
    topic: topic as TopicId,
    ...(by === 'reader' && { by: by as 'reader' }),
  };
  const parsed = without.length === 0 ? same : { ...same, without: without as number[] };
  return JSON.stringify(parsed).length > MAX_JUDGED.json ? undefined : parsed;
}

/** Returns true if the mark applies to a site, not to a page. */
export function isSiteUse(use: Judgement['use']): use is SiteUse {
  return use === 'bad-site' || use === 'good-site';
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
