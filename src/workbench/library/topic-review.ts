import { type Judgement, type TopicId, UsageError } from '../../core/index.ts';
import { applyDecisions, type MarkResult } from '../judging/apply-decisions.ts';
import { type FeedbackSession, withFeedback } from '../judging/apply-feedback.ts';
import { type ChangeRow, changeRow } from '../judging/change-row.ts';
import { findPage } from '../judging/decided-pages.ts';
import { type Decidable, type Decision, decisionOn, whyNotTrimmed } from '../review/decisions.ts';
import type { FoundProposal } from '../review/proposals.ts';
import { logDecision } from '../review/review-log.ts';
import type { ReviewMaterial } from '../review/review-material.ts';
import type { ReviewPage, ReviewText, ReviewTopic } from '../review/review-page.ts';
import { ReviewSession } from '../review/review-session.ts';
import type { Watch } from '../watch.ts';
import { findTopic } from '../workspace/find-topic.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Details of a decision in a review. */
export interface DecideOptions {
  /** For `move`: the topic to move the page to. */
  readonly to?: string | undefined;
  /** Paragraphs to leave out, from 0, as in the page's text. */
  readonly without?: readonly number[] | undefined;
  /** Name of the reviewer, for the log of decisions. Default: unknown. */
  readonly by?: string | undefined;
}

/** Who decided, and when. */
export interface DecisionMaker {
  /** `''` if unknown. */
  readonly reviewer: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** A decision that can be undone, with what it replaced. */
interface Step {
  readonly page: Pick<Decidable, 'key' | 'title' | 'topic'>;
  readonly by: string;
  readonly before: Judgement | undefined;
  readonly maker: DecisionMaker | undefined;
}

/**
 * A review of what topics learn from. Decisions are collected, previewed, then applied. The workspace stays locked
 * until the review is closed, unless a crawl runs.
 *
 * @example
 * ```js
 * const review = await workspace.review('cycling');
 * const [page] = review.candidates[0].pages;
 * await review.decide(page.key, 'accept');
 * console.log((await review.preview()).changed, 'pages would change topic');
 * await review.apply();
 * await review.close();
 * ```
 */
export class TopicReview implements AsyncDisposable {
  readonly #review: ReviewSession;
  #material: ReviewMaterial;
  readonly #end: () => Promise<void>;
  readonly #decided = new Map<string, Judgement>();
  readonly #makers = new Map<string, DecisionMaker>();
  #steps: Step[] = [];

  /** @internal Use {@link OpenWorkspace.review}. */
  constructor(review: ReviewSession, material: ReviewMaterial, end: () => Promise<void>) {
    this.#review = review;
    this.#material = material;
    this.#end = end;
  }

  /**
   * Pages to decide on: candidates and training pages of each topic, then the counter-examples. Other ones once decisions
   * were applied, unless a crawl runs.
   */
  get candidates(): readonly ReviewTopic[] {
    return this.#material.topics;
  }

  /** The decisions so far, by page. */
  get decisions(): ReadonlyMap<string, Judgement> {
    return this.#decided;
  }

  /** Who made each of the decisions so far, by page. */
  get makers(): ReadonlyMap<string, DecisionMaker> {
    return this.#makers;
  }

  /** Returns a page's text in paragraphs, with the strongest terms of its topic marked. */
  async text(page: Pick<ReviewPage, 'sequence' | 'topic'>): Promise<ReviewText> {
    return await this.#material.textOf(page);
  }

  /**
   * Decides about a page. `accept`: it is an example where it is shown; `reject`: nothing is learned from it;
   * `others`: it is a counter-example; `move`: it is an example of the topic `to`; `undo`: an earlier mark is
   * withdrawn.
   * @param key key of a candidate, or any URL of a stored page
   * @throws UsageError if the page is not stored, the topic is unknown, or a paragraph does not exist
   */
  async decide(key: string, decision: Decision, { to, without, by = '' }: DecideOptions = {}): Promise<void> {
    const { store, desk } = this.#review.session;
    const page = await this.#page(key);
    if (without !== undefined) {
      const wrong = await whyNotTrimmed(
        store,
        page.sequence,
        without.map((n) => n + 1),
      );
      if (wrong !== undefined) throw new UsageError(wrong.message, wrong.hint);
    }
    if (decision === 'move' && to === undefined)
      throw new UsageError('Moving a page needs a topic.', 'Name it in "to".');
    const topic = to === undefined ? undefined : findTopic(desk.tree, to);
    this.#set(page, decisionOn(page, decision, { to: topic, without }), by);
  }

  /** Leaves paragraphs out of a page, from 0, and accepts the rest, or keeps the decision about it. */
  async trim(key: string, paragraphs: readonly number[]): Promise<void> {
    const page = await this.#page(key);
    const before = this.#decided.get(page.key);
    await this.decide(key, before?.use === 'others' ? 'others' : 'accept', { without: paragraphs });
    const after = this.#decided.get(page.key);
    if (before?.use === 'example' && after !== undefined)
      this.#decided.set(page.key, { ...after, topic: before.topic });
  }

  /** Forgets a decision of this review that is not applied yet. */
  forget(key: string, { by = '' }: Pick<DecideOptions, 'by'> = {}): void {
    const { title = '', topic = '' as TopicId } = this.#decided.get(key) ?? {};
    if (this.#decided.has(key)) this.#set({ key, title, topic }, undefined, by);
  }

  /**
   * Undoes the last decision of a reviewer that is not applied yet. If another reviewer decided about the page since, that
   * decision stays.
   * @returns the page's key; `undefined` without such a decision
   */
  undo({ by = '' }: Pick<DecideOptions, 'by'> = {}): string | undefined {
    const at = this.#steps.findLastIndex((step) => step.by === by);
    const step = this.#steps[at];
    if (step === undefined) return undefined;
    const { page, before, maker } = step;
    const later = this.#steps.findIndex((other, i) => i > at && other.page.key === page.key);
    this.#steps = this.#steps.flatMap((other, i) =>
      i === at ? [] : [i === later ? { ...other, before, maker } : other],
    );
    if (later < 0) this.#restore(page, before, maker);
    this.#log(page, by, later < 0 ? before : this.#decided.get(page.key));
    return page.key;
  }

  /**
   * Returns what the decisions would change; writes nothing.
   * @throws BingoError `NOT_POSSIBLE` if they cannot be applied
   */
  async preview(): Promise<ChangeRow> {
    return changeRow(await this.#review.preview([...this.#decided.values()]));
  }

  /**
   * Applies the decisions: trains, then judges every stored page again. A running crawl does this instead of this
   * process.
   * @throws UsageError if they cannot be applied, for example because a topic would lose its last example
   */
  async apply(): Promise<MarkResult> {
    const result = await applyDecisions(this.#review.session, [...this.#decided.values()], false);
    this.#decided.clear();
    this.#makers.clear();
    this.#steps = [];
    if (!this.#review.session.isCrawlRunning) this.#material = await this.#review.material();
    return result;
  }

  /** Returns what the crawl itself would change: pages, topics, splits. Takes some seconds. */
  async proposals(): Promise<readonly FoundProposal[]> {
    return await this.#review.proposals();
  }

  /**
   * Carries out a proposal whose `act` is a change.
   * @returns the changes; `undefined` if a crawl runs, which learns them later
   * @throws UsageError for a proposal that only shows pages
   */
  async accept(proposal: FoundProposal): Promise<ChangeRow | undefined> {
    if (proposal.act.kind !== 'change')
      throw new UsageError('This proposal changes nothing.', 'Decide on the pages that it names.');
    const change = await this.#review.accept(proposal);
    return change === undefined ? undefined : changeRow(change);
  }

  /** Ends the review; decisions that are not applied are lost. */
  async close(): Promise<void> {
    await this.#end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Replaces the decision about a page. */
  #set(page: Step['page'], judgement: Judgement | undefined, by: string): void {
    const { key } = page;
    this.#steps.push({ page, by, before: this.#decided.get(key), maker: this.#makers.get(key) });
    this.#restore(page, judgement, { reviewer: by, at: new Date().toISOString() });
    this.#log(page, by, judgement);
  }

  #restore({ key }: Step['page'], judgement: Judgement | undefined, maker: DecisionMaker | undefined): void {
    this.#decided.delete(key);
    this.#makers.delete(key);
    if (judgement !== undefined) this.#decided.set(key, judgement);
    if (judgement !== undefined && maker !== undefined) this.#makers.set(key, maker);
  }

  #log({ key, title, topic }: Step['page'], by: string, judgement: Judgement | undefined): void {
    const { dir } = this.#review.session.workspace;
    const use = judgement?.use ?? 'undecided';
    logDecision(dir, { at: new Date().toISOString(), by, key, title, topic: judgement?.topic || topic, use });
  }

  async #page(key: string): Promise<Decidable> {
    for (const { pages } of this.candidates) {
      const shown = pages.find((page) => page.key === key);
      if (shown !== undefined) return shown;
    }
    const { store, desk } = this.#review.session;
    const found = await findPage(store, desk, key);
    if (found === undefined)
      throw new UsageError(`${key} is neither a stored page nor a training page.`, 'Name a page by one of its URLs.');
    const topic = found.topic ?? this.#review.topic ?? ('' as TopicId);
    return { ...found, topic, isOthers: false };
  }
}

/** Opens a review, and keeps the workspace's store open until it is closed. */
export async function openTopicReview(
  workspace: Workspace,
  watch: Watch,
  { topic, onEnd }: { readonly topic: string | undefined; readonly onEnd: () => Promise<void> },
): Promise<TopicReview> {
  const opened = Promise.withResolvers<TopicReview>();
  const closing = Promise.withResolvers<void>();
  const held = withFeedback(workspace, watch, async (session: FeedbackSession) => {
    const review = new ReviewSession(session, { topic });
    const end = async (): Promise<void> => {
      closing.resolve();
      await held;
      await onEnd();
    };
    opened.resolve(new TopicReview(review, await review.material(), end));
    await closing.promise;
  });
  // An error before the review is open rejects its opening.
  held.catch(opened.reject);
  return await opened.promise;
}
