import { count, counted } from '../kit/index.ts';
import type { OrderingName } from './config.ts';
import type { CanonicalUrl, TopicId } from './ids.ts';
import type { Question } from './question.ts';
import type { PageRecord, PhaseRecord, RoundRecord, SteerRecord, TopicGrade, Via, VisitRecord } from './record.ts';
import type { ShardStanding } from './shard.ts';
import type { LimitName } from './steer.ts';

/** Why a run ended. `stagnation`: it found nothing relevant any more; `recall`: enough of it, by its estimate. */
export type StopReason =
  | 'budget'
  | 'time'
  | 'frontier-dry'
  | 'learned'
  | 'rechecked'
  | 'stagnation'
  | 'recall'
  | 'stopped';

/**
 * Estimated share of relevant pages that a crawl has found, with its 80 % interval; all in (0,1). It is about pages
 * that links lead to from what was fetched.
 */
export interface RecallEstimate {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** Formats an estimate: `about 80 % (40–95 %)`. */
export function recallText({ share, low, high }: RecallEstimate): string {
  const whole = (part: number): string => (100 * part).toFixed(0);
  return `about ${whole(share)} % (${whole(low)}–${whole(high)} %)`;
}

/** Numbers for views and summaries. Counts start with the crawl, not with this process. */
export interface CrawlStatus {
  readonly phase: PhaseRecord['phase'];
  /** Pages that count against the budget. */
  readonly fetched: number;
  readonly budget: number;
  /** Pages accepted into a good topic. */
  readonly relevant: number;
  readonly failed: number;
  readonly refused: number;
  readonly duplicates: number;
  readonly pagesPerSecond: number;
  /** Share of relevant pages among the last 100. */
  readonly recentHarvestRate: number;
  /** Pages since the last relevant one; absent in data of older versions. */
  readonly sinceRelevant?: number;
  readonly queues: readonly {
    readonly topic: string;
    readonly incoming: number;
    readonly outgoing: number;
    readonly accepted: number;
    readonly meanConfidence: number;
    readonly archetypes: number;
    readonly xiAlphaPrecision: number;
    /** Absent in data of older versions. */
    readonly grade?: TopicGrade;
  }[];
  readonly hosts: {
    readonly active: number;
    readonly slow: number;
    readonly bad: number;
    /** Selected hosts: bad ones first, then slow ones, hosts with a running request, and names that do not exist. */
    readonly named: readonly { readonly host: string; readonly standing: 'bad' | 'slow' | 'active' | 'nameless' }[];
  };
  /** Absent while the run continues, and in data of older versions. */
  readonly endReason?: StopReason;
  readonly inFlight: number;
  readonly elapsedMs: number;
  /** The user paused the crawl: no links are taken from the frontier. */
  readonly paused: boolean;
  readonly ordering: OrderingName;
  /** Limits in force besides the budget; absent in data of older versions. */
  readonly limits?: Readonly<Record<LimitName, number>>;
  /** How many of the user's training pages were fetched or given up; absent once learning has begun. */
  readonly training?: { readonly settled: number; readonly all: number };
  /** True while classifiers are trained; with many topics this takes minutes. Otherwise absent. */
  readonly isTraining?: true;
  /** Parts of sites that have reached their limit, lowest weight first, at most ten. Missing if no part has. */
  readonly held?: readonly HeldPart[];
  /** Links excluded by rules, most addresses first. Missing if no link is. */
  readonly leftOut?: readonly LeftOut[];
  /** Links by the user's rules and site marks that affect their order. Missing if no rule does. */
  readonly order?: LinkOrder;
  /** The next links in the order in which they are fetched if their hosts take requests. Missing if none waits. */
  readonly next?: readonly NextLink[];
  /** Present while the harvest finds nothing any more. The crawl ends by itself unless the user continues it. */
  readonly barren?: BarrenHarvest;
  /** The question that waits for the user's answer. Missing if none does. */
  readonly question?: Question;
  /** How much of what is relevant was found; missing while harvesting has not shown enough. */
  readonly recall?: RecallEstimate;
  /** Present while a worker crawls a shard of a spread crawl. */
  readonly shard?: ShardStanding;
  /** Pages that a browser showed. Missing if no page needed it. */
  readonly rendered?: RenderCounts;
  /** Progress of a recheck; absent without one. */
  readonly recheck?: RecheckCounts;
  /** Progress of classifying stored pages again; present only while this runs, after the crawl has ended. */
  readonly judged?: { readonly pages: number; readonly of: number };
}

/** A harvest that finds nothing any more: overall, and for each topic. */
export interface BarrenHarvest {
  /** Number of last pages examined. */
  readonly pages: number;
  /** Relevant ones among them: less than 1 %. */
  readonly relevant: number;
  /** Relevant pages in what is left of the budget: at most so many, with 97.5 % confidence. */
  readonly atMost: number;
  /** Pages left of the budget. */
  readonly left: number;
  /** Pages until the crawl ends by itself. */
  readonly endsIn: number;
}

/** The same as text: what was seen, and what more pages promise. */
export function barrenText({ pages, relevant, left, atMost }: BarrenHarvest): string {
  const seen = relevant === 0 ? 'None' : count(relevant);
  const more = left > 0 ? `; expect ${count(atMost)} at most in the ${count(left)} left` : '';
  return `${seen} of the last ${counted(pages, 'page')} ${relevant > 1 ? 'are' : 'is'} relevant${more}.`;
}

/** Waiting links by the order that the user wants. */
export interface LinkOrder {
  /** Fetched first: `crawl.prefer`, good sites. */
  readonly preferred: number;
  readonly ordinary: number;
  /** Fetched last: `crawl.defer`. */
  readonly deferred: number;
  /** Links to bad sites, set aside until the user changes the mark; not counted in any queue's length. */
  readonly aside: number;
}

/** The same as text, without empty groups. */
export function linkOrderText({ preferred, ordinary, deferred, aside }: LinkOrder): string {
  const groups = Object.entries({ preferred, ordinary, deferred, aside });
  const there = groups.filter(([name, links]) => links > 0 || name === 'ordinary');
  return there.map(([name, links]) => `${count(links)} ${name}`).join(', ');
}

/** A waiting link that is among the next to be fetched. */
export interface NextLink {
  readonly url: CanonicalUrl;
  readonly topic: TopicId;
  /** Greater is better. The user's rules count before it. */
  readonly priority: number;
  readonly via: Via;
  /** The page that offered it; `''` for a seed. */
  readonly from: string;
  /** Consecutive rejected pages before it. */
  readonly tunnelDepth: number;
  /** Failed tries so far. */
  readonly tries: number;
  /** A rule or a good site puts it first. */
  readonly isPreferred: boolean;
  /** Whether its host takes a request now; `resting` hosts do so after a pause, `busy` ones after another request. */
  readonly host: 'ready' | 'resting' | 'busy' | 'bad';
}

/** Progress of a recheck. */
export interface RecheckCounts {
  readonly total: number;
  readonly unchanged: number;
  readonly changed: number;
  readonly moved: number;
  readonly gone: number;
  /** Had left, and exists again, changed or not. */
  readonly back: number;
  /** Had left, and still does not exist. */
  readonly away: number;
  /** Not reached, rejected, or again reported as missing. */
  readonly failed: number;
}

/** Pages of this run that needed a browser. */
export interface RenderCounts {
  /** Pages given to the browser. */
  readonly rendered: number;
  /** Rendered pages that showed more than their source. The others are kept as they were sent. */
  readonly gained: number;
  /** Pages that hung, crashed, or lost their browser. */
  readonly failed: number;
  /** Pages kept as they were sent because `network.renderPages` was reached. */
  readonly leftOut: number;
}

/** The same as text, without what did not happen. */
export function renderedText({ rendered, gained, failed, leftOut }: RenderCounts): string {
  const others = [
    ...(failed === 0 ? [] : [`${count(failed)} failed`]),
    ...(leftOut === 0 ? [] : [`${count(leftOut)} left out (network.renderPages)`]),
  ];
  return [`${counted(rendered, 'page')}`, `${count(gained)} showed more`, ...others].join(', ');
}

/** A part of a site that has reached its limit: its links have lower priority. */
export interface HeldPart {
  /** An address without scheme, with `…` for the varying parts. */
  readonly part: string;
  readonly pages: number;
  /** Factor on the priority of its links, in (0,1). */
  readonly weight: number;
}

/** Rules that exclude links: settings, and hosts that are not visited (`bad-host`). */
export const LEFT_OUT_RULES = [
  'traps.wastedFetches',
  'traps.maxPathDepth',
  'traps.maxSegmentRepeats',
  'traps.hostsPerDomain',
  'crawl.lockedHosts',
  'crawl.exclude',
  'crawl.include',
  'crawl.maxUrlChars',
  'crawl.maxHostChars',
  'bad-host',
] as const;
export type LeftOutRule = (typeof LEFT_OUT_RULES)[number];

/** Links excluded by a rule. */
export interface LeftOut {
  readonly rule: LeftOutRule;
  /** Number of distinct addresses. */
  readonly addresses: number;
}

/** Number of recent pages in one topic (`OTHERS` if rejected) or on one host. */
export interface AlarmPlace {
  readonly place: string;
  readonly pages: number;
  readonly relevant: number;
}

/** Data behind an alarm about stagnation or drift. Rates and shares refer to the last 100 pages, in [0,1]. */
export interface AlarmData {
  /** Pages fetched when the alarm was raised. */
  readonly fetched: number;
  /** The topic concerned; absent if the alarm is about the whole crawl. */
  readonly topic?: string;
  /** The topic or host with most of the pages. */
  readonly place?: string;
  readonly rate: number;
  /** Earlier harvest rate of the topic; absent if the topic has too few pages. */
  readonly before?: number;
  /** Pages of the topic since its last relevant one. */
  readonly barren?: number;
  /** Share of the pages' links that lead to pages already fetched or waiting. */
  readonly saturation: number;
  /** Census, most pages first. */
  readonly topics: readonly AlarmPlace[];
  readonly hosts: readonly AlarmPlace[];
}

/** A setting that has changed since the previous run. */
export interface SettingChange {
  /** Its key: `traps.maxPathDepth`. */
  readonly setting: string;
  readonly before: unknown;
  readonly now: unknown;
  /** Number of fetches that the old value prevented and that are now repeated. */
  readonly askedAgain: number;
}

/** Formats a changed setting as a line: `traps.maxPathDepth 8 → 20`. */
export function describeChange(
  { setting, before, now, askedAgain }: SettingChange,
  show: (value: unknown, setting: string) => string = plainValue,
): string {
  const again =
    askedAgain === 0
      ? ''
      : `; ${counted(askedAgain, 'address')} that it had excluded ${askedAgain === 1 ? 'is' : 'are'} fetched again`;
  const text = (value: unknown): string => {
    const shown = show(value, setting);
    return Array.isArray(value) && shown.length > MAX_LIST_CHARS ? counted(value.length, 'item') : shown;
  };
  return `${setting} ${text(before)} → ${text(now)}${again}`;
}

/** Longer lists are shown only by their length, because there may be thousands of rules. */
const MAX_LIST_CHARS = 200;

function plainValue(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** Events of the engine; a listener never slows or stops the crawl. */
export type CrawlEvent =
  | { readonly kind: 'page'; readonly record: PageRecord }
  | { readonly kind: 'visit'; readonly record: VisitRecord }
  | { readonly kind: 'round'; readonly record: RoundRecord }
  | { readonly kind: 'phase'; readonly record: PhaseRecord }
  | { readonly kind: 'steer'; readonly record: SteerRecord }
  /** The store has made everything up to `sequence` durable. */
  | { readonly kind: 'stored'; readonly sequence: number }
  /** Documents named in bingo.yaml as training pages are being read, before anything else. */
  | { readonly kind: 'documents'; readonly read: number; readonly total: number }
  | { readonly kind: 'resuming'; readonly read: number; readonly total: number }
  /** Settings have changed since the previous run; emitted once the journal is read. */
  | { readonly kind: 'settings'; readonly changes: readonly SettingChange[] }
  | {
      readonly kind: 'alarm';
      readonly code: string;
      readonly message: string;
      readonly remedy: string;
      /** Figures behind the alarm, if any. */
      readonly data?: AlarmData;
    }
  /** The user is asked about a page; the answer is optional, and the crawl continues meanwhile. */
  | { readonly kind: 'question'; readonly question: Question }
  | { readonly kind: 'status'; readonly status: CrawlStatus };

/** Returns the progress of a crawl: first of its training pages, then of its budget. */
export function progressOf({ training, fetched, budget }: CrawlStatus): {
  readonly done: number;
  readonly all: number;
} {
  return training === undefined ? { done: fetched, all: budget } : { done: training.settled, all: training.all };
}

/** Returns the number of links waiting in the queues of all topics. */
export function waitingLinks({ queues }: Pick<CrawlStatus, 'queues'>): number {
  return queues.reduce((sum, { incoming, outgoing }) => sum + incoming + outgoing, 0);
}
