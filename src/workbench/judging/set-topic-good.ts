import { goodTopics, type TopicId, UsageError } from '../../core/index.ts';
import { setGoodInFile } from '../topics/change-topics.ts';
import { isStored, takeUpTopics } from '../topics/sync-topics.ts';
import type { Watch } from '../watch.ts';
import { findTopic } from '../workspace/find-topic.ts';
import { reloadWorkspace, type Workspace } from '../workspace/workspace.ts';
import { type FeedbackSession, withOpenStore, withOwnStore } from './apply-feedback.ts';
import { type ChangeRow, changeRow } from './change-row.ts';
import type { Change } from './feedback.ts';

/** Outcome of marking a topic good, or not good. */
export interface GoodResult {
  readonly topic: TopicId;
  readonly good: boolean;
  /** False if bingo.yaml and the crawl had the mark already. */
  readonly isNew: boolean;
  /**
   * `judged`: stored pages were judged again. `crawl`: the running crawl received the mark, and judges them at its
   * end. `later`: nothing was learned yet, or the crawl ended meanwhile; the next crawl uses the mark.
   */
  readonly effect: 'judged' | 'crawl' | 'later';
  /** Present if stored pages were judged again. */
  readonly change?: ChangeRow;
}

/**
 * Makes a topic a target of the crawl, or no target: in bingo.yaml, in the journal, and in the model. Then judges every
 * stored page again. A running crawl does the last steps itself.
 * @param onChange receives the change with its training, for people
 * @throws UsageError if the topic is unknown, or no good topic would be left
 */
export async function setTopicGood(
  workspace: Workspace,
  { topic: name, good }: { readonly topic: string; readonly good: boolean },
  { watch = {}, onChange }: { readonly watch?: Watch; readonly onChange?: (change: Change) => void } = {},
): Promise<GoodResult> {
  const topic = findTopic(workspace.tree, name);
  const others = goodTopics(workspace.tree).filter(({ id }) => id !== topic);
  if (!good && others.length === 0)
    throw new UsageError(
      `"${topic}" is the only good topic: a crawl needs one.`,
      'Mark another topic good first: bingo topic good DIR TOPIC',
    );
  if (!(await isStored(workspace))) {
    const isNew = setGoodInFile(workspace, topic, good);
    return { topic, good, isNew, effect: 'later' };
  }
  return await withOwnStore(workspace, watch, async (store, isCrawlRunning) => {
    const isNew = setGoodInFile(workspace, topic, good);
    const changed = reloadWorkspace(workspace);
    const taken = isCrawlRunning ? changed : await takeUpTopics(store, changed);
    return await withOpenStore({ store, workspace: taken, watch, isCrawlRunning }, async (session) => {
      const result = await applyGood(session, { topic, good, isNew });
      if (result.change !== undefined) onChange?.(result.change);
      const { change, ...rest } = result;
      return change === undefined ? rest : { ...rest, change: changeRow(change) };
    });
  });
}

type Applied = Omit<GoodResult, 'change'> & { readonly change?: Change };

async function applyGood(
  session: FeedbackSession,
  { topic, good, isNew }: Pick<GoodResult, 'topic' | 'good' | 'isNew'>,
): Promise<Applied> {
  const { desk } = session;
  const isHeld = !isNew && desk.tree.nodes.get(topic)?.good === good;
  if (desk.round === undefined || isHeld) return { topic, good, isNew, effect: 'later' };
  const change = await session.setGood(topic, good);
  if (change !== undefined) return { topic, good, isNew: true, effect: 'judged', change };
  return { topic, good, isNew: true, effect: session.isCrawlRunning ? 'crawl' : 'later' };
}
