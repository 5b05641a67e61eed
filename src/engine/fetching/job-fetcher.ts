import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CanonicalUrl,
  type Config,
  type FetchedPage,
  type FetchOutcome,
  type Forward,
  hostOf,
  NOT_NOW,
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

/** What fetching needs of the crawl. */
export interface JobFetcherPorts {
  readonly config: Pick<Config['crawl'], 'maxTries'>;
  readonly fetcher: Fetcher;
  readonly analyzer: Analyzer;
  readonly hosts: HostClocks;
  readonly now: () => number;
  /** Never goes back and never jumps. */
  readonly steadyNow: () => number;
  readonly state: () => Pick<CrawlState, 'phase' | 'surroundings'>;
  /** False: the run ends, nobody waits for the network any longer. */
  readonly isWanted: () => boolean;
  /** Aborts when the run ends: a fetch whose request has not begun is given up. */
  readonly ending: AbortSignal;
  readonly alarm: (notice: Notice) => void;
}

/** What came of a fetch; `analysis` is there for what was fetched. */
export interface JobAnswer {
  readonly outcome: FetchOutcome;
  readonly analysis: Analysis | undefined;
}

/** While the network is away it is looked so often whether the run is to end. */
const LOOK_MS = 500;

/** Until then a file may have been closed. */
const FILES_PAUSE_MS = 1_000;
/** The process, or the whole machine, may open no more files: no host is to blame. */
const OUT_OF_FILES = /\b(?:EMFILE|ENFILE)\b/;

/** A host that was too busy to be asked rests at least so long. */
const NOT_NOW_MS = 100;

/** Of a page that broke off so many words must have come for it to be kept. */
const MIN_PART_TOKENS = 50;

/** Has jobs fetched and what they bring analysed; tells the clocks of their hosts how it went. */
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

  /** A page that an earlier run was answered for: its site is asked when the network seems lost before anybody answered this one. */
  recall(url: CanonicalUrl): void {
    this.#reachability.recall(url);
  }

  /**
   * `undefined` if no page was asked for: the host or its address is too busy now, or the run ends. The fetch is as if it had never been.
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

  /** Whatever was to be told of the answer is told. */
  release({ outcome }: JobAnswer): void {
    if (outcome.kind === 'fetched') this.#fetcher.release(outcome);
  }

  /** A trouble that may pass, and the job has tries left. */
  isTriedAgain({ entry }: Pinned, outcome: FetchOutcome): boolean {
    const hasTries =
      outcome.kind === 'failed' && outcome.retry === 'later' && entry.tries + 1 < this.#ports.config.maxTries;
    return hasTries && !this.#ports.hosts.isBad(entry.host);
  }

  /** The answer of a job whose host is bad: nobody is asked. */
  givenUp({ entry: { url, host } }: Pinned): JobAnswer {
    const detail = `${host} is left alone after ${counted(this.#ports.config.maxTries, 'failure')}`;
    const fetchedAt = this.#ports.now();
    return { outcome: { kind: 'refused', url, reason: 'bad-host', detail, fetchedAt }, analysis: undefined };
  }

  /** Waits and asks again when there was no network to ask by. */
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

  /** `undefined` if the run ends before the request for the page begins: it may wait for a robots.txt, a name or a connection. */
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
    // What a server asks for another one is not its business.
    const isOwnRedirect = outcome.kind === 'redirected' && hostOf(outcome.target) === host;
    const isTrouble = outcome.kind === 'failed' && result === 'failed';
    hosts.release(host, steadyNow(), result, isTrouble || isOwnRedirect ? outcome.retryAfterMs : undefined);
  }

  /** What came of a page that broke off each time it was asked for. A stored page is not replaced by a part of it. */
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

function isNotNow(outcome: FetchOutcome): outcome is FetchOutcome & { kind: 'failed' } {
  return outcome.kind === 'failed' && outcome.reason === NOT_NOW;
}

function isOutOfFiles(outcome: FetchOutcome): boolean {
  return outcome.kind === 'failed' && outcome.reason === 'connect' && OUT_OF_FILES.test(outcome.detail);
}

function isWorthKeeping(part: Analysis | undefined): boolean {
  return part?.kind === 'analyzed' && part.document.tokens >= MIN_PART_TOKENS;
}

/** A page that is there to send its reader elsewhere (a meta refresh) is a redirect, whatever its status. */
function redirectOf({ url, status, fetchedAt }: FetchedPage, { target, isAtOnce }: Forward): FetchOutcome {
  return { kind: 'redirected', url, target, status, permanent: isAtOnce, fetchedAt };
}

/** What to ask for, when the page is still where it was. */
function knownVersion(job: Pinned): KnownVersion | undefined {
  return isRecheck(job) && job.entry.url === job.recheck.finalUrl ? job.recheck : undefined;
}
