import { baseSpaces, type Config, type DocumentFeatures, type FeatureSpace, isGivenExample } from '../core/index.ts';
import { freeBytes } from '../kit/index.ts';
import {
  type Bag,
  corpusOf,
  dot,
  type FeatureNames,
  rarity,
  type SparseVector,
  type TrainingPage,
  vectorize,
} from '../learn/index.ts';

/** A page of the crawl that may stand in for OTHERS. */
export interface Candidate {
  readonly key: string;
  readonly features: DocumentFeatures;
}

export interface StandInsInput {
  /** Training pages that the user gave, and those that the crawl chose. */
  readonly pages: readonly TrainingPage[];
  /** An even sample of the fetched pages. */
  readonly candidates: readonly Candidate[];
  readonly spaces: Config['learn']['spaces'];
  readonly names?: ReadonlyMap<FeatureSpace, FeatureNames>;
}

/**
 * Share of the pages that is taken. One half is as good a choice, with a slightly lower F1 (docs/quality.md, "OTHERS
 * from elsewhere").
 */
const SHARE = 1 / 3;
/** Number of OTHERS from the crawled sites that suffice as a yardstick. Our choice. */
const LEAST_NAMED = 3;

/**
 * Chooses pages of the crawl as OTHERS if the user named none of the crawled sites: the third that is least like the
 * examples by Rocchio's rule (the examples' mean minus the mean of all pages; the topic most like the page counts).
 * Words that all pages share, the examples too, have no weight in it, in any language. A classifier that knows only
 * OTHERS from elsewhere takes exactly these words for its topic. (Reliable negatives, in learning from positive and
 * unlabelled pages.)
 *
 * If the user named a few OTHERS of these sites, no page that is more like the examples than each of them stands in.
 * A crawl that fetches only pages on topic has no third of OTHERS.
 * @returns keys, in the order of `candidates`
 */
export function chooseStandIns({ pages, candidates, spaces, names }: StandInsInput): readonly string[] {
  const topics = [...Map.groupBy(pages.filter(isGivenExample), ({ topic }) => topic).values()];
  const named = pages.filter((page) => page.others && page.origin !== 'rejected');
  const documents = [...topics.flat(), ...named, ...candidates];
  const space = baseSpaces(spaces)[0]!;
  const corpus = corpusOf(
    documents.map(({ features }) => features[space]),
    names?.get(space),
  );
  const size = corpus.names.length;
  const idf = rarity(corpus.bags.slice(topics.flat().length), size);
  const vectorsOf = (bags: readonly Bag[]): SparseVector[] => bags.map((bag) => vectorize(bag, idf));
  const bags = [...corpus.bags];
  const examples = topics.map(({ length }) => bags.splice(0, length));
  const yardstick = vectorsOf(bags.splice(0, named.length));
  const vectors = vectorsOf(bags);
  const mean = meanOf(vectors, size);
  const likeness = leastOf(vectors);
  const scores = leastOf(vectors);
  const mosts = leastOf(yardstick);
  // One topic at a time: the words of hundreds of topics together would take hundreds of megabytes.
  for (const own of examples) {
    const words = meanOf(vectorsOf(own), size);
    raiseTo(likeness, vectors, words);
    raiseTo(mosts, yardstick, words);
    for (let id = 0; id < size; id++) words[id]! -= mean[id]!;
    raiseTo(scores, vectors, words);
    freeBytes(words);
  }
  freeBytes(mean);
  const most = yardstick.length < LEAST_NAMED ? Number.POSITIVE_INFINITY : Math.max(...mosts);
  const order = [...scores.keys()].sort((a, b) => scores[a]! - scores[b]!);
  const chosen = new Set(order.slice(0, Math.floor(SHARE * order.length)).filter((i) => likeness[i]! <= most));
  return candidates.flatMap(({ key }, i) => (chosen.has(i) ? [key] : []));
}

/** The least number for each page, as a start for {@link raiseTo}. */
function leastOf(pages: readonly SparseVector[]): Float64Array {
  return new Float64Array(pages.length).fill(Number.NEGATIVE_INFINITY);
}

/** Raises each page's greatest likeness so far to that of a topic, if the topic's is greater. */
function raiseTo(greatest: Float64Array, pages: readonly SparseVector[], topic: Float64Array): void {
  pages.forEach((page, i) => {
    greatest[i] = Math.max(greatest[i]!, dot(page, topic));
  });
}

function meanOf(vectors: readonly SparseVector[], size: number): Float64Array {
  const mean = new Float64Array(size);
  for (const { indices, values } of vectors)
    for (let k = 0; k < indices.length; k++) mean[indices[k]!]! += values[k]! / vectors.length;
  return mean;
}
