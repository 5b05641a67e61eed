import { describe, expect, test } from 'vitest';
import { type Bibliography, canonicalize, splitFields } from '../../../src/core/index.ts';
import { documentOf } from '../pages.ts';

const FETCHED = Date.parse('2026-11-27T10:00:00Z');

function recordOf(head: string, { body = '', url = 'https://news.example/story' } = {}): Partial<Bibliography> {
  const html = `<html><head><title>The story | News</title>${head}</head><body><p>Some words to read.</p>${body}</body></html>`;
  const { fields } = documentOf(html, { url: canonicalize(url)!, fetchedAt: FETCHED });
  return splitFields(fields).bibliography ?? {};
}

function meta(names: Readonly<Record<string, string>>): string {
  return Object.entries(names)
    .map(
      ([name, content]) =>
        `<meta ${/^(?:og|article|book):/.test(name) ? 'property' : 'name'}="${name}" content="${content}">`,
    )
    .join('\n');
}

const ld = (data: unknown): string => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;

describe('the bibliographic record of a page', () => {
  test('is missing if the page does not describe itself', () => {
    expect(recordOf('')).toEqual({});
    expect(documentOf('<p>words</p>').fields).toBeUndefined();
  });

  test('reads the tags that journals write for catalogues', () => {
    const head =
      meta({
        citation_title: 'Aries &amp; logs',
        citation_publication_date: '1992/03',
        citation_journal_title: 'TODS',
      }) +
      meta({ citation_volume: '17', citation_issue: '1', citation_firstpage: '94', citation_lastpage: '162' }) +
      meta({ citation_doi: 'doi:10.1145/128765.128770', citation_issn: '0362-5915', citation_publisher: 'ACM' }) +
      '<meta name="citation_author" content="Mohan, C."><meta name="citation_author" content="Haderle, Don">';
    expect(recordOf(head)).toEqual({
      ...{ title: 'Aries & logs', authors: ['C. Mohan', 'Don Haderle'], published: '1992-03', journal: 'TODS' },
      ...{ volume: '17', issue: '1', pages: '94-162', doi: '10.1145/128765.128770', issn: '0362-5915' },
      publisher: 'ACM',
      sources: Object.fromEntries(
        ['title', 'authors', 'published', 'journal', 'volume', 'issue', 'pages', 'doi', 'issn', 'publisher'].map(
          (field) => [field, 'citation'],
        ),
      ),
    });
  });

  test('reads an article in JSON-LD whose author is another item of the graph', () => {
    const graph = [
      { '@type': 'WebSite', '@id': '#site', name: 'Example News' },
      { '@type': 'Person', '@id': '#ada', name: 'Ada O&#39;Brien' },
      {
        '@type': ['NewsArticle'],
        headline: 'The story',
        author: { '@id': '#ada' },
        datePublished: '2024-05-03T23:10:00-05:00',
        dateModified: '2024-05-04',
        license: 'https://creativecommons.org/licenses/by/4.0/',
        image: [{ '@type': 'ImageObject', url: '/a.jpg' }],
      },
    ];
    expect(recordOf(ld({ '@context': 'https://schema.org', '@graph': graph }))).toMatchObject({
      ...{ title: 'The story', authors: ["Ada O'Brien"], published: '2024-05-03', modified: '2024-05-04' },
      ...{ site: 'Example News', type: 'NewsArticle', licence: 'https://creativecommons.org/licenses/by/4.0/' },
      image: 'https://news.example/a.jpg',
      sources: { authors: 'json-ld', published: 'json-ld' },
    });
  });

  test('ignores the other articles that a page lists', () => {
    const item = (url: string, author: string) => ({ '@type': 'Article', url, author, datePublished: '2020-01-01' });
    const list = [item('https://news.example/a', 'Ann A'), item('https://news.example/b', 'Bob B')];
    expect(recordOf(ld(list))).toEqual({});
    expect(recordOf(ld([...list, item('https://news.example/story#top', 'Cy C')])).authors).toEqual(['Cy C']);
  });

  test('reads microdata, and not the authors of comments', () => {
    const body = `<article><span itemprop="author" itemscope><a href="/ada"><span itemprop="name">By Ada Byron</span></a></span>
      <time itemprop="datePublished" datetime="2023-01-02T03:04">yesterday</time><a rel="license" href="https://l.example/by">CC</a>
      <div class="comment"><b itemprop="author">Troll</b> <time itemprop="datePublished" datetime="2024-01-02">now</time></div></article>`;
    expect(recordOf('', { body })).toMatchObject({
      ...{ authors: ['Ada Byron'], published: '2023-01-02', licence: 'https://l.example/by' },
      sources: { authors: 'microdata', licence: 'elements' },
    });
  });

  test('takes neither the site nor the words of a link to all posts for an author', () => {
    const head = (author: string): string =>
      `<meta property="og:site_name" content="Bike News"><meta name="author" content="${author}"><meta name="date" content="2024-05-03">`;
    expect(recordOf(head('bike-news')).authors).toBeUndefined();
    expect(recordOf(head('View all posts by Ada Byron →')).authors).toEqual(['Ada Byron']);
    expect(recordOf(head('ada[at]byron.example')).authors).toBeUndefined();
  });

  test('reads Open Graph and plain meta, and takes neither addresses nor programs for authors', () => {
    const head = meta({
      ...{
        'article:author': 'https://facebook.com/ada',
        author: 'admin',
        'og:site_name': 'Example',
        'og:type': 'article',
      },
      ...{ byl: 'By Ada Byron and Alan Turing', 'article:published_time': '2024-05-03T10:00:00Z' },
      ...{ 'og:description': 'What happened.', 'og:image': 'https://img.example/1.png', 'og:title': 'The story' },
    });
    expect(recordOf(head)).toMatchObject({
      ...{ authors: ['Ada Byron', 'Alan Turing'], published: '2024-05-03', site: 'Example', type: 'Article' },
      ...{ description: 'What happened.', image: 'https://img.example/1.png', title: 'The story' },
    });
  });

  test('reads Dublin Core with either separator, and the metadata of converted documents', () => {
    expect(
      recordOf(meta({ 'DC.creator': 'Byron, Ada', 'dcterms:issued': '12 March 1843', 'DC.rights': 'Public domain' })),
    ).toMatchObject({ authors: ['Ada Byron'], published: '1843-03-12', licence: 'Public domain' });
    expect(recordOf(meta({ 'document.author': 'Ada Byron', 'document.created': 'D:20240503101112Z' }))).toMatchObject({
      ...{ authors: ['Ada Byron'], published: '2024-05-03' },
      sources: { authors: 'document', published: 'document' },
    });
  });

  test('reads the name of an author from the class of its element, not from a box about the author or a comment', () => {
    const authors = (body: string): unknown => recordOf('', { body }).authors;
    expect(authors('<p class="byline"><span class="author vcard"><a class="url fn">Ada Byron</a></span></p>')).toEqual([
      'Ada Byron',
    ]);
    expect(
      authors('<div class="post-author"><i></i><span>By</span> <a href="/ada">Ada Byron</a> am 3. Mai</div>'),
    ).toEqual(['Ada Byron']);
    expect(recordOf('', { body: '<b class="x">1</b><span class="entry-author">tlow</span>' }).sources).toEqual({
      authors: 'class',
    });
    expect(authors('<p class="author">Ada Byron</p>, <p class="author">Alan Turing</p>')).toEqual([
      'Ada Byron',
      'Alan Turing',
    ]);
    expect(authors('<div class="author-bio">Ada Byron has written three books.</div>')).toBeUndefined();
    expect(authors('<div class="author">Ada has written three books about engines</div>')).toBeUndefined();
    expect(authors('<ul class="comments"><li><b class="author">Troll Ofthe Net</b></li></ul>')).toBeUndefined();
    expect(authors('<div class="related"><span class="author">Bob Writer</span></div>')).toBeUndefined();
  });

  test('finds date and author in the lines around the headline, those after it first', () => {
    const seen = (body: string): unknown => {
      const { published, authors, sources } = recordOf('', { body });
      return [published, authors, sources?.published, sources?.authors];
    };
    const headline = '<h1>The story</h1>';
    expect(seen(`<p>1 May 2020</p>${headline}<p>By Ada Byron, 3rd of May 2024 at 10:30</p><p>Text.</p>`)).toEqual([
      ...['2024-05-03', ['Ada Byron'], 'text', 'text'],
    ]);
    expect(seen(`<div>Bonn, 11.10.2021</div>${headline}`)).toEqual(['2021-10-11', undefined, 'text', undefined]);
    expect(seen(`${headline}<p>Von Köln nach Bonn</p><p>By the way</p>`)).toEqual(Array(4).fill(undefined));
    const far = '<p>A paragraph.</p>'.repeat(20);
    expect(seen(`${headline}${far}<p>3 May 2024</p>`)).toEqual(Array(4).fill(undefined));
    expect(seen('<p>3 May 2024</p>')).toEqual(Array(4).fill(undefined));
  });

  test('reads days with slashes by the language of the page', () => {
    const day = (language: string, date: string): unknown => {
      const page = `<html lang="${language}"><title>The story</title><h1>The story</h1><p>${date}</p>`;
      return splitFields(documentOf(page, { fetchedAt: FETCHED }).fields).bibliography?.published;
    };
    expect(day('en', '05/03/2024')).toBe('2024-05-03');
    expect(day('fr', '05/03/2024')).toBe('2024-03-05');
    expect(day('en', '25/03/2024')).toBe('2024-03-25');
    expect(day('de', '28.01.22')).toBe('2022-01-28');
    expect(day('ja', '2024年5月3日 10:30')).toBe('2024-05-03');
  });

  test('takes the date of the time element nearest to the headline', () => {
    const time = (day: string): string => `<p>x</p><p>x</p><p>x</p><p><time datetime="2024-05-${day}">then</time></p>`;
    expect(recordOf('', { body: `${time('01').repeat(3)}<h1>The story</h1>${time('03')}` })).toMatchObject({
      published: '2024-05-03',
      sources: { published: 'elements' },
    });
    expect(recordOf('', { body: `${time('01')}<p>x</p>` }).published).toBe('2024-05-01');
  });

  test('names no company, label or list of words as an author', () => {
    for (const author of ['Bike News GmbH', 'Verband der Räder e.V.', 'Posted by', 'siteadmin', 'Redaktion'])
      expect(recordOf(meta({ author, date: '2024-05-03' })).authors).toBeUndefined();
    expect(recordOf(meta({ author: 'Veröffentlicht von Ada Byron' })).authors).toEqual(['Ada Byron']);
  });

  test('lets the more trusted source decide, and a later one only make a date more exact', () => {
    const head =
      meta({ citation_date: '2024', 'article:published_time': '2024-05-03', date: '2019-01-01', author: 'Web Team' }) +
      ld({ '@type': 'Article', author: 'Ada Byron', datePublished: '2024-05' });
    expect(recordOf(head)).toMatchObject({
      ...{ published: '2024-05-03', authors: ['Ada Byron'] },
      sources: { published: 'open-graph', authors: 'json-ld' },
    });
  });

  test('drops dates after the fetch, dates that do not exist, and changes before the publication', () => {
    const dates = (published: string, modified = ''): unknown[] => {
      const record = recordOf(meta({ 'article:published_time': published, 'article:modified_time': modified }));
      return [record.published, record.modified];
    };
    expect(dates('2031-01-01')).toEqual([undefined, undefined]);
    expect(dates('2024-02-31')).toEqual([undefined, undefined]);
    expect(dates('2024-05-03', '2023-01-01')).toEqual(['2024-05-03', undefined]);
    expect(dates('2024-05', '2024')).toEqual(['2024-05', '2024']);
  });

  test('takes a date and identifiers from the address as a last resort', () => {
    expect(recordOf('', { url: 'https://blog.example/2024/05/03/story' })).toEqual({
      published: '2024-05-03',
      sources: { published: 'address' },
    });
    expect(recordOf('', { url: 'https://arxiv.org/abs/2401.01234v2' }).arxiv).toBe('2401.01234v2');
  });

  test('checks identifiers', () => {
    expect(recordOf(meta({ citation_isbn: '978-0-306-40615-7' })).isbn).toBe('9780306406157');
    expect(recordOf(meta({ citation_isbn: '978-0-306-40615-8' })).isbn).toBeUndefined();
    expect(recordOf(meta({ 'dc.identifier': 'https://doi.org/10.1000/ABC.1' })).doi).toBe('10.1000/abc.1');
    expect(recordOf(meta({ 'og:image': 'javascript:alert(1)' })).image).toBeUndefined();
  });

  test('records rights that the page or its server reserves', () => {
    expect(recordOf(meta({ robots: 'noindex, NoAI', 'tdm-reservation': '1' })).reservation).toBe('noai tdm');
    expect(recordOf(meta({ robots: 'noindex, max-snippet:3', 'tdm-reservation': '0' })).reservation).toBeUndefined();
    const headers = { xRobotsTag: 'noimageai', tdmReservation: '1' };
    expect(splitFields(documentOf('<p>words</p>', { headers }).fields).bibliography).toEqual({
      reservation: 'noimageai tdm',
      sources: { reservation: 'header' },
    });
  });
});

describe('a hostile page', () => {
  const bytes = (record: object): number => JSON.stringify(record).length;

  test('cannot make the record large', () => {
    const authors = '<meta name="citation_author" content="Ann Author, the very long">'.repeat(5_000);
    const long = meta({ description: 'x'.repeat(1_000_000), 'og:site_name': 'y'.repeat(100_000) });
    const many = ld({ '@type': 'Article', author: Array.from({ length: 20_000 }, (_, i) => `Ann Author ${i}`) });
    for (const head of [long + authors, many]) expect(bytes(recordOf(head))).toBeLessThan(8_000);
  });

  test('with cyclic, deep or broken data takes no longer than a plain one', () => {
    const cycle = { '@type': 'Article', '@id': '#a', author: { '@id': '#b' } };
    const back = { '@type': 'Person', '@id': '#b', name: { '@id': '#b', '@type': 'x' } };
    const deep = `${'{"@type":"Article","author":['.repeat(3_000)}1`;
    const start = performance.now();
    recordOf(ld([cycle, back]) + `<script type="application/ld+json">${deep}</script>`.repeat(5));
    recordOf(meta({ date: '9'.repeat(100_000), citation_doi: '10.1234/'.repeat(10_000) }));
    recordOf('', { body: '<i itemprop="author">'.repeat(20_000) });
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test('cannot write control characters into the record', () => {
    const record = recordOf(meta({ 'og:site_name': 'Exa\u001b[31mmple\u202e', author: 'Ada\u0007 Byron' }));
    expect(JSON.stringify(record)).not.toMatch(/\\u00|\u202e/);
    expect(record.authors).toEqual(['Ada Byron']);
  });
});
