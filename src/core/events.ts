import { count, counted } from '../kit/index.ts';
import type { OrderingName } from './config.ts';
import type { PageRecord, PhaseRecord, RoundRecord, SteerRecord, TopicGrade, VisitRecord } from './record.ts';
import type { LimitName } from './steer.ts';

/** Why a run ended. `stagnation`: it brought nothing any more. */
export type StopReason = 'budget' | 'time' | 'frontier-dry' | 'learned' | 'rechecked' | 'stagnation' | 'stopped';

/** Numbers that a view or a summary shows. Counts are since the crawl began, not since this process did. */
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
  /** Pages since the last relevant one; absent in what older versions told. */
  readonly sinceRelevant?: number;
  readonly queues: readonly {
    readonly topic: string;
    readonly incoming: number;
    readonly outgoing: number;
    readonly accepted: number;
    readonly meanConfidence: number;
    readonly archetypes: number;
    readonly xiAlphaPrecision: number;
    /** Absent in what older versions published. */
    readonly grade?: TopicGrade;
  }[];
  readonly hosts: {
    readonly active: number;
    readonly slow: number;
    readonly bad: number;
    /** Some of them by name: bad ones first, then slow ones, those with a request under way, and names that do not exist. */
    readonly named: readonly { readonly host: string; readonly standing: 'bad' | 'slow' | 'active' | 'nameless' }[];
  };
  /** Absent while the run goes on, and in what older versions published. */
  readonly endReason?: StopReason;
  readonly inFlight: number;
  readonly elapsedMs: number;
  /** A person paused it: nothing is taken from the frontier. */
  readonly paused: boolean;
  readonly ordering: OrderingName;
  /** Limits in force beside the budget; absent in what older versions told. */
  readonly limits?: Readonly<Record<LimitName, number>>;
  /** How many of the training pages that a person gave were had, or given up; absent once the crawl has begun to learn. */
  readonly training?: { readonly settled: number; readonly all: number };
  /** Classifiers are being trained: with many topics that takes minutes. Absent otherwise. */
  readonly isTraining?: true;
  /** Parts of sites that have had their share, those held back most first, at most ten; absent without any. */
  readonly held?: readonly HeldPart[];
  /** What rules kept out, most addresses first; absent without any. */
  readonly leftOut?: readonly LeftOut[];
  /** Links by what a person's rules and marks of sites say of their order; absent without any. */
  readonly order?: LinkOrder;
  /** How far a recheck has come; absent without one. */
  readonly recheck?: RecheckCounts;
  /** How many stored pages it has judged again by now; absent unless it has ended and does so. */
  readonly judged?: { readonly pages: number; readonly of: number };
}

/** Waiting links by what a person says of their order. */
export interface LinkOrder {
  /** They go first: `crawl.prefer`, good sites. */
  readonly preferred: number;
  readonly ordinary: number;
  /** They go last: `crawl.defer`. */
  readonly deferred: number;
  /** They wait until a person thinks otherwise of their sites, which are bad; in no queue's length. */
  readonly aside: number;
}

/** The same in words, without groups that no link is in. */
export function linkOrderText({ preferred, ordinary, deferred, aside }: LinkOrder): string {
  const groups = Object.entries({ preferred, ordinary, deferred, aside });
  const there = groups.filter(([name, links]) => links > 0 || name === 'ordinary');
  return there.map(([name, links]) => `${count(links)} ${name}`).join(', ');
}

/** How far a recheck has come. */
export interface RecheckCounts {
  readonly total: number;
  readonly unchanged: number;
  readonly changed: number;
  readonly moved: number;
  readonly gone: number;
  /** Had left before, and is there again, as it was or otherwise. */
  readonly back: number;
  /** Had left before, and is still not there. */
  readonly away: number;
  /** Not reached, refused, or told once more that it is not there. */
  readonly failed: number;
}

/** A part of a site that has had its share: its links give way to better ones. */
export interface HeldPart {
  /** An address without scheme, with `…` for what its pages differ in. */
  readonly part: string;
  readonly pages: number;
  /** What its links count, in (0,1). */
  readonly weight: number;
}

/** Rules that keep links out: settings, and hosts that are left alone (`bad-host`). */
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

/** Links that a rule kept out. */
export interface LeftOut {
  readonly rule: LeftOutRule;
  /** That they lead to, each counted once. */
  readonly addresses: number;
}

/** Pages of a window that are in one place: a topic (`OTHERS` for none) or a host. */
export interface AlarmPlace {
  readonly place: string;
  readonly pages: number;
  readonly relevant: number;
}

/** What an alarm about stagnation or drift goes by. Rates and shares are of the last 100 pages, in [0,1]. */
export interface AlarmData {
  /** Pages of the crawl when it came up. */
  readonly fetched: number;
  /** The topic that it is about; absent when it is about the crawl. */
  readonly topic?: string;
  /** The topic or host that most of the pages are in. */
  readonly place?: string;
  readonly rate: number;
  /** Harvest rate of the topic before; absent when it is too young to tell. */
  readonly before?: number;
  /** Pages of the topic since its last relevant one. */
  readonly barren?: number;
  /** Share of the pages' links that lead to pages fetched or waiting already. */
  readonly saturation: number;
  /** Census, most pages first. */
  readonly topics: readonly AlarmPlace[];
  readonly hosts: readonly AlarmPlace[];
}

/** A setting that is not what it was in the run before. */
export interface SettingChange {
  /** Its key: `traps.maxPathDepth`. */
  readonly setting: string;
  readonly before: unknown;
  readonly now: unknown;
  /** Fetches that it stood in the way of, and that are made again because it does so no more. */
  readonly askedAgain: number;
}

/** A changed setting as a line: `traps.maxPathDepth 8 → 20`. */
export function describeChange(
  { setting, before, now, askedAgain }: SettingChange,
  show: (value: unknown, setting: string) => string = plainValue,
): string {
  const again = askedAgain === 0 ? '' : `; asked for again: ${counted(askedAgain, 'address')} that it had kept out`;
  const text = (value: unknown): string => {
    const shown = show(value, setting);
    return Array.isArray(value) && shown.length > MAX_LIST_CHARS ? counted(value.length, 'item') : shown;
  };
  return `${setting} ${text(before)} → ${text(now)}${again}`;
}

/** Longer lists are told by their length: there may be thousands of rules. */
const MAX_LIST_CHARS = 200;

function plainValue(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** What the engine tells whoever listens; a listener never slows or stops the crawl. */
export type CrawlEvent =
  | { readonly kind: 'page'; readonly record: PageRecord }
  | { readonly kind: 'visit'; readonly record: VisitRecord }
  | { readonly kind: 'round'; readonly record: RoundRecord }
  | { readonly kind: 'phase'; readonly record: PhaseRecord }
  | { readonly kind: 'steer'; readonly record: SteerRecord }
  /** The store has made everything up to `sequence` durable. */
  | { readonly kind: 'stored'; readonly sequence: number }
  /** Documents that bingo.yaml names to learn from are read, before anything else. */
  | { readonly kind: 'documents'; readonly read: number; readonly total: number }
  | { readonly kind: 'resuming'; readonly read: number; readonly total: number }
  /** Settings are not what they were in the run before; told when the journal is read. */
  | { readonly kind: 'settings'; readonly changes: readonly SettingChange[] }
  | {
      readonly kind: 'alarm';
      readonly code: string;
      readonly message: string;
      readonly remedy: string;
      /** The figures behind it, where there are any. */
      readonly data?: AlarmData;
    }
  | { readonly kind: 'status'; readonly status: CrawlStatus };

/** How far a crawl is: with its training pages first, then with its budget. */
export function progressOf({ training, fetched, budget }: CrawlStatus): {
  readonly done: number;
  readonly all: number;
} {
  return training === undefined ? { done: fetched, all: budget } : { done: training.settled, all: training.all };
}

/** Links that wait in the queues of all topics. */
export function waitingLinks({ queues }: Pick<CrawlStatus, 'queues'>): number {
  return queues.reduce((sum, { incoming, outgoing }) => sum + incoming + outgoing, 0);
}
