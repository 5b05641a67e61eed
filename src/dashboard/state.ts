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
import type { HarvestSeries } from './series.ts';

/** A fetched page as the list shows it; what comes from the web is safe to print. */
export interface PageLine {
  readonly sequence: number;
  /** Canonical, for commands. */
  readonly url: string;
  readonly host: string;
  readonly title: string;
  readonly topic: string;
  /** Accepted into a good topic. */
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

/** What the last round says of each topic. */
export interface RoundFacts {
  readonly model: number;
  readonly undone: boolean;
  readonly reason: string;
  /** Training pages by topic and origin. */
  readonly origins: ReadonlyMap<TopicId, Readonly<Partial<Record<TrainingOrigin, number>>>>;
}

/** What fills the screen, or asks for an answer. */
export type View =
  | { readonly kind: 'overview' }
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'why'; readonly url: string; readonly lines: readonly string[] | undefined; readonly top: number }
  | { readonly kind: 'orderings'; readonly at: number }
  | { readonly kind: 'hosts'; readonly at: number }
  | { readonly kind: 'limits'; readonly at: number }
  | { readonly kind: 'confirm'; readonly question: string; readonly command: SteerCommand }
  /** What a site, named by a host, is worth; `links` until they are counted `undefined`. */
  | { readonly kind: 'site'; readonly site: string; readonly links: LinksToSite | undefined }
  /** What a page teaches; `topic` is what it would be an example of, where that is clear. */
  | { readonly kind: 'page'; readonly page: PageLine; readonly topic: TopicId | undefined }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'quit' };

/** Links to a site that wait. */
export interface LinksToSite {
  readonly links: number;
  /** Where what waits is not known here: known addresses that were not fetched. Some of them may not wait. */
  readonly isBound: boolean;
}

export const PANES = ['pages', 'topics'] as const;
export type Pane = (typeof PANES)[number];

/** All that the dashboard draws: a fold over events, see {@link dashboardState}. */
export interface DashboardState {
  readonly title: string;
  /** False: the crawl runs in another process. */
  readonly ownsCrawl: boolean;
  /** Wall-clock limit of the run in ms; 0 = none. */
  readonly timeMs: number;
  /** The topic tree with the marks that people gave. */
  readonly tree: TopicTree;
  /** Sites that people marked, by host. */
  readonly sites: ReadonlyMap<string, SiteUse>;
  /** What people decided on pages since the dashboard was opened, by address. */
  readonly marked: ReadonlyMap<string, Judgement['use']>;
  readonly now: number;
  readonly phase: Phase;
  readonly phaseReason: string;
  readonly status: CrawlStatus | undefined;
  /** Whether the crawl's process is there; `undefined` until that is known. */
  readonly isRunning: boolean | undefined;
  readonly reading:
    | { readonly what: 'documents' | 'the journal'; readonly read: number; readonly total: number }
    | undefined;
  /** Pages fetched at some moments of the last half minute, for the speed. */
  readonly progress: readonly { readonly at: number; readonly fetched: number }[];
  readonly relevant: number;
  readonly harvest: HarvestSeries;
  /** Pages by relevance, in ten bins. */
  readonly distribution: readonly number[];
  /** Newest first. */
  readonly pages: readonly PageLine[];
  /** Of the last fetches: `''` for a page, else why there is none. */
  readonly outcomes: readonly string[];
  readonly round: RoundFacts | undefined;
  readonly alarms: readonly Alarm[];
  /** Alarms of the crawl itself, newest first. They speak of the moment in which they came up, and begin with its page. */
  readonly told: readonly Alarm[];
  /** When the newest of them came up. */
  readonly toldAt: number;
  readonly view: View;
  readonly pane: Pane;
  /** The selected page; `undefined`: the newest, whatever it is. */
  readonly selectedPage: number | undefined;
  readonly selectedTopic: number;
  readonly filter: string;
  readonly message: string;
  /** When the message was given; it makes room for alarms after a while. */
  readonly messageAt: number;
}

/** What is known before the first event. */
export type DashboardSetting = Pick<DashboardState, 'title' | 'ownsCrawl' | 'timeMs' | 'tree'>;

/** What happens on the person's side. */
export type DashboardEvent =
  | CrawlEvent
  | { readonly kind: 'tick'; readonly now: number }
  | { readonly kind: 'running'; readonly isRunning: boolean }
  /** Another crawl began, with a tree of its own: all that is stored is told again, in its words. */
  | { readonly kind: 'tree'; readonly tree: TopicTree }
  | { readonly kind: 'view'; readonly view: View }
  | { readonly kind: 'explained'; readonly url: string; readonly lines: readonly string[] }
  | { readonly kind: 'site-counted'; readonly site: string; readonly links: LinksToSite }
  | { readonly kind: 'asked'; readonly command: SteerCommand }
  | { readonly kind: 'pane'; readonly pane: Pane }
  | { readonly kind: 'select'; readonly page: number | undefined }
  | { readonly kind: 'select-topic'; readonly at: number }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'message'; readonly text: string };
