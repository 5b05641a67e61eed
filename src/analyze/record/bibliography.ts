import type { Bibliography, BibliographyField } from '../../core/index.ts';
import { ownCopy } from '../../kit/index.ts';
import { clip, foldLine } from '../fold.ts';
import type { Layout } from '../html/layout.ts';
import type { Said } from '../html/page-meta.ts';
import { readAuthors } from './authors.ts';
import { dateInAddress, readDate } from './dates.ts';
import { readJsonLd } from './json-ld.ts';
import { SOURCES, type Statement, statementsOf } from './statements.ts';
import { Surroundings } from './visible.ts';

const MAX_CHARS = 300;
const MAX_DESCRIPTION_CHARS = 1_000;
const MAX_ADDRESS_CHARS = 1_000;
/** Clocks of servers may be wrong, and the day depends on the zone. */
const AHEAD_MS = 2 * 86_400_000;

const DOI = /\b10\.\d{4,9}\/[^\s"'<>]{1,200}/;
const ARXIV = /\b(?:\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?\/\d{7})(?:v\d{1,2})?\b/;
const ISSN = /\b\d{4}-\d{3}[\dXx]\b/;
const ARXIV_PAGE = /^https?:\/\/(?:www\.)?arxiv\.org\/(?:abs|pdf)\/([^?#]{1,40}?)(?:\.pdf)?$/;
const DOI_PAGE = /^https?:\/\/(?:dx\.)?doi\.org\/(10\.\d{4,9}\/[^?#]{1,200})$/;

/** Types that social networks know, as schema.org names them. */
const SHARED_TYPES: Readonly<Record<string, string>> = {
  article: 'Article',
  book: 'Book',
  website: 'WebSite',
  blog: 'Blog',
  profile: 'ProfilePage',
  'video.other': 'VideoObject',
  'video.movie': 'Movie',
  product: 'Product',
};

/** What a page says about itself, as collected while it was scanned. */
export interface PageStatements {
  readonly said: readonly Said[];
  /** JSON-LD. */
  readonly data: readonly string[];
  readonly url: string;
  /** Address that the page prefers, or `''`. */
  readonly canonical: string;
  /** Headers of the response that reserve rights, as sent. */
  readonly robotsHeader: string;
  readonly miningHeader: string;
  readonly title: string;
  /** ms since 1970; 0 if unknown. */
  readonly fetchedAt: number;
  /** The paragraphs of the page. */
  readonly layout: Layout;
  /** Language that the page declares, or `''`. */
  readonly language: string;
  /** Dates in `<time>`, with their offsets in the layout. */
  readonly times: readonly { readonly value: string; readonly at: number }[];
}

/**
 * Makes the bibliographic record of a page. Of several sources, the one listed first in {@link SOURCES} with a valid
 * value decides. A later source replaces a date only if it is the same date written more exactly. Dates after the
 * fetch and changes before the publication are dropped. Returns undefined if the page has no statement about itself.
 */
export function bibliographyOf(page: PageStatements): Bibliography | undefined {
  const around = new Surroundings(page);
  const statements = [
    ...statementsOf(page.said),
    ...readJsonLd(page.data, [page.url, page.canonical]),
    ...around.time(),
    ...addressStatements(page.url),
  ];
  const record = new RecordMaker(statements, page, around);
  return record.isEmpty ? undefined : record.made();
}

/** Words of `robots` that reserve rights. */
const RESERVING = /\b(noai|noimageai|notrain)\b/gi;

/**
 * Returns the rights that a page reserves, and where: words of `robots`, and `tdm-reservation` if it is 1. Nothing can
 * take a reservation back.
 */
function reservationOf({ said, robotsHeader, miningHeader }: PageStatements): readonly [string, string] {
  const values = (name: string): string =>
    said.flatMap((one) => (one.name.trim().toLowerCase() === name ? [one.value] : [])).join(',');
  const found = (text: string): readonly string[] =>
    text === '' ? [] : Array.from(text.slice(0, 2_000).matchAll(RESERVING), ([word]) => word.toLowerCase());
  const byHeader = [...found(robotsHeader), ...(miningHeader.trim() === '1' ? ['tdm'] : [])];
  const byMeta = [...found(values('robots')), ...(values('tdm-reservation').trim() === '1' ? ['tdm'] : [])];
  return [[...new Set([...byHeader, ...byMeta])].join(' '), byHeader.length > 0 ? 'header' : 'meta'];
}

function addressStatements(url: string): readonly Statement[] {
  const date = dateInAddress(url);
  const [, arxiv] = ARXIV_PAGE.exec(url) ?? [];
  const [, doi] = DOI_PAGE.exec(url) ?? [];
  const found = { published: date, arxiv, doi };
  return Object.entries(found).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field: field as Statement['field'], source: 'address' as const, value }],
  );
}

const NOTHING: readonly Statement[] = [];

type Texts = { -readonly [F in Exclude<BibliographyField, 'authors'>]?: string };

/** Decides field by field. */
class RecordMaker {
  readonly #ranked: ReadonlyMap<Statement['field'], readonly Statement[]>;
  readonly #page: PageStatements;
  readonly #texts: Texts = {};
  readonly #sources: Partial<Record<BibliographyField, string>> = {};
  #authors: readonly string[] = [];

  constructor(statements: readonly Statement[], page: PageStatements, around: Surroundings) {
    const ranked = [...statements].sort((a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source));
    this.#ranked = Map.groupBy(ranked, ({ field }) => field);
    this.#page = page;
    this.#decideAuthors(this.#of('authors'));
    if (this.#authors.length === 0) this.#decideAuthors(around.authors());
    this.#decideDate('published', this.#of('published'));
    if (this.#texts.published === undefined) this.#decideDate('published', around.date());
    this.#decideDate('modified', this.#of('modified'));
    const { published, modified } = this.#texts;
    if (published !== undefined && modified !== undefined && modified < published.slice(0, modified.length))
      this.#drop('modified');
    this.#decide('title', plainText);
    if (this.#texts.title === page.title) this.#drop('title');
    for (const field of ['site', 'licence', 'journal', 'publisher', 'volume', 'issue'] as const)
      this.#decide(field, plainText);
    this.#decide('description', (value) => plainText(value, MAX_DESCRIPTION_CHARS));
    this.#decide('type', (value) => plainText(SHARED_TYPES[value.trim().toLowerCase()] ?? value));
    this.#decide('doi', (value) =>
      DOI.exec(value.slice(0, MAX_CHARS))?.[0]
        .replace(/[.,;)]+$/, '')
        .toLowerCase(),
    );
    this.#decide('arxiv', (value) => ARXIV.exec(value.slice(0, MAX_CHARS))?.[0]);
    this.#decide('isbn', isbnIn);
    this.#decide('issn', (value) => ISSN.exec(value.slice(0, MAX_CHARS))?.[0].toUpperCase());
    this.#decide('image', (value) => addressIn(value, page.url));
    this.#decidePages();
    const [reservation, source] = reservationOf(page);
    if (reservation !== '') this.#texts.reservation = reservation;
    if (reservation !== '') this.#sources.reservation = source;
  }

  get isEmpty(): boolean {
    return Object.keys(this.#sources).length === 0;
  }

  made(): Bibliography {
    const texts = Object.entries(this.#texts).map(([field, text]) => [field, ownCopy(text)] as const);
    const authors = this.#authors.map(ownCopy);
    return { ...Object.fromEntries(texts), ...(authors.length > 0 && { authors }), sources: this.#sources };
  }

  #of(field: Statement['field']): readonly Statement[] {
    return this.#ranked.get(field) ?? NOTHING;
  }

  #decide(field: keyof Texts, read: (value: string) => string | undefined): void {
    for (const { source, value } of this.#of(field)) {
      const text = read(value);
      if (text === undefined || text === '') continue;
      this.#texts[field] = text;
      this.#sources[field] = source;
      return;
    }
  }

  #drop(field: keyof Texts): void {
    delete this.#texts[field];
    delete this.#sources[field];
  }

  #decideAuthors(stated: readonly Statement[]): void {
    if (stated.length === 0) return;
    for (const source of SOURCES) {
      const values = stated.filter((statement) => statement.source === source).map(({ value }) => value);
      this.#authors = readAuthors(values, source).filter((name) => !this.#namesSite(name));
      if (this.#authors.length === 0) continue;
      this.#sources.authors = source;
      return;
    }
  }

  /** A site that names itself as the author of its pages does not name a person. */
  #namesSite(author: string): boolean {
    const named = lettersOf(author);
    const site = this.#of('site')
      .concat(this.#of('publisher'))
      .map(({ value }) => lettersOf(value.slice(0, MAX_CHARS)));
    const host = URL.parse(this.#page.url)?.hostname.replace(/^www\./, '') ?? '';
    return [...site, lettersOf(host), lettersOf(host.replace(/\.[^.]*$/, ''))].includes(named);
  }

  #decideDate(field: 'published' | 'modified', statements: readonly Statement[]): void {
    const { fetchedAt } = this.#page;
    for (const { source, value } of statements) {
      const date = readDate(value);
      if (date === undefined || (fetchedAt > 0 && Date.parse(date) > fetchedAt + AHEAD_MS)) continue;
      const known = this.#texts[field];
      if (known !== undefined && !(date.length > known.length && date.startsWith(known))) continue;
      this.#texts[field] = date;
      this.#sources[field] = source;
    }
  }

  #decidePages(): void {
    const [first] = this.#of('firstPage');
    if (first === undefined) return;
    const last = this.#of('lastPage').find(({ source }) => source === first.source)?.value ?? '';
    const pages = [first.value, last].map((page) => plainText(page, 20)).filter((page) => page !== '');
    this.#texts.pages = [...new Set(pages)].join('-');
    this.#sources.pages = first.source;
  }
}

/** Returns letters and digits alone, in lower case. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function plainText(value: string, maxChars = MAX_CHARS): string {
  return clip(foldLine(clip(value, 4 * maxChars)), maxChars).trimEnd();
}

/** Returns the digits of a valid ISBN. */
function isbnIn(value: string): string | undefined {
  const digits = value
    .slice(0, MAX_CHARS)
    .replace(/[^\dXx]/g, '')
    .toUpperCase();
  if (!/^(?:\d{9}[\dX]|97[89]\d{10})$/.test(digits)) return undefined;
  const sum = [...digits].reduce((all, digit, i) => {
    const number = digit === 'X' ? 10 : Number(digit);
    return all + number * (digits.length === 10 ? 10 - i : 1 + 2 * (i % 2));
  }, 0);
  return sum % (digits.length === 10 ? 11 : 10) === 0 ? digits : undefined;
}

function addressIn(value: string, base: string): string | undefined {
  if (value.length > MAX_ADDRESS_CHARS) return undefined;
  const url = URL.parse(value.trim(), base);
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= MAX_ADDRESS_CHARS ? url.href : undefined;
}
