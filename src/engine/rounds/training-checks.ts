import { goodTopics, isOthersOrigin, type TopicId, type TrainingEntry } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import type { LearnedPoorly } from '../alarms.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import type { Item } from '../training/training-items.ts';

/** The last training and the topics it was for. */
type Learned = Pick<CrawlState, 'round' | 'tree'>;

/** Number of training pages per topic below which the user should check them; our choice. */
const FEW_EXAMPLES = 5;

/** Returns good topics with few training pages. */
export function fewExamples(
  { round, tree }: Learned,
  archetypesOf: (topic: TopicId) => number,
): readonly (LearnedPoorly & { readonly archetypes: number })[] {
  const training = round?.training ?? [];
  return goodTopics(tree).flatMap(({ id: topic }) => {
    const pages = training.filter((entry) => entry.topic === topic && !isOthersOrigin(entry.origin)).length;
    return pages < FEW_EXAMPLES ? [{ topic, pages, archetypes: archetypesOf(topic) }] : [];
  });
}

/** Returns good topics that have enough pages but whose classifiers recognise no held-out page. */
export function unrecognised({ round, tree }: Learned): readonly LearnedPoorly[] {
  const estimates = round?.estimates ?? [];
  return goodTopics(tree).flatMap(({ id: topic }) => {
    const estimate = estimates.find((each) => each.topic === topic);
    const isBlind = estimate !== undefined && estimate.positives >= FEW_EXAMPLES && estimate.heldOutRecall === 0;
    return isBlind ? [{ topic, pages: estimate.positives }] : [];
  });
}

/** Retraining for a single new rejected page would be useless: a tenth of them must be new. */
export function hasNewRejections(training: readonly TrainingEntry[], rejected: readonly Item[]): boolean {
  const known = new Set(training.flatMap((entry) => (entry.origin === 'rejected' ? [entry.key] : [])));
  const added = rejected.filter((item) => !known.has(item.key)).length;
  return added > 0 && added >= rejected.length / 10;
}

/** Returns the held-out confidence of each training page. */
export function heldOutOf(training: readonly TrainingEntry[]): ReadonlyMap<string, number> {
  return new Map(training.map(({ key, confidence }) => [key, confidence]));
}

/** Returns how many archetypes a round admitted and refused, as text. */
export function describeChoice({
  admitted,
  refused,
}: {
  readonly admitted: readonly unknown[];
  readonly refused: readonly unknown[];
}): string {
  const count = `${counted(admitted.length, 'archetype')} admitted`;
  return refused.length === 0 ? count : `${count}, ${refused.length} refused: unlike the examples`;
}
