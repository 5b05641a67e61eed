import {
  type CanonicalUrl,
  type FetchedPage,
  type FetchOutcome,
  hostOf,
  type OfKind,
  type Refusal,
  siteOfUrl,
} from '../../core/index.ts';
import { FORGED, NAMELESS, type Notice, OFFLINE } from '../alarms.ts';
import { Forgery } from './captive-portal.ts';

/** What waiting for the network needs from outside. */
export interface ReachabilityPorts {
  /** Resolves to true if a server that answered before answers now. Never rejects. */
  readonly isReachable: (url: CanonicalUrl) => Promise<boolean>;
  /**
   * Resolves to true if a fresh query to the name server finds the host; `undefined` if there is no name server.
   * Never rejects.
   */
  readonly isNamed: (host: string) => Promise<boolean | undefined>;
  /** Fetches a page that answered before. Never rejects. */
  readonly fetch: (url: CanonicalUrl) => Promise<FetchOutcome>;
  /** Frees the body of a page that `fetch` returned. */
  readonly release: (page: FetchedPage) => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** False if the run is ending: stop waiting. */
  readonly isWanted: () => boolean;
  readonly onLost: (notice: Notice) => void;
  readonly onBack: () => void;
  /**
   * Called before fetches are repeated: drops what was learned during the outage. @param wasForged true: also drop
   * answers, not only failures
   */
  readonly forget: (wasForged: boolean) => void;
}

/** Number of consecutive sites without an answer that raises doubt, and of earlier sites that are then asked. */
const SITES = 3;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Failure reasons without a single byte of an answer. */
const SILENT: ReadonlySet<string> = new Set(['dns', 'connect', 'timeout', 'reset']);
/** Errors of a machine without a route to the network. Several in a row raise doubt. */
const NO_WAY_OUT = /\b(?:ENETUNREACH|ENETDOWN)\b/;
const WITHOUT_WAY = 2;
/** The proxy that the user chose is down. Once is enough, as it serves all hosts. */
const NO_PROXY = /\bthe proxy does not answer\b/;
/** Refusals without a request. */
const UNASKED: ReadonlySet<string> = new Set(['private-address', 'port'] satisfies Refusal[]);

/** What may be missing: any route, name resolution, or the sites' own answers. */
type Lack = 'way' | 'names' | 'truth';

const NOTICES: Readonly<Record<Lack, Notice>> = { way: OFFLINE, names: NAMELESS, truth: FORGED };

/**
 * Distinguishes a host that is down from a machine without a network: a laptop that slept, left its Wi-Fi, or joined
 * one that requires a login.
 *
 * | doubt                                                        | check, with the sites that answered last |
 * |--------------------------------------------------------------|------------------------------------------|
 * | several sites in a row do not answer, or there is no route   | fetch their robots.txt                   |
 * | a name does not exist, or no name server answers             | ask the name server for their names      |
 * | several sites in a row give the same foreign answer          | fetch the pages that answered            |
 *
 * If the check fails too, fetches wait until it succeeds or another site answers, and are then repeated. No host is
 * blamed and no link is lost. A crawl that has never received an answer, in any run, never waits.
 */
export class Reachability {
  readonly #ports: ReachabilityPorts;
  /** One page per site that answered, the latest last. */
  readonly #answered = new Map<string, CanonicalUrl>();
  /** Sites that have not answered since the last answer. */
  readonly #silent = new Set<string>();
  readonly #forgery = new Forgery(SITES);
  /** Fetches since the last answer that failed for lack of a route. */
  #withoutWay = 0;
  readonly #looking = new Map<Lack, Promise<boolean>>();
  /** What is missing now. */
  readonly #missing = new Set<Lack>();
  /** When the last check succeeded. */
  #foundAt = Number.NEGATIVE_INFINITY;
  /** True if any site answered since the last check. */
  #isHeard = false;

  constructor(ports: ReachabilityPorts) {
    this.#ports = ports;
  }

  /** True while fetches wait for the network. */
  get isWaiting(): boolean {
    return this.#missing.size > 0;
  }

  /** Adds a page whose site answered an earlier run. Call it for the latest page last. */
  recall(url: CanonicalUrl): void {
    this.#remember(url);
  }

  /** Returns true if the fetch failed because the network was down. Resolves once it is back or the run is ending. */
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

  /**
   * Limits how often the check runs: its sites are other people's servers, and must not be asked dozens of times per
   * second if only some names or hosts fail.
   */
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

  /** True if one of the sites gives its own answer, or without sites to ask. */
  async #isAnyOwn(urls: readonly CanonicalUrl[]): Promise<boolean> {
    const { fetch, release } = this.#ports;
    const outcomes = await Promise.all(urls.map(fetch));
    const isAnyOwn = outcomes.length === 0 || outcomes.some((outcome) => !this.#forgery.isForged(outcome));
    for (const outcome of outcomes) if (outcome.kind === 'fetched') release(outcome);
    return isAnyOwn;
  }

  /** The first name usually suffices. If hosts have no names, the name server cannot be checked. */
  async #areNamesKnown([latest, ...others]: readonly CanonicalUrl[]): Promise<boolean> {
    const isNamed = (url: CanonicalUrl): Promise<boolean | undefined> => this.#ports.isNamed(hostOf(url));
    const first = latest && (await isNamed(latest));
    if (first === true) return true;
    const named = [first, ...(await Promise.all(others.map(isNamed)))];
    return named.includes(true) || !named.includes(false);
  }
}

/**
 * True if a web server answered that can be asked again. An unknown name or an untrusted certificate proves that the
 * network is up, but leaves no server to check later.
 */
function isAnswer(outcome: FetchOutcome): boolean {
  if (outcome.kind === 'failed') return outcome.status > 0;
  return outcome.kind !== 'refused' || !UNASKED.has(outcome.reason);
}

function isNameless(outcome: FetchOutcome): boolean {
  return isUnanswered(outcome) && outcome.reason === 'dns' && !NO_PROXY.test(outcome.detail);
}

function isSilence(outcome: FetchOutcome): outcome is OfKind<FetchOutcome, 'failed'> {
  return isUnanswered(outcome) && outcome.retry === 'later' && SILENT.has(outcome.reason);
}

function isUnanswered(outcome: FetchOutcome): outcome is OfKind<FetchOutcome, 'failed'> {
  return outcome.kind === 'failed' && outcome.status === 0;
}
