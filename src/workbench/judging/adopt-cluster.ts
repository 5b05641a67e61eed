import { isWithin, ROOT, type TopicId, UsageError } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { quoted } from '../words/shell-words.ts';
import type { Subtopic } from '../workspace/edit-topics.ts';
import { topicMeant } from '../workspace/find-topic.ts';
import { WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';
import { subtopicOf } from './adopt-subtopics.ts';
import type { Marks } from './marks.ts';
import { type ClusterOptions, clusterTopic, type TopicClusters } from './topic-clusters.ts';

/** The groups of a topic's pages. */
export interface NamedClusters extends TopicClusters {
  readonly topic: TopicId;
  /** Topics below it, whose pages are left out. */
  readonly below: readonly TopicId[];
  /** The requested number of groups. */
  readonly requested: number | undefined;
  /** True: the pages were rejected. */
  readonly rejected: boolean;
}

/**
 * Groups the accepted pages of a topic by content; or the pages rejected there.
 * @param name may be omitted if there is only one topic; for rejected pages, omitted means all of them
 * @throws UsageError if the topic is unknown
 */
export async function clustersOf(
  store: Store,
  { tree }: Pick<Workspace, 'tree'>,
  { topic: name, ...options }: ClusterOptions & { readonly topic?: string | undefined },
): Promise<NamedClusters> {
  const { rejected = false } = options;
  const topic = rejected && name === undefined ? ROOT : topicMeant(tree, name);
  const below = [...tree.nodes.keys()].filter((id) => id !== topic && isWithin(id, topic));
  return { topic, below, rejected, requested: options.clusters, ...(await clusterTopic(store, topic, options)) };
}

/** Several groups were requested, but all pages are in one. */
export function isAllAlike({ clusters, requested = 1 }: NamedClusters): boolean {
  return clusters.length === 1 && requested > 1;
}

/** Which group becomes a subtopic. */
export interface ClusterChoice {
  /** From 1. */
  readonly number: number;
  /** Default: its two most characteristic words. */
  readonly name?: string | undefined;
  /** The workspace as the user named it, for messages. Default: its path. */
  readonly dir?: string | undefined;
}

/**
 * Turns a group into a subtopic, with its most typical pages as examples.
 * @throws UsageError if there is no such group, it is the only one, or its pages are examples already
 */
export function subtopicOfCluster(
  found: NamedClusters,
  { tree, dir: path }: Pick<Workspace, 'tree' | 'dir'>,
  { number, name, dir = path }: ClusterChoice,
): Subtopic {
  const { topic, clusters } = found;
  const chosen = groupNumbered(found, number);
  if (clusters.length === 1 && !found.rejected)
    throw new UsageError(
      `The pages of ${topic} are one group: a subtopic of all of them would repeat the topic.`,
      isAllAlike(found) ? ALL_ALIKE : `Split them first: bingo cluster ${quoted(dir)} ${quoted(topic)} --groups 2`,
    );
  const subtopic = subtopicOf(chosen, topic, tree, name);
  if (subtopic.examples.length === 0)
    throw new UsageError(`All typical pages of group ${number} are examples in ${WORKSPACE_FILE} already.`);
  return subtopic;
}

/** @throws UsageError if there is no such group */
function groupNumbered({ clusters }: NamedClusters, number: number): NamedClusters['clusters'][number] {
  const chosen = clusters[number - 1];
  if (chosen !== undefined) return chosen;
  throw new UsageError(`No group ${number}: the groups are 1 to ${clusters.length}.`, 'List the groups first.');
}

/** Number of pages of a group that become counter-examples: about as many as become examples of a subtopic. */
const COUNTER_EXAMPLES = 8;

/** Returns the marks that make the most typical pages of a rejected group counter-examples. */
export function marksAgainst(found: NamedClusters, number: number): Marks {
  const { typical } = groupNumbered(found, number);
  return { bad: typical.slice(0, COUNTER_EXAMPLES).map(({ finalUrl }) => finalUrl) };
}

/**
 * Returns the marks that block the hosts of a rejected group. Hosts with accepted pages or examples are left out.
 * @throws UsageError if there is no other host
 */
export function marksBlocking(found: NamedClusters, number: number): Marks {
  const { hosts } = groupNumbered(found, number);
  if (hosts.length > 0) return { badSites: hosts.map(({ host }) => host) };
  throw new UsageError(
    `Every host of group ${number} also has accepted pages or examples.`,
    'Make its pages counter-examples instead: --bad N',
  );
}

export const ALL_ALIKE: string = 'They are too similar to be split.';
