import { STATUS_CODES } from 'node:http';
import { decodeText } from '../../analyze/index.ts';
import {
  assertNever,
  BingoError,
  type CanonicalUrl,
  type Config,
  canonicalize,
  type OfKind,
  UnreadableFileError,
} from '../../core/index.ts';
import { askNamedOrigin } from '../../fetch/index.ts';
import { withoutMark } from '../../kit/index.ts';
import { parsePageList } from '../sources/page-list.ts';
import { FILE_LIMITS, isTooLarge, readBounded } from '../workspace/bounded-file.ts';
import { type SearchService, writeService } from '../workspace/service-name.ts';

/** A result page that a search service returned. */
export interface ServiceResult {
  readonly url: CanonicalUrl;
  readonly title: string;
}

/** Options of a search request. */
export interface ServiceOptions {
  /** Maximum number of results. > 0 */
  readonly limit: number;
  /** Sent as `User-Agent`. */
  readonly userAgent: string;
  readonly timeoutMs?: number;
  readonly network: Config['network'];
}

const SEARCH_SERVICE = 'SEARCH_SERVICE';
const TIMEOUT_MS = 20_000;
/** A response with ten results has about ten thousand bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Queries a service; the best result is first. The user names its origin, which may be on this machine. Redirects to
 * other origins and the result pages obey the rules of the crawl.
 * @throws BingoError `SEARCH_SERVICE` with cause and remedy, also if there is no usable result
 */
export async function askService(
  service: SearchService,
  query: string,
  options: ServiceOptions,
): Promise<readonly ServiceResult[]> {
  const found = await ASK[service.kind](service as never, query, options);
  const seen = new Map<string, ServiceResult>();
  for (const { url: address, title } of found) {
    const url = canonicalize(address);
    if (url !== undefined && !seen.has(url)) seen.set(url, { url, title: title.trim() });
  }
  if (seen.size === 0)
    throw serviceError(
      `${writeService(service)} has no page for "${query}".`,
      'Use other words, or name pages yourself with the option "seeds".',
    );
  return [...seen.values()].slice(0, options.limit);
}

/** A service of one kind. */
type ServiceOf<K> = K extends 'file' ? OfKind<SearchService, 'file'> : WebPlace;

interface WebPlace {
  readonly address: string;
}

interface RawResult {
  readonly url: string;
  readonly title: string;
}

const ASK: {
  readonly [K in SearchService['kind']]: (
    service: ServiceOf<K>,
    query: string,
    options: ServiceOptions,
  ) => Promise<readonly RawResult[]>;
} = {
  searxng: askSearxng,
  wikipedia: askWikipedia,
  openalex: askOpenAlex,
  crossref: askCrossref,
  arxiv: askArxiv,
  file: readResults,
};

async function askSearxng(
  { address }: WebPlace,
  query: string,
  options: ServiceOptions,
): Promise<readonly RawResult[]> {
  const url = `${address}/search?${new URLSearchParams({ q: query, format: 'json' })}`;
  const answer = await getJson(url, options, {
    403: 'Its JSON format is switched off: add "json" to search.formats in its settings.yml. Many public instances have it off; your own can have it on.',
    429: 'Its limiter takes Bingo for a robot: wait, or switch it off for yourself (server.limiter in its settings.yml).',
  });
  return resultsOf(answer, address);
}

/**
 * Asks a service which pages link to a page. It answers in the format of SearXNG; an empty list is an answer, too.
 * @param address `{url}` in it becomes the page's address; without it, `url=` is added to the query
 * @throws BingoError `SEARCH_SERVICE` with cause and remedy
 */
export async function askBacklinks(
  address: string,
  page: string,
  options: Omit<ServiceOptions, 'limit'>,
): Promise<readonly CanonicalUrl[]> {
  const question = new URL(address.replaceAll('{url}', () => encodeURIComponent(page)));
  if (!address.includes('{url}')) question.searchParams.append('url', page);
  const answer = await getJson(question.href, options, BUSY);
  const hint = 'The answer must be JSON such as {"results": [{"url": "https://links.example/"}]}.';
  const found = resultsOf(answer, question.origin, hint).flatMap(({ url }) => canonicalize(url) ?? []);
  return [...new Set(found)].filter((url) => url !== page);
}

/** Parses results in SearXNG's format: `{"results": [{"url": …, "title": …}, …]}`. */
function resultsOf(answer: unknown, from: string, hint = 'Is it a SearXNG instance?'): readonly RawResult[] {
  const results = isRecord(answer) ? answer.results : undefined;
  if (!Array.isArray(results)) throw serviceError(`${from} answered without a list of results.`, hint);
  return results.flatMap((result: unknown) =>
    isRecord(result) && typeof result.url === 'string' ? [{ url: result.url, title: textOf(result.title) }] : [],
  );
}

/** MediaWiki returns titles. Its site settings, requested along with them, contain the URL pattern of a title. */
async function askWikipedia(
  { address }: WebPlace,
  query: string,
  options: ServiceOptions,
): Promise<readonly RawResult[]> {
  const asked = { action: 'query', list: 'search', srsearch: query, srlimit: String(Math.min(50, options.limit)) };
  const form = { srprop: '', meta: 'siteinfo', siprop: 'general', format: 'json', formatversion: '2' };
  const answer = await getJson(`${address}?${new URLSearchParams({ ...asked, ...form })}`, options, {
    429: 'It asks us to wait: try again in a minute.',
  });
  if (isRecord(answer) && isRecord(answer.error))
    throw serviceError(
      `${address} refuses the search: ${textOf(answer.error.info) || textOf(answer.error.code)}`,
      'Name pages yourself with the option "seeds".',
    );
  const found = isRecord(answer) && isRecord(answer.query) ? answer.query : {};
  if (!Array.isArray(found.search))
    throw serviceError(`${address} answered without a list of pages.`, 'Is it the api.php of a MediaWiki?');
  const general = isRecord(found.general) ? found.general : {};
  const base = new URL(textOf(general.server) || '/', address);
  const path = textOf(general.articlepath) || '/wiki/$1';
  return found.search.flatMap((page: unknown) => {
    if (!isRecord(page) || typeof page.title !== 'string') return [];
    const title = encodeURIComponent(page.title.replaceAll(' ', '_')).replaceAll('%2F', '/').replaceAll('%3A', ':');
    return [
      {
        url: new URL(
          path.replace('$1', () => title),
          base,
        ).href,
        title: page.title,
      },
    ];
  });
}

const BUSY = { 429: 'It asks us to wait: try again in a minute.' };

/** OpenAlex: the open copy of a work is preferred to its landing page, which is often closed. */
async function askOpenAlex(
  { address }: WebPlace,
  query: string,
  options: ServiceOptions,
): Promise<readonly RawResult[]> {
  const asked = { search: query, 'per-page': String(Math.min(200, options.limit)), ...politely(options) };
  const answer = await getJson(`${address}?${new URLSearchParams(asked)}`, options, BUSY);
  const results = isRecord(answer) ? answer.results : undefined;
  if (!Array.isArray(results)) throw notA(address, 'OpenAlex');
  return results.flatMap((work: unknown) => {
    if (!isRecord(work)) return [];
    const [open, primary] = [work.best_oa_location, work.primary_location].map(placeIn);
    const url = open || primary || textOf(work.doi);
    return url === '' ? [] : [{ url, title: textOf(work.display_name) || textOf(work.title) }];
  });
}

function placeIn(location: unknown): string {
  return isRecord(location) ? textOf(location.landing_page_url) || textOf(location.pdf_url) : '';
}

async function askCrossref(
  { address }: WebPlace,
  query: string,
  options: ServiceOptions,
): Promise<readonly RawResult[]> {
  const asked = {
    query,
    rows: String(Math.min(1000, options.limit)),
    select: 'DOI,URL,title,resource',
    ...politely(options),
  };
  const answer = await getJson(`${address}?${new URLSearchParams(asked)}`, options, BUSY);
  const message = isRecord(answer) ? answer.message : undefined;
  const items = isRecord(message) ? message.items : undefined;
  if (!Array.isArray(items)) throw notA(address, 'Crossref');
  return items.flatMap((work: unknown) => {
    if (!isRecord(work)) return [];
    const resource =
      isRecord(work.resource) && isRecord(work.resource.primary) ? textOf(work.resource.primary.URL) : '';
    const url = resource || textOf(work.URL);
    return url === '' ? [] : [{ url, title: Array.isArray(work.title) ? textOf(work.title[0]) : '' }];
  });
}

/** arXiv answers with an Atom feed; a mistake in the query is an entry, too. */
async function askArxiv({ address }: WebPlace, query: string, options: ServiceOptions): Promise<readonly RawResult[]> {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  const asked = { search_query: words.map((word) => `all:${word}`).join(' AND '), max_results: String(options.limit) };
  const text = await getText(`${address}?${new URLSearchParams(asked)}`, options, {
    hints: BUSY,
    accept: 'application/atom+xml',
  });
  if (!/<feed\b/.test(text)) throw notA(address, 'arXiv');
  return text
    .split(/<entry\b/)
    .slice(1)
    .flatMap((entry) => {
      const id = elementIn(entry, ATOM.id);
      if (id.includes('/api/errors'))
        throw serviceError(`${address} refuses the search: ${elementIn(entry, ATOM.summary)}`, 'Use other words.');
      // Without the version: the address of the newest one.
      const url = id.replace(/^http:/, 'https:').replace(/v\d{1,4}$/, '');
      return url === '' ? [] : [{ url, title: elementIn(entry, ATOM.title) }];
    });
}

const ATOM = { id: /<id>([^<]*)</, title: /<title>([^<]*)</, summary: /<summary>([^<]*)</ } as const;

function elementIn(xml: string, element: RegExp): string {
  return decodeText(element.exec(xml)?.[1] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Catalogues serve clients faster that name a mail address. */
function politely({ network: { contact } }: ServiceOptions): { readonly mailto?: string } {
  return contact.includes('@') && !contact.includes('/') ? { mailto: contact } : {};
}

function notA(address: string, name: string): BingoError {
  return serviceError(`${address} answered without a list of works.`, `Is it the API of ${name}?`);
}

/**
 * Reads results from a file: one URL per line, a saved SearXNG response, or what `bingo search --json` or `bingo
 * export` wrote as JSON lines or CSV. Rejected and missing pages of an export are left out.
 */
async function readResults({ path }: OfKind<SearchService, 'file'>): Promise<readonly RawResult[]> {
  const text = readSaved(path);
  const start = withoutMark(text).trimStart();
  if (start.startsWith('[')) return resultsOf({ results: acceptedIn(parseJson(start, path)) }, path);
  if (start.startsWith('{') && !isExport(start)) return resultsOf(parseJson(text, path), path);
  const { urls, mistakes } = parsePageList(text, path, 'results');
  const [first] = mistakes;
  if (first !== undefined) throw serviceError(`${path}, line ${first.line}: ${first.message}`, first.hint ?? '');
  return urls.map((url) => ({ url, title: '' }));
}

/** Drops rejected pages from what `bingo search --json` wrote: their topic is null. */
function acceptedIn(rows: unknown): unknown {
  return Array.isArray(rows) ? rows.filter((row) => !isRecord(row) || row.topic !== null) : rows;
}

/** True for JSON lines of `bingo export`: the first line is an object with a URL. */
function isExport(text: string): boolean {
  try {
    const row: unknown = JSON.parse(text.split(/[\r\n]/, 1)[0]!);
    return isRecord(row) && typeof row.url === 'string';
  } catch {
    return false;
  }
}

function readSaved(path: string): string {
  try {
    return readBounded(path, FILE_LIMITS.list).toString('utf8');
  } catch (cause) {
    if (isTooLarge(cause)) throw cause;
    throw new UnreadableFileError({
      code: SEARCH_SERVICE,
      message: `Cannot read the file ${path}.`,
      hint: 'Name a list of URLs, one per line, or a file of bingo search --json or bingo export.',
      cause,
    });
  }
}

async function getJson(
  url: string,
  options: Omit<ServiceOptions, 'limit'>,
  hints: Readonly<Record<number, string>>,
): Promise<unknown> {
  return parseJson(await getText(url, options, { hints, accept: 'application/json' }), new URL(url).origin);
}

interface TextQuestion {
  /** What to do about some statuses. */
  readonly hints: Readonly<Record<number, string>>;
  readonly accept: string;
}

async function getText(
  url: string,
  { userAgent, network, timeoutMs = TIMEOUT_MS }: Omit<ServiceOptions, 'limit'>,
  { hints, accept }: TextQuestion,
): Promise<string> {
  const place = new URL(url).origin;
  const request = { userAgent, accept, timeoutMs, maxBytes: MAX_BYTES, network };
  const answer = await askNamedOrigin(url, request);
  switch (answer.kind) {
    case 'unanswered': {
      const isElsewhere = !answer.at.startsWith(place);
      throw serviceError(
        isElsewhere
          ? `${place} redirects to ${new URL(answer.at).origin}: ${answer.detail}`
          : `${place} cannot be reached: ${answer.detail}`,
        isElsewhere ? 'Name the service by its own address.' : 'Is the address right, and does the service run?',
      );
    }
    case 'too-large':
      throw serviceError(`${place} sent more than ${MAX_BYTES / 2 ** 20} MiB.`, 'Is it a search service?');
    case 'broken-off':
      throw serviceError(`${place} broke off its answer: ${answer.detail}`, 'Try again.');
    case 'answer': {
      const { status, body } = answer;
      if (status >= 200 && status < 300) return Buffer.from(body).toString('utf8');
      throw serviceError(
        `${place} answers ${`${status} ${STATUS_CODES[status] ?? ''}`.trim()}.`,
        hints[status] ?? 'Ask it in a browser to see what it says.',
      );
    }
    default:
      return assertNever(answer);
  }
}

function parseJson(text: string, from: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const isPage = /^\s*</.test(text);
    throw serviceError(
      `${from} sent ${isPage ? 'a web page' : 'something'} that is not JSON.`,
      isPage ? 'Is the address right, without a path to its search page?' : 'Is the address that of a search service?',
      error as Error,
    );
  }
}

function serviceError(message: string, hint: string, cause?: Error): BingoError {
  return new BingoError({ code: SEARCH_SERVICE, message, hint, ...(cause === undefined ? {} : { cause }) });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
