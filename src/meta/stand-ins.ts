import { baseSpaces, type Config, type DocumentFeatures, type FeatureSpace } from '../core/index.ts';
import {
  corpusOf,
  dot,
  type FeatureNames,
  rarity,
  type SparseVector,
  type TrainingPage,
  vectorize,
} from '../learn/index.ts';
import { isUsers } from './decisions.ts';

/** A page of the crawl that may stand in for OTHERS. */
export interface Candidate {
  readonly key: string;
  readonly features: DocumentFeatures;
}

export interface StandInsInput {
  /** Training pages that people gave, and what the crawl chose beside them. */
  readonly pages: readonly TrainingPage[];
  /** An even sample of what the crawl fetched. */
  readonly candidates: readonly Candidate[];
  readonly spaces: Config['learn']['spaces'];
  readonly names?: ReadonlyMap<FeatureSpace, FeatureNames>;
}

/** Share of the pages that is taken; half of them are as good a choice, and F1 is a little lower (docs/quality.md, "OTHERS from elsewhere"). */
const SHARE = 1 / 3;
/** OTHERS of the crawled sites that are enough of a yardstick. Our choice. */
const LEAST_NAMED = 3;

/**
 * Pages of the crawl to take for OTHERS where people named none of the crawled sites: the third that is least like the examples,
 * by Rocchio's rule (examples' mean less the mean of all pages; of several topics the one that a page is most like counts). Words that all
 * pages share, the examples too, weigh nothing by it, whatever the site is written in: a classifier that knows OTHERS from elsewhere alone
 * takes just those for its topic. (Reliable negatives, in learning from positive and unlabelled pages.)
 *
 * Where people named a few OTHERS of these sites, nothing that is more like the examples than each of them stands in: where all that is
 * fetched is on topic, a third of it is no OTHERS.
 * @returns keys, in the order of `candidates`
 */
export function chooseStandIns({ pages, candidates, spaces, names }: StandInsInput): readonly string[] {
  const topics = [...Map.groupBy(pages.filter(isUsers), ({ topic }) => topic).values()];
  const named = pages.filter((page) => page.others && page.origin !== 'rejected');
  const documents = [...topics.flat(), ...named, ...candidates];
  const space = baseSpaces(spaces)[0]!;
  const corpus = corpusOf(
    documents.map(({ features }) => features[space]),
    names?.get(space),
  );
  const size = corpus.names.length;
  const idf = rarity(corpus.bags.slice(topics.flat().length), size);
  const vectors = corpus.bags.map((bag) => vectorize(bag, idf));
  const centres = topics.map(({ length }) => meanOf(vectors.splice(0, length), size));
  const yardstick = vectors.splice(0, named.length);
  const mean = meanOf(vectors, size);
  const normals = centres.map((centre) => centre.map((weight, id) => weight - mean[id]!));
  const most = yardstick.length < LEAST_NAMED ? Number.POSITIVE_INFINITY : Math.max(...likenesses(yardstick, centres));
  const isBelow = likenesses(vectors, centres).map((likeness) => likeness <= most);
  const scores = likenesses(vectors, normals);
  const order = [...scores.keys()].sort((a, b) => scores[a]! - scores[b]!);
  const chosen = new Set(order.slice(0, Math.floor(SHARE * order.length)).filter((i) => isBelow[i]));
  return candidates.flatMap(({ key }, i) => (chosen.has(i) ? [key] : []));
}

/** Of each page the likeness to the topic that it is most like. */
function likenesses(pages: readonly SparseVector[], topics: readonly Float64Array[]): number[] {
  return pages.map((page) => Math.max(...topics.map((words) => dot(page, words))));
}

function meanOf(vectors: readonly SparseVector[], size: number): Float64Array {
  const mean = new Float64Array(size);
  for (const { indices, values } of vectors)
    for (let k = 0; k < indices.length; k++) mean[indices[k]!]! += values[k]! / vectors.length;
  return mean;
}
