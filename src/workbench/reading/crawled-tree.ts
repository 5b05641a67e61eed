import { type JournalRecord, ROOT, type TopicId, type TopicNode, type TopicTree } from '../../core/index.ts';
import { TopicNames } from '../../engine/index.ts';
import type { LastRun, Store } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { inlinePlaces } from './training-documents.ts';

/** The topic tree that a crawl works with, and its journal in the words of that tree. */
export interface CrawledTree {
  readonly tree: TopicTree;
  /** First record of the crawl's process. */
  readonly run: number;
  /** Records of the journal have to come in order. */
  readonly inItsWords: (record: JournalRecord) => JournalRecord;
}

/** What the crawl has that runs in a workspace, or ran last; bingo.yaml may have been edited since it began. */
export async function crawledTree(
  store: Pick<Store, 'lastRun' | 'examplePlaces'>,
  workspace: Pick<Workspace, 'dir' | 'tree'>,
): Promise<CrawledTree> {
  const last = await store.lastRun();
  const tree = treeOf(last, workspace.tree);
  return { tree, run: last.sequence, inItsWords: await wordsOf(store, { ...workspace, tree }, last.sequence) };
}

/** What the journal tells before a crawl begins, in the words of its tree. */
export async function journalInWordsOf(
  workspace: Pick<Workspace, 'dir' | 'tree'>,
  store: Pick<Store, 'examplePlaces'>,
): Promise<CrawledTree['inItsWords']> {
  return await wordsOf(store, workspace, Number.POSITIVE_INFINITY);
}

/** @param run records from here on have the words of the tree already */
async function wordsOf(
  store: Pick<Store, 'examplePlaces'>,
  { dir, tree }: Pick<Workspace, 'dir' | 'tree'>,
  run: number,
): Promise<CrawledTree['inItsWords']> {
  const names = namesOf({ dir, tree });
  names.foresee(await store.examplePlaces());
  return (record) => {
    if (record.sequence < run) names.note(record);
    return names.record(record);
  };
}

/** What is stored calls topics, in the words of a tree; it is yet to foresee where examples stood, and to hear of records. */
export function namesOf({ dir, tree }: Pick<Workspace, 'dir' | 'tree'>): TopicNames {
  return new TopicNames(tree, inlinePlaces(dir, tree));
}

/** The topics of a run, with the examples that bingo.yaml names for them now. */
function treeOf({ topics }: LastRun, now: TopicTree): TopicTree {
  if (topics.length === 0) return now;
  const childrenOf = Map.groupBy(topics, ({ parent }) => parent);
  const nodes = topics.map((topic): [TopicId, TopicNode] => {
    const children = (childrenOf.get(topic.id) ?? []).map(({ id }) => id);
    return [topic.id, { ...(now.nodes.get(topic.id) ?? BARE), ...topic, children }];
  });
  return { nodes: new Map(nodes) };
}

const BARE: TopicNode = {
  ...{ id: ROOT, name: '', parent: undefined, children: [], good: false, examples: [], seeds: [], others: [] },
  ...{ lockedHosts: [], budget: 0 },
};
