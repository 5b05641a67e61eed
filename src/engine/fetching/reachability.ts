import { type CanonicalUrl, type FetchOutcome, hostOf, type Refusal } from '../../core/index.ts';
import { registeredDomain } from '../../crawl/index.ts';

/** What waiting for the network needs of the world. */
export interface ReachabilityPorts {
  /** Whether a server that answered before does so now. Never rejects. */
  readonly isReachable: (url: CanonicalUrl) => Promise<boolean>;
  readonly sleep: (ms: number) => Promise<void>;
  /** False: the run ends, nobody waits any longer. */
  readonly isWanted: () => boolean;
  readonly onLost: () => void;
  readonly onBack: () => void;
}

/** So many sites without an answer, one after the other, give rise to doubt; and so many that answered before are asked then. */
const SITES = 3;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Reasons for which no byte of an answer came. */
const SILENT: ReadonlySet<string> = new Set(['dns', 'connect', 'timeout', 'reset']);
/** What tells of a machine that has no way out, or no name server; and so many of them in a row rouse doubt. */
const NO_WAY_OUT = /\b(?:ENETUNREACH|ENETDOWN|EAI_AGAIN|no name server answers)\b/;
const WITHOUT_WAY = 2;
/** The way out that the person chose; once is enough, as a proxy serves all hosts. */
const NO_PROXY = /\bthe proxy does not answer\b/;
/** Refusals for which nobody is asked. */
const UNASKED: ReadonlySet<string> = new Set(['private-address', 'port'] satisfies Refusal[]);

/**
 * Tells a host that is down from a machine that has lost its network: a laptop that slept or left its Wi-Fi. When several
 * sites in a row are silent, or the machine finds no way to any, those that answered last are asked for their robots.txt. Only when these are silent, too, fetches
 * wait for one of them to come back, or for an answer to what else was asked, and are then repeated: no host is blamed and no link is lost
 * for it. A crawl that has seen nobody answer yet, in no run, never waits.
 */
export class Reachability {
  readonly #ports: ReachabilityPorts;
  /** A page of each site that answered, the latest at the end. */
  readonly #answered = new Map<string, CanonicalUrl>();
  /** Sites that were silent since the last answer. */
  readonly #silent = new Set<string>();
  /** Fetches since the last answer for which there was no way out of this machine. */
  #withoutWay = 0;
  #looking: Promise<boolean> | undefined;
  /** When it was last found to be there. */
  #foundAt = Number.NEGATIVE_INFINITY;
  /** Somebody was heard since the network was looked for. */
  #isHeard = false;

  constructor(ports: ReachabilityPorts) {
    this.#ports = ports;
  }

  /** A page whose site answered an earlier run; the latest is told last. */
  recall(url: CanonicalUrl): void {
    this.#remember(registeredDomain(hostOf(url)), url);
  }

  /** True: there was no network to fetch the page by. It is back by then, or nobody waits for it any longer. */
  async wasLost(outcome: FetchOutcome): Promise<boolean> {
    const site = registeredDomain(hostOf(outcome.url));
    if (!isSilence(outcome)) {
      this.#forget();
      if (isAnswer(outcome)) this.#hear(site, outcome.url);
      return false;
    }
    this.#silent.add(site);
    if (NO_PROXY.test(outcome.detail)) this.#withoutWay = WITHOUT_WAY;
    else if (NO_WAY_OUT.test(outcome.detail)) this.#withoutWay++;
    const isDoubtful = this.#silent.size >= SITES || this.#withoutWay >= WITHOUT_WAY;
    if (!isDoubtful || this.#answered.size === 0) return false;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#forget();
    });
    return await this.#looking;
  }

  #forget(): void {
    this.#silent.clear();
    this.#withoutWay = 0;
  }

  #hear(site: string, url: CanonicalUrl): void {
    this.#isHeard = true;
    this.#remember(site, url);
  }

  #remember(site: string, url: CanonicalUrl): void {
    this.#answered.delete(site);
    this.#answered.set(site, url);
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > SITES && oldest !== undefined) this.#answered.delete(oldest);
  }

  async #look(): Promise<boolean> {
    const { sleep, isWanted, onLost, onBack } = this.#ports;
    this.#isHeard = false;
    // Those that answer are guests' hosts as well: a name server that is down must not have them asked dozens of times a second.
    const restMs = Math.ceil(this.#foundAt + FIRST_PAUSE_MS - performance.now());
    if (restMs > 0) await sleep(restMs);
    if (this.#isHeard || (await this.#isAnyReachable())) {
      this.#foundAt = performance.now();
      return false;
    }
    onLost();
    for (let pauseMs = FIRST_PAUSE_MS; isWanted(); pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      await sleep(pauseMs);
      if (!isWanted() || !(this.#isHeard || (await this.#isAnyReachable()))) continue;
      onBack();
      return true;
    }
    return true;
  }

  async #isAnyReachable(): Promise<boolean> {
    const answers = await Promise.all([...this.#answered.values()].map((url) => this.#ports.isReachable(url)));
    return answers.includes(true);
  }
}

/**
 * True when a web server has spoken to us, as it will again. A name that does not exist or a certificate that is not trusted show that the
 * network is there, but nobody who could be asked later.
 */
function isAnswer(outcome: FetchOutcome): boolean {
  if (outcome.kind === 'failed') return outcome.status > 0;
  return outcome.kind !== 'refused' || !UNASKED.has(outcome.reason);
}

function isSilence(outcome: FetchOutcome): outcome is FetchOutcome & { kind: 'failed' } {
  return outcome.kind === 'failed' && outcome.status === 0 && outcome.retry === 'later' && SILENT.has(outcome.reason);
}
