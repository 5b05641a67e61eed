import type { TopicId } from '../../core/index.ts';
import { acceptedTopic, type Follow, type JudgedPage } from '../../crawl/index.ts';

/** The topic a page's links are offered for, and their distance from the start. */
export interface OfferPlace
  extends Pick<Follow, 'topic' | 'depth' | 'tunnelDepth'>,
    Partial<Pick<Follow, 'allowUrl'>> {}

/**
 * Resets the distance: learning stays near its start pages, but the harvest may have reached them through many links.
 */
export function asStart(page: JudgedPage): JudgedPage {
  return page.entry === undefined ? page : { ...page, entry: { ...page.entry, depth: 0 } };
}

/**
 * Without a focus rule every link is followed, whatever the number of rejected pages before it, for the topic its
 * page resembles most.
 */
export function openFollow(
  page: JudgedPage,
  isGood: (topic: TopicId) => boolean,
): Pick<Follow, 'topic' | 'depth' | 'tunnelDepth'> {
  let best = page.assignment.scores[0];
  for (const score of page.assignment.scores)
    if (best === undefined || score.calibrated > best.calibrated) best = score;
  const topic = best?.topic ?? page.assignment.topic;
  const isRejected = page.entry !== undefined && acceptedTopic(page.assignment, isGood) === undefined;
  const tunnelDepth = isRejected ? page.entry.tunnelDepth + 1 : 0;
  return { topic, depth: (page.entry?.depth ?? 0) + 1, tunnelDepth };
}
