import type { CanonicalUrl, Config, TopicTree } from '../core/index.ts';
import type { LinkPlace, WaitingPlace } from '../crawl/index.ts';
import { offlineState } from './offline-state.ts';
import type { CheckpointStore, Journal } from './ports.ts';
import type { CrawlState } from './state/crawl-state.ts';
import type { Backlinks } from './state/further-links.ts';
import type { InlineExample } from './training/trainer-features.ts';

/** Maximum number of records to fold for one answer: about ten seconds. A checkpoint leaves few to fold. */
const MAX_FOLDED = 5_000;

/** The read-only parts of a crawl that locate a waiting link. */
export interface WaitingPlacePorts {
  readonly tree: TopicTree;
  readonly config: Config;
  readonly inline: readonly InlineExample[];
  readonly backlinks?: Backlinks | undefined;
  readonly journal: Journal;
  readonly checkpoints: CheckpointStore;
}

/**
 * Returns the place of a waiting link after the last stored record. Returns undefined if the link does not wait, or
 * if the state would take too long to build.
 */
export async function waitingPlace(url: CanonicalUrl, ports: WaitingPlacePorts): Promise<LinkPlace | undefined> {
  return (await stateOf(ports))?.frontier.placeOf(url);
}

/** A waiting link with its place and the sequence of the page that offered it; 0 if that page is not stored. */
export interface WaitingLinkPlace extends WaitingPlace {
  readonly parentPage: number;
}

/**
 * Returns all links that wait after the last stored record, topic by topic, best first. Requests that were under way
 * count as waiting. Returns undefined if the state would take too long to build.
 */
export async function waitingLinks(ports: WaitingPlacePorts): Promise<readonly WaitingLinkPlace[] | undefined> {
  const state = await stateOf(ports);
  if (state === undefined) return undefined;
  return [...state.frontier.waiting()].map((place) => {
    return { ...place, parentPage: state.seen.pageOf(place.entry.from) ?? 0 };
  });
}

/** Folds the journal from the newest checkpoint; `undefined` if that would take too long. */
async function stateOf(ports: WaitingPlacePorts): Promise<CrawlState | undefined> {
  let isTooLong = false;
  const folded = offlineState({
    ...ports,
    isWanted: () => !isTooLong,
    onRead: (read) => {
      isTooLong = read > folded.restoredTo + MAX_FOLDED;
    },
  });
  if (!(await folded.read())) return undefined;
  if (folded.isReordering && !(await folded.reorder(folded.wantedOrdering))) return undefined;
  return folded.state;
}
