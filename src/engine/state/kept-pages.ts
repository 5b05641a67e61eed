import {
  type CanonicalUrl,
  type Config,
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
import { isGivenExample, scoreOfExamples } from '../training/training-items.ts';
import { Discernment } from './discernment.ts';
import { seedDomains, trainingJobs } from './jobs.ts';
import { Sample } from './sample.ts';
import { type TopicPage, TopicPages } from './topic-pages.ts';

/** Relevance below which a rejected page is certainly none of the topic; .4 costs .01 of average precision. */
const SURELY_REJECTED = 0.2;

/**
 * Held-out confidence, on the calibrated scale, from which a page is none of OTHERS although it was rejected once: the model that did so knew
 * little (measured in docs/quality.md, "A few OTHERS").
 */
const LOOKS_LIKE_A_TOPIC = 0.3;

/** Stand-ins are a third of the pages that they are chosen from. */
const CANDIDATES_PER_STAND_IN = 3;

/** A stored page that may join OTHERS. */
export interface KeptPage {
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly title: string;
}

/** Pages that the crawl found for a topic, training pages left out; `confidence` is their sum. */
interface Tally {
  readonly accepted: number;
  readonly confidence: number;
}

/** The pages that rounds choose from, out of all that were judged. Bounded, however long the crawl runs. */
export class KeptPages {
  /** Without it where a person named OTHERS of the very sites that are crawled. */
  readonly #discernment: Discernment<KeptPage> | undefined;

  readonly #tallies = new Map<TopicId, Tally>();
  /** Held-out examples score higher than held-out OTHERS by the model in force; or it is made of the words of a query, and no OTHERS make it blind. */
  #knowsExamples = true;
  /** Keys of examples that are the words of a query. */
  readonly #queries: ReadonlySet<string>;

  /** Addresses of the links of all pages kept here. */
  readonly #lists = new UrlLists();

  /** The best pages of each topic. */
  readonly topics: ReadonlyMap<TopicId, TopicPages>;
  /** Pages that link to accepted pages without being accepted, for link analysis. */
  readonly predecessors: TopicPages;
  /** Off-topic pages, drawn evenly over the crawl, for idf. */
  readonly background: Sample<{ sequence: number; url: CanonicalUrl }>;
  /** Pages rejected with high confidence, drawn in the same way: they join OTHERS. */
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

  /** The model in force accepts nearly every page: see {@link Discernment}. */
  get isIndiscriminate(): boolean {
    return this.#discernment?.isLacking === true;
  }

  /**
   * The model in force rejects nearly every page, and would reject its examples too, as far as is known: beside a few OTHERS a first one
   * does. What it rejects is no evidence of OTHERS. Never where pages stand in for OTHERS, which no model chooses.
   */
  get isBlind(): boolean {
    return !this.#knowsExamples && this.#discernment?.isRejecting === true && this.candidates.length === 0;
  }

  /**
   * Pages of which some stand in for OTHERS from now on; none where people named OTHERS of the crawled sites, and none at the
   * beginning.
   */
  get candidates(): readonly KeptPage[] {
    return this.#discernment?.candidates() ?? [];
  }

  /** Pages that the crawl found and accepted into a topic, and their mean confidence; 0 without any. */
  found(topic: TopicId): { readonly accepted: number; readonly meanConfidence: number } {
    const { accepted, confidence } = this.#tallies.get(topic) ?? { accepted: 0, confidence: 0 };
    return { accepted, meanConfidence: accepted === 0 ? 0 : confidence / accepted };
  }

  /** Stand-ins should be chosen anew now. */
  get isDiscernmentDue(): boolean {
    return this.#discernment?.isRoundDue === true;
  }

  /** A round tells how its training pages look to a model that was not trained on them. */
  trained(training: RoundRecord['training']): void {
    const doubtful = training.filter(({ origin, confidence }) => origin === 'rejected' && looksLikeTopic(confidence));
    if (doubtful.length > 0) this.rejected.drop(new Set(doubtful.map(({ key }) => key)));
  }

  /** Another model is in force, trained on these pages. Of what a blind one had rejected only those that it was trained on are still taken for OTHERS. */
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

  /** @param topic - the good topic that the page was accepted into, if any */
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
    // Pages beyond it look a little like the topic: as OTHERS they would push its outskirts out.
    if (assignment.relevance < SURELY_REJECTED) this.rejected.offer(page.url, stored(page));
    this.background.offer(record.finalUrl, { sequence: record.sequence, url: record.finalUrl });
    if (page.links !== '' && assignment.relevance > 0) this.predecessors.add({ ...page, calibrated: page.relevance });
  }

  /** A page has a new version, which takes the place of the old one, be it at another address. */
  renew(record: PageRecord, topic: TopicId | undefined): void {
    for (const url of [record.url, ...record.redirects]) this.left(url);
    for (const [id, pages] of this.topics)
      pages.renew(record.finalUrl, id === topic ? topicPage(record, topic) : undefined);
  }

  /** A page left: it is chosen for nothing any more. */
  left(url: CanonicalUrl): void {
    for (const pages of this.topics.values()) pages.renew(url, undefined);
  }

  /** Hosts were marked bad: their pages are chosen for nothing any more. */
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

/** True for a held-out confidence of a rejected page that says it is none of OTHERS, see {@link LOOKS_LIKE_A_TOPIC}. */
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
    links: linkedUrls(document.links, LINK_FLAG.nofollow),
  };
}

/** OTHERS of the crawled sites themselves that tell what on them is not wanted; beside ten a model may still accept nearly everything. */
const OWN_OTHERS = 15;

/** True when the workspace names OTHERS of the sites where the crawl begins. */
function hasOwnOthers(tree: TopicTree): boolean {
  const domains = seedDomains(tree);
  const others = trainingJobs(tree).filter((job) => job.role === 'others');
  return others.filter((job) => domains.has(registeredDomain(job.entry.host))).length >= OWN_OTHERS;
}
