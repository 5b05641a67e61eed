import { type JournalRecord, ROOT, type TopicId, type TopicNode, type TopicTree } from '../../core/index.ts';
import { TopicNames } from '../../engine/index.ts';
import type { LastRun, Store } from '../../store/index.ts';
import { pathsOf } from '../workspace/known-topics.ts';
import type { Workspace } from '../workspace/workspace.ts';

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
  store: Pick<Store, 'lastRun' | 'topicNamings'>,
  workspace: Pick<Workspace, 'tree'>,
): Promise<CrawledTree> {
  const last = await store.lastRun();
  const tree = treeOf(last, workspace.tree);
  return { tree, run: last.sequence, inItsWords: await journalInWordsOf({ tree }, store) };
}

/** Returns a translation of the journal into the topic names of a workspace. */
export async function journalInWordsOf(
  workspace: Pick<Workspace, 'tree' | 'known'>,
  store: Pick<Store, 'topicNamings'>,
): Promise<CrawledTree['inItsWords']> {
  const names = await namesOf(store, workspace);
  return (record) => {
    if (record.kind === 'steer' && record.command.kind === 'name-topic')
      names.note({ ...record.command, sequence: record.sequence });
    return names.record(record);
  };
}

/** Returns a translation of stored topic names into those of a workspace. */
export async function namesOf(
  store: Pick<Store, 'topicNamings'>,
  { tree, known }: Pick<Workspace, 'tree' | 'known'>,
): Promise<TopicNames> {
  const names = new TopicNames(tree, known && pathsOf(known));
  for (const naming of await store.topicNamings()) names.note(naming);
  return names;
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
