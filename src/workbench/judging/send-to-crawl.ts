import { setTimeout as sleep } from 'node:timers/promises';
import { BingoError, ROOT, type Steer, type TopicId, UsageError } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import { requestSteer, type Store, type StoreOptions } from '../../store/index.ts';
import { StoreFollower } from '../reading/follow-store.ts';

/** Time limit for a running crawl to journal decisions, and to train on them while the user waits. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 300;

interface HandingOver {
  readonly place: StoreOptions;
  readonly store: Store;
  /** The decisions change the training pages. */
  readonly isLearned: boolean;
  readonly patienceMs?: number;
}

/** A decision that a running crawl learns from. */
type Decision = Extract<Steer, { readonly kind: 'judge-page' | 'mark-topic' }>;

/**
 * Sends decisions to the running crawl and waits for it.
 * @returns `learned`: the crawl has trained on them, or they change no training page; `taken`: they are in its
 * journal and the crawl is still training, which takes minutes with hundreds of topics; `ended`: it ended before it
 * received them
 * @throws BingoError if it neither accepts them nor ends
 */
export async function handOver(
  { place, store, isLearned, patienceMs = PATIENCE_MS }: HandingOver,
  decisions: readonly Decision[],
): Promise<'learned' | 'taken' | 'ended'> {
  const follower = new StoreFollower(store);
  await follower.skip();
  const waiting = new Set(decisions.map(nameOf));
  for (const decision of decisions) await requestSteer(place, decision);
  let isDone = false;
  for (const end = performance.now() + patienceMs; ; await sleep(LOOK_MS)) {
    await follower.look(Date.now(), (event) => {
      if (event.kind === 'steer') waiting.delete(nameOf(event.record.command));
      if (waiting.size === 0 && (event.kind === 'round' || !isLearned)) isDone = true;
    });
    if (isDone) return 'learned';
    if (!follower.isRunning) return 'ended';
    if (performance.now() <= end) continue;
    if (waiting.size > 0) throw notTaken(waiting.size);
    return 'taken';
  }
}

/** Names what a command decides about. */
function nameOf(command: Steer): string {
  if (command.kind === 'judge-page') return `page ${command.judgement.key}`;
  return command.kind === 'mark-topic' ? `topic ${command.topic}` : command.kind;
}

/**
 * Returns the topic names of the running crawl: bingo.yaml may have been edited since it began.
 * @throws UsageError for a topic that the crawl does not have
 */
export async function wordsOfCrawl(
  store: Pick<Store, 'lastRun'>,
  desk: Pick<TrainingDesk, 'topicNow'>,
): Promise<(topic: TopicId) => TopicId> {
  const { topics } = await store.lastRun();
  const known = new Map(topics.map(({ id }) => [desk.topicNow(id), id]));
  return (topic) => {
    const own = topic === ROOT ? ROOT : known.get(topic);
    if (own !== undefined) return own;
    throw new UsageError(
      `The running crawl has no topic "${topic}": it was added to bingo.yaml later.`,
      'Nothing was changed. Repeat the command after the crawl has ended. Ctrl-C ends it; the next bingo crawl uses the new topic.',
    );
  };
}

/** Decisions that no process has accepted. */
export function notTaken(left: number, cause?: unknown): BingoError {
  return new BingoError({
    code: 'NOT_TAKEN',
    message: `The crawl did not accept ${left} of the decisions; it may be ending.`,
    hint: 'Look at bingo status, then run the same command again.',
    ...(cause === undefined ? {} : { cause }),
  });
}
