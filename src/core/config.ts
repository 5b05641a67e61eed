import type { SpaceName } from './document.ts';

/** Orderings of the frontier, by their name in settings and lab (docs/lab.md#the-orderings). */
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
/** An ordering of Bingo. */
export type BuiltInOrdering = (typeof ORDERINGS)[number];

/** An ordering of Bingo, or the name of an extension. */
export type OrderingName = BuiltInOrdering | (string & {});

/** True if the name belongs to an ordering of Bingo, not to an extension. */
export function isBuiltInOrdering(name: OrderingName): name is BuiltInOrdering {
  return ORDERINGS.some((known) => known === name);
}

export const META_RULES = ['unanimous', 'majority', 'weighted', 'best'] as const;
export type MetaRule = (typeof META_RULES)[number];

export const RECHECK_ORDERS = ['due', 'hubs', 'authorities', 'oldest'] as const;
/** In which order a recheck fetches the pages that are due. */
export type RecheckOrder = (typeof RECHECK_ORDERS)[number];

export const RENDER_MODES = ['auto', 'never', 'always'] as const;
/** Whether a browser shows pages before they are read: those that seem to need it, none, or all with scripts. */
/** What a notification may be about: new, changed and gone pages, findings of standing queries, alarms. */
export const NEWS_KINDS = ['new', 'changed', 'gone', 'queries', 'alarms'] as const;
export type NewsKind = (typeof NEWS_KINDS)[number];

export type RenderMode = (typeof RENDER_MODES)[number];

export const KERNELS = ['linear', 'rbf', 'poly'] as const;
/** Kernel of the SVMs. */
export type Kernel = (typeof KERNELS)[number];

export const CLASSIFIERS = ['svm', 'bayes'] as const;
/** What judges pages: SVMs with naive Bayes as a second opinion, or naive Bayes alone (Focus §2.1). */
export type ClassifierName = (typeof CLASSIFIERS)[number];
export const ARCHIVE_MISSING = ['skip', 'live'] as const;
/** Pages that an archive lacks are skipped, or fetched from their server. */
export type ArchiveMissing = (typeof ARCHIVE_MISSING)[number];

/**
 * Every setting with its default. `bingo init` writes them, commented, into bingo.yaml. Values without a source are
 * our choice.
 */
export interface Config {
  readonly crawl: {
    /** Total number of pages to fetch, without training pages. > 0 */
    readonly budget: number;
    /** Wall-clock limit of one run in ms; 0 = none. */
    readonly timeMs: number;
    /**
     * Pages of the learning phase. >= 0 (BINGO! §2.6; the paper uses time, we use pages so that runs are repeatable)
     */
    readonly learn: number;
    readonly ordering: OrderingName;
    /** Seed of the random number generator. */
    readonly seed: number;
    /** Maximum depth in the learning phase (BINGO! §5.2). */
    readonly learnMaxDepth: number;
    /** Number of links followed beyond a rejected page (BINGO! §3.3). */
    readonly tunnelDistance: number;
    /** Factor on the priority per tunnelling step (BINGO! §4.2). In (0,1] */
    readonly tunnelDecay: number;
    /** Keeps links that the focus rule rejects below all others, so that a crawl does not end before its budget. */
    readonly reserve: boolean;
    /**
     * Minimum share of fetches of a topic with waiting links, relative to an equal share. In [0,1]; 0 = the best link
     * is fetched first, whatever its topic. Has no effect with one topic. Our choice; not in the paper.
     */
    readonly fairShare: number;
    /** Maximum pages of a topic without its own budget; 0 = no limit. */
    readonly maxPagesPerTopic: number;
    /** Maximum pages per site; 0 = no limit. */
    readonly maxPagesPerSite: number;
    /** Pages of a topic without a relevant one before stagnation is reported; 0 = never. */
    readonly stagnationPages: number;
    /**
     * A run ends once it has found this share of the relevant pages, by its own estimate. In [0,1); 0 = never. See
     * docs/quality.md.
     */
    readonly stopAtRecall: number;
    /** Length of a topic's incoming and outgoing queue (BINGO! §4.2). */
    readonly incomingQueue: number;
    readonly outgoingQueue: number;
    /** URLs longer than this are not followed (BINGO! §4.2). */
    readonly maxUrlChars: number;
    readonly maxHostChars: number;
    readonly maxRedirects: number;
    /** Maximum attempts per URL (BINGO! §4.2). */
    readonly maxTries: number;
    /** Maximum links read from one page. */
    readonly maxLinksPerPage: number;
    readonly lockedHosts: readonly string[];
    /** Search engines are never visited, except those that an example or a seed names (BINGO! §5.1). */
    readonly lockSearchEngines: boolean;
    /** Rules on addresses, hosts and paths in robots.txt syntax: matching addresses are never fetched. */
    readonly exclude: readonly string[];
    /** If not empty, only matching addresses are fetched, and those that the user named. */
    readonly include: readonly string[];
    /** Rules of the same form: links to matching addresses go first or last within their topic. */
    readonly prefer: readonly string[];
    readonly defer: readonly string[];
    /**
     * Reads the sitemaps of the sites of examples and seeds as a further source of links. Off by default: a focused
     * crawl relies on the text around links, and a sitemap has none.
     */
    readonly sitemaps: boolean;
    /** Follows the feeds that pages name in their head (`<link rel=alternate>`), like other links of the page. */
    readonly feeds: boolean;
    /** Languages of pages whose links are followed, ISO 639-1; empty = all. */
    readonly languages: readonly string[];
    /** Adds the folders above each relevant page to its links. Off by default: many answer with an error. */
    readonly parents: boolean;
    /** File of links from elsewhere, `FROM TO` per line. `''` = none. */
    readonly backlinks: string;
    /** Pages between two computations of PageRank in the ordering `pagerank` (Cho 1998 §4); 0 = when it grew by a tenth. >= 0 */
    readonly rankInterval: number;
  };
  readonly network: {
    /** Sent as `User-Agent`; a contact is required on the open web (checked by `bingo crawl`). */
    readonly userAgent: string;
    readonly contact: string;
    readonly concurrency: number;
    /** Parallel requests to one host, one registered domain (BINGO! §5.1). */
    readonly perHost: number;
    readonly perDomain: number;
    /**
     * Maximum parallel requests to one address, because many sites may share a server. 0 = no limit. Our choice: half
     * of all, because content delivery networks put thousands of sites behind one address.
     */
    readonly perAddress: number;
    /** Minimum time between two requests to one host, in ms; robots.txt may ask for more. */
    readonly delayMs: number;
    /**
     * Minimum time between requests to one registered domain or one address, including robots.txt and retries; never
     * more than `delayMs`. Our choice: ten requests per second to a domain; twenty to an address, because thousands
     * of sites may share it.
     */
    readonly domainDelayMs: number;
    readonly addressDelayMs: number;
    readonly connectTimeoutMs: number;
    readonly headersTimeoutMs: number;
    /** Time limit of a whole response, with its body. */
    readonly totalTimeoutMs: number;
    /** A body slower than this for a sixth of that time is given up; 0 = no limit. Our choice. >= 0 */
    readonly minBytesPerSecond: number;
    readonly maxBodyBytes: number;
    /** `TYPE=BYTES`: other limits for media types such as `application/pdf` or `text/*`. */
    readonly maxBytesByType: readonly string[];
    /** `http://host:port`, `https://…`, `socks5://…`, or `''`. */
    readonly proxy: string;
    /** Paths of a cookies.txt file and of an access file, or `''`. Only the paths are stored, never the content. */
    readonly cookies: string;
    readonly access: string;
    /** Service queried for first pages: `searxng:URL`, `wikipedia:LANGUAGE`, `openalex`, …, `file:PATH`, or `''`. */
    readonly searchService: string;
    /** `address` or `address:port`; empty = the servers of the system. */
    readonly dnsServers: readonly string[];
    readonly dnsTimeoutMs: number;
    readonly dnsCacheSize: number;
    readonly dnsTtlMaxMs: number;
    /** Allow private, loopback and link-local addresses (an intranet). */
    readonly allowPrivate: boolean;
    readonly robots: boolean;
    /** Also look up reservations of rights for whole sites: `tdmrep.json` and `ai.txt`. */
    readonly siteRights: boolean;
    readonly robotsMaxAgeMs: number;
    readonly robotsMaxBytes: number;
    /** A host with a longer Crawl-delay is not visited. */
    readonly maxCrawlDelayMs: number;
    /** Pause of a slow host after a failure, doubled each time; a host is bad after `maxTries` failures in a row. */
    readonly backoffMs: number;
    readonly backoffMaxMs: number;
    /** Random extension of this pause, up to this share, per host. In [0,1]; our choice. */
    readonly backoffJitter: number;
    /** Accepts invalid certificates. */
    readonly insecureTls: boolean;
    /** `auto` needs a browser and playwright-core; without them pages are read as they are. */
    readonly render: RenderMode;
    /** Path of Chromium or Chrome; '' = at the usual places. */
    readonly browser: string;
    /** Time limit for one page in the browser, with its scripts. Our choice. > 0 */
    readonly renderTimeoutMs: number;
    /** Pages rendered in one run; 0 = no limit. */
    readonly renderPages: number;
  };
  /** Pages from web archives instead of, or before, the network. */
  readonly archive: {
    /** `live`, `archive`, `wayback@DATE` or `commoncrawl@ID`. */
    readonly source: string;
    /** WARC and WACZ files, or folders of them. */
    readonly files: readonly string[];
    /** What to do about pages that the archive lacks. */
    readonly missing: ArchiveMissing;
    /** Minimum time between two requests to an archive service, in ms. Our choice. */
    readonly pauseMs: number;
    /** Address of a Wayback Machine: its CDX server and its pages are below it. */
    readonly wayback: string;
    /** Address of the index of Common Crawl, and of its files. */
    readonly commoncrawl: string;
    readonly commoncrawlData: string;
  };
  readonly analyze: {
    /** Analysis threads; 0 = number of cores minus one, at least one. */
    readonly threads: number;
    /** If true, navigation, banners, footers and long lists of links are not part of the page's text. */
    readonly mainText: boolean;
    readonly maxTextChars: number;
    readonly maxTokens: number;
    /** A document that takes longer is given up, and its thread is replaced. */
    readonly timeoutMs: number;
    /** Maximum distance of stem pairs in words (BINGO! §3.4). */
    readonly pairWindow: number;
    /** Maximum pages read of a PDF. */
    readonly maxPdfPages: number;
  };
  readonly learn: {
    /** Each space trains its own classifier; spaces joined by `+` train one together (BINGO! §3.4). */
    readonly spaces: readonly SpaceName[];
    /** Candidates by frequency, features kept by mutual information (BINGO! §2.3). */
    readonly candidates: number;
    /** `auto`: the number with the best held-out estimate for the topic and space (BINGO! §3.5). */
    readonly features: number | 'auto';
    /** Cost of a training error. > 0 */
    readonly C: number;
    readonly classifier: ClassifierName;
    /** A kernel other than `linear` is for small training sets. */
    readonly kernel: Kernel;
    /** ρ of the xi-alpha estimate (Joachims 2000: 2). > 0 */
    readonly rho: number;
    readonly metaLearning: MetaRule;
    readonly metaHarvesting: MetaRule;
    /** First retraining after this many pages, later ones at growing distances; rounds stop if no page is admitted. */
    readonly retrainEvery: number;
    /** Archetypes per topic, by authority and by confidence; the smaller number ends learning (BINGO! §3.2, §3.3). */
    readonly authorityArchetypes: number;
    readonly confidenceArchetypes: number;
    readonly maxArchetypesPerRound: number;
    readonly maxArchetypes: number;
    /**
     * Calibrated score above which a page is accepted. 0 = mean held-out negative, 1 = mean held-out positive.
     * Relevant pages are rare, so the best F1 is above the middle: .8 to 1 with three examples on our frozen webs.
     */
    readonly acceptThreshold: number;
    /** False: accepted pages may become archetypes below the mean confidence of the training pages (BINGO! §5.2). */
    readonly archetypeGate: boolean;
    /** False: the paper's uncalibrated rules, for comparison. */
    readonly calibrated: boolean;
    /** Maximum number of pages rejected with high confidence that join OTHERS of the root; 0 = none. */
    readonly rejectedAsOthers: number;
    /** Address of an OpenAI-compatible server that makes the vectors of the space `meaning`; '' = none. Its model; '' = the first one. */
    readonly embeddings: string;
    readonly embeddingsModel: string;
    /** Number of off-topic pages kept: they replace counter-examples if the user gave none, and provide idf. */
    readonly backgroundPages: number;
    /** Address of an OpenAI-compatible server that answers questions about pages, such as `http://127.0.0.1:11434/v1`; '' = none. */
    readonly reader: string;
    /** Model that it uses; '' = the first one that it lists. */
    readonly readerModel: string;
    /** Limits of the reader for one run: requests, tokens of requests and answers, and time spent waiting. Our choice. > 0 */
    readonly readerQuestions: number;
    readonly readerTokens: number;
    readonly readerTimeMs: number;
  };
  readonly distill: {
    /** Maximum pages of a topic in the base set (BINGO! §2.5: the order of a few thousand nodes). */
    readonly maxBaseSet: number;
    readonly maxPredecessors: number;
    /** Authorities need a relevance above this (Focused crawling §3.2). */
    readonly relevanceThreshold: number;
    readonly tolerance: number;
    readonly maxIterations: number;
    /** Number of best hubs whose unvisited links move to the front. */
    readonly hubs: number;
  };
  readonly recheck: {
    /** Time until the first recheck of a page. > 0 */
    readonly firstMs: number;
    /** Minimum and maximum time between two rechecks of a page; if they conflict, the maximum applies. > 0 */
    readonly minMs: number;
    readonly maxMs: number;
    /** A page is due once it has changed with this probability, according to its past rate of change. In (0,1) */
    readonly changed: number;
    /** Consecutive "not found" rechecks until a page counts as gone; 410 counts at once. >= 1 */
    readonly goneAfter: number;
    /** `due`: most overdue first; `oldest`: longest not fetched first; else by the score of the link analysis. */
    readonly order: RecheckOrder;
    /** New pages that a recheck may find beyond the budget. */
    readonly newPages: number;
  };
  /** Protection from crawler traps; see docs/traps.md. The values are our choice, by measurement. */
  readonly traps: {
    /** If false, none of the rules below apply; exact copies are still recognised. */
    readonly enabled: boolean;
    /**
     * Pages whose fingerprints differ in at most this many of 64 bits count as one page; -1 = only exact copies. In
     * [-1,4]
     */
    readonly nearDuplicateBits: number;
    /** A page that differs in at most this many bits from a recent page of its host with the same title adds nothing new. */
    readonly staleBits: number;
    /** Wasted fetches that make a pattern of addresses suspicious, and their minimum share of its fetches. */
    readonly wastedFetches: number;
    readonly wastedShare: number;
    /** Paths with more segments, or more repetitions of one segment, are not followed. */
    readonly maxPathDepth: number;
    readonly maxSegmentRepeats: number;
    /** Maximum redirects in one chain between addresses of one pattern. */
    readonly similarRedirects: number;
    /** Hosts per domain that are visited before further ones wait below all other links; 0 = no limit. */
    readonly hostsPerDomain: number;
    /** Pages of a section that count in full while no other site links into it; 0 = all. */
    readonly sectionPages: number;
  };
  readonly search: {
    /** Keeps a log of queries in the workspace. */
    readonly log: boolean;
    /** Time that a logged query is kept, in ms. > 0 */
    readonly keepMs: number;
  };
  /** When `bingo watch` works: cron expressions of five fields, `''` = never. */
  readonly schedule: {
    readonly crawl: string;
    readonly recheck: string;
    readonly adapt: string;
    readonly portal: string;
    /** Pages of a scheduled crawl beyond those fetched before; 0 = up to `crawl.budget`. Our choice. */
    readonly crawlPages: number;
    /** Folder of the scheduled portal, relative to the workspace. */
    readonly portalFolder: string;
    /** IANA name such as `Europe/Berlin`; `''` = that of the system. */
    readonly timezone: string;
    /** Maximum delay of a job after its time, in ms. */
    readonly jitterMs: number;
  };
  /** Who is notified of what is new. Secrets are references, `env:NAME` or `file:PATH`, never values. */
  readonly notify: {
    /** Atom file to write, relative to the workspace; `''` = none. */
    readonly atom: string;
    /** http(s) addresses, or references to them. */
    readonly webhooks: readonly string[];
    /** Reference to the key that signs requests to webhooks; `''` = unsigned. */
    readonly webhookKey: string;
    readonly mailTo: readonly string[];
    /** `''` = the first of `mailTo`. */
    readonly mailFrom: string;
    /** `smtp://user@host:587`, `smtps://…`, or `''`. */
    readonly mailServer: string;
    /** Reference to the password of `mailServer`; `''` = no login. */
    readonly mailPassword: string;
    readonly about: readonly NewsKind[];
    /** Cron expression of the times of sending; `''` = after each job. */
    readonly digest: string;
  };
  readonly store: {
    /** `sqlite` (a file in the workspace) or `mysql://user:password@host:port/database`. */
    readonly url: string;
    /** Records per transaction. */
    readonly batch: number;
    readonly flushMs: number;
    /** Time to wait for a lost database server, in ms. */
    readonly reconnectMs: number;
  };
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MIB = 1024 * 1024;

/** All default values; they are defined only here. */
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
    stopAtRecall: 0,
    incomingQueue: 25_000,
    outgoingQueue: 1_000,
    maxUrlChars: 1000,
    maxHostChars: 255,
    maxRedirects: 25,
    maxTries: 3,
    maxLinksPerPage: 2_000,
    lockedHosts: [],
    lockSearchEngines: true,
    exclude: [],
    include: [],
    prefer: [],
    defer: [],
    sitemaps: false,
    feeds: false,
    languages: [],
    parents: false,
    backlinks: '',
    rankInterval: 0,
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
    maxBytesByType: [],
    proxy: '',
    cookies: '',
    access: '',
    searchService: '',
    dnsServers: [],
    dnsTimeoutMs: 2_000,
    dnsCacheSize: 10_000,
    dnsTtlMaxMs: 60 * MINUTE,
    allowPrivate: false,
    robots: true,
    siteRights: false,
    robotsMaxAgeMs: 24 * 60 * MINUTE,
    robotsMaxBytes: 512 * 1024,
    maxCrawlDelayMs: MINUTE,
    backoffMs: 10_000,
    backoffMaxMs: 60 * MINUTE,
    backoffJitter: 0.25,
    insecureTls: false,
    render: 'auto',
    browser: '',
    renderTimeoutMs: 15_000,
    renderPages: 0,
  },
  archive: {
    source: 'live',
    files: [],
    missing: 'skip',
    pauseMs: 1_000,
    wayback: 'https://web.archive.org',
    commoncrawl: 'https://index.commoncrawl.org',
    commoncrawlData: 'https://data.commoncrawl.org',
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
    spaces: ['terms+lead'],
    candidates: 5_000,
    features: 2_000,
    C: 1,
    classifier: 'svm',
    kernel: 'linear',
    rho: 2,
    metaLearning: 'unanimous',
    metaHarvesting: 'weighted',
    retrainEvery: 100,
    authorityArchetypes: 30,
    confidenceArchetypes: 30,
    maxArchetypesPerRound: 5,
    maxArchetypes: 30,
    acceptThreshold: 0.9,
    archetypeGate: true,
    calibrated: true,
    rejectedAsOthers: 100,
    backgroundPages: 500,
    embeddings: '',
    embeddingsModel: '',
    reader: '',
    readerModel: '',
    readerQuestions: 100,
    readerTokens: 200_000,
    readerTimeMs: 20 * MINUTE,
  },
  distill: {
    maxBaseSet: 1_000,
    maxPredecessors: 500,
    relevanceThreshold: 0.5,
    tolerance: 1e-8,
    maxIterations: 200,
    hubs: 10,
  },
  recheck: { firstMs: 7 * DAY, minMs: DAY, maxMs: 90 * DAY, changed: 0.5, goneAfter: 3, order: 'due', newPages: 100 },
  traps: {
    enabled: true,
    nearDuplicateBits: 4,
    staleBits: 8,
    wastedFetches: 4,
    wastedShare: 0.75,
    maxPathDepth: 24,
    maxSegmentRepeats: 2,
    similarRedirects: 5,
    hostsPerDomain: 50,
    sectionPages: 50,
  },
  search: { log: false, keepMs: 90 * DAY },
  schedule: {
    crawl: '',
    recheck: '',
    adapt: '',
    portal: '',
    crawlPages: 200,
    portalFolder: 'site',
    timezone: '',
    jitterMs: 0,
  },
  notify: {
    atom: '',
    webhooks: [],
    webhookKey: '',
    mailTo: [],
    mailFrom: '',
    mailServer: '',
    mailPassword: '',
    about: NEWS_KINDS,
    digest: '',
  },
  store: { url: 'sqlite', batch: 100, flushMs: 250, reconnectMs: 3_600_000 },
});
