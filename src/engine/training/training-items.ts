import { analyzeText } from '../../analyze/index.ts';
import {
  type AnalyzedDocument,
  type Config,
  isArchetype,
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

/** A training page with all that a round says of it. */
export interface Item extends TrainingItem {
  readonly title: string;
  /** Sequence of the stored page; 0 for an inline document. */
  readonly sequence: number;
  /** Every URL that led to it, where it is not the key alone. */
  readonly urls?: readonly string[];
  /** Paragraphs that a person left out. */
  readonly without?: readonly number[];
}

/** True when a person's decision on the page, or that its site is bad, takes the place of what the crawl says. */
export function isJudged(judgements: Judgements, key: string, tree: TopicTree): boolean {
  return isJudgedItself(judgements, key, tree) || siteMarks(judgements).isBad(key);
}

/**
 * True when a person's decision on the page takes the place of what workspace and crawl say. One for a topic that the tree no
 * longer has rests.
 */
export function isJudgedItself(judgements: Judgements, key: string, tree: TopicTree): boolean {
  const judgement = judgements.get(key);
  return judgement !== undefined && judgement.use !== 'free' && isPossible(judgement, tree);
}

/** The training pages that follow from people's decisions; those for topics that the tree no longer has are passed over. */
export function judgedItems(judgements: Judgements, tree: TopicTree): Item[] {
  return [...judgements.values()].flatMap(({ use, ...judgement }): Item[] => {
    if ((use !== 'example' && use !== 'others') || !tree.nodes.has(judgement.topic)) return [];
    const others = use === 'others';
    return [{ ...judgement, others, origin: others ? 'feedback-others' : 'feedback' }];
  });
}

/** True when the tree has the topic that a decision names; the root holds OTHERS alone. */
export function isPossible({ key, use, topic }: Judgement, tree: TopicTree): boolean {
  if (isSiteUse(use)) return siteOfKey(key) !== undefined;
  if (use === 'dropped' || use === 'free') return true;
  const node = tree.nodes.get(topic);
  return node !== undefined && (use === 'others' || node.parent !== undefined);
}

/** Those of the judgements that the tree has topics for; the others rest. */
export function possible(judgements: Judgements, tree: TopicTree): Judgements {
  return new Map([...judgements].filter(([, judgement]) => isPossible(judgement, tree)));
}

/** The judgements once some more were passed; the last word on a page counts. */
export function withJudgements(judgements: Judgements, more: readonly Judgement[]): Judgements {
  if (more.length === 0) return judgements;
  const all = new Map(judgements);
  for (const judgement of more) all.set(judgement.key, judgement);
  return all;
}

/**
 * True when decisions change what is learned: any on a page; on a site those that make its pages bad, or no longer. That links to a site
 * are to go first teaches nothing.
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

/** True for pages of the workspace. */
export function isOriginal(origin: TrainingOrigin): boolean {
  return origin === 'user' || origin === 'others';
}

/** True for examples that a person gave or confirmed. */
export function isGivenExample({ origin }: Pick<Item, 'origin'>): boolean {
  return origin === 'user' || origin === 'feedback';
}

/** Sum of the held-out confidences of what people gave, 0 being the mean of OTHERS; 0 where none is known. */
export function scoreOfExamples(training: readonly Pick<TrainingEntry, 'origin' | 'confidence'>[]): number {
  const known = training.filter((entry) => isGivenExample(entry) && !Number.isNaN(entry.confidence));
  return known.reduce((sum, { confidence }) => sum + confidence, 0);
}

/** True when some training page that a person gave is not, or not in the same place, in a round's training set. */
export function differsFrom(training: readonly TrainingEntry[], given: readonly Item[]): boolean {
  return !isSameSet(placesOf(training), placesOf(given));
}

/** True when two rounds trained on different pages of people, whatever the crawl itself chose. */
export function differInGiven(before: readonly TrainingEntry[], after: readonly TrainingEntry[]): boolean {
  return !isSameSet(placesOf(before), placesOf(after));
}

/** Training pages that people gave, each with its place. */
function placesOf(pages: readonly Pick<Item, 'key' | 'topic' | 'origin'>[]): ReadonlySet<string> {
  const given = pages.filter(({ origin }) => !isArchetype(origin) && origin !== 'rejected');
  return new Set(given.map(({ key, topic, origin }) => `${origin}\n${topic}\n${key}`));
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((place) => b.has(place));
}

/** In the order in which rounds train, so that they repeat. */
export function inOrder(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => compare(a.topic, b.topic) || compare(a.key, b.key));
}

/** The paragraphs of a document's text: what a person may leave out, by number. */
export function paragraphsOf(text: string): readonly string[] {
  return text.split('\n');
}

/** A document as if some paragraphs had not been in it: the page that a person wants learned (BINGO! §2.6). */
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

/** Topics that would lose their last example. One is learned from those below it, too. */
export function emptiedTopics(tree: TopicTree, before: readonly Item[], after: readonly Item[]): readonly TopicId[] {
  const filled = (items: readonly Item[]): Set<TopicId> =>
    new Set(items.flatMap((item) => (item.others ? [] : [item.topic])));
  const now = [...filled(after)];
  return [...filled(before)].filter((topic) => tree.nodes.has(topic) && !now.some((each) => isWithin(each, topic)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
