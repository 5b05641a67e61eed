import { STATUS_CODES } from 'node:http';
import { type CanonicalUrl, type Config, firstValue } from '../../core/index.ts';
import { type HeaderFields, pageOfRecord, type RecordedPage, recordAt, timeOf } from '../../warc/index.ts';
import type { NamedOriginAnswer } from '../service-request.ts';
import { type ListedCapture, parseCaptures } from './capture-list.ts';
import type { Found, PageSource } from './page-source.ts';
import { PoliteService, type PoliteServiceOptions } from './polite-service.ts';

/** Options of an archive service. */
export type ServiceSourceOptions = PoliteServiceOptions & { readonly archive: Config['archive'] };

const JSON_TYPES = 'application/json, text/x-ndjson;q=0.9, */*;q=0.5';
/** Captures of one page that are asked for: the closest ones come first. */
const LIMIT = 10;

/** Where an archive has its index and its pages. */
interface ArchivePaths {
  readonly index: string;
  readonly pages: string;
}

const WAYBACK_PATHS: ArchivePaths = { index: '/cdx/search/cdx', pages: '/web' };
/** A collection of pywb. */
const PYWB_PATHS: ArchivePaths = { index: '/cdx', pages: '' };

/**
 * The Wayback Machine, or another archive with the same protocol: a CDX server, and pages below `/web/`. An archive
 * without such a CDX server may be a collection of pywb, which has both below its own address.
 */
export class WaybackSource implements PageSource {
  readonly #address: string;
  readonly #service: PoliteService;
  readonly #at: number;
  /** Known once an index has answered. */
  #paths: ArchivePaths | undefined;

  /** @param at ms since 1970: the closest capture counts; infinite for the newest */
  constructor(at: number, options: ServiceSourceOptions) {
    this.#address = options.archive.wayback.replace(/\/$/, '');
    this.#service = new PoliteService(this.#address, options);
    this.#at = at;
  }

  async find(url: CanonicalUrl): Promise<Found> {
    const listed = await this.#list(url);
    const captures = capturesIn(listed);
    if (!Array.isArray(captures)) return captures;
    const [best] = captures.toSorted((a, b) => this.#distance(a) - this.#distance(b));
    if (best === undefined) return { kind: 'absent' };
    const { pages } = this.#paths ?? WAYBACK_PATHS;
    const address = `${this.#address}${pages}/${best.timestamp}id_/${best.url}`;
    const answer = await this.#service.ask(address, { accept: '*/*', redirects: 0 });
    if (answer?.kind !== 'answer') return failure(answer);
    const isMoved = answer.status >= 300 && answer.status < 400;
    if (!isMoved && (answer.status < 200 || answer.status >= 300)) return failure(answer);
    const at = timeOf(best.timestamp);
    const page = mementoOf(url, answer, { status: Number(best.status), at });
    return { kind: 'page', page, capture: { archive: this.#address, url: best.url, at } };
  }

  close(): Promise<void> {
    return this.#service.close();
  }

  /** Asks the index. If the address is unknown there, asks at the place that pywb has, too. */
  async #list(url: CanonicalUrl): Promise<NamedOriginAnswer | undefined> {
    let answer: NamedOriginAnswer | undefined;
    for (const paths of this.#paths === undefined ? [WAYBACK_PATHS, PYWB_PATHS] : [this.#paths]) {
      const query = this.#query(url, paths === PYWB_PATHS);
      answer = await this.#service.ask(`${this.#address}${paths.index}?${query}`, { accept: JSON_TYPES });
      if (answer?.kind !== 'answer') return answer;
      if (answer.status === 200) this.#paths = paths;
      if (answer.status !== 404) return answer;
    }
    return answer;
  }

  #query(url: CanonicalUrl, isPywb: boolean): URLSearchParams {
    const closest = Number.isFinite(this.#at)
      ? new Date(this.#at).toISOString().replace(/\D/g, '').slice(0, 14)
      : undefined;
    if (isPywb) {
      const order = closest === undefined ? { sort: 'reverse' } : { closest, sort: 'closest' };
      return new URLSearchParams({ url, output: 'json', filter: '~status:[23]..', ...order, limit: String(LIMIT) });
    }
    const order = closest === undefined ? { limit: `-${LIMIT}` } : { closest, sort: 'closest', limit: String(LIMIT) };
    const fields = 'timestamp,original,mimetype,statuscode,digest,length';
    return new URLSearchParams({ url, output: 'json', fl: fields, filter: 'statuscode:[23]..', ...order });
  }

  #distance({ timestamp }: ListedCapture): number {
    const time = timeOf(timestamp);
    return Number.isFinite(this.#at) ? Math.abs(time - this.#at) : -time;
  }
}

/** Common Crawl: an index per crawl, and WARC files from which single records are requested. */
export class CommonCrawlSource implements PageSource {
  readonly #index: string;
  readonly #data: string;
  readonly #indexService: PoliteService;
  readonly #dataService: PoliteService;

  /** @param crawl its name, such as `CC-MAIN-2024-10` */
  constructor(crawl: string, options: ServiceSourceOptions) {
    this.#index = `${options.archive.commoncrawl.replace(/\/$/, '')}/${crawl}-index`;
    this.#data = options.archive.commoncrawlData.replace(/\/$/, '');
    this.#indexService = new PoliteService(this.#index, options);
    this.#dataService = new PoliteService(this.#data, options);
  }

  async find(url: CanonicalUrl): Promise<Found> {
    const query = new URLSearchParams({ url, output: 'json', limit: String(LIMIT) });
    const listed = await this.#indexService.ask(`${this.#index}?${query}`, { accept: JSON_TYPES });
    const captures = capturesIn(listed);
    if (!Array.isArray(captures)) return captures;
    // Errors are in the index, too. Of several good captures of one crawl the last counts.
    const best = captures
      .filter(({ status }) => /^[23]/.test(status))
      .sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1))[0];
    return best === undefined ? { kind: 'absent' } : await this.#record(url, best);
  }

  async close(): Promise<void> {
    await Promise.all([this.#indexService.close(), this.#dataService.close()]);
  }

  async #record(url: CanonicalUrl, capture: ListedCapture): Promise<Found> {
    const [offset, length] = [Number(capture.offset), Number(capture.length)];
    if (!(length > 0) || !(offset >= 0))
      return { kind: 'failed', detail: `${this.#index} names no place of the record` };
    const headers = ['range', `bytes=${offset}-${offset + length - 1}`];
    const answer = await this.#dataService.ask(`${this.#data}/${capture.filename}`, { accept: '*/*', headers });
    if (answer?.kind !== 'answer' || answer.status !== 206) return failure(answer);
    const record = answer.body.length === length ? recordAt(answer.body) : undefined;
    if (record === undefined) return { kind: 'failed', detail: `${this.#data} sent no WARC record` };
    const page = pageOfRecord(url, record);
    return { kind: 'page', page, capture: { archive: this.#data, url: record.url, at: page.recordedAt } };
  }
}

/** Returns the listed captures, or the reason for their absence. */
function capturesIn(answer: NamedOriginAnswer | undefined): ListedCapture[] | Exclude<Found, { kind: 'page' }> {
  // Servers without a capture answer "not found".
  if (answer?.kind === 'answer' && answer.status === 404) return { kind: 'absent' };
  if (answer?.kind !== 'answer' || answer.status !== 200) return failure(answer);
  const captures = parseCaptures(Buffer.from(answer.body).toString('utf8'));
  return captures === undefined ? { kind: 'failed', detail: 'the answer is not a list of captures' } : [...captures];
}

function failure(answer: NamedOriginAnswer | undefined): Exclude<Found, { kind: 'page' }> {
  if (answer === undefined) return { kind: 'not-now' };
  if (answer.kind === 'too-large') return { kind: 'failed', detail: 'the archived page is too large' };
  if (answer.kind !== 'answer') return { kind: 'failed', detail: `the archive does not answer: ${answer.detail}` };
  const { status } = answer;
  return { kind: 'failed', detail: `the archive answers ${`${status} ${STATUS_CODES[status] ?? ''}`.trim()}` };
}

const ORIGINAL = 'x-archive-orig-';

interface Listed {
  readonly status: number;
  readonly at: number;
}

/** Returns the archived response: the service sends the original header fields with a prefix, and the body decoded. */
function mementoOf(url: CanonicalUrl, { status, headers, body }: Answer, listed: Listed): RecordedPage {
  const fields: [string, string][] = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(ORIGINAL) ? [[name.slice(ORIGINAL.length), firstValue(value)] as [string, string]] : [],
  );
  const has = (name: string): boolean => fields.some(([known]) => known === name);
  // The media type is the archived one.
  if (!has('content-type')) fields.push(['content-type', firstValue(headers['content-type'])]);
  const target = firstValue(headers.location);
  const isMoved = status >= 300;
  if (isMoved && !has('location') && target !== '') fields.push(['location', originalAddress(target)]);
  const kept: HeaderFields = fields.filter(
    ([name]) => !/^(?:content-encoding|transfer-encoding|content-length)$/.test(name),
  );
  // A capture that repeats another one is listed without a status.
  const isListed = listed.status >= 300 === isMoved;
  return {
    url,
    status: isListed ? listed.status : status,
    headers: kept,
    body,
    recordedAt: listed.at,
    breaksOff: false,
  };
}

type Answer = Extract<NamedOriginAnswer, { kind: 'answer' }>;

/** Removes the archive's own part of an address. */
function originalAddress(target: string): string {
  const [, inWayback, inPywb] =
    /\/web\/\d+(?:[a-z]{2}_)?\/(.+)$|\/\d{14}(?:[a-z]{2}_)?\/(https?:\/\/.+)$/.exec(target) ?? [];
  return inWayback ?? inPywb ?? target;
}
