import {
  type Assignment,
  type CanonicalUrl,
  type Config,
  isWithin,
  type JournalRecord,
  type PageHistory,
  type RecheckCounts,
  type TopicId,
} from '../../core/index.ts';
import { distance, type HostClocks } from '../../crawl/index.ts';
import type { JobAnswer } from '../fetching/job-fetcher.ts';
import { pageRecord, type Unnumbered } from '../records.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import { isAway, type Pinned, type RecheckJob } from '../state/jobs.ts';
import type { TopicNames } from '../steering/topic-names.ts';
import type { GivenPage } from '../training/user-assignments.ts';
import { HeldPlaces } from './cached-assignments.ts';
import { type DeadEnd, deadEndOf, type NewVersion, recheckAnswer } from './recheck-answer.ts';
import { RecheckQueue } from './recheck-queue.ts';

/** What a recheck needs from the crawl. */
export interface RecheckingPorts {
  readonly config: Pick<Config, 'recheck' | 'crawl' | 'traps'>;
  readonly hosts: HostClocks;
  readonly state: () => CrawlState;
  readonly append: (record: Unnumbered<JournalRecord>, job: Pinned) => void;
}

/** An example that is gone or has changed its subject. The model keeps what it learned from it. */
export interface StaleExample {
  readonly url: CanonicalUrl;
  readonly topic: TopicId;
  readonly what: 'gone' | 'changed';
}

/** Fetches stored pages again while the crawl harvests: each once, or until its fate is clear. */
export class Rechecking {
  readonly #ports: RecheckingPorts;
  readonly #queue: RecheckQueue;
  readonly #places = new HeldPlaces();
  /** Jobs that were temporarily redirected to an address being fetched: they wait for its answer. */
  readonly #held = new Map<CanonicalUrl, RecheckJob[]>();
  readonly #staleExamples: StaleExample[] = [];
  /** Ends of temporary redirects. */
  readonly #deadEnds = new Map<CanonicalUrl, DeadEnd>();

  /** @param pages most overdue first */
  constructor(pages: readonly PageHistory[], ports: RecheckingPorts) {
    this.#ports = ports;
    this.#queue = new RecheckQueue(pages, ports.hosts);
  }

  /** Returns the current counts. */
  counts(): RecheckCounts {
    return { ...this.#queue.counts };
  }

  /** Examples that, according to this recheck, no longer show what the user chose them for. */
  get staleExamples(): readonly StaleExample[] {
    return this.#staleExamples;
  }

  /** True if pages wait and the crawl is in the phase for rechecks. */
  get isGoingOn(): boolean {
    return !this.#queue.isEmpty && this.#ports.state().phase === 'harvesting';
  }

  /** Returns the next page whose host may be asked. It counts as under way until `conclude`. */
  take(now: number): RecheckJob | undefined {
    if (!this.isGoingOn) return undefined;
    const taken = this.#queue.take(now);
    if (taken === undefined) return undefined;
    const { names, waiting } = this.#ports.state();
    const job = renamed(taken, names);
    const isAsked = !this.#ports.state().isLeftAlone(job);
    if (isAsked && waiting.beginRecheck(job)) {
      this.#ports.hosts.acquire(job.entry.host, now);
      return job;
    }
    if (isAsked && isAway(job)) this.#hold(job);
    else this.#queue.count(job, 'failed', false);
    return undefined;
  }

  /**
   * Returns the earliest time at which `take` may return a job; Infinity if nothing waits or a running request must
   * end first.
   */
  nextWillingAt(now: number): number {
    return this.isGoingOn ? this.#queue.nextWillingAt(now) : Number.POSITIVE_INFINITY;
  }

  /** Finishes one recheck: its record goes into the journal, or the job is taken again. */
  conclude(job: RecheckJob, answer: JobAnswer): void {
    const { url } = job.entry;
    this.#conclude(job, answer);
    if (!this.#deadEnds.has(url)) this.answered(url);
    else {
      const held = this.#takeHeld(url);
      // The target's content is known now: no further request is needed.
      const more = this.#queue.withdraw(job.entry.host, (other) => isAway(other) && other.entry.url === url);
      const { fetchedAt } = answer.outcome;
      const sentOn = { kind: 'redirected', url, target: url, status: 0, permanent: false, fetchedAt } as const;
      for (const other of [...held, ...more]) this.#conclude(other, { outcome: sentOn, analysis: undefined });
    }
  }

  /** Returns a job that was taken but not requested: it is taken again later. */
  giveBack(job: RecheckJob): void {
    this.#ports.state().waiting.endRecheck(job);
    this.#queue.add(job);
  }

  /** Called when an address has been answered: jobs redirected to it meanwhile make their own requests. */
  answered(url: CanonicalUrl): void {
    for (const job of this.#takeHeld(url)) this.#queue.addFirst(job);
  }

  #takeHeld(url: CanonicalUrl): readonly RecheckJob[] {
    const held = this.#held.get(url) ?? [];
    this.#held.delete(url);
    return held;
  }

  #hold(job: RecheckJob): void {
    const held = this.#held.get(job.entry.url);
    if (held === undefined) this.#held.set(job.entry.url, [job]);
    else held.push(job);
  }

  #conclude(job: RecheckJob, { outcome, analysis }: JobAnswer): void {
    const { config, hosts, append } = this.#ports;
    const state = this.#ports.state();
    const answer = recheckAnswer(job, outcome, analysis, {
      ...{ rules: config.recheck, ...config.crawl },
      isBad: (host) => hosts.isBad(host),
      isKeptOut: (url) => state.isKeptOut({ url, via: 'recheck' }),
      pageOf: (url) => state.seen.pageOf(url),
      duplicateOf: (contentHash) => state.copies.duplicateOf(contentHash),
      hasNewLinks: (document) => state.hasNewLinks(document),
      deadEnd: (url) => this.#deadEnds.get(url),
    });
    if (isAway(job) && answer.kind === 'visit') this.#noteEnd(job, { outcome, analysis });
    switch (answer.kind) {
      case 'again':
        state.waiting.endRecheck(job);
        // The end of this redirect must be known before other pages follow it.
        if (answer.job.detour !== undefined) this.#queue.addFirst(answer.job);
        else this.#queue.add(answer.job);
        return;
      case 'visit':
        append(answer.record, job);
        if (answer.next !== undefined) this.#queue.add(answer.next);
        if (answer.end === 'gone' && job.recheck.ending === undefined) this.#noteExample(job, 'gone');
        if (answer.end !== undefined) this.#queue.count(job, answer.end, answer.end === 'unchanged');
        return;
      case 'version': {
        if (this.#isElsewhere(job, answer)) this.#noteExample(job, 'changed');
        append(pageRecord(job, answer.page, answer.analysis, this.#assignmentOf(job, answer)), job);
        this.#queue.count(job, job.entry.url === job.recheck.finalUrl ? 'changed' : 'moved', true);
      }
    }
  }

  /** Records the end of temporary redirects, so that it is fetched only once for all pages redirected there. */
  #noteEnd(job: RecheckJob, { outcome, analysis }: JobAnswer): void {
    const further = outcome.kind === 'redirected' ? this.#deadEnds.get(outcome.target) : undefined;
    this.#deadEnds.set(job.entry.url, further ?? deadEndOf(job, outcome, analysis));
  }

  /** Returns the topic of a page's new version. */
  #assignmentOf(job: RecheckJob, version: NewVersion): Assignment {
    return this.#places.of(this.#ports.state()).assignmentOf(pageOf(job), () => this.#verdictOn(version));
  }

  /** Returns the model's verdict, without the user's decisions. */
  #verdictOn({ analysis }: NewVersion): Assignment {
    const { names, round } = this.#ports.state();
    return names.assignment(analysis.assignment!, round?.sequence);
  }

  #exampleOf(job: RecheckJob): TopicId | undefined {
    return this.#places.of(this.#ports.state()).exampleOf(pageOf(job));
  }

  /** True for an example whose words changed and that the model would not put into its topic. */
  #isElsewhere(job: RecheckJob, version: NewVersion): boolean {
    const own = this.#exampleOf(job);
    const { staleBits } = this.#ports.config.traps;
    if (own === undefined || distance(version.analysis.document.simhash, job.recheck.simhash) <= staleBits)
      return false;
    const { topic, others } = this.#verdictOn(version);
    return others || !isWithin(topic, own);
  }

  #noteExample(job: RecheckJob, what: StaleExample['what']): void {
    const topic = this.#exampleOf(job);
    if (topic !== undefined) this.#staleExamples.push({ url: job.recheck.finalUrl, topic, what });
  }
}

function pageOf({ role, entry, recheck }: RecheckJob): GivenPage {
  return { role, sequence: recheck.sequence, urls: [entry.url, recheck.finalUrl, recheck.url] };
}

/** Returns a job with current topic names: the tree may have removed or renamed its topic. */
function renamed(job: RecheckJob, names: TopicNames): RecheckJob {
  const topic = names.kept(job.entry.topic, job.recheck.sequence);
  const { recheck, entry } = job;
  return { ...job, entry: { ...entry, topic }, recheck: { ...recheck, origin: { ...recheck.origin, topic } } };
}
