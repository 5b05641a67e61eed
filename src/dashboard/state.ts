import type {
  CrawlEvent,
  CrawlStatus,
  Judgement,
  PageRecord,
  Phase,
  SiteUse,
  SteerCommand,
  TopicId,
  TopicTree,
  TrainingOrigin,
} from '../core/index.ts';
import type { JournalPages } from '../workbench/index.ts';
import type { HarvestSeries } from './series.ts';
import type { SpeedSeries } from './speed.ts';

/** A fetched page for the list; text from the web is sanitized. */
export interface PageLine {
  readonly sequence: number;
  /** Canonical URL, for commands. */
  readonly url: string;
  readonly host: string;
  readonly title: string;
  readonly topic: string;
  /** Accepted into a target topic. */
  readonly isRelevant: boolean;
  readonly role: PageRecord['role'];
  readonly relevance: number;
  readonly confidence: number;
}

export interface Alarm {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** Figures of the last round for each topic. */
export interface RoundFacts {
  readonly model: number;
  readonly undone: boolean;
  readonly reason: string;
  /** Training pages by topic and origin. */
  readonly origins: ReadonlyMap<TopicId, Readonly<Partial<Record<TrainingOrigin, number>>>>;
}

/** Content of the screen, or a question. */
export type View =
  | { readonly kind: 'overview' }
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'why'; readonly url: string; readonly lines: readonly string[] | undefined; readonly top: number }
  | { readonly kind: 'orderings'; readonly at: number }
  | { readonly kind: 'hosts'; readonly at: number }
  | { readonly kind: 'limits'; readonly at: number }
  | { readonly kind: 'confirm'; readonly question: string; readonly command: SteerCommand }
  /** The question how to mark a site, named by a host; `links` is `undefined` until they are counted. */
  | { readonly kind: 'site'; readonly site: string; readonly links: LinksToSite | undefined }
  /** The question how to mark a page; `topic` is what it would be an example of, if that is clear. */
  | { readonly kind: 'page'; readonly page: PageLine; readonly topic: TopicId | undefined }
  | { readonly kind: 'filter'; readonly text: string }
  /** A change of the topics in bingo.yaml, while it is typed. */
  | { readonly kind: 'topics'; readonly text: string }
  | { readonly kind: 'quit' };

/** Waiting links to a site. */
export interface LinksToSite {
  readonly links: number;
  /** True if only an upper bound is known: the number of known URLs that were not fetched. */
  readonly isBound: boolean;
}

/** The lists below the topics, by their number keys. */
export const LISTS = ['last', 'next', 'best'] as const;
export type ListName = (typeof LISTS)[number];

export const PANES = ['pages', 'topics'] as const;
export type Pane = (typeof PANES)[number];

/** The state that the dashboard draws: a fold over events, see {@link dashboardState}. */
export interface DashboardState {
  readonly title: string;
  /** False: the crawl runs in another process. */
  readonly ownsCrawl: boolean;
  /** Wall-clock limit of the run in ms; 0 = none. */
  readonly timeMs: number;
  /** The topic tree with the user's marks. */
  readonly tree: TopicTree;
  /** Sites that the user marked, by host. */
  readonly sites: ReadonlyMap<string, SiteUse>;
  /** The user's decisions on pages since the dashboard was opened, by URL. */
  readonly marked: ReadonlyMap<string, Judgement['use']>;
  readonly now: number;
  readonly phase: Phase;
  readonly phaseReason: string;
  readonly status: CrawlStatus | undefined;
  /** Whether the crawl's process is running; `undefined` until that is known. */
  readonly isRunning: boolean | undefined;
  readonly reading:
    | { readonly what: 'documents' | 'the journal'; readonly read: number; readonly total: number }
    | undefined;
  /** Numbers of fetched pages in the last half minute, for the speed. */
  readonly progress: readonly { readonly at: number; readonly fetched: number }[];
  readonly relevant: number;
  readonly harvest: HarvestSeries;
  readonly speed: SpeedSeries;
  /** Numbers of pages in ten bins of relevance. */
  readonly distribution: readonly number[];
  /** Newest first. */
  readonly pages: readonly PageLine[];
  /** Accepted pages that the crawl found, most relevant first. */
  readonly best: readonly PageLine[];
  /** Outcomes of the last fetches: `''` for a page, else the reason for the failure. */
  readonly outcomes: readonly string[];
  readonly round: RoundFacts | undefined;
  readonly alarms: readonly Alarm[];
  /**
   * Alarms of the crawl itself, newest first. Each describes the moment when it was raised, and begins with its page.
   */
  readonly told: readonly Alarm[];
  /** When the newest of them was raised. */
  readonly toldAt: number;
  readonly view: View;
  readonly pane: Pane;
  readonly list: ListName;
  /** Sequence of the selected page; `undefined` follows the first of the list. */
  readonly selectedPage: number | undefined;
  /** URL of the selected waiting link; `undefined` follows the next one. */
  readonly selectedLink: string | undefined;
  readonly selectedTopic: number;
  readonly filter: string;
  readonly message: string;
  /** When the message appeared; alarms replace it after a while. */
  readonly messageAt: number;
}

/** Facts known before the first event. */
export type DashboardSetting = Pick<DashboardState, 'title' | 'ownsCrawl' | 'timeMs' | 'tree'>;

/** Events of the user interface. */
export type DashboardEvent =
  | CrawlEvent
  /** Before all other events: the pages of a long journal, as sums. */
  | JournalPages
  | { readonly kind: 'tick'; readonly now: number }
  | { readonly kind: 'running'; readonly isRunning: boolean }
  /** Another crawl began with its own topic tree: everything stored is replayed with its names. */
  | { readonly kind: 'tree'; readonly tree: TopicTree }
  | { readonly kind: 'view'; readonly view: View }
  | { readonly kind: 'explained'; readonly url: string; readonly lines: readonly string[] }
  | { readonly kind: 'site-counted'; readonly site: string; readonly links: LinksToSite }
  | { readonly kind: 'asked'; readonly command: SteerCommand }
  | { readonly kind: 'pane'; readonly pane: Pane }
  | { readonly kind: 'list'; readonly list: ListName }
  | { readonly kind: 'select'; readonly page: number | undefined }
  | { readonly kind: 'select-link'; readonly url: string | undefined }
  | { readonly kind: 'select-topic'; readonly at: number }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'message'; readonly text: string };
