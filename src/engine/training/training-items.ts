import { analyzeText } from '../../analyze/index.ts';
import {
  type AnalyzedDocument,
  type Config,
  isArchetype,
  isGivenExample,
  isSiteUse,
  isWithin,
  type Judgement,
  siteOfKey,
  type TopicId,
  type TopicTree,
  type TrainingEntry,
  type TrainingOrigin,
} from '../../core/index.ts';
import { pageSpaces } from '../analysis/page-analyzer.ts';
import type { TrainingItem } from '../ports.ts';
import { type Judgements, siteMarks } from './site-marks.ts';

/** A training page with everything a round records about it. */
export interface Item extends TrainingItem {
  readonly title: string;
  /** Sequence of the stored page; 0 for an inline document. */
  readonly sequence: number;
  /** Every URL that led to it, unless that is only the key. */
  readonly urls?: readonly string[];
  /** Numbers of the paragraphs that the user excluded. */
  readonly without?: readonly number[];
}

/** True if the user's decision on the page, or a bad mark of its site, overrides the crawl. */
export function isJudged(judgements: Judgements, key: string, tree: TopicTree): boolean {
  return isJudgedItself(judgements, key, tree) || siteMarks(judgements).isBad(key);
}

/**
 * True if the user's decision on the page overrides workspace and crawl. A decision for a topic missing from the tree
 * has no effect.
 */
export function isJudgedItself(judgements: Judgements, key: string, tree: TopicTree): boolean {
  const judgement = judgements.get(key);
  return judgement !== undefined && judgement.use !== 'free' && isPossible(judgement, tree);
}

/** Returns the training pages from the user's decisions, without those for topics missing from the tree. */
export function judgedItems(judgements: Judgements, tree: TopicTree): Item[] {
  return [...judgements.values()].flatMap(({ use, by, ...judgement }): Item[] => {
    if ((use !== 'example' && use !== 'others') || !tree.nodes.has(judgement.topic)) return [];
    const others = use === 'others';
    const origin = by === 'reader' ? by : 'feedback';
    return [{ ...judgement, others, origin: others ? `${origin}-others` : origin }];
  });
}

/** True if the tree has the topic of a decision; the root has only OTHERS. */
export function isPossible({ key, use, topic }: Judgement, tree: TopicTree): boolean {
  if (isSiteUse(use)) return siteOfKey(key) !== undefined;
  if (use === 'dropped' || use === 'free') return true;
  const node = tree.nodes.get(topic);
  return node !== undefined && (use === 'others' || node.parent !== undefined);
}

/** Returns the decisions whose topics are in the tree; the others have no effect. */
export function possible(judgements: Judgements, tree: TopicTree): Judgements {
  return new Map([...judgements].filter(([, judgement]) => isPossible(judgement, tree)));
}

/** Returns the decisions with more added; the latest decision on a page counts, and the user's before a reader's. */
export function withJudgements(judgements: Judgements, more: readonly Judgement[]): Judgements {
  if (more.length === 0) return judgements;
  const all = new Map(judgements);
  for (const judgement of more) if (!isOutranked(judgement, all)) all.set(judgement.key, judgement);
  return all;
}

/** True for a decision of a reader on a page that the user decided on. */
export function isOutranked({ key, by }: Judgement, judgements: Judgements): boolean {
  const held = judgements.get(key);
  return by !== undefined && held !== undefined && held.by === undefined;
}

/**
 * True if decisions affect training: any on a page, and site marks that make pages bad or undo that. Moving a site's
 * links to the front does not affect training.
 */
export function teach(judgements: Judgements, more: readonly Judgement[]): boolean {
  const sites = more.flatMap(({ key }) => siteOfKey(key) ?? []);
  if (sites.length < more.length) return true;
  const all = withJudgements(judgements, more);
  return sites.some((site) => isBadSite(judgements, site) !== isBadSite(all, site));
}

function isBadSite(judgements: Judgements, site: string): boolean {
  return siteMarks(judgements).markOf(site) === 'bad-site';
}

/** True for pages from the workspace. */
export function isOriginal(origin: TrainingOrigin): boolean {
  return origin === 'user' || origin === 'others';
}

/**
 * Returns the sum of held-out confidences of the user's examples. The mean of OTHERS is 0; the sum is 0 if none is
 * known.
 */
export function scoreOfExamples(training: readonly Pick<TrainingEntry, 'origin' | 'confidence'>[]): number {
  const known = training.filter((entry) => isGivenExample(entry) && !Number.isNaN(entry.confidence));
  return known.reduce((sum, { confidence }) => sum + confidence, 0);
}

/** True if some training page from the user is missing from a round's training set, or has another place there. */
export function differsFrom(training: readonly TrainingEntry[], given: readonly Item[]): boolean {
  return !isSameSet(placesOf(training), placesOf(given));
}

/** True if two rounds trained on different pages from the user, whatever the crawl itself chose. */
export function differInGiven(before: readonly TrainingEntry[], after: readonly TrainingEntry[]): boolean {
  return !isSameSet(placesOf(before), placesOf(after));
}

/** Returns the user's training pages, each with its place. */
function placesOf(pages: readonly Pick<Item, 'key' | 'topic' | 'origin'>[]): ReadonlySet<string> {
  const given = pages.filter(({ origin }) => !isArchetype(origin) && origin !== 'rejected');
  return new Set(given.map(({ key, topic, origin }) => `${origin}\n${topic}\n${key}`));
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((place) => b.has(place));
}

/** Returns items in training order, so that rounds can be repeated. */
export function inOrder(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => compare(a.topic, b.topic) || compare(a.key, b.key));
}

/** Splits a document's text into paragraphs; the user may exclude some by number. */
export function paragraphsOf(text: string): readonly string[] {
  return text.split('\n');
}

/** Returns a document without some paragraphs: the part of the page that the user wants learned (BINGO! §2.6). */
export function trimmed(
  document: AnalyzedDocument,
  without: readonly number[] | undefined,
  config: Pick<Config, 'analyze' | 'learn'>,
): AnalyzedDocument {
  if (without === undefined || without.length === 0) return document;
  const left = new Set(without);
  const text = paragraphsOf(document.text)
    .filter((_, i) => !left.has(i))
    .join('\n\n');
  const spaces = pageSpaces(config.learn.spaces);
  const { features } = analyzeText(text, { ...config.analyze, spaces, title: document.title });
  return { ...document, text, features: { ...document.features, ...features } };
}

/** Returns topics that would lose their last example. A topic also learns from its subtopics. */
export function emptiedTopics(tree: TopicTree, before: readonly Item[], after: readonly Item[]): readonly TopicId[] {
  const filled = (items: readonly Item[]): Set<TopicId> =>
    new Set(items.flatMap((item) => (item.others ? [] : [item.topic])));
  const now = [...filled(after)];
  return [...filled(before)].filter((topic) => tree.nodes.has(topic) && !now.some((each) => isWithin(each, topic)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns what the trainer needs of a training page. */
export function bare({ key, topic, others, origin }: Item): TrainingItem {
  return { key, topic, others, origin };
}
