import { ROOT, type TopicId } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import type { CandidatePage, Store } from '../../store/index.ts';

/** Stored pages whose verdicts the user may want to check, by topic. Training pages and judged pages are left out. */
export interface ReviewCandidates {
  /** Accepted pages with the least certain verdicts: marks of these help most. Lowest calibrated score first. */
  readonly unsure: ReadonlyMap<TopicId, readonly CandidatePage[]>;
  /** Rejected pages near the examples, as similar to them as the mean accepted page. Greatest cosine first. */
  readonly near: ReadonlyMap<TopicId, readonly CandidatePage[]>;
}

/**
 * Maximum number of pages of each kind per topic: eight help almost as much as sixteen (docs/quality.md, "What marks
 * are worth").
 */
const SHOWN = 10;
/** Calibrated score above which a verdict is certain, however certain the others are; 1 is similar to an example. */
const SURE = 1.5;
/** Maximum share of a topic's pages that count as uncertain. */
const SHARE = 0.5;
/** Maximum number of links from a seed for a near page. */
const NEAR_DEPTH = 2;
/** Maximum number of pages to read of each kind, best first. */
const LOOKED_AT = 5_000;

/** Finds the candidates of topics. */
export async function reviewCandidates(
  store: Pick<Store, 'candidates'>,
  desk: Pick<TrainingDesk, 'training' | 'judgements' | 'topicNow'>,
  topics: readonly TopicId[],
): Promise<ReviewCandidates> {
  const found = await store.candidates({ calibratedBelow: SURE, maxDepth: NEAR_DEPTH, limit: LOOKED_AT });
  const accepted = new Map(found.accepted.map((one) => [one.topic, one]));
  const known = new Set([...desk.training(), ...desk.judgements.values()].map(({ sequence }) => sequence));
  const chosen = (pages: readonly CandidatePage[], roomOf: (page: CandidatePage) => number) => {
    const byTopic = new Map<TopicId, CandidatePage[]>(topics.map((topic) => [topic, []]));
    for (const page of pages) {
      const list = byTopic.get(desk.topicNow(page.topic) ?? ROOT);
      if (list !== undefined && list.length < roomOf(page) && !known.has(page.sequence)) list.push(page);
    }
    return byTopic;
  };
  return {
    unsure: chosen(found.unsure, ({ topic }) => Math.min(SHOWN, Math.floor(SHARE * (accepted.get(topic)?.pages ?? 0)))),
    near: chosen(found.near, ({ topic, score }) => (score < (accepted.get(topic)?.meanCosine ?? 1) ? 0 : SHOWN)),
  };
}
