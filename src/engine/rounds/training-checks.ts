import { goodTopics, isOthersOrigin, type TopicId } from '../../core/index.ts';
import type { LearnedPoorly } from '../alarms.ts';
import type { CrawlState } from '../state/crawl-state.ts';

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
