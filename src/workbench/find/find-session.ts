import { goodTopics, type TopicId, UsageError } from '../../core/index.ts';
import type { CrawlSummary } from '../../engine/index.ts';
import type { Store, StoreStatus } from '../../store/index.ts';
import {
  type CrawlPlace,
  type CrawlPlan,
  type CrawlWarning,
  type JudgedOutcome,
  withCrawlStore,
} from '../crawl/crawl-workspace.ts';
import { withFeedback } from '../judging/apply-feedback.ts';
import { asExample, asOthers, findPages } from '../judging/decided-pages.ts';
import type { Change } from '../judging/feedback.ts';
import { logQuery } from '../queries/query-log.ts';
import { type Environment, withStore } from '../reading/reading.ts';
import type { Result, SearchOptions } from '../search/local-search.ts';
import type { Watch } from '../watch.ts';
import { quoted } from '../words/shell-words.ts';
import { type Workspace, withLearnShare } from '../workspace/workspace.ts';
import { type FindAnswers, findAnswers } from './find-answers.ts';

/** A search in its workspace. */
export interface FindSetting extends Environment {
  readonly workspace: Workspace;
  readonly query: string;
  /** Number of answers at first, and of further ones. > 0 */
  readonly limit: number;
  /** Weights of the ranking. Default: those of a search. */
  readonly rank?: string | undefined;
  /** Options of the search besides the ranking. */
  readonly options?: SearchOptions;
}

/** Outcome of a crawl, and the stored totals after it. */
export interface FindCrawl {
  readonly summary: CrawlSummary;
  readonly found: StoreStatus;
  readonly judged: JudgedOutcome['judged'];
  /** Whether a stored page could be an answer: a found page, or a start page. */
  readonly isSearchable: boolean;
}

/** Other words for the same pages, or another order. */
export interface AskedOtherwise {
  readonly words?: string;
  readonly rank?: string | undefined;
}

/** What marks changed. */
export interface FindChange {
  readonly change: Change;
  /** A running crawl received the marks. */
  readonly isCrawlRunning: boolean;
}

/** A search in its workspace: crawls for it, answers it, and learns from marks of its answers. */
export class FindSession {
  readonly workspace: Workspace;
  readonly #setting: FindSetting;
  #words: string;
  #rank: string | undefined;
  #limit: number;
  #budget: number;
  #answers: FindAnswers | undefined;
  /** The first words are logged once, although marks and more answers repeat them. */
  #isLogged = false;

  constructor(setting: FindSetting) {
    this.workspace = setting.workspace;
    this.#setting = setting;
    this.#words = setting.query;
    this.#rank = setting.rank;
    this.#limit = setting.limit;
    this.#budget = setting.workspace.config.crawl.budget;
  }

  /** The words of the last answers. */
  get words(): string {
    return this.#words;
  }

  /** Number of answers asked for. */
  get limit(): number {
    return this.#limit;
  }

  /** Pages that the next crawl fetches in all. */
  get budget(): number {
    return this.#budget;
  }

  /** The last answers. */
  get results(): readonly Result[] {
    return this.#answers?.results ?? [];
  }

  /**
   * Crawls until budget or time is used up, or nothing relevant comes any more; a second call continues.
   * @param run runs the crawl in the open store, and reports it
   * @throws UsageError if no contact is set and the crawl would start on the open web
   */
  async crawl(
    run: (place: CrawlPlace, plan: CrawlPlan) => Promise<JudgedOutcome>,
    warn: (warning: CrawlWarning) => void,
  ): Promise<FindCrawl> {
    const { config } = this.workspace;
    const crawl = { ...config.crawl, budget: this.#budget };
    const workspace = withLearnShare({ ...this.workspace, config: { ...config, crawl } }, undefined);
    const again = `bingo find ${quoted(this.#setting.query)}`;
    return await withCrawlStore(workspace, { again, warn }, async (place) => {
      const { summary, found, judged } = await run(place, { endWhen: 'barren' });
      this.#budget = summary.status.fetched + config.crawl.budget;
      const isSearchable = summary.status.fetched > 0 || (await holdsExample(place.store));
      return { summary, found, judged, isSearchable };
    });
  }

  /**
   * Answers, for other words or in another order if they are given. Later answers keep both.
   * @throws UsageError if the words or the ranking are invalid; then the former ones stay
   */
  async ask(asked: AskedOtherwise = {}): Promise<FindAnswers> {
    const { words = this.#words, rank = this.#rank } = asked;
    const { query, options } = this.#setting;
    const limit = this.#limit;
    const topics = goodTopics(this.workspace.tree).flatMap(({ id }): TopicId[] => (id === '' ? [] : [id]));
    const question = { words, rank, limit, topics, isQuery: words === query, ...(options && { options }) };
    this.#answers = await withStore(this.workspace.dir, this.#setting, (store, workspace) =>
      findAnswers(store, workspace, question),
    );
    if (asked.words !== undefined || !this.#isLogged)
      logQuery(this.workspace, { from: 'find', query: words, matches: this.#answers.matches });
    this.#isLogged = true;
    [this.#words, this.#rank] = [words, rank];
    return this.#answers;
  }

  /** Returns more answers; `undefined` if there are no more. */
  async more(): Promise<FindAnswers | undefined> {
    if (this.results.length < this.#limit) return undefined;
    this.#limit += this.#setting.limit;
    return await this.ask();
  }

  /** Notes that the user opens an answer. */
  opened(url: string): void {
    logQuery(this.workspace, { from: 'find', query: this.#words, opened: url });
  }

  /**
   * Learns from marks of answers, and judges all stored pages again.
   * @param marks URLs of stored pages
   * @throws UsageError if they cannot be applied, for example because the topic would lose its last example
   */
  async mark(
    marks: { readonly good: readonly string[]; readonly bad: readonly string[] },
    watch: Watch,
  ): Promise<FindChange> {
    const topic = goodTopics(this.workspace.tree).find(({ id }) => id !== '')?.id;
    return await withFeedback(this.workspace, watch, async (session) => {
      const { store, desk } = session;
      const judgements = [
        ...(await findPages(store, desk, marks.good)).map((page) => asExample(page, topic, desk)),
        ...(await findPages(store, desk, marks.bad)).map((page) => asOthers(page, undefined, desk)),
      ];
      const objection = desk.objection(judgements);
      if (objection !== undefined) throw new UsageError(objection, 'Nothing was changed.');
      const change = await session.take(judgements);
      return { change, isCrawlRunning: session.isCrawlRunning };
    });
  }
}

async function holdsExample(store: Store): Promise<boolean> {
  for await (const { role } of store.exportPages()) if (role === 'example') return true;
  return false;
}
