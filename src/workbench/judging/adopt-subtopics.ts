import { type CanonicalUrl, canonicalize, type Judgement, type TopicId, type TopicTree } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import type { Watch } from '../watch.ts';
import { topicName } from '../workspace/draft.ts';
import { addSubtopics, type Subtopic } from '../workspace/edit-workspace.ts';
import { reloadWorkspace, type Workspace } from '../workspace/workspace.ts';
import { type OpenStore, withOpenStore, withOwnStore } from './carry-out.ts';
import type { Change, TakeOptions } from './feedback.ts';
import { judging } from './judging.ts';
import type { TopicClusters } from './topic-clusters.ts';

/** Pages that become examples of an accepted group: as many as a person would name with some care. */
const EXAMPLES = 8;

/** A group of a topic's pages, most typical first. */
type Group = Pick<TopicClusters['clusters'][number], 'words' | 'typical'>;

/**
 * Makes topics below others: bingo.yaml names them, the classifiers learn them from the pages that are stored, and every
 * stored page is judged again.
 * @returns what changed; `undefined` when a crawl runs or nothing was learned so far: the next `bingo crawl` does it then
 * @throws InputError when bingo.yaml would be wrong then; nothing is changed
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

/** The same in a workspace that is open. */
export async function adoptInStore(
  { store, workspace, watch = {}, isCrawlRunning }: OpenStore,
  subtopics: readonly Subtopic[],
  options: TakeOptions = {},
): Promise<Change | undefined> {
  addSubtopics(workspace.dir, subtopics);
  if (isCrawlRunning) return undefined;
  const changed = reloadWorkspace(workspace);
  await store.saveTopics(changed.tree);
  return await withOpenStore({ store, workspace: changed, watch, isCrawlRunning }, async ({ desk, feedback }) =>
    desk.round === undefined
      ? undefined
      : await judging(watch, (seen) => feedback.take(outdated(desk, subtopics), { ...seen, ...options })),
  );
}

/** Takes back what was decided earlier on pages that are examples of the new topics from now on: the last word counts. */
function outdated(desk: TrainingDesk, subtopics: readonly Subtopic[]): readonly Judgement[] {
  const examples = new Set<string>(subtopics.flatMap((subtopic) => subtopic.examples));
  const decided = [...desk.judgements.values()].filter(({ key, use }) => use === 'example' && examples.has(key));
  const freed = decided.map((judgement): Judgement => ({ ...judgement, use: 'free' }));
  return desk.objection(freed) === undefined ? freed : [];
}

/** A group as a topic below its own; without examples when all its typical pages teach something else. */
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

/** Groups as topics beside each other, under different names; those without examples are left out. */
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
