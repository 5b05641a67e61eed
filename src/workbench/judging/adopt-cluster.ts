import { isWithin, type TopicId, UsageError } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { quoted } from '../words/shell-words.ts';
import type { Subtopic } from '../workspace/edit-topics.ts';
import { topicMeant } from '../workspace/find-topic.ts';
import { WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';
import { subtopicOf } from './adopt-subtopics.ts';
import { type ClusterOptions, clusterTopic, type TopicClusters } from './topic-clusters.ts';

/** The groups of a topic's pages. */
export interface NamedClusters extends TopicClusters {
  readonly topic: TopicId;
  /** Topics below it, whose pages are left out. */
  readonly below: readonly TopicId[];
  /** The requested number of groups. */
  readonly requested: number | undefined;
}

/**
 * Groups the accepted pages of a topic by content.
 * @param name may be omitted if there is only one topic
 * @throws UsageError if the topic is unknown
 */
export async function clustersOf(
  store: Store,
  { tree }: Pick<Workspace, 'tree'>,
  { topic: name, ...options }: ClusterOptions & { readonly topic?: string | undefined },
): Promise<NamedClusters> {
  const topic = topicMeant(tree, name);
  const below = [...tree.nodes.keys()].filter((id) => id !== topic && isWithin(id, topic));
  return { topic, below, requested: options.clusters, ...(await clusterTopic(store, topic, options)) };
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
  const chosen = clusters[number - 1];
  if (chosen === undefined)
    throw new UsageError(`No group ${number}: the groups are 1 to ${clusters.length}.`, 'List the groups first.');
  if (clusters.length === 1)
    throw new UsageError(
      `The pages of ${topic} are one group: a subtopic of all of them would repeat the topic.`,
      isAllAlike(found) ? ALL_ALIKE : `Split them first: bingo cluster ${quoted(dir)} ${quoted(topic)} --groups 2`,
    );
  const subtopic = subtopicOf(chosen, topic, tree, name);
  if (subtopic.examples.length === 0)
    throw new UsageError(`All typical pages of group ${number} are examples in ${WORKSPACE_FILE} already.`);
  return subtopic;
}

export const ALL_ALIKE: string = 'They are too similar to be split.';
