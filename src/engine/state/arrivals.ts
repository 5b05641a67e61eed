import {
  type CanonicalUrl,
  canonicalize,
  LINKS_FOLLOWED,
  type PageRecord,
  type TopicTree,
  topicNode,
  type VisitRecord,
} from '../../core/index.ts';
import { acceptedTopic, type FrontierEntry, type JudgedPage } from '../../crawl/index.ts';
import { exampleAssignment } from '../records.ts';
import { liftedObstacle } from '../steering/setting-changes.ts';
import type { CrawlFacts } from './crawl-facts.ts';
import { furtherLinks } from './further-links.ts';
import { isBudgeted, type Pinned } from './jobs.ts';
import { judgedPage, unwantedPage } from './judged-page.ts';
import type { StateParts } from './state-parts.ts';

/**
 * Links of new versions that may wait before all others at the same time. Each is examined whenever a job is taken.
 * Our choice.
 */
const MAX_NEWS = 1_000;

/** Folds the records of pages and visits: what they mean for links, limits and training pages. */
export class Arrivals {
  readonly #facts: CrawlFacts;
  readonly #parts: StateParts;

  constructor(facts: CrawlFacts, parts: StateParts) {
    this.#facts = facts;
    this.#parts = parts;
  }

  *page(stored: PageRecord, job: Pinned): Generator<void> {
    const record = asNamed(stored, job, this.#facts.tree);
    this.#ended(job);
    const named = [job.entry.url, record.url, ...record.redirects, ...job.entry.redirects];
    const urls = [...named, ...this.#parts.redirects.ledTo(named)];
    const older = new Set(urls.map((url) => this.#parts.seen.pageOf(url) ?? 0));
    for (const url of urls) this.#parts.seen.add(url, record.sequence);
    if (record.origin.via === 'recheck') {
      yield* this.#applyNewVersion(record, job);
      this.#parts.revisits.freeCopies(older, record);
      return;
    }
    if (record.origin.via === 'sitemap') {
      yield* this.#applySitemap(record, job);
      return;
    }
    this.#parts.surroundings.note(record);
    this.#parts.copies.note(record.document.contentHash, record.sequence);
    const topic = acceptedTopic(record.assignment, this.#facts.isGood);
    const isRelevant = topic !== undefined;
    this.#parts.guard.page({ ...record, isRelevant });
    if (record.role === 'crawled') this.#claim(record);
    else this.#parts.training.note(record, job);
    this.#parts.redirects.arrived(record);
    this.#count(job, isRelevant);
    if (record.role === 'others') return;
    if (record.origin.via === 'seed') this.#parts.sitemaps.noteSite(record);
    const page = this.#withFurtherLinks(judgedPage(record, job));
    this.#parts.guard.linked(page.host, page.links);
    this.#reweigh();
    if (isRelevant) this.#sampleFind(record, page);
    if (isBudgeted(job)) this.#observe(page, job.entry, isRelevant);
    if (!this.#parts.gate.isOnBadSite(page.host)) this.#parts.kept.note(record, topic);
    if (this.#parts.kept.isIndiscriminate || this.#parts.kept.isBlind) this.#facts.indiscriminateAt = record.sequence;
    yield;
    if (this.#isStart(record, job)) yield* this.#parts.following.judged(this.#isOpen(page) ? page : withoutLinks(page));
    this.#parts.following.gone(job.entry.url);
  }

  /** Adds links of other sources to those of a relevant page. */
  #withFurtherLinks(page: JudgedPage): JudgedPage {
    const { parents } = this.#facts.config.crawl;
    const { backlinks } = this.#parts;
    const isRelevant = acceptedTopic(page.assignment, this.#facts.isGood) !== undefined;
    if (!isRelevant || !(parents || backlinks !== undefined)) return page;
    const further = furtherLinks(page.url, page.links, { parents, backlinks });
    return further.length === 0 ? page : { ...page, links: [...page.links, ...further] };
  }

  /** Adopts a page that the crawl found and that bingo.yaml has named since: it need not be fetched again. */
  #claim(record: PageRecord): void {
    const claimed = this.#parts.training.claim(record);
    if (claimed.size > 0)
      this.#parts.waiting.pinned.drop(({ role, entry }) => role !== 'crawled' && claimed.has(entry.url));
  }

  /**
   * Offers a sitemap's links as if behind a page without relevance information; the sitemap itself is not a page of
   * the crawl.
   */
  *#applySitemap(record: PageRecord, job: Pinned): Generator<void> {
    const page = judgedPage(record, job);
    const further = this.#parts.sitemaps.furtherOf(page.links, job, (url) => this.#parts.gate.isTaken(url));
    this.#parts.waiting.pinned.add(further.filter(({ entry }) => this.#parts.gate.keptOut(entry) === undefined));
    const links = this.#parts.sitemaps.pagesOf(page.links, record.finalUrl);
    yield* this.#parts.following.judged({ ...page, language: this.#parts.sitemaps.languageOf(record.finalUrl), links });
    this.#parts.following.gone(job.entry.url);
  }

  /** Offers the links of a changed page like those of any page. */
  *#applyNewVersion(record: PageRecord, job: Pinned): Generator<void> {
    this.#parts.revisits.changed(record, acceptedTopic(record.assignment, this.#facts.isGood));
    if (!this.#isStart(record, job)) return;
    if (!this.#isOpen(record)) return;
    const most = Math.max(MAX_NEWS, this.#facts.config.recheck.newPages) - this.#parts.waiting.news;
    const news = yield* this.#parts.following.renewed(
      this.#withFurtherLinks(judgedPage(record, job)),
      Math.max(0, most),
    );
    this.#parts.waiting.pinned.add(news.map((entry): Pinned => ({ entry, role: 'crawled' })));
  }

  /** False for a page of a mirror, and for one of a topic whose links the user does not want to be followed. */
  #isOpen({ host, assignment }: Pick<PageRecord, 'host' | 'assignment'>): boolean {
    if (this.#parts.guard.isMirror(host)) return false;
    const topic = acceptedTopic(assignment, this.#facts.isGood);
    return topic === undefined || topicNode(this.#facts.tree, topic).follow !== false;
  }

  /** True if the links of an example are followed: its topic names no other start pages. */
  #isStart(record: PageRecord, job: Pinned): boolean {
    const { seeds } = topicNode(this.#facts.tree, job.entry.topic);
    return record.role === 'crawled' || seeds.length === 0 || seeds.some((seed) => canonicalize(seed) === record.url);
  }

  #count(job: Pinned, isRelevant: boolean): void {
    if (!isBudgeted(job)) return;
    this.#parts.tally.page(this.#facts.phase, isRelevant);
    this.#parts.finds.counted(isRelevant);
    this.#parts.waiting.spend(job.entry);
  }

  /** Runs before the page's links are offered: links that wait already were found elsewhere. */
  #observe({ assignment, links, host }: JudgedPage, { topic }: FrontierEntry, isRelevant: boolean): void {
    const urls = new Set<string>();
    let known = 0;
    for (const link of links) {
      const url = link.url as CanonicalUrl;
      const before = urls.size;
      if (urls.add(url).size > before && (this.#parts.seen.has(url) || this.#parts.following.frontier.has(url)))
        known++;
    }
    this.#parts.watch.note({
      topic,
      host,
      isRelevant,
      place: assignment.topic,
      isPlaceGood: this.#facts.isGood(assignment.topic),
      links: urls.size,
      known,
    });
  }

  /** Samples a relevant page and its links, for the estimate of recall. */
  #sampleFind({ url, finalUrl }: PageRecord, { links }: JudgedPage): void {
    const targets = new Set(links.map((link) => link.url));
    targets.delete(finalUrl);
    this.#parts.finds.linked(targets);
    for (const found of new Set([url, finalUrl])) this.#parts.finds.found(found);
  }

  /** Runs before a page's links are offered, so that they get the right weight. */
  #reweigh(): void {
    for (const change of this.#parts.guard.takeSectionChanges()) {
      this.#parts.following.reweigh(change);
      this.#parts.watch.noteShare(change);
    }
  }

  *visit(record: VisitRecord, job: Pinned): Generator<void> {
    const { entry } = job;
    this.#ended(job);
    if (record.origin.via === 'recheck') {
      if (this.#parts.revisits.looked(record)) yield* this.#followUnwanted(record, job);
      return;
    }
    this.#parts.tally.visit(record.result);
    if (record.result === 'duplicate') this.#applyDuplicate(record, job);
    const lifted = liftedObstacle(record, this.#facts.steering.configured, this.#facts.config);
    if (lifted !== undefined && (job.role !== 'crawled' || !this.#parts.gate.isBarred(entry))) {
      this.#parts.reopened.set(entry.url, lifted);
      this.#retry({ ...job, entry: { ...entry, tries: 0 } });
      return;
    }
    this.#parts.guard.visit(record, entry.host);
    if (job.role !== 'crawled' && record.result !== 'redirected') this.#parts.training.fail(job, record);
    if (record.retried) {
      this.#parts.waiting.failed(entry);
      this.#retry({ ...job, entry: { ...entry, tries: entry.tries + 1 } });
      return;
    }
    if (record.result !== 'duplicate') this.#parts.seen.add(entry.url, 0);
    if (record.reason === LINKS_FOLLOWED) {
      this.#countUnstored(job);
      yield* this.#followUnwanted(record, job);
    }
    this.#parts.following.gone(entry.url);
    if (record.result === 'redirected') {
      const detail = this.#parts.redirects.follow(record, job);
      if (detail !== '' && job.role !== 'crawled') this.#parts.training.fail(job, { ...record, detail });
    }
  }

  /** Ends a job when its record has arrived. */
  #ended(job: Pinned): void {
    this.#parts.following.fetched(job.entry.url);
    this.#parts.waiting.end(job);
    this.#parts.reopened.delete(job.entry.url);
  }

  /** Offers the links of a page that asks not to be stored as if behind a rejected page. */
  *#followUnwanted(record: VisitRecord, job: Pinned): Generator<void> {
    yield* this.#parts.following.judged(unwantedPage(record, job, this.#facts.config.crawl.tunnelDecay));
  }

  /** Counts a fetch without a stored page like a page: otherwise a site of only copies would never reach its limit. */
  #countUnstored(job: Pinned): void {
    if (!isBudgeted(job)) return;
    this.#parts.tally.unstored(this.#facts.phase);
    this.#parts.finds.counted(false);
    this.#parts.waiting.spend(job.entry);
    const { topic, host } = job.entry;
    this.#parts.watch.note({
      topic,
      host,
      isRelevant: false,
      place: undefined,
      isPlaceGood: false,
      links: 0,
      known: 0,
    });
  }

  #applyDuplicate(record: VisitRecord, job: Pinned): void {
    const { entry } = job;
    this.#countUnstored(job);
    const urls = [entry.url, ...entry.redirects];
    for (const url of [...urls, ...this.#parts.redirects.ledTo(urls)]) this.#parts.seen.add(url, record.page);
    if (isBudgeted(job)) this.#parts.copies.found(record);
    this.#parts.guard.duplicate({ url: entry.url, origin: record.origin }, entry.host, record.page);
  }

  /** Returns a job that was taken but not requested: it waits as before. */
  giveBack(job: Pinned): void {
    this.#parts.waiting.giveBack(job);
    this.#retry(job);
  }

  #isLeftAlone({ role, entry }: Pinned): boolean {
    return role === 'crawled' && this.#parts.gate.isLeftAlone(entry.host);
  }

  #retry(job: Pinned): void {
    const isBarred = job.role === 'crawled' && this.#parts.gate.isBarred(job.entry);
    if (!isBarred && !isBudgeted(job) && !this.#isLeftAlone(job)) this.#parts.waiting.pinned.add([job]);
    else if (!isBarred && !this.#parts.waiting.isSpent(job.entry)) this.#parts.following.frontier.offer(job.entry);
    else this.#parts.following.gone(job.entry.url);
  }
}

/**
 * Returns an example's record with its role in the current bingo.yaml: a page fetched for OTHERS may now be an
 * example, or the reverse.
 */
function asNamed(record: PageRecord, job: Pinned, tree: TopicTree): PageRecord {
  const { role } = job;
  if (record.role === role || record.role === 'crawled' || role === 'crawled') return record;
  return { ...record, role, assignment: exampleAssignment(job, tree) };
}

/** The ordering still receives the page: it learns that a link led to a page of a topic. */
function withoutLinks(page: JudgedPage): JudgedPage {
  return { ...page, links: [] };
}
