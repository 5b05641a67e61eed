import { getDomain } from 'tldts';
import {
  assertNever,
  type FieldValue,
  type JournalRecord,
  type LinkTable,
  type Origin,
  type PackedDocument,
  type PageRecord,
  packLinksAlone,
  type RoundRecord,
  type SteerCommand,
  type VisitRecord,
  withoutPort,
} from '../../core/index.ts';
import {
  MAX_ANCHOR_CHARS,
  MAX_CHARS,
  MAX_LINK_URL_CHARS,
  MAX_TITLE_CHARS,
  type Row,
  type WrittenTable,
} from '../schema.ts';
import { packBytes, simhashText } from './codec.ts';
import { packParcel } from './parcel-codec.ts';
import { packRoundDetails } from './round-details.ts';

const INT_MAX = 2 ** 31 - 1;

/** Rows of one batch, by table, each in the order of `COLUMNS`. */
export type BatchRows = Map<WrittenTable, Row[]>;

/** A record whose document, if any, is packed. */
export type PackedRecord = PackedPage | Exclude<JournalRecord, PageRecord>;
export type PackedPage = PageRecord & { readonly packed: PackedDocument };

/** Number of a URL in the table `url`. */
export type UrlIds = ReadonlyMap<string, number>;

/** Makes text valid for both databases: well-formed, without NUL, at most `max` UTF-16 units. */
export function clean(text: string, max: number): string {
  const clipped = text.length > max ? text.slice(0, max) : text;
  const whole = clipped.includes('\0') ? clipped.replaceAll('\0', '\uFFFD') : clipped;
  return whole.toWellFormed();
}

/** Returns a URL as it is stored; equal to what {@link urlsOf} lists. */
export function cleanUrl(url: string): string {
  return clean(url, MAX_CHARS.text);
}

/** Returns every URL to which the records' rows refer by number. */
export function urlsOf(records: readonly JournalRecord[]): Set<string> {
  const urls = new Set<string>();
  for (const record of records) {
    if (record.kind === 'page') {
      for (const url of [record.url, record.finalUrl, ...record.redirects]) urls.add(cleanUrl(url));
      for (const url of linkUrls(record)) if (isLinkRow(url)) urls.add(url);
    } else if (record.kind === 'visit') {
      urls.add(cleanUrl(record.url));
      if (record.target !== '') urls.add(cleanUrl(record.target));
    } else if (record.kind === 'round') {
      for (const { url } of record.links) urls.add(cleanUrl(url));
    }
  }
  return urls;
}

/** Adds a record's rows to the batch. Aliases and link scores replace rows, so the writer handles them. */
export function addRows(rows: BatchRows, record: PackedRecord, ids: UrlIds): void {
  put(rows, 'journal', [record.sequence, record.kind]);
  switch (record.kind) {
    case 'page':
      addPage(rows, record, ids);
      break;
    case 'visit':
      put(rows, 'visit', visitRow(record, ids));
      if (record.links !== undefined) {
        const { links, language = '' } = record;
        put(rows, 'page_content', [record.sequence, packLinksAlone({ links, language })]);
        addPriorities(rows, record.sequence, links);
      }
      break;
    case 'round':
      addRound(rows, record);
      break;
    case 'phase':
      put(rows, 'phase', [record.sequence, word(record.phase), clean(record.reason, MAX_CHARS.text), big(record.at)]);
      break;
    case 'run':
      put(rows, 'run', [record.sequence, big(record.at), clean(record.settings, MAX_CHARS.long)]);
      break;
    case 'steer':
      put(rows, 'steer', [record.sequence, big(record.at), steerText(record.command)]);
      break;
    case 'inbox':
      put(rows, 'inbox', [record.sequence, record.source, record.upto, big(record.at), packParcel(record.parcel)]);
      break;
    default:
      assertNever(record);
  }
}

/**
 * Returns a command as JSON for the tables. A command with an overlong host or topic is rejected, because it cannot
 * be valid.
 */
export function steerText(command: SteerCommand): string {
  return clean(JSON.stringify(command), MAX_CHARS.text);
}

/** Returns the registered domain of a host, or the host itself if it has none (an IP address, `localhost`). */
function siteOf(host: string): string {
  const name = withoutPort(host);
  return getDomain(name, { allowPrivateDomains: true }) ?? name;
}

/** Returns a finite number, or null, because MySQL stores neither NaN nor infinity. */
export function real(x: number): number | null {
  return Number.isFinite(x) ? x : null;
}

function put(rows: BatchRows, table: WrittenTable, row: Row): void {
  const list = rows.get(table);
  if (list === undefined) rows.set(table, [row]);
  else list.push(row);
}

function addPage(rows: BatchRows, record: PackedPage, ids: UrlIds): void {
  const { sequence, document, packed, assignment } = record;
  put(rows, 'page', pageRow(record));
  put(rows, 'page_content', [sequence, packed.content]);
  if (document.maxSnippet !== undefined) put(rows, 'snippet_limit', [sequence, int(document.maxSnippet)]);
  for (const [field, value] of Object.entries(document.fields ?? {}))
    put(rows, 'page_field', fieldRow(sequence, field, value));
  for (const { voter, topic, confidence } of document.votes ?? [])
    put(rows, 'page_vote', [sequence, word(voter), name(topic), confidence]);
  assignment.scores.forEach((s, n) => {
    const scores = [s.confidence, s.calibrated, s.bayes, s.bayesCalibrated, s.cosine, s.relevance].map(real);
    put(rows, 'page_score', [sequence, n, name(s.topic), ...scores]);
  });
  if (document.links.size > 0) addLinks(rows, record, ids);
  addPriorities(rows, sequence, document.links);
}

/** A boolean is the number 0 or 1. */
function fieldRow(page: number, field: string, value: FieldValue): Row {
  const number = typeof value === 'string' ? null : real(Number(value));
  return [page, word(field), typeof value, clean(String(value), MAX_CHARS.text), number];
}

function pageRow(record: PageRecord): Row {
  const { document, assignment } = record;
  const host = clean(record.host, MAX_CHARS.host);
  return [
    record.sequence,
    cleanUrl(record.url),
    cleanUrl(record.finalUrl),
    clean(record.redirects.join('\n'), MAX_CHARS.long),
    host,
    clean(siteOf(host), MAX_CHARS.host),
    word(record.role),
    clean(document.title, MAX_TITLE_CHARS),
    name(assignment.topic),
    flag(assignment.others),
    real(assignment.confidence),
    real(assignment.relevance),
    int(assignment.model),
    ...originValues(record.origin),
    int(record.status),
    name(record.contentType),
    big(record.fetchedAt),
    big(record.bytes),
    word(record.address),
    clean(record.etag, MAX_CHARS.text),
    name(record.lastModified),
    word(document.language),
    int(document.tokens),
    cleanUrl(document.canonical),
    flag(document.noindex),
    flag(document.nofollow),
    word(document.contentHash),
    simhashText(document.simhash),
    null,
  ];
}

function addLinks(rows: BatchRows, record: PageRecord, ids: UrlIds): void {
  const { links } = record.document;
  const anchors = links.anchors.split('\n');
  linkUrls(record).forEach((url, n) => {
    if (!isLinkRow(url)) return;
    const anchor = clean(anchors[n] ?? '', MAX_ANCHOR_CHARS);
    put(rows, 'link', [record.sequence, n, ids.get(url)!, anchor, links.flags[n] ?? 0]);
  });
}

/** @param record the page, or the visit whose links are followed */
function addPriorities(rows: BatchRows, record: number, { given }: LinkTable): void {
  given?.priorities.forEach((priority, n) => {
    if (!Number.isNaN(priority)) put(rows, 'link_priority', [record, n, word(given.ordering), priority]);
  });
}

function linkUrls({ document: { links } }: Pick<PageRecord, 'document'>): readonly string[] {
  return links.size === 0 ? [] : links.urls.split('\n');
}

/** Returns the links of a page that have a row in `link`: their numbers and URLs. */
export function linkRows(page: Pick<PageRecord, 'document'>): readonly (readonly [n: number, url: string])[] {
  return linkUrls(page).flatMap((url, n) => (isLinkRow(url) ? [[n, url] as const] : []));
}

/** Canonical URLs are ASCII. Other URLs and overlong ones stay only in the packed links. */
function isLinkRow(url: string): boolean {
  return url.length <= MAX_LINK_URL_CHARS && url !== '' && !url.includes('\0') && url.isWellFormed();
}

function visitRow(record: VisitRecord, ids: UrlIds): Row {
  const url = cleanUrl(record.url);
  return [
    record.sequence,
    url,
    ids.get(url)!,
    clean(hostOfUrl(url), MAX_CHARS.host),
    word(record.result),
    name(record.reason),
    clean(record.detail, MAX_CHARS.text),
    int(record.status),
    cleanUrl(record.target),
    big(record.page),
    flag(record.retried),
    big(record.fetchedAt),
    ...originValues(record.origin),
  ];
}

function originValues(origin: Origin): Row {
  const { via, from, topic, depth, tunnelDepth, priority } = origin;
  return [word(via), cleanUrl(from), name(topic), int(depth), int(tunnelDepth), real(priority)];
}

function addRound(rows: BatchRows, record: RoundRecord): void {
  const round = record.sequence;
  const reason = clean(record.reason, MAX_CHARS.text);
  put(rows, 'round', [round, int(record.model), reason, flag(record.undone), big(record.at)]);
  put(rows, 'round_data', [round, packBytes(record.blob), packRoundDetails(record)]);
  record.training.forEach((t, n) => {
    const title = clean(t.title, MAX_TITLE_CHARS);
    put(rows, 'training', [round, n, cleanUrl(t.key), title, name(t.topic), word(t.origin), real(t.confidence)]);
  });
  record.estimates.forEach((e, n) => {
    const quality = [e.xiAlphaPrecision, e.xiAlphaRecall, e.heldOutPrecision, e.heldOutRecall].map(real);
    const heldOut = [word(e.heldOutMethod), real(e.heldOutAuc), real(e.exampleRank)];
    put(rows, 'estimate', [
      ...[round, n, name(e.topic), int(e.positives), int(e.negatives), ...quality],
      ...[...heldOut, int(e.features)],
    ]);
  });
  const steps = [
    ...record.admitted.map((a) => ['admitted', a.key, a.topic, a.origin] as const),
    ...record.dropped.map((d) => ['dropped', d.key, d.topic, ''] as const),
    ...(record.refused ?? []).map((r) => ['refused', r.key, r.topic, ''] as const),
  ];
  steps.forEach(([step, key, topic, origin], n) => {
    put(rows, 'archetype', [round, n, step, cleanUrl(key), name(topic), word(origin)]);
  });
}

function hostOfUrl(url: string): string {
  return URL.parse(url)?.host ?? '';
}

function word(text: string): string {
  return clean(text, MAX_CHARS.word);
}

function name(text: string): string {
  return clean(text, MAX_CHARS.name);
}

function flag(x: boolean): number {
  return x ? 1 : 0;
}

/** Returns a 32-bit integer, as MySQL's INT holds it; 0 for any other number. */
function int(x: number): number {
  return Math.max(-INT_MAX, Math.min(INT_MAX, big(x)));
}

/** Returns an integer up to 2^53. */
function big(x: number): number {
  return Number.isFinite(x) ? Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.round(x))) : 0;
}
