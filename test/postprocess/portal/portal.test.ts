import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stem, stemsOf } from '../../../src/analyze/index.ts';
import { type TermCounts, type TopicId, topicTree } from '../../../src/core/index.ts';
import {
  type Curation,
  NO_CURATION,
  PORTAL_LANGUAGES,
  type PortalSource,
  readQuery,
  type TopicCuration,
  wordNames,
  writePortal,
} from '../../../src/postprocess/index.ts';
import { SearchIndex } from '../../../src/postprocess/portal/search-index.ts';
import { packCounts } from '../../support/pack-counts.ts';
import { row, source, speaking, tree } from './portal-source.ts';

let folder: string;
const read = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
  await writePortal(source, { tree, title: `My "bikes" & <more>` }, folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a portal', () => {
  test('has a page and a feed for every topic, with names that work on every system', () => {
    const names = ['b-a.html', 'bikes-touring.html', 'bikes.html', 'gone-topic.html', 'topic-con.html'];
    expect(readdirSync(join(folder, 'topics')).sort()).toEqual(names);
    expect(readdirSync(join(folder, 'feeds')).sort()).toEqual(names.map((name) => name.replace('html', 'xml')));
  });

  test('leaves out a topic that is not shown, with its pages', async () => {
    const own = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const hidden = topicTree([{ name: 'bikes', topics: [{ name: 'touring', shown: false }] }], []);
    const { pages } = await writePortal(source, { tree: hidden, title: 'Bikes' }, own);
    const whole = await writePortal(source, { tree, title: 'Bikes' }, mkdtempSync(join(tmpdir(), 'bingo-portal-')));
    expect(whole.pages - pages).toBe(2);
    expect(readdirSync(join(own, 'topics'))).not.toContain('bikes-touring.html');
    expect(readFileSync(join(own, 'topics', 'bikes.html'), 'utf8')).not.toContain('touring');
    rmSync(own, { recursive: true });
  });

  test('shows the topic tree with the pages of each topic and its subtopics', () => {
    const home = read('index.html');
    expect(home).toContain('<a href="topics/bikes.html"><bdi>bikes</bdi></a><span class="count">5 pages</span>');
    expect(home).toContain(
      '<a href="topics/bikes-touring.html"><bdi>touring</bdi></a><span class="count">2 pages</span>',
    );
    expect(home).toContain('6 pages in 5 topics, chosen from 10 pages that were read.');
  });

  test('recommends three pages of each topic on the first page, each once', () => {
    const lists = [...read('index.html').matchAll(/<ul class="first">\n(.*?)<\/ul>/gs)].map(([, list]) =>
      [...list!.matchAll(/<a href="([^"]*)" rel="noopener nofollow"/g)].map(([, address]) => address),
    );
    const bikes = read('topics', 'bikes.html');
    const inOrder = [...bikes.matchAll(/<h3 dir="auto"><span[^>]*>.<\/span><a href="([^"]*)"/g)].map(
      ([, address]) => address,
    );
    expect(lists[0]).toEqual([...new Set(inOrder)].slice(0, 3));
    expect(lists[0]).toHaveLength(3);
  });

  test('shows international addresses in their script, and links to the encoded form', async () => {
    const strange = row(1, 'bikes', {
      ...{
        title: '',
        finalUrl: 'https://xn--e1afmkfd.xn--p1ai/%D0%B2%D0%B5%D0%BB%D0%BE',
        site: 'xn--e1afmkfd.xn--p1ai',
      },
    });
    const own = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const exportPages: PortalSource['exportPages'] = async function* () {
      yield strange;
    };
    await writePortal({ ...source, exportPages }, { tree, title: 'Bikes' }, own);
    const page = readFileSync(join(own, 'topics', 'bikes.html'), 'utf8');
    rmSync(own, { recursive: true, force: true });
    expect(page).toContain('<a href="https://xn--e1afmkfd.xn--p1ai/%D0%B2%D0%B5%D0%BB%D0%BE"');
    expect(page).toContain('>https://пример.рф/вело</a>');
    expect(page).toContain('<span class="site">пример.<wbr>рф</span>');
  });

  test('shortens a very long title everywhere', async () => {
    const own = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const exportPages: PortalSource['exportPages'] = async function* () {
      yield row(1, 'bikes', { title: `Gears ${'and more gears '.repeat(60)}and a sprocket` });
    };
    await writePortal({ ...source, exportPages }, { tree, title: 'Bikes' }, own);
    const readOwn = (...path: string[]): string => readFileSync(join(own, ...path), 'utf8');
    const shown = `${`Gears ${'and more gears '.repeat(60)}`.slice(0, 199)}…`;
    const files = [['index.html'], ['topics', 'bikes.html'], ['all', 'bikes', '1.html'], ['feeds', 'bikes.xml']];
    for (const file of files) expect(readOwn(...file), file.join('/')).toContain(`>${shown}</`);
    for (const file of [['changes.html'], ['pages', '0.js']]) expect(readOwn(...file), file.join('/')).toContain(shown);
    for (const file of [...files, ['changes.html'], ['pages', '0.js']])
      expect(readOwn(...file), file.join('/')).not.toContain('sprocket');
    rmSync(own, { recursive: true, force: true });
  });

  test('says for each page why it is listed, examples of the user first', () => {
    const topic = read('topics', 'bikes.html');
    const reasons = [...topic.matchAll(/<span class="why">([^<]*)</g)].map((match) => match[1]);
    expect(reasons).toEqual([
      'Chosen by the editors.',
      'Good pages on this subject link to it.',
      'Typical of this subject.',
    ]);
    expect(topic).toContain('<p class="about">Good pages on this subject link to these.</p>');
    const newest = topic.slice(topic.indexOf('<h2 id="new"'));
    expect(
      [...newest.slice(0, newest.indexOf('</section>')).matchAll(/found <time datetime="([^"]*)"/g)].map(
        (match) => match[1],
      ),
    ).toEqual(['2026-01-03']);
    // Each page once, with a list of all.
    expect(topic.match(/<span class="badge/g)).toHaveLength(5);
  });

  test('shows sites by their share of good pages among all pages fetched from them', () => {
    const rows = [
      ...read('index.html')
        .replaceAll('<wbr>', '')
        .matchAll(/<th scope="row">([^<]*)<\/th><td class="number">(\d+)<\/td><td class="number">(\d+)/g),
    ];
    expect(rows.map((match) => match.slice(1))).toEqual([['site0.example', '4', '5']]);
  });

  test('leaves out OTHERS, negative examples, local files and pages that must not be linked', () => {
    const all = allText();
    for (const text of ['Not wanted', 'A negative example', 'secret.pdf', 'Bad address'])
      expect(all).not.toContain(text);
  });

  test('lets no text of a page become markup, script or a change of direction', () => {
    for (const [name, text] of pagesAndFeeds()) {
      expect(text, name).not.toMatch(/<script(?! src="(\.\.\/)?(words|accents|beginnings|query|search)\.js" defer>)/);
      expect(text, name).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000-\u0008]/);
      expect(text, name).not.toMatch(/javascript:/i);
      expect(text, name).not.toMatch(/ on[a-z]+=/i);
      expect(text, name).not.toMatch(/<style|style="/i);
    }
    expect(read('topics', 'bikes.html')).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&amp;amp;gpj.exe',
    );
    expect(read('index.html')).toContain('<title>My &quot;bikes&quot; &amp; &lt;more&gt;</title>');
    expect(allText()).not.toMatch(/[\u202a-\u202e]/);
  });

  test('links only to web pages, and sends them no referrer', () => {
    for (const [name, text] of pagesAndFeeds().filter(([name]) => name.endsWith('.html')))
      for (const [link, href] of text.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>/g)) {
        expect(href, name).toMatch(
          /^(https?:\/\/|#[a-z]+$|changes\.html#d2026-\d\d-\d\d$|(\.\.\/)*((topics|feeds|all\/[a-z0-9-]+)\/)?[a-z0-9-]+\.(html|xml)$)/,
        );
        if (href!.startsWith('http')) expect(link, name).toContain('rel="noopener nofollow"');
      }
  });

  test('allows only its own files', () => {
    for (const [name, text] of pagesAndFeeds().filter(([name]) => name.endsWith('.html')))
      expect(text, name).toContain(
        `content="default-src &#39;none&#39;; script-src &#39;self&#39;; style-src &#39;self&#39;;`,
      );
  });

  test('has only links that work', () => {
    for (const [name, text] of pagesAndFeeds().filter(([name]) => name.endsWith('.html')))
      for (const [, target] of text.matchAll(/(?:href|src|action)="(?!https?:|#)([^"?#]*)/g))
        expect(existsSync(join(folder, name, '..', target!)), `${name} → ${target}`).toBe(true);
  });

  test('marks the language of foreign texts, so that they are read aloud correctly', () => {
    const link = '<a href="https://site1.example/9" rel="noopener nofollow"';
    const topic = read('topics', 'bikes.html');
    expect(topic).toContain(`aria-hidden="true">S</span>${link} lang="fa">Page 9</a></h3>`);
    expect(topic).toContain('<p class="snippet" dir="auto" lang="fa">');
    expect(topic).not.toMatch(/<(?!html)[^>]* lang="en"/);
    expect(read('all', 'bikes', '1.html')).toContain(`${link} dir="auto" lang="fa">Page 9</a>`);
    expect(read('changes.html')).toContain(`${link} dir="auto" lang="fa">Page 9</a>`);
    expect(read('feeds', 'bikes.xml')).toContain('<entry xml:lang="fa">');
    expect(read('pages', '0.js')).toMatch(/"https:\/\/site1\.example\/9",\d+,"[^"]*","fa"\]/);
  });

  test('works with screen readers: one h1, ordered levels, labelled fields, a language', () => {
    for (const [name, text] of pagesAndFeeds().filter(([name]) => name.endsWith('.html'))) {
      expect(text, name).toMatch(/<html lang="en" dir="ltr"/);
      const levels = [...text.matchAll(/<h([1-6])/g)].map((match) => Number(match[1]));
      expect(levels[0], name).toBe(1);
      expect(
        levels.filter((level) => level === 1),
        name,
      ).toHaveLength(1);
      levels.slice(1).forEach((level, i) => {
        expect(level, name).toBeLessThanOrEqual(levels[i]! + 1);
      });
      for (const [field] of text.matchAll(/<(?:input|select)[^>]*>/g))
        expect(
          /aria-label="/.test(field) || text.includes(`<label for="${/id="([^"]*)"/.exec(field)?.[1]}"`),
          name,
        ).toBe(true);
    }
  });

  test('feeds the newest pages as Atom', () => {
    const feed = read('feeds', 'bikes.xml');
    expect(feed).toMatch(/^<\?xml version="1.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www.w3.org\/2005\/Atom">/);
    expect(feed).toMatch(/<id>urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}<\/id>/);
    expect(feed).toContain('<updated>2026-02-09T00:00:00.000Z</updated>');
    expect(feed).toContain(
      '<updated>2026-02-03T00:00:00.000Z</updated>\n<published>2026-01-03T00:00:00.000Z</published>',
    );
    expect(feed.match(/<entry xml:lang="[a-z]{2}">/g)).toHaveLength(4);
  });

  test('has feeds that a reader of RFC 4287 finds whole: names, times and titles, each entry once', () => {
    for (const [name, text] of pagesAndFeeds().filter(([name]) => name.endsWith('.xml'))) {
      const [head, ...entries] = text.split(/<entry[^>]*>/);
      for (const part of [head!, ...entries]) {
        expect(part.match(/<id>[a-z]+:[^<]+<\/id>/g), name).toHaveLength(1);
        expect(part.match(/<title>[^<]+<\/title>/g), name).toHaveLength(1);
        expect(part.match(/<updated>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z<\/updated>/g), name).toHaveLength(1);
        expect(part, name).toMatch(/<link rel="alternate"/);
      }
      expect(head, name).toMatch(/<author><name>[^<]+<\/name><\/author>/);
      const ids = entries.map((entry) => /<id>(.*?)<\/id>/.exec(entry)?.[1]);
      expect(new Set(ids).size, name).toBe(entries.length);
      // What XML 1.0 §2.2 allows, and no reference to a name that only HTML knows.
      expect(text, name).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
      expect(text.match(/&(?!amp;|lt;|gt;|quot;|#39;)/), name).toBeNull();
    }
  });

  test('comes out the same again', async () => {
    const again = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    await writePortal(source, { tree, title: `My "bikes" & <more>` }, again);
    for (const [name, text] of pagesAndFeeds()) expect(readFileSync(join(again, name), 'utf8')).toBe(text);
    rmSync(again, { recursive: true });
  });

  test('tells day by day what was new, changed, moved or left, without a link to what is gone', () => {
    const page = read('changes.html');
    const days = page
      .split('<h2 id="d')
      .slice(1)
      .map((section) => {
        const rows = [
          ...section.matchAll(/<li><span class="kind kind-(\w+)">(?:.*?)<\/span> (?:<a|<bdi)[^>]*>([^<]*)</g),
        ];
        return [section.slice(0, 10), ...rows.map(([, kind, title]) => `${kind} ${title}`)];
      });
    expect(days.slice(0, 4)).toEqual([
      ['2026-02-07', 'left Of another topic now'],
      ['2026-02-06', 'left Gone &lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&amp;amp;gpj.exe  &lt;/title&gt;'],
      ['2026-02-05', 'moved Page 9'],
      ['2026-02-03', 'changed Page 3'],
    ]);
    expect(page).toContain('from <bdi>https://old.example/%22%3C9%3E</bdi>');
    expect(page).not.toContain('href="https://site0.example/10"');
    expect(read('index.html')).toContain('<a href="changes.html#d2026-02-06">');
  });

  test('names where a page went if that is listed, and not what a seller of domains shows in its place', async () => {
    const out = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const moved = (n: number, target: string) => ({
      ...{ sequence: n, firstAt: 1, changedAt: 1, checkedAt: 1, triedAt: 2, checks: 0, changes: 0, missing: 0 },
      ...{ movedAt: 0, movedFrom: '', backAt: 0, ending: 'moved' as const, endedAt: 2, target },
    });
    const exportPages = async function* () {
      yield row(1, 'bikes');
      yield row(2, 'bikes');
      yield row(3, 'bikes');
      yield row(4, '', { others: true, title: 'This domain is for sale' });
    };
    const histories = async function* () {
      yield moved(2, row(1, 'bikes').url);
      yield moved(3, row(4, '').url);
    };
    await writePortal({ ...source, exportPages, histories }, { tree, title: 'Moved' }, out);
    const left = [
      ...readFileSync(join(out, 'changes.html'), 'utf8').matchAll(/<bdi>(Page \d)<\/bdi>.*?<span>(.*?)<\/li>/g),
    ];
    expect(left.map(([, title, why]) => [title, why!.replaceAll(/<[^>]*>/g, '')]).sort()).toEqual([
      ['Page 2', 'it has moved to a page that is here already: https://site1.example/1'],
      ['Page 3', 'it has moved to a page that is not listed'],
    ]);
    rmSync(out, { recursive: true });
  });

  test('lets go of what is gone, and says of the others when they were last seen', () => {
    for (const name of ['topics/bikes.html', 'all/bikes/1.html', 'feeds/bikes.xml', 'pages/0.js'])
      expect(read(...name.split('/')), name).not.toContain('Gone ');
    const touring = read('topics', 'bikes-touring.html');
    const dates = (facts: string): string => facts.replaceAll(/<[^>]*>/g, '');
    expect(dates(touring)).toContain('found 2026-01-03, changed 2026-02-03, seen 2026-02-09');
    expect(dates(touring)).toContain('found 2026-01-04, not there on 2026-02-08');
    expect(dates(read('topics', 'gone-topic.html'))).toContain('found 2026-01-08, not reached on 2026-02-08');
  });

  test('lists all pages of a topic, a hundred at a time, with a way from each to the next', async () => {
    const many = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const rows = Array.from({ length: 250 }, (_, i) => row(i + 1, i < 30 ? 'bikes/touring' : 'bikes'));
    const exportPages = async function* () {
      yield* rows;
    };
    await writePortal({ ...source, exportPages, histories: async function* () {} }, { tree, title: 'Many' }, many);
    const list = (number: number): string => readFileSync(join(many, 'all', 'bikes', `${number}.html`), 'utf8');
    const titles = [1, 2, 3].flatMap((n) => [...list(n).matchAll(/dir="auto">(Page \d+)<\/a>/g)].map(([, t]) => t));
    expect(titles).toHaveLength(250);
    expect(new Set(titles).size).toBe(250);
    expect(titles.slice(220)).toContain('Page 1');
    expect(list(2)).toContain('<ol class="rows" start="101">');
    expect(list(2)).toContain('<a href="3.html" rel="next" aria-label="Page 3">3</a>');
    expect(existsSync(join(many, 'all', 'bikes', '4.html'))).toBe(false);
    expect(readFileSync(join(many, 'topics', 'bikes.html'), 'utf8')).toContain(
      '<a href="../all/bikes/1.html">All pages',
    );
    rmSync(many, { recursive: true });
  });

  test('shows titles without the name of their site, also in the search and the feed', async () => {
    const own = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const rows = [1, 3, 5, 7, 9].map((n) => row(n, 'bikes', { title: `Wheel ${n} | Site One` }));
    const named: PortalSource = {
      ...source,
      exportPages: async function* () {
        yield* rows;
      },
      histories: async function* () {},
    };
    await writePortal(named, { tree, title: 'Wheels' }, own);
    for (const name of [['topics', 'bikes.html'], ['feeds', 'bikes.xml'], ['pages', '0.js'], ['changes.html']]) {
      const text = readFileSync(join(own, ...name), 'utf8');
      expect(text).toContain('Wheel 7');
      expect(text).not.toContain('Site One');
    }
    rmSync(own, { recursive: true });
  });

  test('goes by what an editor decided: names, order, notes, pinned and hidden pages, sections', async () => {
    const own = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const topic = (id: string, more: Partial<TopicCuration>) => [id as TopicId, { pinned: [], ...more }] as const;
    const pinned = [
      { url: 'https://site1.example/5', note: `First <b>"this"</b>` },
      { url: 'https://nowhere.example/', note: '' },
    ];
    const curation: Curation = {
      ...NO_CURATION,
      introduction: ['One <i>word</i>.', 'Another.'],
      about: ['We choose.'],
      contact: 'us@example.org',
      accent: [255, 220, 0],
      theme: 'paper',
      address: 'https://bikes.example/portal/',
      sections: ['new', 'start'],
      hidden: new Set(['https://site1.example/9']),
      topics: new Map([
        topic('con', { title: 'Apparatus' }),
        topic('bikes', { title: 'All about bikes', description: 'What rolls.', pinned }),
      ]),
    };
    const { missing } = await writePortal(source, { tree, title: 'Bikes', curation }, own);
    const readOwn = (...path: string[]): string => readFileSync(join(own, ...path), 'utf8');
    const home = readOwn('index.html');
    expect(home).toContain('<p class="intro">One &lt;i&gt;word&lt;/i&gt;.</p>');
    expect(home.indexOf('Apparatus')).toBeLessThan(home.indexOf('All about bikes'));
    expect(home).toContain('<p class="about">What rolls.</p>');
    const bikes = readOwn('topics', 'bikes.html');
    const first = bikes.slice(bikes.indexOf('<h2 id="start"'));
    expect(first.indexOf('Not wanted')).toBeLessThan(first.indexOf('Page 1'));
    expect(first).toContain('<p class="note" dir="auto">First &lt;b&gt;&quot;this&quot;&lt;/b&gt;</p>');
    expect(bikes.indexOf('<h2 id="new"')).toBeLessThan(bikes.indexOf('<h2 id="start"'));
    expect(bikes).not.toContain('<h2 id="cited"');
    expect(bikes).toContain('data-theme="paper"');
    for (const name of ['topics/bikes.html', 'all/bikes/1.html', 'feeds/bikes.xml', 'pages/0.js', 'changes.html'])
      expect(readOwn(...name.split('/')), name).not.toContain('https://site1.example/9');
    expect(readOwn('about.html')).toContain('<a href="mailto:us@example.org">us@example.org</a>');
    expect(readOwn('sitemap.xml')).toContain('<loc>https://bikes.example/portal/topics/bikes.html</loc>');
    expect(home).toContain('<link rel="canonical" href="https://bikes.example/portal/index.html">');
    // Yellow links could not be read on a light ground.
    expect(readOwn('accent.css')).toMatch(/^:root \{ --link: #(?!ffdc00)/);
    expect(missing).toEqual(['https://nowhere.example/']);
    rmSync(own, { recursive: true, force: true });
  });

  test.each(PORTAL_LANGUAGES)('says all of its own words in %s', async (language) => {
    const own = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    await writePortal(source, { tree, title: 'Bikes', curation: { ...NO_CURATION, language } }, own);
    const words = JSON.parse(
      readFileSync(new URL(`../../../assets/portal/words/${language}.json`, import.meta.url), 'utf8'),
    );
    const places = (text: unknown): string[] => [...new Set(JSON.stringify(text).match(/\{\w+\}/g) ?? [])].sort();
    for (const [name, expected] of wordNames())
      expect(places(words[name]), name).toEqual(expected.map((place) => `{${place}}`).sort());
    const topic = readFileSync(join(own, 'topics', 'bikes.html'), 'utf8');
    expect(topic).toContain(`<html lang="${language}"`);
    expect(topic).toContain(`<h2 id="start">${words.start}</h2>`);
    expect(topic).not.toMatch(/\{\w+\}/);
    rmSync(own, { recursive: true, force: true });
  });

  test('stands without any page', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const none: PortalSource = { ...source, exportPages: async function* () {}, scoredPages: async () => [] };
    expect(await writePortal(none, { tree, title: 'Empty' }, empty)).toMatchObject({ pages: 0, shards: 0 });
    expect(readFileSync(join(empty, 'topics', 'bikes.html'), 'utf8')).toContain('No page was accepted');
    rmSync(empty, { recursive: true });
  });
});

function pagesAndFeeds(): [name: string, text: string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(html|xml)$/.test(name))
    .map((name) => [name, read(name)]);
}

function allText(): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(html|xml|js)$/.test(name) && !/^(words|accents|beginnings|query|search)\.js$/.test(name))
    .map((name) => read(name))
    .join('\n');
}

interface Word {
  readonly stems: readonly string[];
  readonly spelled: readonly string[];
}

interface Words {
  readonly stemOf: (word: string) => string;
  readonly wordsOf: (text: string, languages?: readonly string[]) => readonly Word[];
}

/** The scripts of a portal as a browser runs them, with the stemmers of some languages. */
function browserWords(portal: string, languages: readonly string[] = []): Words {
  const context = createContext({});
  const names = [
    'words.js',
    'accents.js',
    'beginnings.js',
    ...languages.map((language) => join('stemmers', `${language}.js`)),
  ];
  for (const name of names) runInContext(readFileSync(join(portal, name), 'utf8'), context);
  return context.bingoWords as Words;
}

describe('the words of a search in the browser', () => {
  let words: Words;
  beforeAll(() => {
    words = browserWords(folder);
  });

  test('have the stems that the analyser gave the pages', () => {
    const text = ['README.md', 'ARCHITECTURE.md', 'docs/schema.md', 'docs/lab.md']
      .map((file) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'))
      .join(' ');
    const vocabulary = new Set(text.toLowerCase().match(/[a-z]+/g));
    expect(vocabulary.size).toBeGreaterThan(1000);
    for (const word of vocabulary) expect(words.stemOf(word), word).toBe(stem(word));
  });

  test('do so for whatever letters', () => {
    const ends = 'sses ies s eed ed ing y ational izer bli logi icate ness ance ement ion sion e ll er iviti ate'.split(
      ' ',
    );
    const word = fc
      .tuple(
        fc.string({ unit: fc.constantFrom(...'aeiouybcdlstxz'), minLength: 1, maxLength: 8 }),
        fc.constantFrom('', ...ends),
      )
      .map(([start, end]) => start + end);
    fc.assert(
      fc.property(word, (text) => words.stemOf(text) === stem(text)),
      { numRuns: 3000 },
    );
  });

  test.each([
    'Straße über Ærø',
    'İzmir, DİYARBAKIR',
    'naïve ﬁsh ＡＢＣ',
    '東京タワーへ行く',
    "it's 2003 123456 C3PO",
    'ภาษาไทย กข',
    'co-operation',
    "комп'ютер п’ять",
  ])('are cut like those of pages: %s', (text) => {
    expect(words.wordsOf(text).flatMap(({ stems }) => stems)).toEqual(
      expect.arrayContaining([...new Set(stemsOf(text))]),
    );
  });

  test('are without signs that nobody sees, and have an apostrophe that counts as a letter as if it did not', () => {
    expect(words.wordsOf('комп\u02bcютер')).toEqual(words.wordsOf("комп'ютер"));
    expect(words.wordsOf('\u200fDonau\u00addampfer')).toEqual(words.wordsOf('Donaudampfer'));
  });

  test('are stemmed in every language that the portal has pages in', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    try {
      await writePortal(
        speaking(() => ({ text: 'Die Häuser der Stadt', language: 'de' })),
        { tree, title: 'Häuser' },
        folder,
      );
      expect(readdirSync(join(folder, 'stemmers'))).toEqual(['de.js']);
      const manifest = readFileSync(join(folder, 'index', 'manifest.js'), 'utf8');
      expect(manifest).toContain('"languages":["de"],"stemmers":["de"]');
      const shard = readFileSync(join(folder, 'index', '0.js'), 'utf8');
      const isFound = (words: Words): boolean =>
        words.wordsOf('Häusern').some(({ stems }) => stems.some((stem) => shard.includes(`${stem}\\t`)));
      expect(isFound(browserWords(folder, ['de']))).toBe(true);
      expect(isFound(browserWords(folder))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('stand for the same stems as in a search of the store, those of other spellings apart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bingo-portal-'));
    const languages = ['cs', 'de', 'en', 'fr'];
    try {
      await writePortal(
        speaking((n) => ({ text: 'words', language: languages[n % 4]! })),
        { tree, title: 'Four languages' },
        folder,
      );
      const words = browserWords(folder, ['cs', 'de', 'fr']);
      for (const query of [
        'cafe',
        'Résumés',
        'mueller',
        'Gödel',
        'prilis',
        'informatique theorique',
        'touring',
        'ou',
      ]) {
        const found = words.wordsOf(query, languages);
        const stored = readQuery(query, { languages }).any;
        expect(
          found.map(({ stems, spelled }) => [...stems, ...spelled].sort()),
          query,
        ).toEqual(stored.map((stems) => stems.toSorted()));
      }
      const [{ stems, spelled }] = words.wordsOf('mueller', languages) as [Word];
      expect(stems).not.toContain('müller');
      expect(spelled).toContain('müller');
      expect(words.wordsOf('cafe', ['en'])).toMatchObject([{ spelled: ['café'] }]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the search index of a portal', () => {
  test('has the spellings of a word in one file, whatever accents they have', () => {
    const index = new SearchIndex();
    const spellings = ['resume', 'résumé', 'resumé', 'rësumè'];
    for (let page = 0; page < 300; page++)
      index.add(
        packCounts([...spellings, ...Array.from({ length: 140 }, (_, i) => `r${page}x${i}`)].map((w) => [w, 1])),
      );
    const shards = [...index.shards()];
    expect(shards.length).toBeGreaterThan(2);
    const holding = shards.filter(({ text }) => spellings.some((word) => `\n${text}`.includes(`\n${word}\t`)));
    expect(holding).toHaveLength(1);
    expect(shards.map(({ first }) => first)).toEqual(shards.map(({ first }) => first).sort());
  });

  const decode = (index: SearchIndex): Map<string, number[]> => {
    const found = new Map<string, number[]>();
    for (const { text } of index.shards())
      for (const line of text.split('\n')) {
        const [word, postings] = line.split('\t');
        let page = -1;
        const pages = [...postings!.matchAll(/([0-9a-z]+)([A-H])/g)].map((match) => {
          page += Number.parseInt(match[1]!, 36);
          return page;
        });
        found.set(word!, pages);
      }
    return found;
  };

  test('names for each stem the pages that hold it', () => {
    const bag: fc.Arbitrary<TermCounts> = fc
      .uniqueArray(
        fc.tuple(fc.constantFrom('a', 'bb', 'c', 'né', '東', '__proto__'), fc.integer({ min: 1, max: 70_000 })),
        {
          selector: ([word]) => word,
        },
      )
      .map(packCounts);
    fc.assert(
      fc.property(fc.array(bag, { maxLength: 40 }), (bags) => {
        const index = new SearchIndex();
        const expected = new Map<string, number[]>();
        bags.forEach((terms, page) => {
          index.add(terms);
          if (terms.counts.length > 0)
            for (const word of terms.features.split('\n')) expected.set(word, [...(expected.get(word) ?? []), page]);
        });
        expect(decode(index)).toEqual(expected);
      }),
    );
  });

  test('has the words of a title, however many others tell more of the page', () => {
    const index = new SearchIndex();
    for (let page = 0; page < 3; page++)
      index.add(
        packCounts([
          ['terminal', 1],
          ['readme', 1],
          ...Array.from({ length: 300 }, (_, i) => [`p${page}x${i}`, 2] as const),
        ]),
        page === 1 ? ['terminal', 'unknown'] : [],
      );
    const found = decode(index);
    expect(found.get('terminal')).toEqual([1]);
    expect(found.has('readme')).toBe(false);
    const ofPage = [...found.values()].filter((pages) => pages.includes(1));
    expect(ofPage).toHaveLength(150);
  });

  test('is cut into files that a browser reads at once, in the order of their stems', () => {
    const index = new SearchIndex();
    for (let page = 0; page < 300; page++)
      index.add(packCounts(Array.from({ length: 150 }, (_, i) => [`word${(page * 150 + i).toString(36)}`, 1])));
    const shards = [...index.shards()];
    expect(shards.length).toBeGreaterThan(2);
    for (const { first, text } of shards) {
      expect(text.length).toBeLessThan(110_000);
      expect(text.startsWith(`${first}\t`)).toBe(true);
    }
    const firsts = shards.map(({ first }) => first);
    expect(firsts).toEqual([...firsts].sort());
  });
});
