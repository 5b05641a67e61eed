import {
  type CanonicalUrl,
  type Config,
  isGivenExample,
  LINK_FLAG,
  linkedUrls,
  type PageRecord,
  type RoundRecord,
  registeredDomain,
  type TopicId,
  type TopicTree,
} from '../../core/index.ts';
import { UrlLists } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';
import { scoreOfExamples } from '../training/training-items.ts';
import { Discernment } from './degenerate-model-check.ts';
import { seedDomains, trainingJobs } from './jobs.ts';
import { Sample } from './sample.ts';
import { type TopicPage, TopicPages } from './topic-pages.ts';

/** Relevance below which a rejected page is certainly off topic; 0.4 would cost 0.01 of average precision. */
const SURELY_REJECTED = 0.2;

/**
 * Held-out confidence, on the calibrated scale, from which a rejected page is not used for OTHERS: an early model
 * with little training rejected it (measured in docs/quality.md, "A few OTHERS").
 */
const LOOKS_LIKE_A_TOPIC = 0.3;

/** Stand-ins are a third of the pages they are chosen from. */
const CANDIDATES_PER_STAND_IN = 3;

/** A stored page that may become a negative example. */
export interface KeptPage {
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly title: string;
}

/** Pages found for a topic, without training pages; `confidence` is their sum. */
interface Tally {
  readonly accepted: number;
  readonly confidence: number;
}

/** The pages that rounds choose from, taken from all judged pages. Bounded, however long the crawl runs. */
export class KeptPages {
  /** Missing if the user named counter-examples from the crawled sites themselves. */
  readonly #discernment: Discernment<KeptPage> | undefined;

  readonly #tallies = new Map<TopicId, Tally>();
  /**
   * True if the current model scores held-out examples higher than held-out OTHERS, or if it is built from the words
   * of a query, which OTHERS cannot make blind.
   */
  #knowsExamples = true;
  /** Keys of examples that are query words. */
  readonly #queries: ReadonlySet<string>;

  /** Link URLs of all pages kept here. */
  readonly #lists = new UrlLists();

  /** The best pages of each topic. */
  readonly topics: ReadonlyMap<TopicId, TopicPages>;
  /** Pages that link to accepted pages but were not accepted, for link analysis. */
  readonly predecessors: TopicPages;
  /** Off-topic pages, sampled evenly over the crawl, for inverse document frequencies. */
  readonly background: Sample<{ readonly sequence: number; readonly url: CanonicalUrl }>;
  /** Pages rejected with high confidence, sampled the same way: they become negative examples. */
  readonly rejected: Sample<KeptPage>;

  constructor(tree: TopicTree, { distill, learn }: Pick<Config, 'distill' | 'learn'>) {
    const lists = this.#lists;
    const examples = [...tree.nodes.values()].flatMap((node) => node.examples);
    this.#queries = new Set(examples.flatMap((example) => (example.kind === 'text' ? [example.name] : [])));
    this.topics = new Map([...tree.nodes.keys()].map((id) => [id, new TopicPages(distill.maxBaseSet, lists)]));
    this.predecessors = new TopicPages(distill.maxPredecessors, lists);
    this.background = new Sample(learn.backgroundPages);
    this.rejected = new Sample(learn.rejectedAsOthers);
    const isHelped = learn.rejectedAsOthers > 0 && !hasOwnOthers(tree);
    this.#discernment = isHelped
      ? new Discernment(CANDIDATES_PER_STAND_IN * learn.rejectedAsOthers, learn.retrainEvery)
      : undefined;
  }

  /** True if the current model accepts nearly every page: see {@link Discernment}. */
  get isIndiscriminate(): boolean {
    return this.#discernment?.isLacking === true;
  }

  /**
   * True if the current model rejects nearly every page and, as far as known, would reject its examples too. This
   * happens to a first model with few OTHERS; its rejections are no evidence. Never true if stand-ins are used, which
   * no model chooses.
   */
  get isBlind(): boolean {
    return !this.#knowsExamples && this.#discernment?.isRejecting === true && this.candidates.length === 0;
  }

  /**
   * Pages that may become stand-ins from now on; empty if the user named counter-examples from the crawled sites, and
   * at the start.
   */
  get candidates(): readonly KeptPage[] {
    return this.#discernment?.candidates() ?? [];
  }

  /** Returns the number of found pages accepted into a topic, and their mean confidence; 0 without pages. */
  found(topic: TopicId): { readonly accepted: number; readonly meanConfidence: number } {
    const { accepted, confidence } = this.#tallies.get(topic) ?? { accepted: 0, confidence: 0 };
    return { accepted, meanConfidence: accepted === 0 ? 0 : confidence / accepted };
  }

  /** True if stand-ins should be chosen again now. */
  get isDiscernmentDue(): boolean {
    return this.#discernment?.isRoundDue === true;
  }

  /** Records how a round's training pages score when held out. */
  trained(training: RoundRecord['training']): void {
    const doubtful = training.filter(({ origin, confidence }) => origin === 'rejected' && looksLikeTopic(confidence));
    if (doubtful.length > 0) this.rejected.drop(new Set(doubtful.map(({ key }) => key)));
  }

  /**
   * Records that another model, trained on these pages, is in force. Of a blind model's rejections, only its training
   * pages stay negative examples.
   */
  modelChanged(training: RoundRecord['training']): void {
    if (this.isBlind) {
      const learned = new Set<string>(training.map(({ key }) => key));
      const left = this.rejected.values().filter(({ url }) => !learned.has(url));
      this.rejected.drop(new Set(left.map(({ url }) => url)));
    }
    const given = training.filter(isGivenExample);
    this.#knowsExamples = given.every(({ key }) => this.#queries.has(key)) || scoreOfExamples(given) > 0;
    this.#discernment?.renew();
  }

  /** Records whether only the seeds' sites are fetched from now on. */
  confine(isConfined: boolean): void {
    this.#discernment?.confine(isConfined);
  }

  /** @param topic - the good topic the page was accepted into, if any */
  note(record: PageRecord, topic: TopicId | undefined): void {
    const { assignment } = record;
    const page = topicPage(record, topic);
    if (record.role === 'crawled') this.#discernment?.note(page.url, stored(page), topic !== undefined);
    if (topic !== undefined) {
      this.topics.get(topic)?.add(page);
      if (record.role === 'crawled') this.#tally(topic, assignment.confidence);
      return;
    }
    if (record.role !== 'crawled') return;
    // Pages above this look a little like the topic: as negative examples they would exclude its outskirts.
    if (assignment.relevance < SURELY_REJECTED) this.rejected.offer(page.url, stored(page));
    this.background.offer(record.finalUrl, { sequence: record.sequence, url: record.finalUrl });
    if (page.links !== '' && assignment.relevance > 0) this.predecessors.add({ ...page, calibrated: page.relevance });
  }

  /** Replaces a page's old version with a new one, even at another address. */
  renew(record: PageRecord, topic: TopicId | undefined): void {
    for (const url of [record.url, ...record.redirects]) this.left(url);
    for (const [id, pages] of this.topics)
      pages.renew(record.finalUrl, id === topic ? topicPage(record, topic) : undefined);
  }

  /** Removes a page that disappeared: it is no longer chosen for anything. */
  left(url: CanonicalUrl): void {
    for (const pages of this.topics.values()) pages.renew(url, undefined);
  }

  /** Removes the pages of hosts that were marked bad. */
  dropHosts(isDropped: (host: string) => boolean): void {
    for (const pages of [...this.topics.values(), this.predecessors]) pages.dropHosts(isDropped);
  }

  #tally(topic: TopicId, confidence: number): void {
    const { accepted, confidence: sum } = this.#tallies.get(topic) ?? { accepted: 0, confidence: 0 };
    this.#tallies.set(topic, { accepted: accepted + 1, confidence: sum + confidence });
  }

  exchange(fields: Fields): void {
    this.#lists.exchange(fields);
    for (const pages of [...this.topics.values(), this.predecessors]) pages.exchange(fields);
    this.background.exchange(fields);
    this.rejected.exchange(fields);
    this.#discernment?.exchange(fields);
    fields.map(this.#tallies);
    this.#knowsExamples = fields.value(this.#knowsExamples);
  }
}

/** True if a rejected page's held-out confidence shows that it is not negative, see {@link LOOKS_LIKE_A_TOPIC}. */
export function looksLikeTopic(confidence: number): boolean {
  return confidence > LOOKS_LIKE_A_TOPIC;
}

function stored({ sequence, url, title }: TopicPage): KeptPage {
  return { sequence, url, title };
}

function topicPage(record: PageRecord, topic: TopicId | undefined): TopicPage {
  const { assignment, document, sequence, finalUrl, host } = record;
  const score = assignment.scores.find((s) => s.topic === topic);
  return {
    ...{ sequence, url: finalUrl, title: document.title, host, relevance: assignment.relevance },
    calibrated: score?.calibrated ?? 0,
    bayesCalibrated: score?.bayesCalibrated ?? 0,
    links: linkedUrls(document.links, LINK_FLAG.nofollow),
  };
}

/**
 * Number of counter-examples from the crawled sites that suffices; with ten a model may still accept nearly
 * everything.
 */
const OWN_OTHERS = 15;

/** True if the workspace has enough counter-examples from the sites where the crawl starts. */
function hasOwnOthers(tree: TopicTree): boolean {
  const domains = seedDomains(tree);
  const others = trainingJobs(tree).filter((job) => job.role === 'others');
  return others.filter((job) => domains.has(registeredDomain(job.entry.host))).length >= OWN_OTHERS;
}
