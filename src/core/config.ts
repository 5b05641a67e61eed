import type { SpaceName } from './document.ts';

/** Orderings of the frontier, by the name that settings and the lab use (docs/lab.md#the-orderings). */
export const ORDERINGS = [
  'breadth-first',
  'random',
  'backlink',
  'pagerank',
  'best-first',
  'soft-focus',
  'hard-focus',
  'confidence',
  'shark-search',
  'hub-boosted',
  'bingo',
  'learned',
] as const;
export type OrderingName = (typeof ORDERINGS)[number];

export const META_RULES = ['unanimous', 'majority', 'weighted', 'best'] as const;
export type MetaRule = (typeof META_RULES)[number];

/** Every setting with its default. `bingo init` writes them, commented, into bingo.yaml. A figure without a source is our choice. */
export interface Config {
  readonly crawl: {
    /** Pages to fetch in all, training pages not counted. > 0 */
    readonly budget: number;
    /** Wall-clock limit of one run in ms; 0 = none. */
    readonly timeMs: number;
    /** Pages of the learning phase. >= 0 (BINGO! §2.6; the paper learns by time, we by pages so that it repeats) */
    readonly learn: number;
    readonly ordering: OrderingName;
    /** Seed of everything drawn by chance. */
    readonly seed: number;
    /** Greatest depth of the learning phase (BINGO! §5.2). */
    readonly learnMaxDepth: number;
    /** Links followed behind a rejected page (BINGO! §3.3). */
    readonly tunnelDistance: number;
    /** Factor on the priority for each tunnelling step (BINGO! §4.2). In (0,1] */
    readonly tunnelDecay: number;
    /** Links that the focus rule turns down wait below all others, so that a crawl does not end before its budget. */
    readonly reserve: boolean;
    /**
     * What a topic with waiting links gets of the fetches at least, as a share of an equal share. In [0,1]; 0 = the best
     * link goes first whatever its topic. With one topic it changes nothing. Our choice; the paper is silent.
     */
    readonly fairShare: number;
    /** Pages of one topic at the most, where the topic has no budget of its own; 0 = no limit. */
    readonly maxPagesPerTopic: number;
    /** Pages of one site at the most; 0 = no limit. */
    readonly maxPagesPerSite: number;
    /** Pages of a topic without a relevant one that are told as stagnation; 0 = never. */
    readonly stagnationPages: number;
    /** Incoming and outgoing queue of a topic (BINGO! §4.2). */
    readonly incomingQueue: number;
    readonly outgoingQueue: number;
    /** URLs longer than this are not followed (BINGO! §4.2). */
    readonly maxUrlChars: number;
    readonly maxHostChars: number;
    readonly maxRedirects: number;
    /** Tries of one URL (BINGO! §4.2). */
    readonly maxTries: number;
    /** Links read from one page at the most. */
    readonly maxLinksPerPage: number;
    readonly lockedHosts: readonly string[];
    /** Rules on addresses, hosts and paths as robots.txt writes them: those that match are never asked for. */
    readonly exclude: readonly string[];
    /** Where there are any, only addresses that match one are asked for, and what a person named. */
    readonly include: readonly string[];
    /** Such rules, too: links to what matches go before all others of their topic, or behind them. */
    readonly prefer: readonly string[];
    readonly defer: readonly string[];
    /**
     * Read the sitemaps of the sites that examples and seeds lie on as a further source of links. Off: a focused crawl goes by
     * what pages say of their links, and a sitemap says nothing of its own.
     */
    readonly sitemaps: boolean;
  };
  readonly network: {
    /** Sent as `User-Agent`; the contact is required on the open web (`bingo crawl` says so). */
    readonly userAgent: string;
    readonly contact: string;
    readonly concurrency: number;
    /** Parallel requests to one host, one registered domain (BINGO! §5.1). */
    readonly perHost: number;
    readonly perDomain: number;
    /**
     * Parallel requests to one address: many sites may share a server. 0 = no limit. Our choice: half of all, because the
     * networks that deliver for others put thousands of sites behind one address.
     */
    readonly perAddress: number;
    /** Least time between two requests to one host, in ms; robots.txt may ask for more. */
    readonly delayMs: number;
    /**
     * The same for all hosts of one registered domain, and for all names of one address, robots.txt and retries included; never more than
     * `delayMs`. Our choice: ten requests a second to a domain; twenty to an address, because thousands of sites may share it.
     */
    readonly domainDelayMs: number;
    readonly addressDelayMs: number;
    readonly connectTimeoutMs: number;
    readonly headersTimeoutMs: number;
    /** Whole response, body included. */
    readonly totalTimeoutMs: number;
    /** A body that comes in more slowly for a sixth of that time is given up; 0 = no such limit. Our choice. >= 0 */
    readonly minBytesPerSecond: number;
    readonly maxBodyBytes: number;
    /** `http://host:port`, or `''`. */
    readonly proxy: string;
    /** Where `bingo find` asks for first pages: `searxng:URL`, `wikipedia:LANGUAGE`, `file:PATH`, or `''`. */
    readonly searchService: string;
    /** `address` or `address:port`; empty = the system's. */
    readonly dnsServers: readonly string[];
    readonly dnsTimeoutMs: number;
    readonly dnsCacheSize: number;
    readonly dnsTtlMaxMs: number;
    /** Allow private, loopback and link-local addresses (an intranet). */
    readonly allowPrivate: boolean;
    readonly robots: boolean;
    readonly robotsMaxAgeMs: number;
    readonly robotsMaxBytes: number;
    /** A Crawl-delay beyond this parks the host. */
    readonly maxCrawlDelayMs: number;
    /** Pause of a slow host after a failure, doubling; a host is bad after `maxTries` failures in a row. */
    readonly backoffMs: number;
    readonly backoffMaxMs: number;
    /** Such a pause is longer by up to this share, differently for each host. In [0,1]; our choice. */
    readonly backoffJitter: number;
    /** Accept certificates that do not verify. */
    readonly insecureTls: boolean;
  };
  readonly analyze: {
    /** Analysis threads; 0 = one per core, less one, at least one. */
    readonly threads: number;
    /** True: navigation, banners, footers and long lists of links are no text of the page. */
    readonly mainText: boolean;
    readonly maxTextChars: number;
    readonly maxTokens: number;
    /** A document that takes longer is given up and its thread replaced. */
    readonly timeoutMs: number;
    /** Stem pairs lie at most this many words apart (BINGO! §3.4). */
    readonly pairWindow: number;
    /** PDF pages read at the most. */
    readonly maxPdfPages: number;
  };
  readonly learn: {
    /** Each space trains a classifier of its own; several joined by `+` train one together (BINGO! §3.4). */
    readonly spaces: readonly SpaceName[];
    /** Candidates by frequency, features kept by mutual information (BINGO! §2.3). */
    readonly candidates: number;
    /** `auto`: as many as the held-out estimate of the topic and space likes best (BINGO! §3.5). */
    readonly features: number | 'auto';
    /** Cost of a training error. > 0 */
    readonly C: number;
    /** ρ of the xi-alpha estimate (Joachims 2000: 2). > 0 */
    readonly rho: number;
    readonly metaLearning: MetaRule;
    readonly metaHarvesting: MetaRule;
    /** Retrain after this many pages at first, then ever further apart; rounds stop when nothing is admitted. */
    readonly retrainEvery: number;
    /** Archetypes a topic, by authority and by confidence; min of the two ends learning (BINGO! §3.2, §3.3). */
    readonly authorityArchetypes: number;
    readonly confidenceArchetypes: number;
    readonly maxArchetypesPerRound: number;
    readonly maxArchetypes: number;
    /**
     * Calibrated score above which a page is accepted. 0 = mean held-out negative, 1 = mean held-out positive. Relevant
     * pages are rare, so the best F1 lies above the middle: .8 to 1 with three examples on our frozen webs.
     */
    readonly acceptThreshold: number;
    /** False: the paper's uncalibrated rules, for comparison. */
    readonly calibrated: boolean;
    /** Pages that the crawl rejected with high confidence join OTHERS of the root, at most so many; 0 = none. */
    readonly rejectedAsOthers: number;
    /** Off-topic pages kept: they stand in for OTHERS where a person gave none, also for idf. */
    readonly backgroundPages: number;
  };
  readonly distill: {
    /** Pages of a topic that enter the base set at the most (BINGO! §2.5: the order of a few thousand nodes). */
    readonly maxBaseSet: number;
    readonly maxPredecessors: number;
    /** Authorities need a relevance above this (Focused crawling §3.2). */
    readonly relevanceThreshold: number;
    readonly tolerance: number;
    readonly maxIterations: number;
    /** Best hubs whose unvisited links go to the front. */
    readonly hubs: number;
  };
  readonly recheck: {
    /** A page is looked at again for the first time after so long. > 0 */
    readonly firstMs: number;
    /** Between two looks at a page lies at least, and at most, so long; where they contradict each other, at most. > 0 */
    readonly minMs: number;
    readonly maxMs: number;
    /** A page is due when it has changed with this probability, by the rate at which it changed so far. In (0,1) */
    readonly changed: number;
    /** Rechecks in a row that must be told "not there" before a page is gone; 410 is believed at once. >= 1 */
    readonly goneAfter: number;
    /** Pages beyond the budget that a recheck may find anew. */
    readonly newPages: number;
  };
  /** What keeps a crawl from wasting its time; see docs/traps.md. The figures are our choice, by measurement. */
  readonly traps: {
    /** False: none of the rules below; exact copies are recognised all the same. */
    readonly enabled: boolean;
    /** Pages whose fingerprints differ in at most so many of 64 bits are one page; -1 = only exact copies. In [-1,4] */
    readonly nearDuplicateBits: number;
    /** A page that differs in at most so many bits from one of the last of its host says nothing new. */
    readonly staleBits: number;
    /** Wasted fetches that make a pattern of addresses doubtful, and the share of its fetches they must be. */
    readonly wastedFetches: number;
    readonly wastedShare: number;
    /** Paths with more segments, or with one segment more often, are not followed. */
    readonly maxPathDepth: number;
    readonly maxSegmentRepeats: number;
    /** Redirects of one chain by addresses of one pattern. */
    readonly similarRedirects: number;
    /** Hosts of one domain that are visited before further ones wait below all other links; 0 = no limit. */
    readonly hostsPerDomain: number;
    /** Pages of one part of a site that count in full while no other site links into it; 0 = all. */
    readonly sectionPages: number;
  };
  readonly store: {
    /** `sqlite` (a file in the workspace) or `mysql://user:password@host:port/database`. */
    readonly url: string;
    /** Records in one transaction. */
    readonly batch: number;
    readonly flushMs: number;
    /** A crawl waits for a database server that it lost this long, in ms. */
    readonly reconnectMs: number;
  };
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MIB = 1024 * 1024;

/** All defaults; no such number lives anywhere else. */
export const DEFAULTS: Config = Object.freeze<Config>({
  crawl: {
    budget: 1000,
    timeMs: 0,
    learn: 50,
    ordering: 'learned',
    seed: 1,
    learnMaxDepth: 4,
    tunnelDistance: 2,
    tunnelDecay: 0.5,
    reserve: true,
    fairShare: 0.5,
    maxPagesPerTopic: 0,
    maxPagesPerSite: 0,
    stagnationPages: 200,
    incomingQueue: 25_000,
    outgoingQueue: 1_000,
    maxUrlChars: 1000,
    maxHostChars: 255,
    maxRedirects: 25,
    maxTries: 3,
    maxLinksPerPage: 2_000,
    lockedHosts: [],
    exclude: [],
    include: [],
    prefer: [],
    defer: [],
    sitemaps: false,
  },
  network: {
    userAgent: 'bingo-crawler/0.1',
    contact: '',
    concurrency: 20,
    perHost: 2,
    perDomain: 5,
    perAddress: 10,
    delayMs: 250,
    domainDelayMs: 100,
    addressDelayMs: 50,
    connectTimeoutMs: 10_000,
    headersTimeoutMs: 20_000,
    totalTimeoutMs: MINUTE,
    minBytesPerSecond: 200,
    maxBodyBytes: 8 * MIB,
    proxy: '',
    searchService: '',
    dnsServers: [],
    dnsTimeoutMs: 2_000,
    dnsCacheSize: 10_000,
    dnsTtlMaxMs: 60 * MINUTE,
    allowPrivate: false,
    robots: true,
    robotsMaxAgeMs: 24 * 60 * MINUTE,
    robotsMaxBytes: 512 * 1024,
    maxCrawlDelayMs: MINUTE,
    backoffMs: 10_000,
    backoffMaxMs: 60 * MINUTE,
    backoffJitter: 0.25,
    insecureTls: false,
  },
  analyze: {
    threads: 0,
    mainText: true,
    maxTextChars: 200_000,
    maxTokens: 50_000,
    timeoutMs: 10_000,
    pairWindow: 3,
    maxPdfPages: 200,
  },
  learn: {
    spaces: ['terms'],
    candidates: 5_000,
    features: 2_000,
    C: 1,
    rho: 2,
    metaLearning: 'unanimous',
    metaHarvesting: 'weighted',
    retrainEvery: 100,
    authorityArchetypes: 30,
    confidenceArchetypes: 30,
    maxArchetypesPerRound: 5,
    maxArchetypes: 30,
    acceptThreshold: 0.9,
    calibrated: true,
    rejectedAsOthers: 100,
    backgroundPages: 500,
  },
  distill: {
    maxBaseSet: 1_000,
    maxPredecessors: 500,
    relevanceThreshold: 0.5,
    tolerance: 1e-8,
    maxIterations: 200,
    hubs: 10,
  },
  recheck: { firstMs: 7 * DAY, minMs: DAY, maxMs: 90 * DAY, changed: 0.5, goneAfter: 3, newPages: 100 },
  traps: {
    enabled: true,
    nearDuplicateBits: 4,
    staleBits: 11,
    wastedFetches: 4,
    wastedShare: 0.75,
    maxPathDepth: 24,
    maxSegmentRepeats: 2,
    similarRedirects: 5,
    hostsPerDomain: 50,
    sectionPages: 50,
  },
  store: { url: 'sqlite', batch: 100, flushMs: 250, reconnectMs: 3_600_000 },
});
