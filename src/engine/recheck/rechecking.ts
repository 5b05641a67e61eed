import type { Assignment, CanonicalUrl, Config, JournalRecord, PageHistory } from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import type { JobAnswer } from '../fetching/job-fetcher.ts';
import { pageRecord, type Unnumbered } from '../records.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import type { Pinned, RecheckJob } from '../state/jobs.ts';
import type { TopicNames } from '../state/topic-names.ts';
import { HeldPlaces } from './held-places.ts';
import { type DeadEnd, deadEndOf, isAway, type NewVersion, recheckAnswer } from './recheck-answer.ts';
import { type RecheckCounts, RecheckQueue } from './recheck-queue.ts';

/** What a recheck needs of the crawl. */
export interface RecheckingPorts {
  readonly config: Pick<Config, 'recheck' | 'crawl'>;
  readonly hosts: HostClocks;
  readonly state: () => CrawlState;
  readonly append: (record: Unnumbered<JournalRecord>, job: Pinned) => void;
}

/** Looks at stored pages again while the crawl harvests: each once, or until it is known what became of it. */
export class Rechecking {
  readonly #ports: RecheckingPorts;
  readonly #queue: RecheckQueue;
  readonly #places = new HeldPlaces();
  /** Sent for the time being to an address that is just being asked for: they wait for its answer. */
  readonly #held = new Map<CanonicalUrl, RecheckJob[]>();
  /** Where redirects for the time being ended. */
  readonly #deadEnds = new Map<CanonicalUrl, DeadEnd>();

  /** @param pages most overdue first */
  constructor(pages: readonly PageHistory[], ports: RecheckingPorts) {
    this.#ports = ports;
    this.#queue = new RecheckQueue(pages, ports.hosts);
  }

  /** How far it has come by now. */
  counts(): RecheckCounts {
    return { ...this.#queue.counts };
  }

  /** There are pages to look at, and it is the time for it. */
  get isGoingOn(): boolean {
    return !this.#queue.isEmpty && this.#ports.state().phase === 'harvesting';
  }

  /** The next page whose host is willing; it is under way until `conclude`. */
  take(now: number): RecheckJob | undefined {
    if (!this.isGoingOn) return undefined;
    const taken = this.#queue.take(now);
    if (taken === undefined) return undefined;
    const { names, waiting } = this.#ports.state();
    const job = renamed(taken, names);
    if (waiting.beginRecheck(job)) return job;
    this.#ports.hosts.release(job.entry.host, now, 'ok');
    if (isAway(job)) this.#hold(job);
    else this.#queue.count(job, 'failed', false);
    return undefined;
  }

  /** Earliest time at which `take` may give something; Infinity when nothing waits, or only the end of a request can help. */
  nextWillingAt(now: number): number {
    return this.isGoingOn ? this.#queue.nextWillingAt(now) : Number.POSITIVE_INFINITY;
  }

  /** One look is over: its record goes into the journal, or it is taken once more. */
  conclude(job: RecheckJob, answer: JobAnswer): void {
    const { url } = job.entry;
    this.#conclude(job, answer);
    const held = this.#held.get(url) ?? [];
    this.#held.delete(url);
    if (!this.#deadEnds.has(url)) for (const other of held) this.#queue.addFirst(other);
    else {
      // What is there is known by now: nobody asks once more.
      const more = this.#queue.withdraw(job.entry.host, (other) => isAway(other) && other.entry.url === url);
      const { fetchedAt } = answer.outcome;
      const sentOn = { kind: 'redirected', url, target: url, status: 0, permanent: false, fetchedAt } as const;
      for (const other of [...held, ...more]) this.#conclude(other, { outcome: sentOn, analysis: undefined });
    }
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
      pageOf: (url) => state.seen.pageOf(url),
      duplicateOf: (contentHash) => state.copies.duplicateOf(contentHash),
      hasNewLinks: (document) => state.hasNewLinks(document),
      deadEnd: (url) => this.#deadEnds.get(url),
    });
    if (isAway(job) && answer.kind === 'visit') this.#noteEnd(job, { outcome, analysis });
    switch (answer.kind) {
      case 'again':
        state.waiting.endRecheck(job);
        // Where a detour ends is known before other pages are sent there.
        if (answer.job.detour !== undefined) this.#queue.addFirst(answer.job);
        else this.#queue.add(answer.job);
        return;
      case 'visit':
        append(answer.record, job);
        if (answer.next !== undefined) this.#queue.add(answer.next);
        if (answer.end !== undefined) this.#queue.count(job, answer.end, answer.end === 'unchanged');
        return;
      case 'version': {
        append(pageRecord(job, answer.page, answer.analysis, this.#assignmentOf(job, answer)), job);
        this.#queue.count(job, job.entry.url === job.recheck.finalUrl ? 'changed' : 'moved', true);
      }
    }
  }

  /** Where redirects for the time being end is asked for once: others that lead there end there, too. */
  #noteEnd(job: RecheckJob, { outcome, analysis }: JobAnswer): void {
    const further = outcome.kind === 'redirected' ? this.#deadEnds.get(outcome.target) : undefined;
    this.#deadEnds.set(job.entry.url, further ?? deadEndOf(job, outcome, analysis));
  }

  /** Where the new version of a page belongs. */
  #assignmentOf({ role, entry, recheck }: RecheckJob, { analysis }: NewVersion): Assignment {
    const state = this.#ports.state();
    const page = { role, sequence: recheck.sequence, urls: [entry.url, recheck.finalUrl, recheck.url] };
    return this.#places.of(state).assignmentOf(page, () => state.names.assignment(analysis.assignment!));
  }
}

/** A job in the words of the tree, which may have lost or renamed its topic since. */
function renamed(job: RecheckJob, names: TopicNames): RecheckJob {
  const topic = names.kept(job.entry.topic);
  const { recheck, entry } = job;
  return { ...job, entry: { ...entry, topic }, recheck: { ...recheck, origin: { ...recheck.origin, topic } } };
}
