import { ORDERINGS, type OrderingName } from './config.ts';
import { ROOT, type TopicId } from './ids.ts';

/** What a person changes in a running crawl. All of it is written to the journal, so that a resumed crawl repeats it. */
export type Steer =
  /** Learning is over, whatever is missing: retrain and harvest. */
  | { readonly kind: 'end-learning' }
  /** Learn anew from harvesting, for as many pages as a learning phase has. */
  | { readonly kind: 'begin-learning' }
  /** Pages to fetch in all. */
  | { readonly kind: 'set-budget'; readonly budget: number }
  /** Another limit, in the unit of its setting. */
  | { readonly kind: 'set-limit'; readonly limit: LimitName; readonly value: number }
  /** Leave a host and everything below its name alone. */
  | { readonly kind: 'lock-host'; readonly host: string }
  | { readonly kind: 'mark-topic'; readonly topic: TopicId; readonly good: boolean }
  | { readonly kind: 'set-ordering'; readonly ordering: OrderingName }
  /** What one page is to teach from now on; the last word on a page counts. */
  | { readonly kind: 'judge-page'; readonly judgement: Judgement }
  /** Every stored page was judged again by this model. */
  | { readonly kind: 'reclassified'; readonly model: number };

/**
 * `example`: an example of the topic. `others`: of OTHERS of that node. `dropped`: it teaches nothing, whatever the
 * workspace or the crawl says. `free`: as if nobody had ever judged it.
 */
export const PAGE_USES = ['example', 'others', 'dropped', 'free'] as const;
export type PageUse = (typeof PAGE_USES)[number];

/**
 * What a person says of a whole site. `bad-site`: it is not asked again, and its pages are of OTHERS, but for those that a person named;
 * `good-site`: links to it go before others. Taken back by `free`.
 */
export const SITE_USES = ['bad-site', 'good-site'] as const;
export type SiteUse = (typeof SITE_USES)[number];

const HOST = /^[a-z0-9_[\]:.-]{1,255}$/;
const SITE_KEY = 'site://';

/** The name of a site, a host with those below it, among what people decided on. */
export function siteKey(host: string): string {
  return SITE_KEY + host;
}

/** The host of a site's name; `undefined` for the name of a page. */
export function siteOfKey(key: string): string | undefined {
  const host = key.startsWith(SITE_KEY) ? key.slice(SITE_KEY.length) : '';
  return HOST.test(host) ? host : undefined;
}

/** What a site is called that a person marked so. */
export const SITE_WORDS: Readonly<Record<SiteUse, string>> = Object.freeze({
  'bad-site': 'bad site',
  'good-site': 'good site',
});

/** The mark of a site, named by a host; `free` takes it back. */
export function siteMark(host: string, use: SiteUse | 'free'): Judgement {
  return { key: siteKey(host), sequence: 0, title: '', use, topic: ROOT };
}

/** What a person decided on one page, or on a site. */
export interface Judgement {
  /** Its name among the training pages: its final URL, or the name of a local file or query. Of a site see {@link siteKey}. */
  readonly key: string;
  /** The stored page that the person saw; 0 for a document that is no stored page. */
  readonly sequence: number;
  readonly title: string;
  readonly use: PageUse | SiteUse;
  /** For `others` the node whose OTHERS it teaches; for all but `example` it says nothing else. */
  readonly topic: TopicId;
  /** Paragraphs of the page's text that are left out, from 0, ascending; absent: none. */
  readonly without?: readonly number[];
}

/** Bounds that keep a judgement within one row of the store; `json`: characters of all of it. */
export const MAX_JUDGED = { title: 200, topic: 500, without: 1_500, json: 15_900 } as const;

/** Limits that can be changed while a crawl runs, beside its budget, with their settings. */
export const LIMIT_NAMES = ['learn', 'time', 'tunnel', 'parallel'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];
export const LIMITS: Readonly<Record<LimitName, string>> = Object.freeze({
  learn: 'crawl.learn',
  time: 'crawl.timeMs',
  tunnel: 'crawl.tunnelDistance',
  parallel: 'network.concurrency',
});
/** Least and greatest value of each: pages, ms (0: no limit), links, fetches at a time. */
export const LIMIT_BOUNDS: Readonly<Record<LimitName, readonly [least: number, greatest: number]>> = Object.freeze({
  learn: [1, 1_000_000],
  time: [0, 366 * 24 * 3_600_000],
  tunnel: [0, 20],
  parallel: [1, 500],
});

/** What the dashboard asks for; a pause changes no decision, so it is not kept. */
export type SteerCommand = Steer | { readonly kind: 'pause' } | { readonly kind: 'resume' };

/** Reads a command that came from another process, or out of the journal; `undefined` when it is none. */
export function parseSteerCommand(value: unknown): SteerCommand | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, budget, host, topic, good, ordering, judgement, model, limit } = value as Readonly<
    Record<string, unknown>
  >;
  switch (kind) {
    case 'pause':
    case 'resume':
    case 'end-learning':
    case 'begin-learning':
      return { kind };
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
    case 'mark-topic':
      return typeof topic === 'string' && typeof good === 'boolean'
        ? { kind, topic: topic as TopicId, good }
        : undefined;
    case 'set-ordering': {
      const known = ORDERINGS.find((name) => name === ordering);
      return known === undefined ? undefined : { kind, ordering: known };
    }
    case 'reclassified':
      return isNumber(model) ? { kind, model } : undefined;
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
  const { key, sequence, title, use, topic, without = [] } = value as Readonly<Record<string, unknown>>;
  const known = [...PAGE_USES, ...SITE_USES].find((name) => name === use);
  if (known === undefined || !isNumber(sequence) || !Array.isArray(without)) return undefined;
  if (typeof key !== 'string' || typeof title !== 'string' || typeof topic !== 'string') return undefined;
  if (isSiteUse(known) && siteOfKey(key) === undefined) return undefined;
  if (key === '' || title.length > MAX_JUDGED.title) return undefined;
  if (topic.length > MAX_JUDGED.topic || without.length > MAX_JUDGED.without || !without.every(isNumber))
    return undefined;
  const same = { key, sequence, title, use: known, topic: topic as TopicId };
  const parsed = without.length === 0 ? same : { ...same, without: without as number[] };
  return JSON.stringify(parsed).length > MAX_JUDGED.json ? undefined : parsed;
}

/** It is said of a site, not of a page. */
export function isSiteUse(use: Judgement['use']): use is SiteUse {
  return use === 'bad-site' || use === 'good-site';
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
