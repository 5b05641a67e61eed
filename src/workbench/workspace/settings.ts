import { isIP, isIPv4, isIPv6 } from 'node:net';
import {
  ARCHIVE_MISSING,
  CLASSIFIERS,
  type Config,
  DEFAULTS,
  EXTENSION_NAME,
  KERNELS,
  META_RULES,
  NEWS_KINDS,
  ORDERINGS,
  type OrderingName,
  productToken,
  RECHECK_ORDERS,
  RENDER_MODES,
} from '../../core/index.ts';
import { isMysqlUrl, STORE_URL, STORE_URL_HINT } from '../../store/index.ts';
import { parseArchiveSource, SOURCE, SOURCE_HINT } from './archive-source.ts';
import { cron, timezone } from './cron-rule.ts';
import { hostName } from './host-name.ts';
import { duration, integer, listOf, number, oneOf, orWord, type Rule, size, text, truth } from './rules.ts';
import { SECRET } from './secret.ts';
import { isModelServer, parseService, SERVICE_FORMS } from './service-name.ts';
import { spaceList } from './space-rule.ts';
import { typeLimit } from './type-limit.ts';
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
  /** Why a user may need another value than the default. */
  readonly why: string;
  /** For a retired setting, which is still read but not listed: what to do instead. Else `undefined`. */
  readonly instead: string | undefined;
  readonly default: unknown;
}

/** A setting that is still read, so that older files keep their effect, but is not listed any more. */
interface Retired {
  readonly instead: string;
}

const retired = (instead: string): Retired => ({ instead });

/** Format, one-sentence description and reason of every setting of `Config`; the compiler checks that all are there. */
type Table = {
  readonly [S in Section]: {
    readonly [K in keyof Config[S]]: readonly [rule: Rule<Config[S][K]>, help: string, why: string | Retired];
  };
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

const SECRET_HINT = 'A secret is not written into bingo.yaml: name a variable (env:NAME) or a file (file:PATH).';
const PASSWORD_HINT = 'The password is not part of it: set notify.mailPassword to env:NAME or file:PATH.';
const isMail = (value: string): boolean => /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(value);
const isHook = (value: string): boolean => isHttpUrl(value) || SECRET.test(value);
function isMailServer(value: string): boolean {
  if (value === '') return true;
  const url = URL.parse(value);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && url.password === '';
}
/** Rule for a reference to a secret. */
const secret = (): Rule<string> =>
  text('env:NAME, file:PATH, or empty', (value) => value === '' || SECRET.test(value), SECRET_HINT);
const WHEN = 'Only you know when; needs "bingo watch DIR".';

const BUILT_IN = oneOf(ORDERINGS);
/** A name like one of ours is a mistake. The workspace checks that it has extensions, the crawl that one has the name. */
const orderingName: Rule<OrderingName> = {
  ...BUILT_IN,
  expects: `${BUILT_IN.expects}, or the name of an extension`,
  read: (value) => {
    const read = BUILT_IN.read(value);
    const isName = typeof value === 'string' && EXTENSION_NAME.test(value);
    return !read.ok && read.hint === undefined && isName ? { ok: true, value } : read;
  },
};

const TABLE: Table = {
  crawl: {
    budget: [
      integer({ min: 1 }),
      'Pages to fetch in all; seeds and training pages do not count.',
      'How much you want is your decision.',
    ],
    timeMs: [duration(), 'Time limit of one run; 0 = none.', 'A nightly run must end in the morning.'],
    learn: [
      integer({ min: 0 }),
      'Pages of the learning phase, at most a tenth of the budget; 0 = harvest at once.',
      'Examples may be enough, or few.',
    ],
    ordering: [orderingName, 'Order in which links are fetched.', 'Compare orderings, as the papers do.'],
    seed: [
      integer({ min: 0, max: 4_294_967_295 }),
      'Random seed; the same seed gives the same draws.',
      'Repeat an experiment with other draws.',
    ],
    learnMaxDepth: [
      integer({ min: 0 }),
      'Maximum distance from a seed in the learning phase, in links.',
      retired('Set crawl.learn, or crawl.ordering.'),
    ],
    tunnelDistance: [
      integer({ min: 0 }),
      'Links followed in a row from rejected pages, by the ordering bingo and while learning.',
      'Topics whose pages link to each other seldom need more.',
    ],
    tunnelDecay: [
      number({ min: 0, max: 1, open: true }),
      'Factor on the priority for each such link.',
      retired('Set crawl.tunnelDistance.'),
    ],
    reserve: [
      truth(),
      'Whether links that the ordering bingo would drop wait below all others instead.',
      retired('Set crawl.ordering: hard-focus drops such links.'),
    ],
    fairShare: [
      number({ min: 0, max: 1 }),
      'Minimum share of fetches of each topic, relative to an equal share.',
      retired('Give topics a budget of their own.'),
    ],
    maxPagesPerTopic: [
      integer({ min: 0 }),
      'Maximum pages fetched for a topic without a budget of its own; 0 = no limit.',
      'One large topic must not take the whole budget.',
    ],
    maxPagesPerSite: [
      integer({ min: 0 }),
      'Maximum pages of one site; 0 = no limit.',
      'One large site must not take the whole budget.',
    ],
    stopAtRecall: [
      number({ min: 0, max: 0.99 }),
      'Estimated share of relevant pages at which a run ends; 0 = never.',
      'Most of a topic may be enough, whatever the budget.',
    ],
    stagnationPages: [
      integer({ min: 0 }),
      'Pages of a topic without a relevant one until an alarm; 0 = never.',
      'Rare topics need patience.',
    ],
    incomingQueue: [
      integer({ min: 1 }),
      'Maximum URLs that wait for each topic; the worst are dropped.',
      'Bounds memory with hundreds of topics.',
    ],
    outgoingQueue: [
      integer({ min: 1 }),
      'URLs of each topic with resolved host names, ready to fetch.',
      retired('Set crawl.incomingQueue.'),
    ],
    maxUrlChars: [
      integer({ min: 1 }),
      'Maximum length of URLs to follow.',
      'Some sites have long addresses, some traps as well.',
    ],
    maxHostChars: [
      integer({ min: 1 }),
      'Maximum length of host names to follow, without the port.',
      retired('Set crawl.maxUrlChars.'),
    ],
    maxRedirects: [
      integer({ min: 0 }),
      'Maximum redirects in a row.',
      retired('Nothing to set: browsers follow as many.'),
    ],
    maxTries: [
      integer({ min: 1 }),
      'Tries of a URL; as many failures in a row make a host bad.',
      'Unreliable servers need more.',
    ],
    maxLinksPerPage: [
      integer({ min: 1 }),
      'Maximum links read from a page.',
      retired('Nothing to set: pages with more are lists of links.'),
    ],
    lockedHosts: [
      listOf(hostName()),
      'Hosts that are never visited, with the hosts below them.',
      retired('Add the hosts to crawl.exclude.'),
    ],
    lockSearchEngines: [
      truth(),
      'Never visit general search engines, except those named as an example or a seed.',
      'A topic may be search engines themselves.',
    ],
    exclude: [
      listOf(urlRule()),
      'Addresses never requested: hosts, paths as in robots.txt, or both.',
      'You know what is worthless.',
    ],
    include: [
      listOf(urlRule()),
      'If set, only these addresses, training pages and seeds are fetched.',
      'A crawl of a few known sites.',
    ],
    prefer: [
      listOf(urlRule()),
      'Addresses whose links go before all others of their topic.',
      'You know where the good pages are.',
    ],
    defer: [
      listOf(urlRule()),
      'Addresses whose links go after all others; prefer counts more.',
      'You know what can wait.',
    ],
    sitemaps: [
      truth(),
      'Also read the sitemaps of the sites of examples and seeds.',
      'Finds pages without links, costs requests.',
    ],
    feeds: [
      truth(),
      'Also follow the feeds that pages name in their head.',
      'Feeds list what is new, also on sites that link to it late.',
    ],
    languages: [
      listOf(text('a language code such as en or pt', (value) => /^[a-z]{2,3}$/.test(value))),
      'Languages of pages that may be accepted and whose links are followed; empty = all.',
      'You read only some languages.',
    ],
    parents: [
      truth(),
      'Also follow the folders above the address of each relevant page.',
      'Finds lists of pages, costs requests.',
    ],
    backlinks: [
      text('a file name, or empty'),
      'File of links from elsewhere, "FROM TO" per line: pages that link to relevant pages are followed.',
      'Only you have one.',
    ],
    rankInterval: [
      integer({ min: 0 }),
      'Pages between two computations of PageRank, for the ordering pagerank; 0 = when the crawl grew by a tenth.',
      'A small web can afford each page.',
    ],
  },
  network: {
    userAgent: [
      text(USER_AGENT, (value) => isSendable(value) && productToken(value) !== ''),
      'Name sent as User-Agent, followed by the contact.',
      "Site owners know your organisation's crawler.",
    ],
    contact: [
      text(CONTACT, isContact),
      'Address by which site owners reach you. Set it before you crawl the open web.',
      'Only you know it.',
    ],
    concurrency: [integer({ min: 1, max: 1000 }), 'Requests in flight at a time.', 'Depends on your network.'],
    perHost: [integer({ min: 1 }), 'Requests in flight to one host.', 'Your own server may allow more.'],
    perDomain: [integer({ min: 1 }), 'Requests in flight to one registered domain.', 'An intranet is one domain.'],
    perAddress: [
      integer({ min: 0 }),
      'Requests in flight to one IP address; 0 = no limit.',
      retired('Set network.perDomain: an address gets at least twice as many.'),
    ],
    delayMs: [
      duration(),
      'Minimum time between two requests to one host; robots.txt may ask for more.',
      'Politeness: your own server may allow less.',
    ],
    domainDelayMs: [
      duration(),
      'The same for all hosts of one registered domain; never more than delayMs.',
      retired('Set network.delayMs.'),
    ],
    addressDelayMs: [
      duration(),
      'The same for all names of one IP address; never more than delayMs.',
      retired('Set network.delayMs.'),
    ],
    connectTimeoutMs: [
      duration(TIMER),
      'Time to connect, also through a proxy.',
      retired('Set network.totalTimeoutMs: connecting gets at least a sixth of it.'),
    ],
    headersTimeoutMs: [
      duration(TIMER),
      'Time until the response begins.',
      retired('Set network.totalTimeoutMs: the first byte gets at least a third of it.'),
    ],
    totalTimeoutMs: [duration(TIMER), 'Time for a whole response.', 'Slow servers and large files need more.'],
    minBytesPerSecond: [
      integer({ min: 0 }),
      'Slower bodies are given up after a sixth of that time; 0 = no limit.',
      retired('Set network.totalTimeoutMs.'),
    ],
    maxBodyBytes: [size({ min: 1 }), 'Maximum size of a page.', 'Large documents need more.'],
    maxBytesByType: [
      listOf(typeLimit()),
      'Other maximum sizes for media types, such as application/pdf=20MiB or text/*=1MiB.',
      'Large documents are worth it, large pages are not.',
    ],
    proxy: [
      text('an http://, https:// or socks5:// URL, or empty', (value) => value === '' || isProxyUrl(value)),
      'Proxy for all requests; it resolves all names.',
      'Some networks require one.',
    ],
    cookies: [
      text('the path of a cookies.txt file, or empty'),
      'Cookies of your browser (Netscape format), for sites where you are logged in.',
      'Pages behind a login that is yours.',
    ],
    access: [
      text('the path of an access file, or empty'),
      'Passwords and header fields for single hosts: HOST basic USER:PASSWORD, HOST header NAME: VALUE.',
      'Intranets and paid sources.',
    ],
    searchService: [
      text(
        `${SERVICE_FORMS}, or empty`,
        isService,
        'A name and a password in the address of a service are not sent: leave them out.',
      ),
      'Search service or catalogue that is asked for first pages.',
      'Only you know yours.',
    ],
    dnsServers: [
      listOf(text(DNS_SERVER, isDnsServer)),
      'Name servers; empty = those of the system.',
      'Frozen webs have their own.',
    ],
    dnsTimeoutMs: [
      duration(TIMER),
      'Time to wait for a name server.',
      retired('Set network.dnsServers: name a faster one.'),
    ],
    dnsCacheSize: [
      integer({ min: 1 }),
      'Names kept in the cache.',
      retired('Nothing to set: a name takes little memory.'),
    ],
    dnsTtlMaxMs: [
      duration(),
      'Maximum time that a name is kept.',
      retired('Nothing to set: name servers state a time.'),
    ],
    allowPrivate: [
      truth(),
      'Allow private, loopback and link-local addresses (an intranet).',
      'Off for safety; an intranet needs it.',
    ],
    robots: [
      truth(),
      'Obey robots.txt. Turn it off only for your own servers.',
      'Your own servers may forbid what you need.',
    ],
    siteRights: [
      truth(),
      'Also look up which rights sites reserve against text mining and training: tdmrep.json and ai.txt.',
      'A corpus for training must know; it costs two requests per site.',
    ],
    robotsMaxAgeMs: [
      duration(),
      'Age at which robots.txt is fetched again.',
      retired('Nothing to set: RFC 9309 says a day.'),
    ],
    robotsMaxBytes: [
      size({ min: 1 }),
      'Maximum bytes read of a robots.txt.',
      retired('Nothing to set: RFC 9309 says 500 KiB.'),
    ],
    maxCrawlDelayMs: [
      duration(),
      'Hosts with a longer Crawl-delay are skipped after one page.',
      'A slow but important host is worth waiting for.',
    ],
    backoffMs: [
      duration(),
      'Pause of a host after a failure, doubled at each further one.',
      retired('Set crawl.maxTries or network.delayMs.'),
    ],
    backoffMaxMs: [
      duration(),
      'Maximum pause; after such a time, a new run tries failed hosts again.',
      retired('Run bingo crawl again after an hour.'),
    ],
    backoffJitter: [
      number({ min: 0, max: 1 }),
      'Maximum random extension of a pause, as a share.',
      retired('Nothing to set.'),
    ],
    insecureTls: [truth(), 'Accept certificates that do not verify.', 'Old intranet servers.'],
    render: [
      oneOf(RENDER_MODES),
      'Show pages in a browser before they are read: those that seem to need it, none, or all with scripts.',
      'Some sites are empty without JavaScript. Needs Chromium and playwright-core.',
    ],
    browser: [
      text('the path of Chromium or Chrome, or nothing'),
      'Path of the browser; empty = at the usual places.',
      'Yours may be installed elsewhere.',
    ],
    renderTimeoutMs: [
      duration({ min: 1_000, max: 10 * 60_000 }),
      'Time limit for a page in the browser, with its scripts.',
      'Slow applications need more.',
    ],
    renderPages: [
      integer({ min: 0 }),
      'Pages shown in a browser per run; 0 = no limit.',
      'A page in a browser costs much more than a plain one.',
    ],
  },
  archive: {
    source: [
      text(SOURCE, (value) => parseArchiveSource(value) !== undefined, SOURCE_HINT),
      'Where pages are from: the network, your files, or an archive service.',
      'Crawl what you already have, or the web of a past day.',
    ],
    files: [
      listOf(text('the path of a WARC or WACZ file, or of a folder')),
      'WARC and WACZ files, or folders of them; paths are relative to the workspace.',
      'Only you know yours.',
    ],
    missing: [
      oneOf(ARCHIVE_MISSING),
      'Pages that the archive lacks: skip them, or fetch them live.',
      'An old archive completed by the web of today.',
    ],
    pauseMs: [
      duration(TIMER),
      'Minimum time between two requests to an archive service.',
      'Your own service may allow less.',
    ],
    wayback: [
      text('an http(s) URL', isHttpUrl),
      'Address of the Wayback Machine.',
      'National archives and your own run the same software.',
    ],
    commoncrawl: [text('an http(s) URL', isHttpUrl), "Address of Common Crawl's index.", 'A mirror.'],
    commoncrawlData: [text('an http(s) URL', isHttpUrl), "Address of Common Crawl's files.", 'A mirror.'],
  },
  analyze: {
    threads: [
      integer({ min: 0, max: 256 }),
      'Analysis threads; 0 = one per core, minus one, at least one.',
      'Leave cores to other programs.',
    ],
    mainText: [
      truth(),
      'Leave navigation, banners, footers and long link lists out of the text.',
      'A corpus may need all text.',
    ],
    maxTextChars: [integer({ min: 1 }), 'Maximum characters of text kept of a page.', 'Books need more.'],
    maxTokens: [integer({ min: 1 }), 'Maximum words read of a page.', retired('Set analyze.maxTextChars.')],
    timeoutMs: [
      duration(TIMER),
      'Time to analyse a page; for documents and archives, processor time.',
      'Large documents need more.',
    ],
    pairWindow: [
      integer({ min: 1, max: 100 }),
      'Maximum distance of the two words of a pair.',
      retired('Set learn.spaces: "terms" alone has no pairs.'),
    ],
    maxPdfPages: [integer({ min: 1 }), 'Maximum pages read of a PDF.', 'Books need more.'],
  },
  learn: {
    spaces: [
      spaceList(),
      'Feature spaces; each item trains a classifier of its own.',
      'Sites with little text need links and anchors.',
    ],
    candidates: [
      integer({ min: 1 }),
      'Most frequent terms of each side that feature selection considers.',
      retired('Set learn.features.'),
    ],
    features: [
      orWord('auto', integer({ min: 1 })),
      'Terms kept of each side; auto = the number with the best held-out estimate.',
      'The paper states its own; auto costs time.',
    ],
    C: [
      number({ min: 0, open: true }),
      'Cost of a training error of the SVM.',
      retired('Add examples, or mark pages.'),
    ],
    rho: [
      number({ min: 0, open: true }),
      'Factor of the xi-alpha estimate.',
      retired('Nothing to set: read the grade of the topic.'),
    ],
    classifier: [
      oneOf(CLASSIFIERS),
      'What judges pages: svm, or bayes = naive Bayes, as in the paper on focused crawling.',
      'Compare classifiers, as the papers do.',
    ],
    kernel: [
      oneOf(KERNELS),
      'Kernel of the SVM. With rbf and poly, libsvm trains topics of at most 300 training pages.',
      'Compare kernels on your pages; on our webs linear ranks best.',
    ],
    metaLearning: [
      oneOf(META_RULES),
      'How classifiers vote in the learning phase.',
      'Matters with several feature spaces.',
    ],
    metaHarvesting: [
      oneOf(META_RULES),
      'How classifiers vote in the harvesting phase.',
      'Matters with several feature spaces.',
    ],
    retrainEvery: [
      integer({ min: 1 }),
      'Pages until the first retraining; the distance grows with the crawl.',
      retired('Mark pages: a mark retrains at once.'),
    ],
    authorityArchetypes: [
      integer({ min: 0 }),
      'Archetypes of each topic that end learning.',
      'The paper states its own.',
    ],
    confidenceArchetypes: [
      integer({ min: 0 }),
      'The same for archetypes chosen by confidence.',
      retired('Set learn.authorityArchetypes.'),
    ],
    maxArchetypesPerRound: [
      integer({ min: 0 }),
      'Maximum archetypes that a topic gains per training round.',
      retired('Set learn.maxArchetypes.'),
    ],
    maxArchetypes: [
      integer({ min: 0 }),
      'Maximum archetypes of a topic; 0 = learn only from your examples.',
      'You may trust only your own examples.',
    ],
    acceptThreshold: [
      number(),
      'Accept pages above this: 0 = like known negatives, 1 = like known positives.',
      'Trade precision for recall.',
    ],
    archetypeGate: [
      truth(),
      'Archetypes must be surer than the mean training page; false = accepted is enough.',
      'The papers compare both; topics with few similar pages need more archetypes.',
    ],
    calibrated: [
      truth(),
      'False = the uncalibrated rules of the BINGO! paper, for comparison.',
      retired('Compare with bingo lab run --set learn.calibrated=false.'),
    ],
    rejectedAsOthers: [
      integer({ min: 0 }),
      'Maximum rejected pages that join OTHERS.',
      retired('List pages under others in bingo.yaml.'),
    ],
    backgroundPages: [
      integer({ min: 0 }),
      'Off-topic pages kept to weigh terms against.',
      retired('List pages under others in bingo.yaml.'),
    ],
    embeddings: [
      text(
        'the http(s) address of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1, or empty',
        isModelServer,
      ),
      'Server that turns the first words of pages into vectors, for the space "meaning" of learn.spaces.',
      'Only you know yours.',
    ],
    embeddingsModel: [
      text('a name of a model, or empty'),
      'Model of learn.embeddings; empty = the first one that the server lists.',
      'Your server has several.',
    ],
    reader: [
      text(
        'the http(s) address of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1, or empty',
        isModelServer,
      ),
      'Server of a language model that answers questions about pages in your place; it receives their beginnings.',
      'Only you know yours.',
    ],
    readerModel: [
      text('a name of a model, or empty'),
      'Model of learn.reader; empty = the first one that the server lists.',
      'Your server has several.',
    ],
    readerQuestions: [
      integer({ min: 1 }),
      'Maximum requests to learn.reader in one run, with up to 20 for its examination.',
      'Many topics, or a paid server.',
    ],
    readerTokens: [
      integer({ min: 1 }),
      'Maximum tokens of requests and answers of learn.reader in one run.',
      'A paid server.',
    ],
    readerTimeMs: [duration({ min: 1 }), 'Maximum time in which one run waits for learn.reader.', 'A slow server.'],
  },
  distill: {
    maxBaseSet: [
      integer({ min: 1 }),
      'Maximum pages of a topic from which link analysis starts.',
      'Large topics need more, and more time.',
    ],
    maxPredecessors: [
      integer({ min: 0 }),
      'Maximum pages that link to them and are added.',
      retired('Set distill.maxBaseSet.'),
    ],
    relevanceThreshold: [
      number({ min: 0, max: 1 }),
      'Minimum relevance of authorities.',
      retired('Set learn.acceptThreshold.'),
    ],
    tolerance: [
      number({ min: 0, open: true }),
      'Change of the scores at which link analysis has converged.',
      retired('Nothing to set.'),
    ],
    maxIterations: [integer({ min: 1 }), 'Maximum iterations of link analysis.', retired('Nothing to set.')],
    hubs: [
      integer({ min: 0 }),
      'Best hubs whose unvisited links move to the front, by the orderings bingo, hard-focus and hub-boosted.',
      'A parameter of these orderings.',
    ],
  },
  recheck: {
    firstMs: [
      duration({ min: 1 }),
      'Time until a page is first rechecked.',
      'News and statutes change at different rates.',
    ],
    minMs: [
      duration({ min: 1 }),
      'Minimum time between two rechecks of a page.',
      'Limits requests to pages that change often.',
    ],
    maxMs: [
      duration({ min: 1 }),
      'Maximum time between two rechecks; counts more than minMs.',
      'Notices late changes of pages that seldom change.',
    ],
    changed: [
      number({ min: 0.01, max: 0.99 }),
      'Probability of a change at which a page is due.',
      retired('Set recheck.minMs and recheck.maxMs.'),
    ],
    goneAfter: [
      integer({ min: 1 }),
      'Failed rechecks in a row after which a page counts as gone.',
      'Unreliable servers need more.',
    ],
    order: [
      oneOf(RECHECK_ORDERS),
      'Due pages fetched first: most overdue, best hubs, best authorities, or longest not fetched.',
      'A recheck of limited time should see the important pages.',
    ],
    newPages: [
      integer({ min: 0 }),
      'Maximum new pages that a recheck fetches beyond the budget.',
      'Decides whether a monitor also discovers.',
    ],
  },
  traps: {
    enabled: [
      truth(),
      'Judge links by what others like them led to. False: follow every link.',
      'A site of your own without traps.',
    ],
    nearDuplicateBits: [
      integer({ min: -1, max: 4 }),
      'Pages whose fingerprints differ in at most this many of 64 bits are copies; -1 = exact only.',
      'A corpus may need near copies.',
    ],
    staleBits: [
      integer({ min: -1, max: 64 }),
      'The same for "not new" compared with recent pages of the host with the same title.',
      retired('Set traps.enabled.'),
    ],
    wastedFetches: [
      integer({ min: 1 }),
      'Copies and errors after which addresses of a pattern go last; after 25 times as many in a row, none accepted, they are dropped.',
      'A site whose addresses only look like a trap.',
    ],
    wastedShare: [
      number({ min: 0, max: 1, open: true }),
      'Minimum share of such fetches of the pattern.',
      retired('Set traps.wastedFetches.'),
    ],
    maxPathDepth: [integer({ min: 1 }), 'Maximum segments of a path.', 'Some sites have deep folders.'],
    maxSegmentRepeats: [
      integer({ min: 1 }),
      'Maximum times that a path may repeat a segment; paths with as many go last.',
      'Some sites repeat folder names.',
    ],
    similarRedirects: [
      integer({ min: 1 }),
      'Maximum redirects in a chain between addresses of one pattern.',
      retired('Set traps.enabled.'),
    ],
    hostsPerDomain: [
      integer({ min: 0 }),
      'Hosts of a domain that are visited before others go last; 0 = no limit.',
      'A blog host has a name for each author.',
    ],
    sectionPages: [
      integer({ min: 0 }),
      'Pages of a part of a site that count in full, more if other sites link to it; 0 = all.',
      'A reference work in one folder.',
    ],
  },
  search: {
    log: [
      truth(),
      'Log queries and opened results in the workspace (queries.jsonl), for bingo queries and bingo adapt.',
      'What is searched for is private.',
    ],
    keepMs: [duration({ min: 1 }), 'Time that logged queries are kept.', 'Privacy rules differ.'],
  },
  schedule: {
    crawl: [cron(), 'When to crawl; a cron expression such as "0 2 * * *", empty = never.', WHEN],
    recheck: [cron(), 'When to fetch due pages again.', WHEN],
    adapt: [cron(), 'When to adapt the collection to the logged queries.', WHEN],
    portal: [cron(), 'When to write the portal again.', WHEN],
    crawlPages: [
      integer({ min: 0 }),
      'Pages of a scheduled crawl, beyond those fetched before; 0 = up to crawl.budget.',
      'How much a night may bring is your decision.',
    ],
    portalFolder: [
      text('the path of a folder, relative to the workspace', (value) => value.trim() !== ''),
      'Folder of the scheduled portal.',
      'Your web server serves another folder.',
    ],
    timezone: [timezone(), 'Time zone of these times; empty = that of the system.', 'Servers often run in UTC.'],
    jitterMs: [
      duration({ min: 0, max: 86_400_000 }),
      'Delay of a scheduled job after its time, at most; drawn for each run.',
      'Many machines must not begin in the same second.',
    ],
  },
  notify: {
    atom: [
      text('the path of a file, relative to the workspace, or empty'),
      'Atom file that lists the news.',
      'Feed readers and other sites follow it.',
    ],
    webhooks: [
      listOf(text('an http(s) URL, env:NAME or file:PATH', isHook, SECRET_HINT)),
      'Addresses that receive the news as JSON by POST.',
      'Only you know yours.',
    ],
    webhookKey: [secret(), 'Key that signs these requests (HMAC-SHA256).', 'A receiver can check who sent them.'],
    mailTo: [
      listOf(text('an e-mail address', isMail)),
      'Addresses that receive the news by mail.',
      'Only you know yours.',
    ],
    mailFrom: [
      text('an e-mail address, or empty', (value) => value === '' || isMail(value)),
      'Sender of these mails; empty = the first receiver.',
      'Servers accept only senders that they know.',
    ],
    mailServer: [
      text('a URL such as smtp://user@mail.example:587 or smtps://…, or empty', isMailServer, PASSWORD_HINT),
      'Mail server that sends them.',
      'Only you know yours.',
    ],
    mailPassword: [secret(), 'Password of this server.', 'Servers ask for one.'],
    about: [
      listOf(oneOf(NEWS_KINDS)),
      'What to report: new, changed and gone pages, standing queries, alarms.',
      'Some want only one of them.',
    ],
    digest: [cron(), 'When to send; empty = after each job of "bingo watch".', 'One mail a day is enough.'],
  },
  store: {
    url: [
      text(STORE_URL, isStore, STORE_URL_HINT),
      'sqlite (a file in the workspace), or a server: mysql://…',
      'Several readers need a server.',
    ],
    batch: [integer({ min: 1, max: 10_000 }), 'Records written in one transaction.', retired('Nothing to set.')],
    flushMs: [duration(TIMER), 'Maximum time that a record waits to be written.', retired('Nothing to set.')],
    reconnectMs: [
      duration(TIMER),
      'Time that a crawl waits for a lost database server.',
      'Decides whether a crawl survives a restart of the server.',
    ],
  },
};

/** One-line description of each section. */
export const SECTIONS: { readonly [S in Section]: string } = {
  crawl: 'How far the crawl goes, and in which order.',
  network: 'How it fetches, and how polite it is.',
  archive: 'Pages from web archives.',
  analyze: 'How pages are read.',
  learn: 'How topics are learned.',
  distill: 'How hubs and authorities are found.',
  recheck: 'When stored pages are looked at again, by "bingo crawl DIR --recheck".',
  traps: 'What keeps it out of calendars without end, sessions in addresses, and the like.',
  search: 'What searches leave behind.',
  schedule: 'When "bingo watch DIR" works.',
  notify: 'Who is notified of news, by "bingo notify DIR" and "bingo watch DIR".',
  store: 'Where everything is kept.',
};

/** Every setting that is read, in the order of the file; retired ones as well. */
export const SETTINGS: readonly Setting[] = (Object.keys(TABLE) as Section[]).flatMap((section) =>
  Object.entries(TABLE[section] as Record<string, readonly [Rule<unknown>, string, string | Retired]>).map(
    ([name, [rule, help, why]]) => ({
      section,
      name,
      key: `${section}.${name}`,
      variable: `BINGO_${section}_${name.replace(/(?<=[a-z])(?=[A-Z])/g, '_')}`.toUpperCase(),
      rule,
      help,
      why: typeof why === 'string' ? why : '',
      instead: typeof why === 'string' ? undefined : why.instead,
      default: (DEFAULTS[section] as Readonly<Record<string, unknown>>)[name],
    }),
  ),
);

/** The settings that lists, suggestions and documents show. */
export const LISTED_SETTINGS: readonly Setting[] = SETTINGS.filter(({ instead }) => instead === undefined);

/** Returns one sentence per retired setting among some keys: it still works, and what to do instead. */
export function retiredNotes(keys: Iterable<string>): readonly string[] {
  return [...keys].flatMap((key) => {
    const instead = settingOf(key)?.instead;
    return instead === undefined ? [] : [`${key} is retired and still works. ${instead}`];
  });
}

/** Least shares of a merged setting that the settings it replaces get, if these are not set. */
const MERGED: readonly (readonly [key: string, into: string, share: number])[] = [
  ['network.connectTimeoutMs', 'network.totalTimeoutMs', 1 / 6],
  ['network.headersTimeoutMs', 'network.totalTimeoutMs', 1 / 3],
  ['network.perAddress', 'network.perDomain', 2],
  ['learn.confidenceArchetypes', 'learn.authorityArchetypes', 1],
];

/** Returns the values of settings that follow from a merged one. */
function* mergedValues(values: ReadonlyMap<string, unknown>): Generator<readonly [string, unknown]> {
  for (const [key, into, share] of MERGED) {
    const value = values.get(into);
    if (typeof value !== 'number' || values.has(key)) continue;
    const usual = settingOf(key)!.default as number;
    yield [key, share === 1 ? value : Math.max(usual, Math.round(value * share))];
  }
}

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
  for (const [key, value] of [...values, ...mergedValues(values)]) {
    const setting = settingOf(key);
    if (setting === undefined) throw new RangeError(`Expected the key of a setting, got "${key}"`);
    (config[setting.section] as Record<string, unknown>)[setting.name] = value;
  }
  return config as unknown as Config;
}

/** Whether a value is the address of a proxy. */
function isProxyUrl(value: string): boolean {
  return isHttpUrl(value.replace(/^socks5:/, 'http:'));
}

/** Whether a value is an absolute http or https URL with a host. */
function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
}
