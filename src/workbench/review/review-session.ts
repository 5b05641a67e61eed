import { isOthersOrigin, type Judgement, ROOT, type TopicId } from '../../core/index.ts';
import { placeName, type TrainingDesk } from '../../engine/index.ts';
import { adoptInStore } from '../judging/adopt-subtopics.ts';
import { type FeedbackSession, requireModel } from '../judging/apply-feedback.ts';
import type { Change, TakeOptions } from '../judging/feedback.ts';
import type { Watch } from '../watch.ts';
import { quoted } from '../words/shell-words.ts';
import { findTopic } from '../workspace/find-topic.ts';
import { type FoundProposal, findProposals } from './proposals.ts';
import { type GroupTopicOptions, RejectedGroups, removeGroupTopic } from './rejected-groups.ts';
import { ReviewDraft } from './review-draft.ts';
import { type ReviewMaterial, reviewMaterial } from './review-material.ts';

/** What a review is about. */
export interface ReviewScope {
  /** The workspace as the user named it, for messages. Default: its path. */
  readonly dir?: string | undefined;
  /** A topic, or counter-examples such as `OTHERS`. Default: all of them. */
  readonly topic?: string | undefined;
}

/** A review of what the topics learn from: pages to decide on, the effect of decisions, and proposals. */
export class ReviewSession {
  readonly session: FeedbackSession;
  readonly topic: TopicId | undefined;
  /** Decisions that are not applied yet, which outlast an interrupted review. */
  readonly draft: ReviewDraft;
  readonly #dir: string;
  #material: Promise<ReviewMaterial> | undefined;
  #trial: { readonly decisions: string; readonly change: Change } | undefined;

  /**
   * @throws UsageError if nothing has been learned yet, or the topic is unknown
   */
  constructor(session: FeedbackSession, { dir = session.workspace.dir, topic }: ReviewScope = {}) {
    requireModel(session.desk, quoted(dir));
    this.session = session;
    this.topic = topic === undefined ? undefined : placeNamed(session.desk, topic);
    this.draft = new ReviewDraft(session.workspace.dir);
    this.#dir = dir;
  }

  /** Topics to which pages can be moved. */
  get places(): readonly TopicId[] {
    return [...this.session.desk.tree.nodes.keys()].filter((id) => id !== ROOT);
  }

  /** Returns the pages to decide on. Takes a second or two the first time, and after decisions were applied. */
  material(): Promise<ReviewMaterial> {
    this.#material ??= reviewMaterial(this.session, this.topic);
    return this.#material;
  }

  /** Returns why decisions cannot be applied; `undefined` if they can. */
  objection(decisions: readonly Judgement[]): string | undefined {
    return this.session.desk.objection(decisions);
  }

  /** Returns what decisions would change; writes nothing, and reports no progress. */
  async preview(decisions: readonly Judgement[]): Promise<Change> {
    const change = await this.session.feedback.preview(decisions);
    this.#trial = { decisions: JSON.stringify(decisions), change };
    return change;
  }

  /** Applies decisions. Reuses the training of a preview of the same decisions. */
  async apply(decisions: readonly Judgement[], options: TakeOptions = {}): Promise<Change> {
    const isTried = this.#trial?.decisions === JSON.stringify(decisions);
    const trial = isTried && this.#trial ? { trial: this.#trial.change.trial } : {};
    const change = await this.session.take(decisions, { ...trial, ...options });
    this.#material = undefined;
    this.#trial = undefined;
    return change;
  }

  /** Returns what the crawl itself would change. Takes some seconds. */
  async proposals(): Promise<readonly FoundProposal[]> {
    return await findProposals(this.session, this.#dir, this.topic);
  }

  /**
   * Carries out a proposal that changes the topics.
   * @returns the changes; `undefined` if a crawl runs, which learns them later
   */
  async accept(
    { kind, topic, subtopics = [] }: FoundProposal,
    options: TakeOptions & { readonly watch?: Watch } = {},
  ): Promise<Change | undefined> {
    const { watch = {}, ...take } = options;
    if (kind !== 'split') return await this.session.setGood(topic, true, take);
    return await adoptInStore({ ...this.session, watch }, subtopics, take);
  }

  /**
   * Groups the rejected pages by content: those of the review's topic, or all. Takes some seconds.
   * @param onRead receives the number of pages read, and the total
   */
  async groups(onRead?: (pages: number, of: number) => void): Promise<RejectedGroups> {
    const { session, topic } = this;
    const named = topic !== undefined && session.desk.tree.nodes.has(topic) ? topic : undefined;
    return await RejectedGroups.of(session, { dir: this.#dir, topic: named, onRead });
  }

  /**
   * Removes a topic that was made of a group.
   * @returns the changes; `undefined` if a crawl runs, which continues with it
   */
  async removeGroupTopic(topic: TopicId, options: GroupTopicOptions = {}): Promise<Change | undefined> {
    return await removeGroupTopic(this.session, topic, options);
  }
}

/** Finds a topic, or the counter-examples of the tree or a topic, by its name in the review. */
function placeNamed(desk: TrainingDesk, name: string): TopicId {
  const places = desk.training().flatMap(({ topic, origin }) => (isOthersOrigin(origin) ? [topic] : []));
  const others = places.map((topic) => placeName({ topic, others: true }));
  return others.includes(name) ? (name as TopicId) : findTopic(desk.tree, name);
}
