import type { Bibliography } from '../../core/index.ts';
import { slugOf } from './names.ts';

/** A page as a reference. */
export interface CitedPage {
  readonly finalUrl: string;
  readonly title: string;
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  readonly bibliography: Bibliography | undefined;
}

const NOTHING: Bibliography = { sources: {} };

type Kind = 'article' | 'book' | 'dataset' | 'page';

/** Yields a page as text of a citation format. */
export type CitationLines = (pages: AsyncIterable<CitedPage>) => AsyncGenerator<string>;

/** BibTeX entries, in UTF-8. Keys are `byron2026-12`: family name, year and number of the page. */
export async function* bibtexLines(pages: AsyncIterable<CitedPage>): AsyncGenerator<string> {
  for await (const page of pages) {
    const { authors = [], published = '', ...about } = page.bibliography ?? NOTHING;
    const [year, month, day] = published.split('-');
    const fields: readonly (readonly [string, string | undefined])[] = [
      ['title', about.title ?? page.title],
      ['author', authors.map(familyFirst).join(' and ')],
      ['year', year],
      ['month', month],
      ['day', day],
      ['journal', about.journal],
      ['volume', about.volume],
      ['number', about.issue],
      ['pages', about.pages?.replace('-', '--')],
      ['publisher', about.publisher ?? about.site],
      ['doi', about.doi],
      ['eprint', about.arxiv],
      ['isbn', about.isbn],
      ['issn', about.issn],
      ['language', page.language],
      ['url', page.finalUrl],
      ['urldate', dayOf(page.fetchedAt)],
    ];
    const lines = fields.flatMap(([name, value]) => (value ? [`  ${name} = {${bibtexText(name, value)}},\n`] : []));
    yield `@${BIBTEX_TYPES[kindOf(page)]}{${keyOf(page)},\n${lines.join('')}}\n\n`;
  }
}

const BIBTEX_TYPES: Readonly<Record<Kind, string>> = {
  article: 'article',
  book: 'book',
  dataset: 'misc',
  page: 'misc',
};

/** Escapes what TeX reads as a command. Addresses are read literally, so their braces are percent-encoded. */
function bibtexText(name: string, value: string): string {
  const line = value.replace(/\s+/g, ' ').trim();
  if (name === 'url' || name === 'doi')
    return line.replace(/[{}\\]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return line.replace(/[\\{}$&#%_^~]/g, (c) => TEX[c] ?? `\\${c}`);
}

const TEX: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
};

/** RIS records, as reference managers import them. */
export async function* risLines(pages: AsyncIterable<CitedPage>): AsyncGenerator<string> {
  for await (const page of pages) {
    const { authors = [], published = '', pages: range = '', ...about } = page.bibliography ?? NOTHING;
    const [first, last] = range.split('-');
    const fields: readonly (readonly [string, string | undefined])[] = [
      ['TY', RIS_TYPES[kindOf(page)]],
      ['TI', about.title ?? page.title],
      ...authors.map((author) => ['AU', familyFirst(author)] as const),
      ['PY', published.slice(0, 4)],
      ['DA', published.replaceAll('-', '/')],
      ['T2', about.journal ?? about.site],
      ['VL', about.volume],
      ['IS', about.issue],
      ['SP', first],
      ['EP', last],
      ['PB', about.publisher],
      ['AB', about.description],
      ['DO', about.doi],
      ['SN', about.isbn ?? about.issn],
      ['LA', page.language],
      ['UR', page.finalUrl],
      ['Y2', dayOf(page.fetchedAt).replaceAll('-', '/')],
      ['ID', keyOf(page)],
    ];
    const lines = fields.flatMap(([tag, value]) =>
      value ? [`${tag}  - ${value.replace(/\s+/g, ' ').trim()}\r\n`] : [],
    );
    yield `${lines.join('')}ER  - \r\n\r\n`;
  }
}

const RIS_TYPES: Readonly<Record<Kind, string>> = { article: 'JOUR', book: 'BOOK', dataset: 'DATA', page: 'ELEC' };

/** An array of CSL-JSON items, for pandoc, Zotero and citeproc. */
export async function* cslLines(pages: AsyncIterable<CitedPage>): AsyncGenerator<string> {
  yield '[';
  let separator = '\n';
  for await (const page of pages) {
    yield `${separator}${JSON.stringify(cslItem(page))}`;
    separator = ',\n';
  }
  yield '\n]\n';
}

const CSL_TYPES: Readonly<Record<Kind, string>> = {
  article: 'article-journal',
  book: 'book',
  dataset: 'dataset',
  page: 'webpage',
};

function cslItem(page: CitedPage): object {
  const { authors = [], published, ...about } = page.bibliography ?? NOTHING;
  const item = {
    id: keyOf(page),
    type: CSL_TYPES[kindOf(page)],
    title: (about.title ?? page.title).toWellFormed(),
    author: authors.length === 0 ? undefined : authors.map(cslName),
    issued: published && { 'date-parts': [published.split('-').map(Number)] },
    'container-title': about.journal ?? about.site,
    volume: about.volume,
    issue: about.issue,
    page: about.pages,
    publisher: about.publisher,
    abstract: about.description,
    DOI: about.doi,
    ISBN: about.isbn,
    ISSN: about.issn,
    language: page.language || undefined,
    URL: page.finalUrl,
    accessed: { 'date-parts': [dayOf(page.fetchedAt).split('-').map(Number)] },
  };
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}

/** Names of one word, and names in scripts that put the family first, are not split. */
function cslName(name: string): object {
  const at = splitAt(name);
  return at < 0 ? { literal: name } : { family: name.slice(at + 1), given: name.slice(0, at) };
}

function familyFirst(name: string): string {
  const at = splitAt(name);
  return at < 0 ? name : `${name.slice(at + 1)}, ${name.slice(0, at)}`;
}

/** Lower-case words before a family name, which belong to it. */
const PARTICLES = / (?:(?:van|von|de|del|della|di|da|der|den|la|le|du|dos|zu|ter|ten|bin|ibn|al) )+\S+$/;

/** Returns the blank between given and family name, or -1. */
function splitAt(name: string): number {
  if (name.includes(',') || !/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u.test(name)) return -1;
  const particles = PARTICLES.exec(name)?.index ?? -1;
  return particles > 0 ? particles : name.lastIndexOf(' ');
}

function kindOf({ bibliography: about }: CitedPage): Kind {
  const { type = '', journal, isbn } = about ?? {};
  if (journal !== undefined || /ScholarlyArticle/.test(type)) return 'article';
  if (/dataset/i.test(type)) return 'dataset';
  return isbn !== undefined || /^book$/i.test(type) ? 'book' : 'page';
}

function keyOf({ bibliography: about, sequence }: CitedPage): string {
  const author = about?.authors?.[0] ?? '';
  const family = slugOf(author.slice(splitAt(author) + 1), 'page').replaceAll('-', '');
  return `${family}${about?.published?.slice(0, 4) ?? ''}-${sequence}`;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
