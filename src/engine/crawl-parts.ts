import type { PhaseRecord } from '../core/index.ts';
import { HostClocks, UrlRules } from '../crawl/index.ts';
import { checkpointLeftOut } from './alarms.ts';
import { Checkpointing, PACE } from './checkpoints/checkpointing.ts';
import { recordDigest } from './checkpoints/digests.ts';
import { Commands } from './commands.ts';
import type { CrawlOptions } from './crawl-options.ts';
import { JobFetcher } from './fetching/job-fetcher.ts';
import { FoldedState } from './folded-state.ts';
import { UnderWay } from './in-flight.ts';
import { Journaling } from './journaling.ts';
import { Phases } from './phases.ts';
import { ExaminedReader } from './questions/examined-reader.ts';
import { Questions } from './questions/questions.ts';
import { RecallWatch } from './recall-watch.ts';
import { mayBeAskedFor } from './recheck/recheck.ts';
import { Rechecking } from './recheck/rechecking.ts';
import type { Unnumbered } from './records.ts';
import { Rounds } from './rounds/rounds.ts';
import { Allowance } from './run-budget.ts';
import { RunControl } from './run-control.ts';
import type { CrawlState } from './state/crawl-state.ts';

/** The parts of a crawl. Each is made from the options and from parts made before it. */
export interface CrawlParts {
  readonly control: RunControl;
  /** With one fetch at a time a crawl repeats exactly: it waits for retraining instead of crawling in parallel. */
  readonly isExact: boolean;
  readonly hosts: HostClocks;
  readonly underWay: UnderWay;
  readonly folded: FoldedState;
  readonly journaling: Journaling;
  readonly rounds: Rounds;
  /** Missing if the user is not asked. */
  readonly questions: Questions | undefined;
  readonly commands: Commands;
  readonly fetcher: JobFetcher;
  readonly phases: Phases;
  readonly allowance: Allowance;
  readonly rechecks: Rechecking | undefined;
  readonly recall: RecallWatch;
}

type Early = Pick<
  CrawlParts,
  'control' | 'isExact' | 'hosts' | 'underWay' | 'folded' | 'journaling' | 'rounds' | 'questions'
>;

/** Makes the parts of a crawl; nothing is read or fetched yet. */
export function crawlParts(options: CrawlOptions): CrawlParts {
  const { config, journal, analyzer } = options;
  const control = new RunControl(options.now, options.onEvent);
  // Sharing a limit makes no shard repeatable, and the user may raise the limit.
  const isExact = config.network.concurrency === 1 && (options.sharers ?? 1) === 1;
  const hosts = new HostClocks({
    ...config.network,
    sharers: options.sharers ?? 1,
    maxTries: config.crawl.maxTries,
    meetAlone: config.network.robots,
    addressOf: (host) => options.fetcher.addressOf?.(host),
  });
  const folded = foldedState(options, { control, isExact, hosts });
  const journaling = new Journaling({
    ...{ journal, analyzer, turns: control.turns },
    state: () => folded.state,
    isWanted: () => control.failure === undefined,
    emit: (event) => control.emit(event),
    onRecord: (record, job) => folded.note(record, job),
  });
  const rounds = new Rounds({ ...options, turns: control.turns, ending: control.ending }, folded.state);
  const questions = questionsOf(options, { control, isExact, folded, rounds });
  const early = { control, isExact, hosts, underWay: new UnderWay(), folded, journaling, rounds, questions };
  const commands = commandsOf(options, early);
  const phases = phasesOf(options, early, commands);
  const allowance = new Allowance({
    ...{ config, recheck: recheckOf(options), underWay: early.underWay, phases },
    state: () => folded.state,
  });
  return {
    ...{ ...early, commands, phases, allowance },
    fetcher: jobFetcher(options, early),
    rechecks: rechecking(options, early),
    recall: new RecallWatch(() => folded.state, config.crawl.stopAtRecall),
  };
}

function foldedState(
  options: CrawlOptions,
  { control, isExact, hosts }: Pick<Early, 'control' | 'isExact' | 'hosts'>,
): FoldedState {
  const { tree, topics, config, inline, backlinks, journal, fetcher, checkpoints, shardOf } = options;
  return new FoldedState({
    ...{ tree, topics, config, backlinks, journal, hosts, isExact, shardOf },
    ...(inline && { inline }),
    ...(checkpoints && { checkpoints }),
    ...{ now: control.now, steadyNow: control.steadyNow },
    isWanted: () => control.stopping === undefined,
    onRead: (read, total) => control.emit({ kind: 'resuming', read, total }),
    resolve: (host) => fetcher.resolve(host),
    wake: () => control.sleep.wake(),
  });
}

function questionsOf(
  { ask, journal, inline }: CrawlOptions,
  { control, isExact, folded, rounds }: Pick<Early, 'control' | 'isExact' | 'folded' | 'rounds'>,
): Questions | undefined {
  if (ask === undefined || ask.answers === 0) return undefined;
  const reader =
    ask.reader &&
    new ExaminedReader(ask.reader, {
      ...{ journal, inline },
      tree: () => folded.state.tree,
      given: () => rounds.given(),
      alarm: (notice) => control.alarm(notice),
    });
  return new Questions({
    ...{ ask, reader, journal, isExact },
    state: () => folded.state,
    emit: (event) => control.emit(event),
    wake: () => control.sleep.wake(),
  });
}

function commandsOf({ config }: CrawlOptions, early: Early): Commands {
  const { control, isExact, folded, journaling, rounds, questions } = early;
  return new Commands({
    questions,
    state: () => folded.state,
    run: () => ({
      ...{ config, isExact, ordering: folded.wantedOrdering },
      emptiedBy: (judgements) => rounds.emptiedBy(judgements),
    }),
    now: control.now,
    isWanted: () => control.stopping === undefined,
    append: (record) => journaling.append(record),
    wake: () => control.sleep.wake(),
  });
}

function phasesOf(options: CrawlOptions, early: Early, commands: Commands): Phases {
  const { config, journal, only, part } = options;
  const { control, isExact, folded, journaling, rounds, underWay } = early;
  return new Phases({
    ...{ journal, config, isExact, rounds, underWay, now: control.now, ending: control.ending },
    ...(only && { only }),
    mayTrain: part !== 'shard',
    state: () => folded.state,
    append: (record) => journaling.append(record),
    // Commands that arrive meanwhile are written after it.
    enter: async (record: Unnumbered<PhaseRecord>) => {
      commands.wait();
      await journaling.inTurns(() => record);
      commands.obey();
    },
    alarm: (notice) => control.alarm(notice),
    fail: (error) => control.fail(error),
    wake: () => control.sleep.wake(),
  });
}

function jobFetcher({ config, fetcher, analyzer }: CrawlOptions, { control, hosts, folded }: Early): JobFetcher {
  const state = (): CrawlState => folded.state;
  return new JobFetcher({
    ...{ fetcher, analyzer, hosts, state, config: config.crawl },
    ...{ now: control.now, steadyNow: control.steadyNow, ending: control.noMore },
    isWanted: () => control.mayAsk(state().limit('time')),
    alarm: (notice) => control.alarm(notice),
  });
}

function rechecking({ config, recheck }: CrawlOptions, { hosts, folded, journaling }: Early): Rechecking | undefined {
  if (recheck === undefined) return undefined;
  const urls = new UrlRules(config.crawl);
  const asked = recheck.filter((page) => mayBeAskedFor(page, urls));
  return new Rechecking(asked, {
    ...{ config, hosts },
    state: () => folded.state,
    append: (record, job) => journaling.append(record, job),
  });
}

/** Returns whether a run rechecks stored pages: not at all, too, or only. */
export function recheckOf({
  recheck,
  onlyRecheck,
}: Pick<CrawlOptions, 'recheck' | 'onlyRecheck'>): 'none' | 'too' | 'only' {
  if (recheck === undefined) return 'none';
  return onlyRecheck === true ? 'only' : 'too';
}

/** Makes what writes checkpoints; call it once the journal is read. `undefined` if nothing stores them. */
export function checkpointing(options: CrawlOptions, parts: CrawlParts): Checkpointing | undefined {
  const { journal, checkpoints, checkpointPace } = options;
  const { control, folded, journaling } = parts;
  if (checkpoints === undefined) return undefined;
  return new Checkpointing({
    ...{ store: checkpoints, journal, turns: control.turns },
    hold: (work) => journaling.hold(work).finally(() => control.sleep.wake()),
    exchange: (fields) => folded.exchange(fields),
    header: () => folded.checkpoint,
    record: (sequence) => recordDigest(journal, sequence),
    pace: checkpointPace ?? PACE,
    begunWith: folded.restoredTo,
    onFailed: (error) => control.alarm(checkpointLeftOut(error)),
  });
}
