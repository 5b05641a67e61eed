import { type CanonicalUrl, canonicalize, type Judgement, type TopicId, type TopicTree } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import { addSubtopics } from '../topics/change-topics.ts';
import { takeUpTopics } from '../topics/sync-topics.ts';
import type { Watch } from '../watch.ts';
import type { Subtopic } from '../workspace/edit-topics.ts';
import { topicName } from '../workspace/topic-draft.ts';
import { reloadWorkspace, type Workspace } from '../workspace/workspace.ts';
import { type OpenStore, withOpenStore, withOwnStore } from './apply-feedback.ts';
import type { Change, TakeOptions } from './feedback.ts';
import { judging } from './judging.ts';
import type { TopicClusters } from './topic-clusters.ts';

/** Number of pages that become examples of an accepted group: about as many as a careful user would name. */
const EXAMPLES = 8;

/** A group of a topic's pages, most typical first. */
type Group = Pick<TopicClusters['clusters'][number], 'words' | 'typical'>;

/**
 * Creates subtopics: adds them to bingo.yaml, trains classifiers for them on the stored pages, and judges every
 * stored page again.
 * @returns the changes; `undefined` if a crawl runs or nothing has been learned yet: the next `bingo crawl` trains
 * them then
 * @throws InputError if bingo.yaml would become invalid; nothing is changed then
 */
export async function adoptSubtopics(
  workspace: Workspace,
  watch: Watch,
  subtopics: readonly Subtopic[],
): Promise<Change | undefined> {
  return await withOwnStore(workspace, watch, (store, isCrawlRunning) =>
    adoptInStore({ store, workspace, watch, isCrawlRunning }, subtopics),
  );
}

/** Does the same in an open workspace. */
export async function adoptInStore(
  { store, workspace, watch = {}, isCrawlRunning }: OpenStore,
  subtopics: readonly Subtopic[],
  options: TakeOptions = {},
): Promise<Change | undefined> {
  await addSubtopics(workspace, subtopics);
  if (isCrawlRunning) return undefined;
  const changed = await takeUpTopics(store, reloadWorkspace(workspace));
  return await withOpenStore({ store, workspace: changed, watch, isCrawlRunning }, async ({ desk, feedback }) =>
    desk.round === undefined
      ? undefined
      : await judging(watch, (seen) => feedback.take(outdated(desk, subtopics), { ...seen, ...options })),
  );
}

/**
 * Returns earlier decisions to withdraw because their pages become examples of the new topics: the last decision
 * counts.
 */
function outdated(desk: TrainingDesk, subtopics: readonly Subtopic[]): readonly Judgement[] {
  const examples = new Set<string>(subtopics.flatMap((subtopic) => subtopic.examples));
  const decided = [...desk.judgements.values()].filter(({ key, use }) => use === 'example' && examples.has(key));
  const freed = decided.map((judgement): Judgement => ({ ...judgement, use: 'free' }));
  return desk.objection(freed) === undefined ? freed : [];
}

/** Turns a group into a subtopic. It has no examples if all its typical pages already train something else. */
export function subtopicOf(group: Group, parent: TopicId, tree: TopicTree, name?: string): Subtopic {
  const { words, typical } = group;
  const named = new Set(
    [...tree.nodes.values()].flatMap(({ examples, others }) =>
      [...examples, ...others].flatMap((one) => (one.kind === 'url' ? (canonicalize(one.url) ?? []) : [])),
    ),
  );
  const free = typical.flatMap((page): CanonicalUrl[] => {
    const url = canonicalize(page.finalUrl);
    return url === undefined || named.has(url) ? [] : [url];
  });
  return {
    parent,
    name: topicName(name ?? words.slice(0, 2).join(' ')),
    examples: [...new Set(free)].slice(0, EXAMPLES),
  };
}

/** Turns groups into sibling topics with different names. Groups without examples are left out. */
export function subtopicsOf(groups: readonly Group[], parent: TopicId, tree: TopicTree): readonly Subtopic[] {
  const taken = new Set((tree.nodes.get(parent)?.children ?? []).map((id) => tree.nodes.get(id)?.name));
  return groups.flatMap((group): Subtopic[] => {
    const names = [2, 3, 4].map((words) => topicName(group.words.slice(0, words).join(' ')));
    const subtopic = subtopicOf(
      group,
      parent,
      tree,
      names.find((name) => !taken.has(name)),
    );
    taken.add(subtopic.name);
    return subtopic.examples.length === 0 ? [] : [subtopic];
  });
}
