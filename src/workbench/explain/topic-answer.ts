import {
  type AnalyzedDocument,
  type ClassifierName,
  type DocumentFeatures,
  hiddenTopics,
  isOthersOrigin,
  isWithin,
  type PageRecord,
  type RoundRecord,
  type TopicEstimate,
  type TopicId,
  type TopicTree,
  TRAINING_ORIGINS,
  type TrainingEntry,
} from '../../core/index.ts';
import { type TopicNames, WholeDocuments } from '../../engine/index.ts';
import {
  type Classifier,
  type ClassifierVote,
  decidingBayes,
  decodeModels,
  explain,
  prepareClassifier,
  type RankedFeature,
  rankFeatures,
  type SpaceModel,
  type TermContribution,
  topicGrade,
  topicTerms,
} from '../../meta/index.ts';
import type { Store } from '../../store/index.ts';
import { namesOf } from '../reading/crawled-tree.ts';
import type { Tables } from '../reading/reading.ts';
import { topicIds } from '../topics/sync-topics.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { formsOf } from './term-name.ts';

const TERMS = 15;
/** Maximum number of counter-examples shown; a topic may have hundreds. JSON output has them all. */
const OTHERS_SHOWN = 10;
/** Maximum number of pages shown of the topic and its subtopics. */
const OWN_SHOWN = 50;
/** Training pages from which word forms are taken. */
const SPELLING_PAGES = 200;

/** One training page with the votes of the current classifiers. */
interface TrainingRow extends TrainingEntry {
  readonly votes: readonly ClassifierVote[];
}

/** Numbers of training pages that are not shown. */
interface Left {
  readonly own: number;
  readonly others: number;
}

/** A round that trained, with the topic's estimates before and after. */
export interface RoundRow {
  readonly model: number;
  readonly at: string;
  readonly reason: string;
  readonly undone: boolean;
  readonly admitted: readonly string[];
  readonly dropped: readonly string[];
  readonly refused: readonly string[];
  readonly before: TopicEstimate | null;
  readonly after: TopicEstimate | null;
}

/** What a topic has learned. */
export interface TopicAnswer {
  readonly topic: TopicId;
  /** What stays if the topic is renamed or moved; several after a merge. */
  readonly ids: readonly string[];
  readonly good: boolean;
  /** Whether links of its pages are followed, and whether its pages are shown. */
  readonly follow: boolean;
  readonly shown: boolean;
  /** False if the topic was added to bingo.yaml after the last training. */
  readonly learned: boolean;
  /** Number of the active model. */
  readonly model: number;
  readonly estimate: TopicEstimate | undefined;
  readonly terms: { readonly for: readonly TermContribution[]; readonly against: readonly TermContribution[] };
  /** Words of the training pages that the stems stand for. */
  readonly forms: ReadonlyMap<string, string>;
  /** What judges pages for the topic. */
  readonly decidedBy: ClassifierName;
  /** The SVMs. If naive Bayes decides, they supply the terms and rate links. */
  readonly classifiers: readonly SpaceModel[];
  readonly training: readonly TrainingRow[];
  readonly left: Left;
  readonly rounds: readonly RoundRow[];
  /** Terms by mutual information over the stored training pages, best first; absent unless requested. */
  readonly features?: readonly RankedFeature[];
}

/** A workspace that is open for reading. */
interface TopicSources {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly tables: Tables;
}

interface TopicQuestion {
  readonly topic: TopicId;
  /** Include all training pages, not only as many as are shown to the user. */
  readonly isWhole: boolean;
  /** Rank the terms by mutual information. Default: no */
  readonly isRanked?: boolean;
}

/** Returns what a topic has learned, as of the last training round; `undefined` before the first one. */
export async function topicAnswer(
  { store, workspace, tables: { store: stored, names: tables } }: TopicSources,
  { topic, isWhole, isRanked = false }: TopicQuestion,
): Promise<TopicAnswer | undefined> {
  const { tree, config } = workspace;
  const rounds: RoundRecord[] = [];
  for await (const round of store.rounds()) rounds.push(round);
  const last = rounds.at(-1);
  if (last === undefined) return undefined;
  const names = await namesOf(stored, workspace);
  // With the feature spaces that a vote needs.
  const source = new WholeDocuments(store, config);
  const classifier = prepareClassifier(decodeModels(last.blob));
  const inModel = tables.inTables(topic).find((id) => classifier.topics.has(id)) ?? topic;
  const entries = last.training.map(tables.named);
  const training = entries.filter((entry) => isTrainingOf(entry, topic));
  const own = training.toSorted((a, b) => placeOf(a) - placeOf(b));
  const { shown, left } = isWhole ? { shown: own, left: NONE_LEFT } : shownOf(own);
  const { good = false, follow = true } = tree.nodes.get(topic) ?? {};
  const estimate = last.estimates.map(tables.named).find((one) => one.topic === topic);
  const terms = topicTerms(classifier, inModel, TERMS);
  const pages = await pagesOf(store, shown);
  const sequences = [...pages.values()].slice(0, SPELLING_PAGES).map(({ sequence }) => sequence);
  const texts = await store.texts(sequences);
  return {
    topic,
    ids: await topicIds(store, workspace, topic),
    good,
    follow,
    shown: !hiddenTopics(tree).some((hidden) => isWithin(topic, hidden)),
    learned: estimate !== undefined || !hasExamples(tree, topic),
    model: last.model,
    estimate,
    terms,
    forms: formsOf([terms.for, terms.against], texts.values(), await store.languages()),
    decidedBy: decidingBayes(classifier, inModel) === undefined ? 'svm' : 'bayes',
    classifiers: (classifier.svms.get(inModel) ?? []).map(({ model }) => model),
    training: await withVotes({ pages, source }, classifier, inModel, shown),
    left,
    rounds: roundRows(
      rounds.map((round) => underNamesOfNow(round, names)),
      topic,
    ),
    ...(isRanked && {
      features: rankFeatures(topic, { tree, pages: await withFeatures(store, entries), config: config.learn }),
    }),
  };
}

/** Whether the topic or one of its subtopics has examples. */
function hasExamples(tree: TopicTree, topic: TopicId): boolean {
  return [...tree.nodes.values()].some(({ id, examples }) => isWithin(id, topic) && examples.length > 0);
}

/** Whether an entry is an example of the topic or a subtopic, or one of its counter-examples. */
function isTrainingOf(entry: TrainingEntry, topic: TopicId): boolean {
  const isOthers = isOthersOrigin(entry.origin);
  return isOthers ? isWithin(topic, entry.topic) : isWithin(entry.topic, topic);
}

const NONE_LEFT: Left = { own: 0, others: 0 };

/**
 * Selects the training pages to show. If a topic has more, the pages with the lowest confidence are shown: they may
 * be wrong.
 */
function shownOf(entries: readonly TrainingEntry[]): { readonly shown: readonly TrainingEntry[]; readonly left: Left } {
  const { own = [], others = [] } = Object.groupBy(entries, ({ origin }) =>
    isOthersOrigin(origin) ? 'others' : 'own',
  );
  const surenessOf = ({ confidence }: TrainingEntry): number => (Number.isNaN(confidence) ? 1 : confidence);
  const all = own.length > OWN_SHOWN ? own.toSorted((a, b) => surenessOf(a) - surenessOf(b)) : own;
  return {
    shown: [...all.slice(0, OWN_SHOWN), ...others.slice(0, OTHERS_SHOWN)],
    left: { own: Math.max(0, own.length - OWN_SHOWN), others: Math.max(0, others.length - OTHERS_SHOWN) },
  };
}

/**
 * Sort order: the user's pages first, then pages that the crawl found; the topic's own pages before counter-examples.
 */
function placeOf({ origin }: TrainingEntry): number {
  return TRAINING_ORIGINS.indexOf(origin);
}

async function pagesOf(store: Store, entries: readonly TrainingEntry[]): Promise<ReadonlyMap<string, PageRecord>> {
  const pages = new Map<string, PageRecord>();
  for (const { key } of entries) {
    const page = await store.pageOf(key);
    if (page !== undefined) pages.set(key, page);
  }
  return pages;
}

/**
 * Adds votes to entries. Pages that are not stored, for example local files, have no votes: only rounds keep their
 * features.
 */
async function withVotes(
  { pages, source }: { readonly pages: ReadonlyMap<string, PageRecord>; readonly source: Pick<Store, 'documents'> },
  classifier: Classifier,
  topic: TopicId,
  entries: readonly TrainingEntry[],
): Promise<TrainingRow[]> {
  const documents = await source.documents([...pages.values()].map((page) => page.sequence));
  const votesOn = ({ features, votes }: AnalyzedDocument): TrainingRow['votes'] =>
    explain(classifier, features, topic, 0, votes)?.votes ?? [];
  return entries.map((entry) => {
    const document = documents.get(pages.get(entry.key)?.sequence ?? 0);
    const votes = document === undefined ? [] : votesOn(document);
    return { ...entry, votes };
  });
}

/** Adds features to entries. Pages that are not stored, for example local files, are left out. */
async function withFeatures(
  store: Store,
  entries: readonly TrainingEntry[],
): Promise<readonly (TrainingEntry & { readonly features: DocumentFeatures })[]> {
  const pages = await pagesOf(store, entries);
  const documents = await store.documents([...pages.values()].map(({ sequence }) => sequence));
  return entries.flatMap((entry) => {
    const features = documents.get(pages.get(entry.key)?.sequence ?? 0)?.features;
    return features === undefined ? [] : [{ ...entry, features }];
  });
}

type ToldOfRound = Pick<
  RoundRecord,
  'model' | 'at' | 'reason' | 'undone' | 'admitted' | 'dropped' | 'refused' | 'estimates'
>;

/** Replaces topic names in a round's report by their current names. */
function underNamesOfNow(round: RoundRecord, names: TopicNames): ToldOfRound {
  const renamed = <T extends { readonly topic: TopicId }>(items: readonly T[]): T[] =>
    items.flatMap((item) => {
      const topic = names.renamed(item.topic, round.sequence);
      return topic === undefined ? [] : [{ ...item, topic }];
    });
  const { admitted, dropped, refused = [], estimates } = round;
  return {
    ...round,
    ...{ admitted: renamed(admitted), dropped: renamed(dropped), refused: renamed(refused) },
    estimates: renamed(estimates),
  };
}

/** Rounds that trained. Rounds that only reordered links change no estimate. */
function roundRows(rounds: readonly ToldOfRound[], topic: TopicId): RoundRow[] {
  const estimateIn = (round: ToldOfRound | undefined): TopicEstimate | null =>
    round?.estimates.find((estimate) => estimate.topic === topic) ?? null;
  return rounds.flatMap((round, i): RoundRow[] => {
    const before = rounds[i - 1];
    if (before !== undefined && before.model === round.model && !round.undone) return [];
    const keys = (items: readonly { readonly key: string; readonly topic: TopicId }[]): string[] =>
      items.filter((item) => isWithin(item.topic, topic)).map((item) => item.key);
    const { model, at, reason, undone, admitted, dropped, refused = [] } = round;
    return [
      {
        model,
        at: new Date(at).toISOString(),
        reason,
        undone,
        admitted: keys(admitted),
        dropped: keys(dropped),
        refused: keys(refused),
        before: estimateIn(before),
        after: estimateIn(round),
      },
    ];
  });
}

/** Converts the answer to one JSON object. */
export function topicRow({ classifiers, estimate, forms: _, left: _left, ...rest }: TopicAnswer): object {
  return {
    ...rest,
    grade: topicGrade(estimate),
    estimate: estimate ?? null,
    classifiers: classifiers.map((model) => classifierRow(model)),
  };
}

function classifierRow(model: SpaceModel): object {
  const { space, kernel, selected, parts, bias, xiAlphaPrecision, heldOutPrecision, heldOutAuc } = model;
  const features = parts.reduce((sum, part) => sum + part.indices.length, 0);
  return {
    space,
    kernel: kernel?.kernel ?? 'linear',
    selected,
    features,
    bias,
    xiAlphaPrecision,
    heldOutPrecision,
    heldOutAuc,
  };
}
