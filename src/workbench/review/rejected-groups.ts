import type { Judgement, TopicId } from '../../core/index.ts';
import {
  clustersOf,
  marksAgainst,
  marksBlocking,
  type NamedClusters,
  subtopicOfCluster,
} from '../judging/adopt-cluster.ts';
import { adoptInStore } from '../judging/adopt-subtopics.ts';
import { type FeedbackSession, withOpenStore } from '../judging/apply-feedback.ts';
import type { Change, TakeOptions } from '../judging/feedback.ts';
import { readMarks } from '../judging/marks.ts';
import { joinTopic, removeTopic } from '../topics/change-topics.ts';
import { takeUpTopics } from '../topics/sync-topics.ts';
import type { Watch } from '../watch.ts';
import { reloadWorkspace } from '../workspace/workspace.ts';

/** Example titles per group. */
const TITLES = 5;

/** A group of rejected pages with similar content. */
export interface RejectedGroup {
  /** From 1, largest first. */
  readonly number: number;
  readonly pages: number;
  /** Its most characteristic words, best first. */
  readonly words: readonly string[];
  /** Its most typical pages. */
  readonly examples: readonly { readonly url: string; readonly title: string }[];
  /** Hosts with most of its pages that have no accepted page. */
  readonly hosts: readonly { readonly host: string; readonly pages: number }[];
}

/** What decisions make of a group: counter-examples, or blocked hosts. */
export type GroupUse = 'others' | 'lock';

/** Options for making or removing the topic of a group. */
export interface GroupTopicOptions extends TakeOptions {
  readonly watch?: Watch;
}

/** The rejected pages of a workspace, grouped by content, for a review. */
export class RejectedGroups {
  readonly #session: FeedbackSession;
  readonly #found: NamedClusters;
  readonly #dir: string;

  private constructor(session: FeedbackSession, found: NamedClusters, dir: string) {
    this.#session = session;
    this.#found = found;
    this.#dir = dir;
  }

  /**
   * Groups the rejected pages. Takes some seconds for thousands of pages.
   * @param dir the workspace as the user named it, for messages
   * @param topic only pages rejected there. Default: all rejected pages
   * @param onRead receives the number of pages read, and the total
   */
  static async of(
    session: FeedbackSession,
    { dir, topic, onRead }: RejectedGroupsOptions & { readonly dir: string },
  ): Promise<RejectedGroups> {
    const { store, workspace } = session;
    const found = await clustersOf(store, workspace, { rejected: true, topic, ...(onRead && { onRead }) });
    return new RejectedGroups(session, found, dir);
  }

  get groups(): readonly RejectedGroup[] {
    return this.#found.clusters.map(({ pages, words, typical, hosts }, i) => ({
      ...{ number: i + 1, pages, words, hosts },
      examples: typical.slice(0, TITLES).map(({ finalUrl: url, title }) => ({ url, title })),
    }));
  }

  /**
   * Returns the decisions that make a group's most typical pages counter-examples, or block its hosts.
   * @throws UsageError if there is no such group, or each of its hosts has accepted pages or examples
   */
  async decisions(number: number, use: GroupUse): Promise<readonly Judgement[]> {
    const marks = (use === 'lock' ? marksBlocking : marksAgainst)(this.#found, number);
    return await readMarks(this.#session, marks);
  }

  /**
   * Makes a group a topic: changes bingo.yaml, trains, and judges every stored page again. A running crawl leaves that
   * to the next one.
   * @param name default: its two most characteristic words
   * @returns the topic, and the changes unless a crawl runs
   * @throws UsageError if there is no such group, or its typical pages are examples already
   * @throws InputError if the name is invalid or exists
   */
  async makeTopic(
    number: number,
    { name, watch = {}, ...options }: GroupTopicOptions & { readonly name?: string | undefined } = {},
  ): Promise<{ readonly topic: TopicId; readonly change: Change | undefined }> {
    const subtopic = subtopicOfCluster(this.#found, this.#session.workspace, { number, name, dir: this.#dir });
    const change = await adoptInStore({ ...this.#session, watch }, [subtopic], options);
    return { topic: joinTopic(subtopic.parent, subtopic.name), change };
  }
}

/** Options for grouping rejected pages. */
export interface RejectedGroupsOptions {
  readonly topic?: string | undefined;
  readonly onRead?: ((pages: number, of: number) => void) | undefined;
}

/**
 * Removes a topic that was made of a group: changes bingo.yaml, trains without it, and judges every stored page again.
 * @returns the changes; `undefined` if a crawl runs
 * @throws UsageError if the workspace has no such topic
 */
export async function removeGroupTopic(
  { store, workspace, isCrawlRunning }: Pick<FeedbackSession, 'store' | 'workspace' | 'isCrawlRunning'>,
  topic: TopicId,
  { watch = {}, ...options }: GroupTopicOptions = {},
): Promise<Change | undefined> {
  await removeTopic(workspace, topic);
  if (isCrawlRunning) return undefined;
  const changed = await takeUpTopics(store, reloadWorkspace(workspace));
  return await withOpenStore({ store, workspace: changed, watch, isCrawlRunning }, ({ take }) => take([], options));
}
