import { stemsIn } from '../../analyze/index.ts';
import {
  type CanonicalUrl,
  canonicalize,
  goodTopics,
  isOthersOrigin,
  type TopicId,
  type TrainingOrigin,
} from '../../core/index.ts';
import { paragraphsOf, placeName, type TaughtPage, type TrainingDesk } from '../../engine/index.ts';
import {
  type Classifier,
  classify,
  decodeModels,
  explain,
  prepareClassifier,
  type TermContribution,
} from '../../meta/index.ts';
import { wordsIn } from '../../postprocess/index.ts';
import type { Store } from '../../store/index.ts';
import { formsOf } from '../explain/term-name.ts';
import type { FeedbackSession } from '../judging/apply-feedback.ts';
import { shippedOthers } from '../sources/shipped.ts';
import { sanitizeForTerminal } from '../words/terminal.ts';
import { type ReviewCandidates, reviewCandidates } from './candidates.ts';
import type { ReviewPage, ReviewText, ReviewTopic, Segment } from './review-page.ts';

/** Maximum number of candidates per topic, which takes the user some minutes. */
const CANDIDATES = 30;
/** Number of terms highlighted in a text. */
const TERMS = 30;

/** Content of a review, and its lookups. */
export interface ReviewMaterial {
  readonly topics: readonly ReviewTopic[];
  /** Returns a page's text with the strongest terms of its topic highlighted. */
  textOf(page: Pick<ReviewPage, 'sequence' | 'topic'>): Promise<ReviewText>;
}

/** Returns candidates and training pages of the target topics, then counter-examples; or of one of them. */
export async function reviewMaterial(
  { store, desk }: Pick<FeedbackSession, 'store' | 'desk'>,
  only: TopicId | undefined,
): Promise<ReviewMaterial> {
  const classifier = prepareClassifier(decodeModels(desk.round!.blob));
  const topics = goodTopics(desk.tree).flatMap(({ id }) => (only === undefined || id === only ? [id] : []));
  const candidates = await reviewCandidates(store, desk, topics);
  const inModel = modelNames(desk, classifier);
  const { others = [], taught = [] } = Object.groupBy(desk.training(), ({ origin }) =>
    isOthersOrigin(origin) ? 'others' : 'taught',
  );
  const training = Map.groupBy(taught, (entry) => entry.topic);
  const material: Material = { store, desk, classifier, training, inModel };
  const made = [];
  for (const id of topics) made.push(await topicMaterial(material, id, candidates));
  made.push(...othersMaterial(others).filter(({ id }) => only === undefined || id === only));
  return { topics: made, textOf: (page) => textOf(store, classifier, { ...page, topic: inModel(page.topic) }) };
}

interface Material {
  readonly store: Pick<Store, 'documents'>;
  readonly desk: TrainingDesk;
  readonly classifier: Classifier;
  /** Training pages of each topic, without counter-examples. */
  readonly training: ReadonlyMap<TopicId, readonly TaughtPage[]>;
  readonly inModel: ReturnType<typeof modelNames>;
}

/** Least certain pages first, because marking them helps most; then the most certain. */
async function topicMaterial(material: Material, id: TopicId, candidates: ReviewCandidates): Promise<ReviewTopic> {
  const { desk, training } = material;
  const [near = [], unsure = []] = [candidates.near.get(id), candidates.unsure.get(id)];
  const nominees = desk.nominees(id, CANDIDATES).map((page): ReviewPage => {
    const { key, sequence, title, authority, by } = page;
    return { ...plain, key, sequence, title: clean(title), topic: id, origin: by, authority, score: page.calibrated };
  });
  const doubtful = unsure.map(({ url: key, sequence, title, score }): ReviewPage => {
    const authority = nominees.find((page) => page.key === key)?.authority ?? 0;
    return { ...plain, key, sequence, title: clean(title), topic: id, origin: 'unsure', authority, score };
  });
  const close = near.map(({ url: key, sequence, title }): ReviewPage => {
    return { ...plain, key, sequence, title: clean(title), topic: id, origin: 'near', score: Number.NaN };
  });
  const shown = new Set(unsure.map(({ url }) => url));
  const others = await withScores(material, [...nominees.filter(({ key }) => !shown.has(key)), ...close], id);
  const all = [
    ...(await withScores(material, doubtful, id)).sort((a, b) => a.score - b.score),
    ...others.sort((a, b) => b.score - a.score),
  ];
  const taught = (training.get(id) ?? []).map((entry) => trainingPage(entry, id));
  return { id, pages: [...all, ...taught] };
}

/** The counter-examples, topic by topic: the user's, the built-in ones, and pages that the crawl rejected. */
function othersMaterial(entries: readonly TaughtPage[]): readonly ReviewTopic[] {
  const shipped = new Set(
    shippedOthers().flatMap((page) => (page.kind === 'url' ? (canonicalize(page.url) ?? []) : [])),
  );
  return [...Map.groupBy(entries, (entry) => entry.topic)].map(([node, pages]): ReviewTopic => {
    return {
      id: placeName({ topic: node, others: true }) as TopicId,
      pages: pages
        .toSorted((a, b) => OTHERS_ORDER.indexOf(a.origin) - OTHERS_ORDER.indexOf(b.origin))
        .map((entry) => {
          const isShipped = entry.origin === 'others' && shipped.has(entry.key as CanonicalUrl);
          return { ...trainingPage(entry, node), isOthers: true, origin: isShipped ? 'shipped' : entry.origin };
        }),
    };
  });
}

const OTHERS_ORDER: readonly TrainingOrigin[] = ['feedback-others', 'reader-others', 'rejected', 'others'];

const plain = { isTraining: false, isOthers: false, authority: 0, judgement: undefined } as const;

function trainingPage(entry: TaughtPage, topic: TopicId): ReviewPage {
  const { key, sequence, title, origin, confidence: score, judgement } = entry;
  return { ...plain, key, sequence, title: clean(title), topic, origin, isTraining: true, score, judgement };
}

/** Adds scores of the active model: scores from the crawl are from earlier models. */
async function withScores({ store, classifier, inModel }: Material, pages: readonly ReviewPage[], topic: TopicId) {
  const documents = await store.documents(pages.map((page) => page.sequence));
  const name = inModel(topic);
  return pages.map((page): ReviewPage => {
    const document = documents.get(page.sequence);
    const scores =
      document === undefined ? [] : classify(classifier, document.features, 'majority', document.votes).scores;
    return { ...page, score: scores.find((score) => score.topic === name)?.calibrated ?? page.score };
  });
}

/** Maps topics to the model's names: bingo.yaml may have renamed them after training. */
function modelNames(desk: TrainingDesk, classifier: Classifier): (topic: TopicId) => TopicId {
  const names = new Map([...classifier.topics.keys()].map((id) => [desk.topicNow(id), id]));
  return (topic) => names.get(topic) ?? topic;
}

async function textOf(
  store: Pick<Store, 'documents'>,
  classifier: Classifier,
  { sequence, topic }: Pick<ReviewPage, 'sequence' | 'topic'>,
): Promise<ReviewText> {
  const document = (await store.documents([sequence])).get(sequence);
  if (document === undefined) return { paragraphs: [], terms: [], against: [] };
  const explained = explain(classifier, document.features, topic, TERMS, document.votes);
  const stemsOf = (side: readonly TermContribution[] = []): readonly string[] =>
    side.flatMap(({ space, feature }) => (space === 'terms' ? [feature] : []));
  const stems = { for: new Set(stemsOf(explained?.for)), against: new Set(stemsOf(explained?.against)) };
  const paragraphs = paragraphsOf(document.text).map((paragraph) =>
    marked(sanitizeForTerminal(paragraph), stems, [document.language]),
  );
  const wordsOf = (side: readonly TermContribution[] = []): readonly string[] => {
    const forms = formsOf([side], [document.title, document.text], [document.language]);
    const words = stemsOf(side).map((stem) => forms.get(stem) ?? stem);
    return [...new Set(words.filter((word) => word !== ''))].map(sanitizeForTerminal);
  };
  return { paragraphs, terms: wordsOf(explained?.for), against: wordsOf(explained?.against) };
}

/**
 * Splits a text into highlighted words and the text between them.
 * @param languages possible languages of the stems, besides English
 */
function marked(
  text: string,
  stems: Readonly<Record<'for' | 'against', ReadonlySet<string>>>,
  languages: readonly string[],
): readonly Segment[] {
  const segments: Segment[] = [];
  let end = 0;
  for (const found of wordsIn(text)) {
    const own = stemsIn(found.word, languages);
    const isTerm = own.some((stem) => stems.for.has(stem));
    if (!isTerm && !own.some((stem) => stems.against.has(stem))) continue;
    if (found.start > end) segments.push({ text: text.slice(end, found.start), isTerm: false });
    const word = { text: text.slice(found.start, found.end), isTerm };
    segments.push(isTerm ? word : { ...word, isAgainst: true });
    end = found.end;
  }
  if (end < text.length || segments.length === 0) segments.push({ text: text.slice(end), isTerm: false });
  return segments;
}

function clean(title: string): string {
  return sanitizeForTerminal(title);
}
