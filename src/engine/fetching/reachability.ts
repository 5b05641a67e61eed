import {
  type CanonicalUrl,
  type FetchedPage,
  type FetchOutcome,
  hostOf,
  type Refusal,
  siteOfUrl,
} from '../../core/index.ts';
import { FORGED, NAMELESS, type Notice, OFFLINE } from '../alarms.ts';
import { Forgery } from './forgery.ts';

/** What waiting for the network needs of the world. */
export interface ReachabilityPorts {
  /** Whether a server that answered before does so now. Never rejects. */
  readonly isReachable: (url: CanonicalUrl) => Promise<boolean>;
  /** Whether a host's name is known to the name server, asked for anew; `undefined` when there is none to ask. Never rejects. */
  readonly isNamed: (host: string) => Promise<boolean | undefined>;
  /** Asks for a page that answered before. Never rejects. */
  readonly fetch: (url: CanonicalUrl) => Promise<FetchOutcome>;
  /** Nobody will look at the body of a page that `fetch` gave again. */
  readonly release: (page: FetchedPage) => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** False: the run ends, nobody waits any longer. */
  readonly isWanted: () => boolean;
  readonly onLost: (notice: Notice) => void;
  readonly onBack: () => void;
  /** Before anything is repeated: what was learned meanwhile counts no more. @param wasForged that is true of answers, too, not only of troubles */
  readonly forget: (wasForged: boolean) => void;
}

/** So many sites without an answer, one after the other, give rise to doubt; and so many that answered before are asked then. */
const SITES = 3;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Reasons for which no byte of an answer came. */
const SILENT: ReadonlySet<string> = new Set(['dns', 'connect', 'timeout', 'reset']);
/** What tells of a machine that has no way out; and so many of them in a row rouse doubt. */
const NO_WAY_OUT = /\b(?:ENETUNREACH|ENETDOWN)\b/;
const WITHOUT_WAY = 2;
/** The way out that the person chose; once is enough, as a proxy serves all hosts. */
const NO_PROXY = /\bthe proxy does not answer\b/;
/** Refusals for which nobody is asked. */
const UNASKED: ReadonlySet<string> = new Set(['private-address', 'port'] satisfies Refusal[]);

/** What may be missing: a way to anybody, the names of all, or their own answers. */
type Lack = 'way' | 'names' | 'truth';

const NOTICES: Readonly<Record<Lack, Notice>> = { way: OFFLINE, names: NAMELESS, truth: FORGED };

/**
 * Tells a host that is down from a machine that has lost its network: a laptop that slept, left its Wi-Fi, or came to one that wants a login.
 *
 * | doubt                                                        | who is asked then, of those that answered last |
 * |--------------------------------------------------------------|------------------------------------------------|
 * | several sites in a row are silent, or there is no way to any | their robots.txt                               |
 * | a name does not exist, or no name server answers             | the name server, for their names               |
 * | several sites in a row say the same that is not theirs       | the pages that answered                        |
 *
 * Only when this fails, too, fetches wait until it does not, or somebody else answers, and are then repeated: no host is blamed and no link is
 * lost for it. A crawl that has seen nobody answer yet, in no run, never waits.
 */
export class Reachability {
  readonly #ports: ReachabilityPorts;
  /** A page of each site that answered, the latest at the end. */
  readonly #answered = new Map<string, CanonicalUrl>();
  /** Sites that were silent since the last answer. */
  readonly #silent = new Set<string>();
  readonly #forgery = new Forgery(SITES);
  /** Fetches since the last answer for which there was no way out of this machine. */
  #withoutWay = 0;
  readonly #looking = new Map<Lack, Promise<boolean>>();
  /** What is missing now. */
  readonly #missing = new Set<Lack>();
  /** When sites were last found to be there. */
  #foundAt = Number.NEGATIVE_INFINITY;
  /** Somebody was heard since the network was looked for. */
  #isHeard = false;

  constructor(ports: ReachabilityPorts) {
    this.#ports = ports;
  }

  /** A page whose site answered an earlier run; the latest is told last. */
  recall(url: CanonicalUrl): void {
    this.#remember(url);
  }

  /** True: there was no network to fetch the page by. It is back by then, or nobody waits for it any longer. */
  async wasLost(outcome: FetchOutcome): Promise<boolean> {
    const lack = this.#doubtAt(outcome);
    if (lack === undefined || this.#answered.size === 0) return false;
    const looking = this.#looking.get(lack) ?? this.#look(lack).finally(() => this.#forget(lack));
    this.#looking.set(lack, looking);
    return await looking;
  }

  #doubtAt(outcome: FetchOutcome): Lack | undefined {
    const isForged = this.#forgery.rousesDoubt(outcome);
    if (isNameless(outcome)) return 'names';
    if (isSilence(outcome)) {
      this.#silent.add(siteOfUrl(outcome.url));
      if (NO_PROXY.test(outcome.detail)) this.#withoutWay = WITHOUT_WAY;
      else if (NO_WAY_OUT.test(outcome.detail)) this.#withoutWay++;
      return this.#silent.size >= SITES || this.#withoutWay >= WITHOUT_WAY ? 'way' : undefined;
    }
    this.#forgetSilence();
    if (isForged) return 'truth';
    if (isAnswer(outcome) && !this.#forgery.isAccused(outcome)) {
      this.#isHeard = true;
      this.#remember(outcome.url);
    }
    return undefined;
  }

  #forget(lack: Lack): void {
    this.#looking.delete(lack);
    if (lack === 'truth') this.#forgery.forget();
    else this.#forgetSilence();
  }

  #forgetSilence(): void {
    this.#silent.clear();
    this.#withoutWay = 0;
  }

  #remember(url: CanonicalUrl): void {
    const site = siteOfUrl(url);
    this.#answered.delete(site);
    this.#answered.set(site, url);
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > SITES && oldest !== undefined) this.#answered.delete(oldest);
  }

  async #look(lack: Lack): Promise<boolean> {
    const { sleep, isWanted, onLost, onBack, forget } = this.#ports;
    this.#isHeard = false;
    if (await this.#isFound(lack)) return false;
    if (this.#missing.size === 0) onLost(NOTICES[lack]);
    this.#missing.add(lack);
    for (let pauseMs = FIRST_PAUSE_MS; isWanted(); pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      await sleep(pauseMs);
      if (isWanted() && (await this.#isThere(lack))) break;
    }
    this.#missing.delete(lack);
    forget(lack === 'truth');
    if (isWanted() && this.#missing.size === 0) onBack();
    return true;
  }

  /** Those that answer are guests' hosts as well: who has lost names or hosts only must not have them asked dozens of times a second. */
  async #isFound(lack: Lack): Promise<boolean> {
    const restMs = lack === 'names' ? 0 : Math.ceil(this.#foundAt + FIRST_PAUSE_MS - performance.now());
    if (restMs > 0) await this.#ports.sleep(restMs);
    if (!(await this.#isThere(lack))) return false;
    if (lack !== 'names') this.#foundAt = performance.now();
    return true;
  }

  async #isThere(lack: Lack): Promise<boolean> {
    const known = [...this.#answered.values()];
    if (lack === 'way') return this.#isHeard || (await Promise.all(known.map(this.#ports.isReachable))).includes(true);
    if (lack === 'names') return await this.#areNamesKnown(known.reverse());
    return await this.#isAnyOwn(known.filter((url) => !this.#forgery.isAccused({ url })));
  }

  /** Whether one of the sites says what is its own, or there is none to ask. */
  async #isAnyOwn(urls: readonly CanonicalUrl[]): Promise<boolean> {
    const { fetch, release } = this.#ports;
    const outcomes = await Promise.all(urls.map(fetch));
    const isAnyOwn = outcomes.length === 0 || outcomes.some((outcome) => !this.#forgery.isForged(outcome));
    for (const outcome of outcomes) if (outcome.kind === 'fetched') release(outcome);
    return isAnyOwn;
  }

  /** The first name is mostly enough. Where hosts have no names, nothing is known of the name server. */
  async #areNamesKnown([latest, ...others]: readonly CanonicalUrl[]): Promise<boolean> {
    const isNamed = (url: CanonicalUrl): Promise<boolean | undefined> => this.#ports.isNamed(hostOf(url));
    const first = latest && (await isNamed(latest));
    if (first === true) return true;
    const named = [first, ...(await Promise.all(others.map(isNamed)))];
    return named.includes(true) || !named.includes(false);
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

function isNameless(outcome: FetchOutcome): boolean {
  return isUnanswered(outcome) && outcome.reason === 'dns' && !NO_PROXY.test(outcome.detail);
}

function isSilence(outcome: FetchOutcome): outcome is FetchOutcome & { kind: 'failed' } {
  return isUnanswered(outcome) && outcome.retry === 'later' && SILENT.has(outcome.reason);
}

function isUnanswered(outcome: FetchOutcome): outcome is FetchOutcome & { kind: 'failed' } {
  return outcome.kind === 'failed' && outcome.status === 0;
}
