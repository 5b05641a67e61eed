import { type JournalRecord, ROOT, type TopicId, type TopicNode, type TopicTree } from '../../core/index.ts';
import { TopicNames } from '../../engine/index.ts';
import type { LastRun, Store } from '../../store/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { inlinePlaces } from './training-documents.ts';

/** A crawl's topic tree, and its journal with the topic names of that tree. */
export interface CrawledTree {
  readonly tree: TopicTree;
  /** First record of the crawl's process. */
  readonly run: number;
  /** Renames the topics of a journal record. Records must be passed in order. */
  readonly inItsWords: (record: JournalRecord) => JournalRecord;
}

/** Returns the topic tree of the running crawl, or of the last one; bingo.yaml may have been edited since it began. */
export async function crawledTree(
  store: Pick<Store, 'lastRun' | 'examplePlaces'>,
  workspace: Pick<Workspace, 'dir' | 'tree'>,
): Promise<CrawledTree> {
  const last = await store.lastRun();
  const tree = treeOf(last, workspace.tree);
  return { tree, run: last.sequence, inItsWords: await wordsOf(store, { ...workspace, tree }, last.sequence) };
}

/** Returns the journal before a crawl, with the topic names of its tree. */
export async function journalInWordsOf(
  workspace: Pick<Workspace, 'dir' | 'tree'>,
  store: Pick<Store, 'examplePlaces'>,
): Promise<CrawledTree['inItsWords']> {
  return await wordsOf(store, workspace, Number.POSITIVE_INFINITY);
}

/** @param run records from here on already have the tree's names */
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

/**
 * Maps stored topic names to those of a tree. The caller still passes the records, and prepares the places of
 * examples.
 */
export function namesOf({ dir, tree }: Pick<Workspace, 'dir' | 'tree'>): TopicNames {
  return new TopicNames(tree, inlinePlaces(dir, tree));
}

/** The topics of a run, with their current examples in bingo.yaml. */
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
