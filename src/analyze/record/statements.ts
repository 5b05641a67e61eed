import type { BibliographyField } from '../../core/index.ts';
import type { Said } from '../html/page-meta.ts';

/**
 * Where a page says something about itself. The order is that of trust: data made for catalogues, then data made for
 * search engines, then for social networks, then what anyone may have written. `elements` are `<time>` and `rel`,
 * `class` is the class of an element,
 * `text` are the lines around the headline.
 */
export const SOURCES = [
  'citation',
  'prism',
  'dublin-core',
  'json-ld',
  'microdata',
  'open-graph',
  'meta',
  'document',
  'elements',
  'class',
  'address',
  'text',
] as const;
export type Source = (typeof SOURCES)[number];

/** One statement of a page about itself. */
export interface Statement {
  readonly field: BibliographyField | 'firstPage' | 'lastPage';
  readonly source: Source;
  readonly value: string;
}

type Names = Readonly<Partial<Record<Statement['field'], string>>>;

/** Names of `<meta>` by source and field, in lower case, the better ones first. */
const META_NAMES: Readonly<Partial<Record<Source, Names>>> = {
  citation: {
    title: 'citation_title',
    authors: 'citation_author citation_authors',
    published: 'citation_publication_date citation_cover_date citation_online_date citation_date citation_year',
    doi: 'citation_doi',
    arxiv: 'citation_arxiv_id',
    isbn: 'citation_isbn',
    issn: 'citation_issn',
    journal: 'citation_journal_title citation_conference_title citation_inbook_title',
    publisher: 'citation_publisher citation_dissertation_institution citation_technical_report_institution',
    volume: 'citation_volume',
    issue: 'citation_issue',
    firstPage: 'citation_firstpage',
    lastPage: 'citation_lastpage',
  },
  prism: {
    published: 'prism.publicationdate prism.coverdate',
    modified: 'prism.modificationdate',
    doi: 'prism.doi',
    issn: 'prism.issn prism.eissn',
    isbn: 'prism.isbn',
    journal: 'prism.publicationname',
    volume: 'prism.volume',
    issue: 'prism.number',
    firstPage: 'prism.startingpage',
    lastPage: 'prism.endingpage',
  },
  'dublin-core': {
    title: 'dc.title dcterms.title',
    authors: 'dc.creator dcterms.creator dc.creator.personalname',
    published: 'dcterms.issued dc.date.issued dcterms.created dc.date.created dc.date dcterms.date',
    modified: 'dcterms.modified dc.date.modified',
    description: 'dc.description dcterms.description dcterms.abstract',
    licence: 'dcterms.license dc.rights.license dcterms.rights dc.rights',
    type: 'dc.type dcterms.type',
    doi: 'dc.identifier dcterms.identifier dc.identifier.doi',
    publisher: 'dc.publisher dcterms.publisher',
  },
  'open-graph': {
    title: 'og:title',
    authors: 'article:author book:author og:author',
    published: 'article:published_time og:article:published_time book:release_date og:published_time',
    modified: 'article:modified_time og:updated_time og:article:modified_time',
    site: 'og:site_name',
    description: 'og:description',
    type: 'og:type',
    isbn: 'book:isbn',
    image: 'og:image og:image:secure_url og:image:url',
  },
  meta: {
    title: 'headline parsely-title twitter:title',
    authors: 'author parsely-author sailthru.author byl article.author authors',
    published:
      'date pubdate publishdate publish-date publish_date parsely-pub-date sailthru.date article.published datepublished originalpublicationdate created',
    modified: 'last-modified lastmod article.updated datemodified revised',
    site: 'application-name apple-mobile-web-app-title cre',
    description: 'description twitter:description abstract',
    licence: 'license licence copyright rights',
    doi: 'doi bepress_citation_doi evt-doipage',
    publisher: 'publisher',
    image: 'twitter:image twitter:image:src thumbnail',
  },
  document: { authors: 'document.author', published: 'document.created', modified: 'document.modified' },
};

/** Values of `itemprop`, in lower case. */
const PROPERTIES: Names = {
  title: 'headline',
  authors: 'author creator',
  published: 'datepublished datecreated',
  modified: 'datemodified',
  licence: 'license',
  doi: 'doi',
  isbn: 'isbn',
  issn: 'issn',
  publisher: 'publisher',
};

/** Names that the scanner gives to what it reads from elements. */
const ELEMENTS: Names = { authors: 'rel=author', licence: 'rel=license' };

interface Meaning extends Omit<Statement, 'value'> {
  /** Of several names of one source, the first counts. */
  readonly place: number;
}

function meanings(names: Names, source: Source, prefix = ''): [string, Meaning][] {
  return Object.entries(names).flatMap(([field, all]) =>
    all
      .split(/\s+/)
      .map((name, place): [string, Meaning] => [
        `${prefix}${name}`,
        { field: field as Statement['field'], source, place },
      ]),
  );
}

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ...Object.entries(META_NAMES).flatMap(([source, names]) => meanings(names, source as Source)),
  ...meanings(PROPERTIES, 'microdata', 'itemprop='),
  ...meanings(ELEMENTS, 'elements'),
  ...meanings({ authors: 'author' }, 'class', 'class='),
]);

/** Returns what is known about these names, in the order of trust. */
export function statementsOf(said: readonly Said[]): readonly Statement[] {
  let last = '';
  let isPastAuthors = false;
  const known = said.flatMap(({ name, value }) => {
    const meaning = MEANINGS.get(
      name
        .trim()
        .toLowerCase()
        .replace(/^(dc|dcterms|prism):/, '$1.'),
    );
    if (meaning === undefined) return [];
    // Authors further down wrote comments, or other pages.
    const isMarked = meaning.source === 'microdata' && meaning.field === 'authors';
    isPastAuthors ||= last === 'authors' && !isMarked;
    if (meaning.source === 'microdata') last = meaning.field;
    return isMarked && isPastAuthors ? [] : [{ ...meaning, value }];
  });
  return known.sort((a, b) => a.place - b.place);
}
