import {
  DEFAULTS,
  type DocumentFeatures,
  type TopicId,
  type TopicSpec,
  type TrainingOrigin,
  topicTree,
  type WordWeights,
} from '../../src/core/index.ts';
import { hash32, seededRandom } from '../../src/kit/index.ts';
import type { TrainingPage } from '../../src/learn/index.ts';
import {
  type Classifier,
  prepareClassifier,
  type TrainedTopics,
  type TrainingInput,
  trainTopicModels,
} from '../../src/meta/index.ts';
import { bagOf } from '../learn/bags.ts';

/** Looks up weights by word. */
export function weightsBy({ hashes, weights }: WordWeights): { readonly get: (word: string) => number | undefined } {
  const byHash = new Map([...hashes].map((hash, i) => [hash, weights[i]!]));
  return { get: (word) => byHash.get(hash32(word)) };
}

/** A page from its terms: `'war war peace'`. */
export function page(text: string): DocumentFeatures {
  return { terms: bagOf(text) };
}

export function example(topic: string, text: string, origin: TrainingOrigin = 'user'): TrainingPage {
  return { key: `${topic}: ${text}`, topic: topic as TopicId, others: false, origin, features: page(text) };
}

export function other(text: string, node = ''): TrainingPage {
  const key = `others of ${node}: ${text}`;
  return { key, topic: node as TopicId, others: true, origin: 'others', features: page(text) };
}

/** Pages about everyday subjects. */
export const EVERYDAY: readonly TrainingPage[] = [
  'tea cake bread butter the and',
  'football match goal team the and',
  'weather rain sun cloud the and',
  'music song band concert the and',
  'travel hotel beach flight the and',
  'garden flower tree soil the and',
  'money bank market price the and',
  'school teacher pupil lesson the and',
  'film actor scene camera the and',
  'car engine wheel road the and',
  'health doctor nurse clinic the and',
  'law court judge trial the and',
].map((text) => other(text));

/** Enough OTHERS that rejected pages of the crawl are not needed. */
export const ENOUGH: readonly TrainingPage[] = [1, 2, 3, 4].flatMap((n) =>
  EVERYDAY.map((one) => ({ ...one, key: `${one.key} ${n}` })),
);

export function train(
  topics: readonly TopicSpec[],
  pages: readonly TrainingPage[],
  more: {
    config?: Partial<typeof DEFAULTS.learn>;
    background?: readonly DocumentFeatures[];
    accepted?: readonly DocumentFeatures[];
    votes?: TrainingInput['votes'];
  } = {},
): TrainedTopics {
  const { config = {}, background = [], accepted = [], votes = [] } = more;
  const input = { tree: topicTree(topics, []), pages, background, accepted, votes, model: 7, random: seededRandom(1) };
  return trainTopicModels({ ...input, config: { ...DEFAULTS.learn, ...config } });
}

export function classifierOf(
  topics: readonly TopicSpec[],
  pages: readonly TrainingPage[],
  more: Parameters<typeof train>[2] = {},
): Classifier {
  return prepareClassifier(train(topics, pages, more).models);
}

/** Three examples of database research. */
export const DATABASES: readonly TrainingPage[] = [
  'database transaction recovery log index the and',
  'database query index join transaction the and',
  'database recovery lock transaction buffer the and',
].map((text) => example('databases', text));

/**
 * Twelve topics on three levels: two roots, two children each, two leaves each. All except the leaves are path
 * topics.
 */
export const TWELVE: readonly TopicSpec[] = ['science', 'sport'].map((name) => ({
  name,
  topics: ['a', 'b'].map((middle) => ({
    name: middle,
    topics: ['x', 'y'].map((leaf) => ({ name: leaf })),
  })),
}));

export const TWELVE_PAGES: readonly TrainingPage[] = ['science', 'sport'].flatMap((top) =>
  ['a', 'b'].flatMap((middle) =>
    ['x', 'y'].flatMap((leaf) =>
      [1, 2, 3].map((n) =>
        example(
          `${top}/${middle}/${leaf}`,
          `${top} ${top}word ${top}${middle} ${top}${middle}word ${top}${middle}${leaf} ${top}${middle}${leaf}word n${n} the`,
        ),
      ),
    ),
  ),
);
