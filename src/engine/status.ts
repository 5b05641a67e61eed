import {
  type BarrenHarvest,
  type CrawlStatus,
  goodTopics,
  type LinkOrder,
  type NextLink,
  type OrderingName,
  type Question,
  type RecallEstimate,
  type RecheckCounts,
  type RenderCounts,
  type StopReason,
  type TopicId,
} from '../core/index.ts';
import type { HostClocks, NextEntry } from '../crawl/index.ts';
import { topicGrade } from '../meta/index.ts';
import type { CrawlState } from './state/crawl-state.ts';

/** Parts of a status that are not in the journal: the current run. */
export interface RunningNow {
  readonly hosts: HostClocks;
  /** Returns the number of archetypes among a topic's training pages. */
  readonly archetypesOf: (topic: TopicId) => number;
  readonly isEnding: boolean;
  readonly isPaused: boolean;
  readonly isExact: boolean;
  readonly budget: number;
  readonly ordering: OrderingName;
  readonly inFlight: number;
  /** Pages that earlier runs fetched. */
  readonly fetchedBefore: number;
  readonly elapsedMs: number;
  /** Part of the running time, without reading earlier runs' records. */
  readonly fetchingMs: number;
  readonly recheck: RecheckCounts | undefined;
  readonly rendered: RenderCounts | undefined;
  /** Present if the run finds nothing any more and will end by itself. */
  readonly barren: BarrenHarvest | undefined;
  /** Present while harvesting has shown enough. */
  readonly recall: RecallEstimate | undefined;
  readonly question: Question | undefined;
  /** Training pages that are not fetched yet. */
  readonly trainingLeft: number;
  /** True while a round is being made. */
  readonly isTraining: boolean;
  readonly endReason: StopReason | undefined;
  /** The clock that hosts are asked with, in ms. */
  readonly now: number;
}

/** Maximum number of hosts in a status. */
const HOSTS_NAMED = 30;
/** Maximum number of slowed parts of sites in a status. */
const PARTS_NAMED = 10;
/** Maximum number of next links in a status. */
const NEXT_NAMED = 20;

/** Returns the current figures. */
export function crawlStatus(state: CrawlState, run: RunningNow): CrawlStatus {
  const { elapsedMs, fetchingMs, hosts } = run;
  const held = state.held(PARTS_NAMED);
  const leftOut = state.leftOut.counts();
  const next = state.frontier.next(NEXT_NAMED, run.now).map(nextLink);
  const { fetched, relevant, failed, refused, duplicates, recentHarvestRate, sinceRelevant } = state.tally;
  return {
    phase: run.isEnding ? 'done' : state.phase,
    ...{ fetched, relevant, failed, refused, duplicates, recentHarvestRate, sinceRelevant },
    budget: run.budget,
    pagesPerSecond: fetchingMs > 0 ? ((fetched - run.fetchedBefore) * 1000) / fetchingMs : 0,
    queues: queuesOf(state, run),
    hosts: { ...hosts.counts(), named: hosts.named(HOSTS_NAMED) },
    inFlight: run.inFlight,
    elapsedMs,
    paused: run.isPaused,
    ordering: run.ordering,
    limits: {
      learn: state.limit('learn'),
      time: state.limit('time'),
      tunnel: state.limit('tunnel'),
      parallel: run.isExact ? 1 : state.limit('parallel'),
    },
    ...(state.phase === 'bootstrap' && {
      training: { settled: state.training.named - run.trainingLeft, all: state.training.named },
    }),
    ...(run.isTraining && { isTraining: true }),
    ...(run.endReason && { endReason: run.endReason }),
    ...(held.length > 0 && { held }),
    ...(leftOut.length > 0 && { leftOut }),
    ...(state.isOrderGiven && { order: orderOf(state) }),
    ...(next.length > 0 && { next }),
    ...(run.recall && { recall: run.recall }),
    ...(run.barren && { barren: run.barren }),
    ...(run.question && { question: run.question }),
    ...(run.recheck && { recheck: run.recheck }),
    ...(run.rendered && run.rendered.rendered > 0 && { rendered: { ...run.rendered } }),
  };
}

function orderOf({ frontier }: CrawlState): LinkOrder {
  const { first, ordinary, last, aside } = frontier.places();
  return { preferred: first, ordinary, deferred: last, aside };
}

const HOST_STANDINGS = {
  willing: 'ready',
  resting: 'resting',
  'host-full': 'busy',
  'domain-full': 'busy',
  bad: 'bad',
} as const;

function nextLink({ entry, isPreferred, standing }: NextEntry): NextLink {
  const { url, topic, priority, via, from, tunnelDepth, tries } = entry;
  return { url, topic, priority, via, from, tunnelDepth, tries, isPreferred, host: HOST_STANDINGS[standing.kind] };
}

function queuesOf(state: CrawlState, { archetypesOf }: RunningNow): CrawlStatus['queues'] {
  const sizes = state.frontier.sizes();
  const estimateOf = (id: TopicId) => state.round?.estimates.find(({ topic }) => topic === id);
  return goodTopics(state.tree).map(({ id }) => ({
    topic: id,
    incoming: sizes.get(id)?.incoming ?? 0,
    outgoing: sizes.get(id)?.outgoing ?? 0,
    ...state.kept.found(id),
    archetypes: archetypesOf(id),
    xiAlphaPrecision: estimateOf(id)?.xiAlphaPrecision ?? Number.NaN,
    grade: topicGrade(estimateOf(id)),
  }));
}
