import { ROOT, type TopicId } from './ids.ts';

/**
 * How a page became a training page. `feedback` and `feedback-others` are stored pages marked by the user, `reader` and
 * `reader-others` by the reader of `learn.reader`; `rejected` are pages of OTHERS that the crawl found itself.
 */
export const TRAINING_ORIGINS = [
  'user',
  'feedback',
  'reader',
  'archetype-by-authority',
  'archetype-by-confidence',
  'others',
  'feedback-others',
  'reader-others',
  'rejected',
] as const;
export type TrainingOrigin = (typeof TRAINING_ORIGINS)[number];

const OTHERS_ORIGINS: ReadonlySet<TrainingOrigin> = new Set(['others', 'feedback-others', 'reader-others', 'rejected']);

/** True for training pages of OTHERS. */
export function isOthersOrigin(origin: TrainingOrigin): boolean {
  return OTHERS_ORIGINS.has(origin);
}

/** True for examples that the user gave, or that the user or the reader confirmed. */
export function isGivenExample({ origin }: { readonly origin: TrainingOrigin }): boolean {
  return origin === 'user' || isMarkedExample(origin);
}

/** True for stored pages that the user or the reader made examples. */
export function isMarkedExample(origin: TrainingOrigin): boolean {
  return origin === 'feedback' || origin === 'reader';
}

/** True for pages that the crawl itself made examples. */
export function isArchetype(origin: TrainingOrigin): boolean {
  return origin === 'archetype-by-authority' || origin === 'archetype-by-confidence';
}

/** An example in the workspace: a web page, a local file, or inline text (a query). */
export type Example =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'text'; readonly name: string; readonly text: string };

/** One node of the topic tree. */
export interface TopicNode {
  readonly id: TopicId;
  /** Last part of the id; empty for the root. */
  readonly name: string;
  /** `undefined` only for the root. */
  readonly parent: TopicId | undefined;
  readonly children: readonly TopicId[];
  /** Pages of good topics are the aim of the crawl (Focused crawling §2). */
  readonly good: boolean;
  /** False: links of its pages are not followed. Otherwise absent. */
  readonly follow?: false;
  /** False: search, portal and exports leave out its pages and those of its subtopics. Otherwise absent. */
  readonly shown?: false;
  readonly examples: readonly Example[];
  /** Start pages of the crawl for this topic. If empty: its examples that are URLs. */
  readonly seeds: readonly string[];
  /** Training pages of the virtual child OTHERS of this node; inner nodes only. */
  readonly others: readonly Example[];
  /** Hosts that are never visited for this topic. */
  readonly lockedHosts: readonly string[];
  /** Maximum pages fetched for it and its subtopics; 0 = no own budget. */
  readonly budget: number;
}

/** The topic tree: nodes by id, in depth-first order, parents before children, children as the user ordered them. */
export interface TopicTree {
  readonly nodes: ReadonlyMap<TopicId, TopicNode>;
}

/**
 * The current path of each topic, by its id; the root: it was removed. The id stays the same if the topic is renamed or
 * moved: it is the path that the topic had when it was first crawled. Topics without an entry have their id as path.
 */
export type TopicPaths = ReadonlyMap<string, TopicId>;

/** Input of {@link topicTree}. */
export interface TopicSpec {
  readonly name: string;
  readonly good?: boolean;
  readonly follow?: boolean;
  readonly shown?: boolean;
  readonly examples?: readonly Example[];
  readonly seeds?: readonly string[];
  readonly others?: readonly Example[];
  readonly lockedHosts?: readonly string[];
  readonly budget?: number;
  readonly topics?: readonly TopicSpec[];
}

/**
 * Builds a tree. The root has no name and is never good; its children are the user's topics.
 * Default of `good`: true for leaves and for inner nodes with examples of their own.
 */
export function topicTree(topics: readonly TopicSpec[], others: readonly Example[]): TopicTree {
  const nodes = new Map<TopicId, TopicNode>();
  const add = (spec: TopicSpec, id: TopicId, parent: TopicId | undefined): void => {
    const kids = spec.topics ?? [];
    const childId = (name: string): TopicId => (id === ROOT ? name : `${id}/${name}`) as TopicId;
    const isRoot = parent === undefined;
    nodes.set(id, {
      id,
      name: spec.name,
      parent,
      children: kids.map((kid) => childId(kid.name)),
      good: !isRoot && (spec.good ?? (kids.length === 0 || (spec.examples ?? []).length > 0)),
      ...(spec.follow === false && { follow: false }),
      ...(spec.shown === false && { shown: false }),
      examples: spec.examples ?? [],
      seeds: spec.seeds ?? [],
      others: spec.others ?? [],
      lockedHosts: spec.lockedHosts ?? [],
      budget: spec.budget ?? 0,
    });
    for (const kid of kids) add(kid, childId(kid.name), id);
  };
  add({ name: '', topics, others }, ROOT, undefined);
  return { nodes };
}

/** @throws RangeError if the tree has no such topic */
export function topicNode(tree: TopicTree, id: TopicId): TopicNode {
  const node = tree.nodes.get(id);
  if (node === undefined) throw new RangeError(`Expected a topic of the tree, got "${id}"`);
  return node;
}

/** The good topics, in tree order. */
export function goodTopics(tree: TopicTree): readonly TopicNode[] {
  return [...tree.nodes.values()].filter((node) => node.good);
}

/**
 * Returns a tree in which a topic is marked good, or not good.
 * @throws RangeError if the tree has no such topic
 */
export function markTopic(tree: TopicTree, id: TopicId, good: boolean): TopicTree {
  const node = topicNode(tree, id);
  return { nodes: new Map(tree.nodes).set(id, { ...node, good }) };
}

/** Topics whose pages are not shown, without those within another one. */
export function hiddenTopics(tree: TopicTree): readonly TopicId[] {
  const marked = [...tree.nodes.values()].filter(({ shown }) => shown === false).map(({ id }) => id);
  return marked.filter((id) => !marked.some((other) => other !== id && isWithin(id, other)));
}

/** Returns the tree without the topics that are not shown, and without those below them. */
export function shownTree(tree: TopicTree): TopicTree {
  const hidden = hiddenTopics(tree);
  if (hidden.length === 0) return tree;
  const isShown = (id: TopicId): boolean => !hidden.some((topic) => isWithin(id, topic));
  const shown = [...tree.nodes].filter(([id]) => isShown(id));
  return { nodes: new Map(shown.map(([id, node]) => [id, { ...node, children: node.children.filter(isShown) }])) };
}

/** Returns nodes with children, in tree order. Each decides between its children and OTHERS. */
export function innerNodes(tree: TopicTree): readonly TopicNode[] {
  return [...tree.nodes.values()].filter((node) => node.children.length > 0);
}

/** Returns the topic above; the root for a topic at the top. */
export function parentTopic(id: TopicId): TopicId {
  return id.slice(0, Math.max(0, id.lastIndexOf('/'))) as TopicId;
}

/** Returns true if `id` is `ancestor` or one of its descendants. */
export function isWithin(id: TopicId, ancestor: TopicId): boolean {
  return ancestor === ROOT || id === ancestor || id.startsWith(`${ancestor}/`);
}
