import { assertNever, isBuiltInOrdering, type OrderingName } from '../../core/index.ts';
import { hash32 } from '../../kit/index.ts';
import { LearnedOrdering } from '../learned/learned.ts';
import type { StemHashes } from '../learned/link-words.ts';
import type { Ordering } from '../ordering.ts';
import { BacklinkOrdering } from './backlink.ts';
import { BEST_FIRST, BestParentOrdering, CONFIDENCE, HARD_FOCUS, SOFT_FOCUS } from './best-parent.ts';
import { BingoOrdering } from './bingo.ts';
import { HubBoostedOrdering } from './hub-boosted.ts';
import { PageRankOrdering } from './page-rank.ts';
import { RecordedOrdering } from './recorded.ts';
import { SharkSearchOrdering } from './shark-search.ts';
import { breadthFirst, randomOrder } from './static.ts';
import { longWords, type Words } from './topic-titles.ts';

export interface OrderingOptions {
  /** Seed of the random numbers. */
  readonly seed: number;
  /** Factor on the priority per tunnelling step. In (0,1] */
  readonly tunnelDecay: number;
  /** Pages between two computations of PageRank; 0 = as the crawl grows. Default: 0. */
  readonly rankInterval?: number;
  /** Returns the stems of a text without stop words, for orderings that read anchors. Default: its longer words. */
  readonly words?: Words;
  /** Returns the stems as hashes, which is cheaper than the words. */
  readonly hashes?: StemHashes;
}

/** Makes an ordering by name; a name that is not ours belongs to an extension. */
export function makeOrdering(name: OrderingName, options: OrderingOptions): Ordering {
  if (!isBuiltInOrdering(name)) return new RecordedOrdering(name);
  switch (name) {
    case 'breadth-first':
      return breadthFirst();
    case 'random':
      return randomOrder(options.seed);
    case 'backlink':
      return new BacklinkOrdering();
    case 'pagerank':
      return new PageRankOrdering(options.rankInterval);
    case 'best-first':
      return new BestParentOrdering(BEST_FIRST);
    case 'soft-focus':
      return new BestParentOrdering(SOFT_FOCUS);
    case 'hard-focus':
      return new BestParentOrdering(HARD_FOCUS);
    case 'confidence':
      return new BestParentOrdering(CONFIDENCE);
    case 'shark-search':
      return new SharkSearchOrdering(options.words);
    case 'hub-boosted':
      return new HubBoostedOrdering();
    case 'bingo':
      return new BingoOrdering(options.tunnelDecay);
    case 'learned':
      return new LearnedOrdering({ hashes: options.hashes ?? hashed(options.words ?? longWords) });
    default:
      return assertNever(name);
  }
}

function hashed(words: Words): StemHashes {
  return (text, language) => words(text, language).map((word) => hash32(word));
}
