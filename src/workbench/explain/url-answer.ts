import {
  type Bibliography,
  type CanonicalUrl,
  isWithin,
  type PageRecord,
  type Provenance,
  type SplitFields,
  splitFields,
  type TopicId,
} from '../../core/index.ts';
import type { LinkPlace } from '../../crawl/index.ts';
import { type Classifier, decodeModels, type Explanation, explain, prepareClassifier } from '../../meta/index.ts';
import type { PathStep, Store, UrlFacts } from '../../store/index.ts';
import type { Tables } from '../reading/reading.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { idleNotes, NOTHING_KNOWN } from './idle-links.ts';
import { NO_RULES, ruleNotes } from './rule-notes.ts';
import { siblingScores, type TopicScoreRow } from './sibling-scores.ts';
import { storedModel } from './stored-model.ts';
import { formsOf } from './term-name.ts';
import { type Notes, wholeReason } from './url-reason.ts';

const TERMS = 12;

/** Everything that is known about a URL. */
export interface UrlAnswer {
  readonly url: CanonicalUrl;
  readonly facts: UrlFacts;
  /** What happened to it, in a sentence or two. */
  readonly reason: string;
  readonly path: readonly PathStep[];
  readonly explanation: Explanation | undefined;
  /** Scores of the topics that competed for the page, best first; empty if no model judged it. */
  readonly scores: readonly TopicScoreRow[];
  /** Where the link waits; missing if it does not wait, or if that is unknown. */
  readonly waiting?: LinkPlace | undefined;
  /** What the page says about itself as a publication, if anything. */
  readonly bibliography?: Bibliography;
  /** The archive from which the page was read, if any. */
  readonly provenance?: Provenance;
  /** Words of the page that the stems of the explanation stand for. */
  readonly forms: ReadonlyMap<string, string>;
}

/** Optional further sources of an answer. */
export interface AnswerSources {
  /** Documents with the feature spaces that a vote needs. Default: the stored ones. */
  readonly source?: Pick<Store, 'documents'>;
  /** Workspace whose URL rules may apply. */
  readonly workspace?: Workspace | undefined;
  /** The store with the topic names of its models. Default: the same store. */
  readonly tables?: Tables;
  /** What the store knows of the URL. Default: it is asked. */
  readonly facts?: UrlFacts | undefined;
  /** Topic to explain the page for. Default: the topic that decided. */
  readonly topic?: TopicId | undefined;
}

export async function answerFor(
  store: Store,
  url: CanonicalUrl,
  { source = store, workspace, tables, topic, facts: known }: AnswerSources,
): Promise<UrlAnswer> {
  const facts = known ?? (await store.lookup(url));
  const path = facts.page === undefined && facts.visits.length === 0 ? [] : await store.pathTo(url);
  const explanation =
    facts.page === undefined
      ? undefined
      : await explainPage(tables?.store ?? store, url, { source, topic: asked(topic, tables) });
  const forms = await formsOn(store, facts.page, explanation);
  const reason = await wholeReason(store, url, facts, await notesOf(store, workspace));
  const named = explanation && tables ? tables.names.named(explanation) : explanation;
  const scores = facts.page === undefined ? [] : siblingScores(facts.page, topic);
  const said = facts.page && (await fieldsOf(store, facts.page));
  const { bibliography, provenance } = said ?? {};
  return {
    ...{ url, facts, reason, path, explanation: named, forms, scores },
    ...(bibliography && { bibliography }),
    ...(provenance && { provenance }),
  };
}

async function fieldsOf(store: Store, { sequence }: PageRecord): Promise<SplitFields> {
  return splitFields((await store.fields([sequence])).get(sequence));
}

/** The name of the asked topic in the tables. */
function asked(topic: TopicId | undefined, tables: Tables | undefined): TopicId | undefined {
  return topic === undefined ? undefined : (tables?.names.inTables(topic)[0] ?? topic);
}

async function notesOf(store: Store, workspace: Workspace | undefined): Promise<(url: CanonicalUrl) => Notes> {
  const rulesOn = workspace === undefined ? NO_RULES : await ruleNotes(store, workspace);
  const idleOn = workspace === undefined ? NOTHING_KNOWN : await idleNotes(store, workspace);
  return (url) => {
    const [rules, idle] = [rulesOn(url), idleOn(url)];
    return { ...rules, limit: rules.limit || idle.spent, idle };
  };
}

async function formsOn(
  store: Store,
  page: PageRecord | undefined,
  explanation: Explanation | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (page === undefined || explanation === undefined) return new Map();
  const texts = await store.texts([page.sequence]);
  const { title, language } = page.document;
  return formsOf([explanation.for, explanation.against], [title, ...texts.values()], [language]);
}

/** Returns the strongest terms by the model that judged the page; for training pages, by the last model. */
async function explainPage(
  store: Store,
  url: CanonicalUrl,
  { source, topic: wanted }: { readonly source: Pick<Store, 'documents'>; readonly topic: TopicId | undefined },
): Promise<Explanation | undefined> {
  const page = await store.pageOf(url);
  if (page === undefined) return undefined;
  const blob = await storedModel(store, page.assignment.model > 0 ? page.assignment.model : undefined);
  const document = (await source.documents([page.sequence])).get(page.sequence);
  if (blob === undefined || document === undefined) return undefined;
  const classifier = prepareClassifier(decodeModels(blob));
  const { topic, others } = page.assignment;
  const decided = wanted ?? (others ? refusedAt(page.assignment, classifier) : topic);
  return decided === undefined ? undefined : explain(classifier, document.features, decided, TERMS, document.votes);
}

/** The topic below which a rejected page was not passed on, on the way to its nearest topic. */
function refusedAt({ topic, scores }: PageRecord['assignment'], classifier: Classifier): TopicId | undefined {
  const below = scores.filter((score) => score.topic !== topic && isWithin(score.topic, topic));
  const nearest = [...below].sort((a, b) => b.relevance - a.relevance)[0];
  const path = nearest === undefined ? [] : (classifier.topics.get(nearest.topic)?.path ?? []);
  return path[path.indexOf(topic) + 1];
}
