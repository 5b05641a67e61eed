import {
  goodTopics,
  innerNodes,
  isArchetype,
  isMarkedExample,
  isWithin,
  ROOT,
  type TopicId,
  type TopicTree,
  topicNode,
} from '../core/index.ts';
import type { GivenRows, TrainingPage } from '../learn/index.ts';

/** One binary decision of the tree: a topic against its competitors. Documents by position. */
export interface Decision {
  /** The inner node of the decision. */
  readonly node: TopicId;
  readonly topic: TopicId;
  /** Examples of the topic and of its subtree. */
  readonly positives: readonly number[];
  /** Examples of its siblings, and OTHERS of the node. */
  readonly negatives: readonly number[];
  /** Positives that the user gave, as indices in `positives`, for each topic that they are examples of. */
  readonly given: readonly GivenRows[];
  /** Rows of archetypes: examples that the crawl chose. */
  readonly archetypes: readonly number[];
  /**
   * Rows that the crawl added to those of the user: archetypes, also of the siblings, and rejected pages. If the user
   * gave no OTHERS, rejected pages stand in for them and are not included here.
   */
  readonly found: readonly number[];
  /** Rows of queries among the positives. */
  readonly queries: readonly number[];
  /**
   * Rows of archetypes, also of the siblings. One in four or five is off topic, so they count less than the user's
   * examples and clearly rejected pages.
   */
  readonly doubted: readonly number[];
}

/** The classes of one inner node. */
export interface NodeClasses {
  readonly node: TopicId;
  /** Children with their documents, in tree order. A child without examples has no documents. */
  readonly children: readonly { readonly topic: TopicId; readonly documents: readonly number[] }[];
  readonly others: readonly number[];
}

/** A problem of the training set that the user should know. */
export interface TrainingWarning {
  readonly topic: TopicId;
  /** `no-examples`: the topic is never chosen. `no-negatives`: nothing to compare it with. */
  readonly code: 'no-examples' | 'no-negatives';
  readonly message: string;
}

/**
 * Sorts the training pages into the classes of each inner node. OTHERS of a node are its own OTHERS pages. If the
 * workspace names no others for it, they include those of the nearest ancestor that has some, else the background.
 * Examples of the node itself that belong to none of its children join them.
 * @param background positions of off-topic pages
 */
export function nodeClasses(
  tree: TopicTree,
  pages: readonly TrainingPage[],
  background: readonly number[],
): NodeClasses[] {
  const positions = (fits: (page: TrainingPage) => boolean): number[] =>
    [...pages.keys()].filter((position) => fits(pages[position]!));
  const othersOf = (node: TopicId): readonly number[] => {
    const own = positions((page) => page.others && page.topic === node);
    if (own.some((position) => pages[position]!.origin === 'others')) return own;
    const parent = topicNode(tree, node).parent;
    return [...own, ...(parent === undefined ? background : othersOf(parent))];
  };
  return innerNodes(tree).map(({ id, children }) => ({
    node: id,
    children: children.map((topic) => ({
      topic,
      documents: positions((page) => !page.others && isWithin(page.topic, topic)),
    })),
    others: [...othersOf(id), ...positions((page) => !page.others && page.topic === id && id !== ROOT)],
  }));
}

/**
 * Returns one decision for each child that has examples.
 * @param hasOthers the user gave enough OTHERS
 */
export function decisionsOf(
  classes: readonly NodeClasses[],
  pages: readonly TrainingPage[],
  { hasOthers, tree }: { readonly hasOthers: boolean; readonly tree: TopicTree },
): Decision[] {
  const isExtra = (page: TrainingPage | undefined): boolean =>
    isFound(page) && (hasOthers || page?.origin !== 'rejected');
  return classes.flatMap(({ node, children, others }) =>
    children
      .filter((child) => child.documents.length > 0)
      .map(({ topic, documents }) => {
        const negatives = [...children.flatMap((child) => (child.topic === topic ? [] : child.documents)), ...others];
        const rows = [...documents, ...negatives].map((document) => pages[document]);
        const archetypes = [...documents.keys()].filter((row) => isArchetype(pages[documents[row]!]!.origin));
        const found = [...rows.keys()].filter((row) => isExtra(rows[row]));
        const given = givenAmong(documents, pages);
        const queries = [...documents.keys()].filter((row) => isQuery(pages[documents[row]!]!, tree));
        const doubted = found.filter((row) => isArchetype(rows[row]!.origin));
        return { node, topic, positives: documents, negatives, given, archetypes, found, queries, doubted };
      }),
  );
}

/** The part of a decision that the user gave, without anything that the crawl found. */
export interface GivenDecision extends Decision {
  /** For each of its rows, the row of the whole decision. */
  readonly rows: readonly number[];
}

/** Returns the part of a decision that the user gave. Background pages that stand in for OTHERS belong to it. */
export function givenPart(decision: Decision): GivenDecision {
  const { node, topic, positives, negatives, found, queries } = decision;
  const foundRows = new Set(found);
  const documents = [...positives, ...negatives];
  const rows = [...documents.keys()].filter((row) => !foundRows.has(row));
  const first = rows.findIndex((row) => row >= positives.length);
  const count = first < 0 ? rows.length : first;
  const own = rows.map((row) => documents[row]!);
  const ownRows = (of: readonly number[]): number[] => of.map((row) => rows.indexOf(row));
  return {
    node,
    topic,
    positives: own.slice(0, count),
    negatives: own.slice(count),
    given: decision.given.map(({ named, marked }) => ({ named: ownRows(named), marked: ownRows(marked) })),
    archetypes: [],
    found: [],
    queries: ownRows(queries),
    doubted: [],
    rows,
  };
}

/** True for the words of a topic's query. */
function isQuery({ key, topic }: TrainingPage, tree: TopicTree): boolean {
  const examples = tree.nodes.get(topic)?.examples ?? [];
  return examples.some((example) => example.kind === 'text' && example.name === key);
}

/** True for training pages that the crawl chose. */
export function isFound(page: TrainingPage | undefined): boolean {
  return page !== undefined && (isArchetype(page.origin) || page.origin === 'rejected');
}

/** Indices of the user's pages among some documents, for each topic that they are examples of. */
export function givenAmong(documents: readonly number[], pages: readonly TrainingPage[]): GivenRows[] {
  const of = (places: readonly number[], isWanted: (origin: TrainingPage['origin']) => boolean): number[] =>
    places.filter((place) => isWanted(pages[documents[place]!]!.origin));
  const places = Map.groupBy(documents.keys(), (place) => pages[documents[place]!]!.topic);
  return [...places.values()]
    .map((own) => ({ named: of(own, (origin) => origin === 'user'), marked: of(own, isMarkedExample) }))
    .filter(({ named, marked }) => named.length + marked.length > 0);
}

/** All rows that the user gave. */
export function allGiven(given: readonly GivenRows[]): readonly number[] {
  return given.flatMap(({ named, marked }) => [...named, ...marked]);
}

/** Topics without competitors, and topics that cannot be chosen. */
export function warningsOf(tree: TopicTree, decisions: readonly Decision[]): TrainingWarning[] {
  const warnings: TrainingWarning[] = [];
  for (const { id } of goodTopics(tree)) {
    const decision = decisions.find(({ topic }) => topic === id);
    if (decision === undefined)
      warnings.push({ topic: id, code: 'no-examples', message: `"${id}" has no example: no page is given to it.` });
    else if (decision.negatives.length === 0)
      warnings.push({
        topic: id,
        code: 'no-negatives',
        message: `"${id}" has no counter-examples: add pages of other subjects under others in bingo.yaml.`,
      });
  }
  return warnings;
}
