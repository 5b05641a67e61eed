import { type Config, goodTopics, type TopicId } from '../../core/index.ts';
import { type ArchetypeCandidate, type ArchetypeChoice, selectArchetypes } from '../../learn/index.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import { isJudged } from '../training/training-items.ts';
import type { Distilled } from './distillation.ts';

type Candidate = Omit<ArchetypeCandidate, 'origin'>;

/** A page that the user may make an example. */
export interface Nominee extends Candidate {
  /** The stored page. */
  readonly sequence: number;
  /** Why it is suggested: good pages link to it, the classifiers are confident, or both. */
  readonly by: 'authority' | 'confidence' | 'both';
}

export const NO_CHOICE: ArchetypeChoice = { admitted: [], dropped: [] };

/** Returns archetypes of all good topics, and the archetypes that better ones replace. */
export function chooseArchetypes(
  state: CrawlState,
  distilled: readonly Distilled[],
  learn: Config['learn'],
): ArchetypeChoice {
  const training = state.round?.training ?? [];
  const choices = goodTopics(state.tree).map(({ id: topic }) => {
    const candidates = candidatesOf(
      state,
      topic,
      distilled.find((d) => d.topic === topic),
    ).filter(({ key }) => !state.unlike.has(key));
    return selectArchetypes({ topic, candidates, training, config: learn });
  });
  return {
    admitted: choices.flatMap(({ admitted }) => admitted),
    dropped: choices.flatMap(({ dropped }) => dropped),
  };
}

/**
 * Returns the best authorities of the last link analysis, and the most confident pages of a topic that the user has
 * not judged and no round trained on.
 */
export function nomineesOf(state: CrawlState, topic: TopicId, learn: Config['learn']): Nominee[] {
  const links = state.round?.links ?? [];
  const authorities = new Map(links.flatMap((link) => (link.topic === topic ? [[link.url, link.authority]] : [])));
  const candidates = candidatesOf(state, topic, { authorities });
  const best = (value: (page: Candidate) => number, n: number): Set<Candidate> =>
    new Set(candidates.toSorted((a, b) => value(b) - value(a)).slice(0, n));
  const linked = best((page) => page.authority, learn.authorityArchetypes);
  const sure = best((page) => page.calibrated, learn.confidenceArchetypes);
  return candidates.flatMap((page): Nominee[] => {
    const byAuthority = page.authority > 0 && linked.has(page);
    if (!byAuthority && !sure.has(page)) return [];
    const by = byAuthority ? (sure.has(page) ? 'both' : 'authority') : 'confidence';
    return [{ ...page, by, sequence: state.seen.pageOf(page.key) ?? 0 }];
  });
}

/**
 * Returns accepted pages of a topic that may become training pages, most confident first; as many as link analysis
 * knows.
 */
export function candidatesOf(
  state: CrawlState,
  topic: TopicId,
  { authorities, citations }: Partial<Pick<Distilled, 'authorities' | 'citations'>> = {},
): Candidate[] {
  const known = new Set(state.round?.training.map(({ key }) => key));
  const { judgements } = state.steering;
  const pages = state.kept.topics.get(topic)?.best() ?? [];
  return pages
    .filter(({ url }) => !known.has(url) && !isJudged(judgements, url, state.tree))
    .map((page) => ({
      ...page,
      key: page.url,
      topic,
      authority: authorities?.get(page.url) ?? 0,
      citations: citations?.get(page.url) ?? 0,
    }));
}
