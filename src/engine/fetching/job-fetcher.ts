import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CanonicalUrl,
  type Config,
  type FetchedPage,
  type FetchOutcome,
  type Forward,
  hostOf,
  NOT_NOW,
  type OfKind,
} from '../../core/index.ts';
import type { HostClocks } from '../../crawl/index.ts';
import { counted } from '../../kit/index.ts';
import { NO_FILES, type Notice, ONLINE } from '../alarms.ts';
import type { Analysis, Analyzer, Fetcher, KnownVersion } from '../ports.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import { isRecheck, type Pinned } from '../state/jobs.ts';
import { hostResultOf } from './host-history.ts';
import { MemberFetcher } from './member-fetcher.ts';
import { Reachability } from './reachability.ts';

/** What fetching needs from the crawl. */
export interface JobFetcherPorts {
  readonly config: Pick<Config['crawl'], 'maxTries'>;
  readonly fetcher: Fetcher;
  readonly analyzer: Analyzer;
  readonly hosts: HostClocks;
  readonly now: () => number;
  /** Clock that never jumps or runs backwards. */
  readonly steadyNow: () => number;
  readonly state: () => Pick<CrawlState, 'phase' | 'surroundings'>;
  /** False if the run is ending: stop waiting for the network. */
  readonly isWanted: () => boolean;
  /** Aborts when the run ends: a fetch whose request has not started is given up. */
  readonly ending: AbortSignal;
  readonly alarm: (notice: Notice) => void;
}

/** Result of a fetch; `analysis` is set if a page was fetched. */
export interface JobAnswer {
  readonly outcome: FetchOutcome;
  readonly analysis: Analysis | undefined;
}

/** How often to check, without a network, whether the run is ending. */
const LOOK_MS = 500;

/** Wait until some file may have been closed. */
const FILES_PAUSE_MS = 1_000;
/** The process or the machine has too many open files: no host is at fault. */
const OUT_OF_FILES = /\b(?:EMFILE|ENFILE)\b/;

/** Minimum pause of a host that was too busy. */
const NOT_NOW_MS = 100;

/** A truncated page is kept if it has at least this many words. */
const MIN_PART_TOKENS = 50;

/** Fetches jobs, analyses the pages, and reports the outcome to the hosts' clocks. */
export class JobFetcher {
  readonly #ports: JobFetcherPorts;
  readonly #fetcher: MemberFetcher;
  readonly #reachability: Reachability;
  #isOutOfFilesTold = false;

  constructor(ports: JobFetcherPorts) {
    this.#ports = ports;
    this.#fetcher = new MemberFetcher(ports.fetcher);
    this.#reachability = this.#newReachability();
  }

  /**
   * Remembers a page that an earlier run fetched. If the network seems lost before this run gets any answer, its site
   * is asked.
   */
  recall(url: CanonicalUrl): void {
    this.#reachability.recall(url);
  }

  /** True while fetches wait for the network. */
  get isWaiting(): boolean {
    return this.#reachability.isWaiting;
  }

  /**
   * Returns `undefined` if no page was requested: the host or its address is too busy, or the run is ending. The job
   * is then unchanged.
   */
  async answer(job: Pinned): Promise<JobAnswer | undefined> {
    const answer = await this.#fetch(job);
    this.#releaseHost(job, answer);
    if (answer === undefined || isNotNow(answer)) return undefined;
    const page = answer.kind === 'fetched' ? answer : this.#lastPart(job, answer);
    const analysis = page && (await this.#analyze(job, page));
    const forward = analysis?.kind === 'analyzed' ? analysis.document.forward : undefined;
    if (answer.kind === 'fetched' && forward !== undefined) {
      this.#fetcher.release(answer);
      return { outcome: redirectOf(answer, forward), analysis: undefined };
    }
    const outcome = page !== undefined && (page === answer || isWorthKeeping(analysis)) ? page : answer;
    return { outcome, analysis };
  }

  /** Frees the response body once all listeners have run. */
  release({ outcome }: JobAnswer): void {
    if (outcome.kind === 'fetched') this.#fetcher.release(outcome);
  }

  /** True if the failure may be temporary and the job has tries left. */
  isTriedAgain({ entry }: Pinned, outcome: FetchOutcome): boolean {
    const hasTries =
      outcome.kind === 'failed' && outcome.retry === 'later' && entry.tries + 1 < this.#ports.config.maxTries;
    return hasTries && !this.#ports.hosts.isBad(entry.host);
  }

  /** Returns the answer for a job on a bad host, without a request. */
  givenUp({ entry: { url, host } }: Pinned): JobAnswer {
    const detail = `${host} is skipped after ${counted(this.#ports.config.maxTries, 'failure')}`;
    const fetchedAt = this.#ports.now();
    return { outcome: { kind: 'refused', url, reason: 'bad-host', detail, fetchedAt }, analysis: undefined };
  }

  /** Fetches; waits and retries if the network was down. */
  async #fetch(job: Pinned): Promise<FetchOutcome | undefined> {
    const { hosts, steadyNow } = this.#ports;
    const { url, host } = job.entry;
    for (;;) {
      if (!this.#ports.isWanted()) return undefined;
      const sent = hosts.prepare(host);
      const outcome = await this.#fetchUnlessEnding(url, knownVersion(job), () => sent(steadyNow()));
      sent();
      if (outcome === undefined) return undefined;
      if (isNotNow(outcome)) return outcome;
      if (isOutOfFiles(outcome)) await this.#waitForFiles();
      else if (!(await this.#wasLost(outcome))) return outcome;
      else if (outcome.kind === 'fetched') this.#fetcher.release(outcome);
    }
  }

  /**
   * Returns `undefined` if the run ends before the page request starts: it may wait for a robots.txt, a name or a
   * connection.
   */
  #fetchUnlessEnding(
    url: CanonicalUrl,
    known: KnownVersion | undefined,
    onBegin: () => void,
  ): Promise<FetchOutcome | undefined> {
    const { ending } = this.#ports;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => resolve(undefined);
      ending.addEventListener('abort', giveUp, { once: true });
      const begin = (): void => {
        ending.removeEventListener('abort', giveUp);
        onBegin();
      };
      this.#fetcher
        .fetch(url, known, begin)
        .then(resolve, reject)
        .finally(() => ending.removeEventListener('abort', giveUp));
    });
  }

  async #wasLost(outcome: FetchOutcome): Promise<boolean> {
    const hasNetwork = this.#ports.fetcher.isReachable !== undefined;
    return hasNetwork && (await this.#reachability.wasLost(outcome));
  }

  async #waitForFiles(): Promise<void> {
    if (!this.#isOutOfFilesTold) this.#ports.alarm(NO_FILES);
    this.#isOutOfFilesTold = true;
    await sleep(FILES_PAUSE_MS);
  }

  #newReachability(): Reachability {
    const { fetcher, isWanted, alarm } = this.#ports;
    return new Reachability({
      isReachable: async (url) => (await fetcher.isReachable?.(url)) ?? true,
      isNamed: async (host) => await fetcher.isNamed?.(host),
      fetch: async (url) => await fetcher.fetch(url),
      release: (page) => fetcher.release?.(page),
      sleep: async (ms) => {
        const end = performance.now() + ms;
        for (let left = ms; left > 0 && isWanted(); left = end - performance.now())
          await sleep(Math.min(LOOK_MS, left));
      },
      isWanted,
      onLost: alarm,
      onBack: () => alarm(ONLINE),
      forget: (wasForged) => fetcher.forget?.(wasForged),
    });
  }

  #releaseHost(job: Pinned, outcome: FetchOutcome | undefined): void {
    const { hosts, steadyNow } = this.#ports;
    const { host } = job.entry;
    const crawlDelayMs = this.#fetcher.crawlDelayMs(host);
    if (crawlDelayMs > 0) hosts.setCrawlDelay(host, crawlDelayMs);
    if (outcome === undefined || isNotNow(outcome)) {
      const restMs = Math.max(NOT_NOW_MS, outcome?.retryAfterMs ?? 0);
      hosts.release(host, steadyNow(), 'unsent', outcome && restMs);
      return;
    }
    const result = hostResultOf(outcome, job);
    // A pause requested by another host does not apply to this one.
    const isOwnRedirect = outcome.kind === 'redirected' && hostOf(outcome.target) === host;
    const isTrouble = outcome.kind === 'failed' && result === 'failed';
    hosts.release(host, steadyNow(), result, isTrouble || isOwnRedirect ? outcome.retryAfterMs : undefined);
  }

  /** Returns the part received of a page that was truncated on every try. A part never replaces a stored page. */
  #lastPart(job: Pinned, answer: FetchOutcome): FetchedPage | undefined {
    const isLast = !isRecheck(job) && answer.kind === 'failed' && !this.isTriedAgain(job, answer);
    return isLast ? answer.part : undefined;
  }

  #analyze({ entry }: Pinned, page: FetchedPage): Promise<Analysis> {
    const { phase, surroundings } = this.#ports.state();
    const mode = phase === 'harvesting' ? 'harvesting' : 'learning';
    return this.#ports.analyzer.analyze(page, mode, surroundings.of([entry.url, ...entry.redirects]));
  }
}

function isNotNow(
  outcome: FetchOutcome,
): outcome is OfKind<FetchOutcome, 'failed'> & { readonly reason: typeof NOT_NOW } {
  return outcome.kind === 'failed' && outcome.reason === NOT_NOW;
}

function isOutOfFiles(outcome: FetchOutcome): boolean {
  return outcome.kind === 'failed' && outcome.reason === 'connect' && OUT_OF_FILES.test(outcome.detail);
}

function isWorthKeeping(part: Analysis | undefined): boolean {
  return part?.kind === 'analyzed' && part.document.tokens >= MIN_PART_TOKENS;
}

/** Treats a page that forwards its reader (meta refresh) as a redirect, whatever its status. */
function redirectOf({ url, status, fetchedAt }: FetchedPage, { target, isAtOnce }: Forward): FetchOutcome {
  return { kind: 'redirected', url, target, status, permanent: isAtOnce, fetchedAt };
}

/** Returns the version to ask for, if the page is still at the same URL. */
function knownVersion(job: Pinned): KnownVersion | undefined {
  return isRecheck(job) && job.entry.url === job.recheck.finalUrl ? job.recheck : undefined;
}
