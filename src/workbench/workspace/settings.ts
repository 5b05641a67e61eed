import { isIP, isIPv4, isIPv6 } from 'node:net';
import { type Config, DEFAULTS, META_RULES, ORDERINGS, productToken } from '../../core/index.ts';
import { isMysqlUrl, STORE_URL, STORE_URL_HINT } from '../../store/index.ts';
import { hostName } from './host-name.ts';
import { duration, integer, listOf, number, oneOf, orWord, type Rule, size, text, truth } from './rules.ts';
import { parseService } from './service-name.ts';
import { spaceList } from './space-rule.ts';
import { urlRule } from './url-rule.ts';

export type Section = keyof Config;

/** One setting: its key, its format and its description. */
export interface Setting {
  readonly section: Section;
  readonly name: string;
  /** `section.name`. */
  readonly key: string;
  /** Environment variable that overrides the file: `BINGO_NETWORK_CONTACT`. */
  readonly variable: string;
  readonly rule: Rule<unknown>;
  readonly help: string;
  readonly default: unknown;
}

/** A rule and a one-sentence description for every setting of `Config`; the compiler checks that none is missing. */
type Table = {
  readonly [S in Section]: { readonly [K in keyof Config[S]]: readonly [rule: Rule<Config[S][K]>, help: string] };
};

/** A Node.js timer of 2^31 ms or more fires at once. */
const TIMER = { min: 1, max: 24 * 86_400_000 };
const CONTACT = 'an e-mail address or an http(s) URL, in characters that a request can carry (Latin-1)';
const isContact = (value: string): boolean =>
  value === '' || (isSendable(value) && (/^\S+@\S+\.\S+$/.test(value) || isHttpUrl(value)));
const USER_AGENT =
  'a product name that begins with a letter, - or _, so that robots.txt can name it, in characters that a request can carry (Latin-1)';
/** Characters allowed in a header field (RFC 9110 §5.5). */
const isSendable = (value: string): boolean => /^[\x20-\x7e\xa0-\xff]*$/.test(value);
const DNS_SERVER = 'an IP address, with a port if it is not 53: 192.0.2.1, 127.0.0.1:5353, [2001:db8::1]:53';
function isDnsServer(value: string): boolean {
  if (isIP(value) > 0) return true;
  const [, v6, v4 = '', port = '53'] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
  return (v6 === undefined ? isIPv4(v4) : isIPv6(v6)) && Number(port) > 0 && Number(port) < 65_536;
}
const isService = (value: string): boolean => value === '' || parseService(value) !== undefined;
const isStore = (value: string): boolean => value === 'sqlite' || isMysqlUrl(value);

const TABLE: Table = {
  crawl: {
    budget: [integer({ min: 1 }), 'Pages to fetch in all; seeds and training pages do not count.'],
    timeMs: [duration(), 'Wall-clock limit of one run; 0 = none.'],
    learn: [
      integer({ min: 0 }),
      'Pages of the learning phase, at most a tenth of the budget unless a flag or the environment asks for more; 0 = harvest at once.',
    ],
    ordering: [oneOf(ORDERINGS), 'What decides which link is fetched next.'],
    seed: [integer({ min: 0, max: 4_294_967_295 }), 'Seed of everything drawn by chance; same seed, same draws.'],
    learnMaxDepth: [integer({ min: 0 }), 'Greatest distance from a seed in the learning phase, in links.'],
    tunnelDistance: [
      integer({ min: 0 }),
      'Links followed in a row behind rejected pages: by the ordering bingo, and by all in the learning phase. Others follow all, or with hard-focus none.',
    ],
    tunnelDecay: [
      number({ min: 0, max: 1, open: true }),
      'Factor on the priority for each such step, by the ordering bingo, and by all but learned in the learning phase.',
    ],
    reserve: [
      truth(),
      'Whether links behind more rejected pages than the ordering bingo follows wait below all others, or are dropped.',
    ],
    fairShare: [
      number({ min: 0, max: 1 }),
      'What every topic with waiting links gets of the fetches at least, as a share of an equal share; 0 = nothing.',
    ],
    maxPagesPerTopic: [
      integer({ min: 0 }),
      'Pages fetched for one topic at the most, where it has no budget of its own; 0 = no limit.',
    ],
    maxPagesPerSite: [integer({ min: 0 }), 'Pages of one site at the most; 0 = no limit.'],
    stagnationPages: [
      integer({ min: 0 }),
      'An alarm after so many pages of a topic without a relevant one; 0 = never.',
    ],
    incomingQueue: [integer({ min: 1 }), 'URLs that wait for each topic; beyond it the worst are dropped.'],
    outgoingQueue: [integer({ min: 1 }), 'URLs of each topic made ready for fetching, names resolved.'],
    maxUrlChars: [integer({ min: 1 }), 'Longer URLs are not followed.'],
    maxHostChars: [integer({ min: 1 }), 'URLs with longer host names are not followed; a port does not count.'],
    maxRedirects: [integer({ min: 0 }), 'Redirects followed in a row.'],
    maxTries: [integer({ min: 1 }), 'Tries of one URL; as many failures in a row make a host bad.'],
    maxLinksPerPage: [integer({ min: 1 }), 'Links read from one page at the most.'],
    lockedHosts: [listOf(hostName()), 'Hosts that are never visited, nor those below their names.'],
    exclude: [
      listOf(urlRule()),
      'Addresses that are never asked for: hosts with those below them, paths as robots.txt writes them (* is anything, $ at the end the end), or both.',
    ],
    include: [
      listOf(urlRule()),
      'If not empty, only these addresses, training pages and seeds are fetched; written like exclude, which counts more.',
    ],
    prefer: [
      listOf(urlRule()),
      'Addresses whose links go before all others of their topic, whatever the ordering says; written like exclude.',
    ],
    defer: [listOf(urlRule()), 'Addresses whose links go behind all others of their topic; prefer counts more.'],
    sitemaps: [truth(), 'Read the sitemaps of the sites of examples and seeds as a further source of links.'],
  },
  network: {
    userAgent: [
      text(USER_AGENT, (value) => isSendable(value) && productToken(value) !== ''),
      'Name sent as User-Agent, the contact behind it.',
    ],
    contact: [
      text(CONTACT, isContact),
      'Address by which site owners reach you. Fill it in before you crawl the open web.',
    ],
    concurrency: [integer({ min: 1, max: 1000 }), 'Requests in flight at a time, in all.'],
    perHost: [integer({ min: 1 }), 'Requests in flight to one host.'],
    perDomain: [integer({ min: 1 }), 'Requests in flight to one registered domain.'],
    perAddress: [integer({ min: 0 }), 'Requests in flight to one address, whatever its names; 0 = no limit.'],
    delayMs: [duration(), 'Least time between two requests to one host; robots.txt may ask for more.'],
    domainDelayMs: [
      duration(),
      'The same for all hosts of one registered domain, robots.txt and retries included; never more than delayMs.',
    ],
    addressDelayMs: [duration(), 'The same for all names of one address; never more than delayMs.'],
    connectTimeoutMs: [duration(TIMER), 'Time to connect, and for a proxy to give way to a server.'],
    headersTimeoutMs: [duration(TIMER), 'Time until the response begins.'],
    totalTimeoutMs: [duration(TIMER), 'Time for the whole response.'],
    minBytesPerSecond: [
      integer({ min: 0 }),
      'A body that comes in more slowly, for a sixth of that time, is given up; 0 = no such limit.',
    ],
    maxBodyBytes: [size({ min: 1 }), 'Larger pages are refused.'],
    proxy: [
      text('an http:// URL, or empty', (value) => value === '' || isHttpUrl(value)),
      'HTTP proxy for all requests.',
    ],
    searchService: [
      text(
        'searxng:URL, wikipedia:LANGUAGE, file:PATH, or empty',
        isService,
        'A name and a password in the address of a service are not sent: leave them out.',
      ),
      'Where bingo find asks for the first pages.',
    ],
    dnsServers: [listOf(text(DNS_SERVER, isDnsServer)), 'Name servers to ask; empty = those of the system.'],
    dnsTimeoutMs: [duration(TIMER), 'Time to wait for a name server.'],
    dnsCacheSize: [integer({ min: 1 }), 'Names kept in the cache.'],
    dnsTtlMaxMs: [duration(), 'Longest time a name is kept.'],
    allowPrivate: [truth(), 'Allow private, loopback and link-local addresses (an intranet).'],
    robots: [truth(), 'Obey robots.txt. Turn it off for your own servers alone.'],
    robotsMaxAgeMs: [duration(), 'Age at which robots.txt is fetched again.'],
    robotsMaxBytes: [size({ min: 1 }), 'What lies behind this in a robots.txt is not read.'],
    maxCrawlDelayMs: [duration(), 'A host whose Crawl-delay is longer is left alone after one page.'],
    backoffMs: [duration(), 'Pause of a host after a failure, doubled at each further one.'],
    backoffMaxMs: [
      duration(),
      'Longest such pause; a run that begins after so long a quiet time asks hosts again that were left alone.',
    ],
    backoffJitter: [
      number({ min: 0, max: 1 }),
      'Such a pause is longer by up to this share, differently for each host.',
    ],
    insecureTls: [truth(), 'Accept certificates that do not verify.'],
  },
  analyze: {
    threads: [integer({ min: 0, max: 256 }), 'Analysis threads; 0 = one per core, less one, at least one.'],
    mainText: [
      truth(),
      'Leave navigation, banners, footers and long lists of links out of the text; false = all of it counts.',
    ],
    maxTextChars: [integer({ min: 1 }), 'Characters of text kept of a page.'],
    maxTokens: [integer({ min: 1 }), 'Words read of a page.'],
    timeoutMs: [
      duration(TIMER),
      'A page that takes longer to analyse is given up. For PDF, Office documents and archives, processor time counts.',
    ],
    pairWindow: [integer({ min: 1, max: 100 }), 'Two words of a pair lie at most this far apart.'],
    maxPdfPages: [integer({ min: 1 }), 'PDF pages read at the most.'],
  },
  learn: {
    spaces: [spaceList(), 'Feature spaces; each item trains a classifier of its own.'],
    candidates: [
      integer({ min: 1 }),
      'Most frequent terms of a topic, and as many of what it is set against, that feature selection looks at.',
    ],
    features: [
      orWord('auto', integer({ min: 1 })),
      'Terms kept of each of the two, by mutual information; auto = as many as the held-out estimate likes best.',
    ],
    C: [number({ min: 0, open: true }), 'Cost of a training error of the SVM.'],
    rho: [number({ min: 0, open: true }), 'Factor of the xi-alpha estimate.'],
    metaLearning: [oneOf(META_RULES), 'How classifiers vote in the learning phase.'],
    metaHarvesting: [oneOf(META_RULES), 'How classifiers vote in the harvesting phase.'],
    retrainEvery: [
      integer({ min: 1 }),
      'Pages between two retrainings at first; the distance doubles whenever the crawl has.',
    ],
    authorityArchetypes: [integer({ min: 0 }), 'Archetypes of a topic chosen by authority that end learning.'],
    confidenceArchetypes: [integer({ min: 0 }), 'The same, chosen by confidence; the smaller number counts.'],
    maxArchetypesPerRound: [integer({ min: 0 }), 'Archetypes a topic gains at one retraining.'],
    maxArchetypes: [integer({ min: 0 }), 'Archetypes a topic holds.'],
    acceptThreshold: [number(), 'Accept pages above this: 0 = like known negatives, 1 = like known positives.'],
    calibrated: [truth(), 'False = the uncalibrated rules of the BINGO! paper, for comparison.'],
    rejectedAsOthers: [integer({ min: 0 }), 'Pages rejected with high confidence that join OTHERS at the most.'],
    backgroundPages: [integer({ min: 0 }), 'Off-topic pages kept to weigh terms against.'],
  },
  distill: {
    maxBaseSet: [integer({ min: 1 }), 'Pages of a topic that link analysis starts from.'],
    maxPredecessors: [integer({ min: 0 }), 'Pages linking to them that it adds.'],
    relevanceThreshold: [number({ min: 0, max: 1 }), 'Authorities need a relevance above this.'],
    tolerance: [number({ min: 0, open: true }), 'Change of the scores below which it has converged.'],
    maxIterations: [integer({ min: 1 }), 'It stops here if it has not.'],
    hubs: [
      integer({ min: 0 }),
      'Best hubs whose unvisited links go to the front of the queue, by the orderings bingo, hard-focus and hub-boosted.',
    ],
  },
  recheck: {
    firstMs: [duration({ min: 1 }), 'A page is looked at again for the first time after so long.'],
    minMs: [duration({ min: 1 }), 'Least time between two looks at a page.'],
    maxMs: [duration({ min: 1 }), 'Longest time between two looks at a page; where it is less than minMs, it counts.'],
    changed: [
      number({ min: 0.01, max: 0.99 }),
      'A page is due when it has changed with this probability, by how often it changed so far.',
    ],
    goneAfter: [
      integer({ min: 1 }),
      'Rechecks in a row that get "not there", or a redirect to another site, before a page is gone.',
    ],
    newPages: [integer({ min: 0 }), 'New pages that a recheck may fetch beyond the budget.'],
  },
  traps: {
    enabled: [truth(), 'Whether links are judged by what came of others like them. False: every link is followed.'],
    nearDuplicateBits: [
      integer({ min: -1, max: 4 }),
      'Pages whose 64-bit fingerprints differ in at most so many bits are one page; -1 = only exact copies.',
    ],
    staleBits: [
      integer({ min: -1, max: 64 }),
      'A page that differs in at most so many bits from a recent page of its host is not new; -1 = all are new.',
    ],
    wastedFetches: [
      integer({ min: 1 }),
      'Copies and errors after which addresses of one pattern wait below all others; after twice as many, if nine in ten fetches of the pattern were such, they are dropped.',
    ],
    wastedShare: [number({ min: 0, max: 1, open: true }), 'Share of the fetches of the pattern that these must be.'],
    maxPathDepth: [integer({ min: 1 }), 'Paths with more segments are not followed.'],
    maxSegmentRepeats: [
      integer({ min: 1 }),
      'Paths that have one segment more often are not followed; those that have it as often wait below all others.',
    ],
    similarRedirects: [
      integer({ min: 1 }),
      'Redirects of one chain by addresses of one pattern after which no further one of it is followed.',
    ],
    hostsPerDomain: [
      integer({ min: 0 }),
      'Hosts of one domain that are visited before further ones wait below all others; 0 = no limit.',
    ],
    sectionPages: [
      integer({ min: 0 }),
      'Pages of one part of a site that count in full, and as many more for each other site that links into it; 0 = all.',
    ],
  },
  store: {
    url: [text(STORE_URL, isStore, STORE_URL_HINT), 'Either sqlite, a file in the workspace, or a server: mysql://…'],
    batch: [integer({ min: 1, max: 10_000 }), 'Records written in one transaction.'],
    flushMs: [duration(TIMER), 'Longest time a record waits to be written.'],
    reconnectMs: [
      duration(TIMER),
      'How long a crawl waits for a database server that went away; fetching waits as well.',
    ],
  },
};

/** One-line description of each section. */
export const SECTIONS: { readonly [S in Section]: string } = {
  crawl: 'How far the crawl goes, and in which order.',
  network: 'How it fetches, and how polite it is.',
  analyze: 'How pages are read.',
  learn: 'How topics are learned.',
  distill: 'How hubs and authorities are found.',
  recheck: 'When stored pages are looked at again, by "bingo crawl DIR --recheck".',
  traps: 'What keeps it out of calendars without end, sessions in addresses, and the like.',
  store: 'Where everything is kept.',
};

/** Every setting, in the order of the file. */
export const SETTINGS: readonly Setting[] = (Object.keys(TABLE) as Section[]).flatMap((section) =>
  Object.entries(TABLE[section] as Record<string, readonly [Rule<unknown>, string]>).map(([name, [rule, help]]) => ({
    section,
    name,
    key: `${section}.${name}`,
    variable: `BINGO_${section}_${name.replace(/(?<=[a-z])(?=[A-Z])/g, '_')}`.toUpperCase(),
    rule,
    help,
    default: (DEFAULTS[section] as Readonly<Record<string, unknown>>)[name],
  })),
);

/** Returns the setting of a key such as `network.delayMs`. */
export function settingOf(key: string): Setting | undefined {
  return SETTINGS.find((setting) => setting.key === key);
}

/** Describes range and default: `a whole number, 1 or more; default 1000`. */
export function describeSetting(setting: Setting): string {
  const gloss = setting.rule.gloss?.(setting.default);
  const value = setting.rule.write(setting.default);
  return `${setting.rule.expects}; default ${value}${gloss === undefined ? '' : ` (${gloss})`}`;
}

/** Returns the defaults with some settings replaced; `values` maps keys to checked values. */
export function configWith(values: ReadonlyMap<string, unknown>): Config {
  const config = Object.fromEntries((Object.keys(TABLE) as Section[]).map((s) => [s, { ...DEFAULTS[s] }]));
  for (const [key, value] of values) {
    const setting = settingOf(key);
    if (setting === undefined) throw new RangeError(`Expected the key of a setting, got "${key}"`);
    (config[setting.section] as Record<string, unknown>)[setting.name] = value;
  }
  return config as unknown as Config;
}

/** Whether a value is an absolute http or https URL with a host. */
function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
}
