import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { topicTree } from '../../src/core/index.ts';
import type { Store } from '../../src/store/index.ts';
import { searchContext } from '../../src/workbench/search/local-search.ts';
import type { TinyWeb } from '../support/tiny-web.ts';
import { BIKE, bikeWorkspace, page, prose, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';

interface Row {
  readonly title: string;
  readonly url: string;
  readonly topic: string | null;
  readonly score: number;
  readonly shares: Readonly<Record<string, number>>;
  readonly confidence: number;
  readonly cosine: number;
  readonly ib: number;
  readonly ir: number;
  readonly il: number;
  readonly alike: readonly string[];
}

let web: TinyWeb;
let root: string;
let dir: string;

beforeAll(async () => {
  web = await startBikeWeb();
  root = mkdtempSync(join(tmpdir(), 'bingo-search-'));
  dir = workspace('bikes', `crawl: {budget: 20, learn: 4}\n`);
  await run(['crawl', dir]);
});
afterAll(async () => {
  await web.close();
  rmSync(root, { recursive: true });
});

function workspace(name: string, more: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'bingo.yaml'), bikeWorkspace(web, more));
  return folder;
}

async function ask(...words: string[]): Promise<readonly Row[]> {
  const { code, out, err } = await run(['search', dir, ...words, '--json', '--limit', '50']);
  expect([code, err]).toEqual([0, expect.not.stringContaining('rror')]);
  return JSON.parse(out) as readonly Row[];
}

describe('bingo search', () => {
  it('shows no text of a page that forbids it, in a search or a portal', async () => {
    web.handle('shy.test', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': 'nosnippet' });
      response.end(page('Shy bicycle', `${prose(BIKE, 3)} ${prose(BIKE, 4)} unicycling`, []));
    });
    const shy = join(root, 'shy');
    mkdirSync(shy);
    const text = bikeWorkspace(web, 'crawl: {budget: 3, learn: 0}\n');
    writeFileSync(
      join(shy, 'bingo.yaml'),
      text.replace('    examples:', `    seeds: ["${web.origin('shy.test')}/"]\n    examples:`),
    );
    await run(['crawl', shy]);
    const { out } = await run(['search', shy, 'unicycling', '--json']);
    expect(JSON.parse(out)).toEqual([expect.objectContaining({ title: 'Shy bicycle', snippet: '' })]);
    expect((await run(['search', shy, 'unicycling'])).out).not.toMatch(/unicycling|derailleur/);
    await run(['portal', shy, join(shy, 'portal')]);
    const pages = readFileSync(join(shy, 'portal', 'pages', '0.js'), 'utf8');
    expect(pages).toMatch(/"Shy bicycle","http:\/\/shy\.test:\d+\/",\d+,""/);
  });

  it('finds an exact phrase, and leaves out words with a minus', async () => {
    const [first] = await ask('touring');
    const words = await ask('touring derailleur spoke');
    const phrase = await ask('"derailleur spoke"');
    expect(phrase.length).toBeLessThanOrEqual(words.length);
    expect(await ask('touring', 'derailleur', 'spoke')).toEqual(words);
    expect(await ask('"spoke of the derailleur"')).toEqual([]);
    expect((await ask(`touring -"${first!.title}"`)).map((row) => row.url)).not.toContain(first!.url);
    expect(await ask('bicycle recipe -bicycle')).toHaveLength((await ask('recipe')).length);
  });

  it('ranks by one measure or a sum of measures, and shows what each contributed', async () => {
    const byConfidence = await ask('touring', '--rank', 'confidence');
    const confidences = byConfidence.map((row) => row.confidence);
    expect(confidences).toEqual([...confidences].sort((a, b) => b - a));
    const byCosine = (await ask('touring', '--rank', 'cosine')).map((row) => row.cosine);
    expect(byCosine).toEqual([...byCosine].sort((a, b) => b - a));
    for (const { score, shares } of await ask('touring', '--rank', 'cosine=0.6,authority=0.4')) {
      expect(Object.keys(shares)).toEqual(['cosine', 'authority']);
      expect(shares.cosine! + shares.authority!).toBeCloseTo(score, 5);
    }
    const words = ['search', dir, 'touring', '--rank', 'cosine=3,confidence=1'];
    const { out } = await run([...words, '--details']);
    expect(out).toMatch(/\[\d\.\d\d\] = \d\.\d\d cosine \+ \d\.\d\d confidence/);
    // Without details a result has one number, in brackets.
    const facts = (await run(words)).out.split('\n').filter((line) => /\[\d\./.test(line));
    expect(facts.length).toBeGreaterThan(1);
    for (const line of facts) expect(line).toMatch(/^ {5}\S+ {2}\[\d\.\d\d\]$/);
  });

  it('ranks by backlinks, PageRank and location as of the end of the crawl', async () => {
    for (const measure of ['ib', 'ir', 'il'] as const) {
      const values = (await ask('touring', '--rank', measure)).map((row) => row[measure]);
      expect(values, measure).toEqual([...values].sort((a, b) => b - a));
      expect(values[0], measure).toBeGreaterThan(0);
    }
    const { out } = await run(['export', dir, '--format', 'jsonl']);
    const rows = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    const best = await run(['sql', dir, '--json', 'select url, ib from page_importance where ib > 0']);
    const linked = JSON.parse(best.out) as readonly unknown[];
    expect(rows.filter(({ ib }) => ib > 0)).toHaveLength(linked.length);
    expect(rows.reduce((sum, { ir }) => sum + ir, 0) / rows.length).toBeCloseTo(1, 3);
  });

  it('filters by topic, site, time and type', async () => {
    expect(new Set((await ask('bicycle recipe planet', '--topic', 'cycling')).map((row) => row.topic))).toEqual(
      new Set(['cycling']),
    );
    expect(new Set((await ask('wheel recipe', '--site', 'food.test')).map((row) => new URL(row.url).hostname))).toEqual(
      new Set(['food.test']),
    );
    // Typical user input: capitals, full width, dots.
    for (const host of ['Food.Test', '.food.test', '*.food.test', 'ｆｏｏｄ.test', 'http://food.test/a'])
      expect(await ask('recipe', '--site', host), host).not.toEqual([]);
    expect(await ask('bicycle', '--type', 'pdf')).toEqual([]);
    for (const moment of ['2003-01-05', '2003-01-05 09:30', '2003-01-05T09:30:00.5z', '2003-01-05T09:30+01:00'])
      expect(await ask('bicycle', '--until', moment), moment).toEqual([]);
    expect(await ask('bicycle', '--since', '1h', '--type', 'html')).toHaveLength((await ask('bicycle')).length);
  });

  it('accepts its flags and their negation as operators in the query', async () => {
    const same = async (words: string, ...as: string[]): Promise<void> => {
      const rows = await ask(words);
      expect(rows, words).toEqual(await ask(...as));
      expect(rows.length, words).toBeGreaterThan(0);
    };
    await same('wheel recipe site:food.test', 'wheel recipe', '--site', 'food.test');
    await same('bicycle recipe topic:cycling', 'bicycle recipe', '--topic', 'cycling');
    await same('bicycle recipe topic:OTHERS', 'bicycle recipe', '--topic', 'OTHERS');
    await same('bicycle -topic:OTHERS', 'bicycle', '--accepted');
    await same('wheel recipe -site:bikes.test -site:stars.test', 'wheel recipe', '--site', 'food.test');
    await same('bicycle since:1h filetype:html', 'bicycle', '--since', '1h', '--type', 'html');
    expect(await ask('bicycle -type:html')).toEqual([]);
    expect((await ask('title:"bicycle page 3"')).map(({ title }) => title)).toEqual(['bicycle page 3']);
  });

  it('combines, requires and excludes words', async () => {
    const urls = async (words: string): Promise<readonly string[]> =>
      (await ask(words)).map(({ url }) => url).toSorted();
    const either = await urls('recipe OR zodiac');
    expect(either).toEqual(await urls('recipe zodiac'));
    expect(await urls('bicycle AND (recipe OR zodiac)')).toEqual(await urls('+bicycle "recipe"'));
    expect(await urls('(recipe OR zodiac) NOT recipe')).toEqual(either.filter((url) => !url.includes('food.test')));
    const [first] = await ask('touring');
    expect(await urls(`"${first!.title}" OR title:xylophone`)).toContain(first!.url);
    expect((await run(['search', dir, '+bicycle +xylophone'])).err).toBe(
      'Nothing matches. Try it without + and AND.\n',
    );
  });

  it('finds words by prefix', async () => {
    const titles = async (words: string): Promise<readonly string[]> => (await ask(words)).map(({ title }) => title);
    const all = await titles('bicycle');
    expect(all.length).toBeGreaterThan(3);
    expect(await titles('bicy*')).toEqual(all);
    expect(await titles('title:bicy*')).toEqual(await titles('title:bicycle'));
    expect(await titles('+bicycle -bicy*')).toEqual([]);
    expect(await titles('xylo*')).toEqual([]);
  });

  it('finds the pages most like a page, without the page', async () => {
    const [first] = await ask('bicycle', '--accepted');
    const like = await ask('--like', first!.url);
    expect(like.length).toBeGreaterThan(3);
    expect(like.map(({ url }) => url)).not.toContain(first!.url);
    expect(new URL(like[0]!.url).hostname).toBe(new URL(first!.url).hostname);
    expect((await ask('--like', first!.url, '--site', 'food.test')).every(({ url }) => url.includes('food.test'))).toBe(
      true,
    );
    expect(await run(['search', dir, '--like', 'https://nowhere.example/'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/No page is stored under https:\/\/nowhere\.example\/.*bingo why/s),
    });
    expect((await run(['search', dir])).err).toContain('WORDS is missing');
  });

  it('finds a prefix by the stems of each language', async () => {
    const store = {
      languages: async () => ['de', 'sv'],
      stemsFrom: async (...ways: readonly string[]) => ways,
    } as Partial<Store> as Store;
    const { beginnings } = await searchContext(store, 'Über* title:straß*', { tree: topicTree([], []), limit: 10 });
    expect([...beginnings]).toEqual([
      ['über', ['über', 'uber', 'ueber']],
      ['straß', ['straß', 'strass']],
    ]);
  });

  it('finds words with accents if a prefix has none', async () => {
    const store = {
      languages: async () => ['cs'],
      stemsFrom: async (...ways: readonly string[]) => ways,
    } as Partial<Store> as Store;
    const { beginnings } = await searchContext(store, 'zlut*', { tree: topicTree([], []), limit: 10 });
    expect(beginnings.get('zlut')).toContain('žluť');
    expect(beginnings.get('zlut')).not.toContain('hlut');
  });

  it('names the parts of a query that match nothing, and proposes a query without them', async () => {
    const { err } = await run(['search', dir, '*cycle NOT car']);
    expect(err).toMatch(/^The asterisk of "\*cycle" is ignored: /);
    const none = await run(['search', dir, 'bicycle -type:html title:saddle']);
    expect(none.err).toBe('Nothing matches. Try it without -type:, title:.\n');
  });

  it.each([
    ['saddle type:movie', 'type: "movie" is not a page type.'],
    ['saddle since:soon', 'since: takes a day or an age'],
    ['saddle -since:7d', 'until:7d'],
    ['saddle since:10m until:1h', 'begins after the other ends'],
    ['saddle site:"a b"', 'site: "a b" is not a host name.\nFor example site:example.org.'],
    ['saddle topic:cyclin', 'Did you mean "cycling"?'],
    ['site:food.test', 'not for what'],
    ['a*', 'after at least two letters'],
  ])('refuses %s and says why', async (words, said) => {
    expect(await run(['search', dir, words])).toMatchObject({ code: 2, out: '', err: expect.stringContaining(said) });
  });

  it.each([
    [['--rank', 'cosin'], 'Did you mean "cosine"?'],
    [['--rank', 'cosine=much'], 'expected a number'],
    [['--rank', 'cosine=0'], 'every weight is 0'],
    [['--since', 'soon'], 'a day or an age'],
    [['--since', '2026-99-99'], 'a day or an age'],
    [['--since', '2026-02-31'], 'a day or an age'],
    [['--since', '2026-01-31 6:00 PM'], 'a day or an age'],
    [['--until', '2026-01-31 (noon)'], 'a day or an age'],
    [['--since', '10m', '--until', '1h'], 'begins after the other ends'],
    [['--type', 'movie'], 'html, pdf, word'],
    [['--site', 'a b'], 'not a host name'],
  ])('refuses %j and says what it takes', async (flags, said) => {
    expect(await run(['search', dir, 'saddle', ...flags])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(said),
    });
  });

  it.each([
    ['the', 'only stop words'],
    ['"', 'No word in "'],
    ['title:""', 'No word in "title:""'],
    ['-"the who"', 'only excludes words'],
  ])('says why there is nothing to look for in %s', async (words, said) => {
    expect(await run(['search', dir, '--', words])).toMatchObject({ code: 2, err: expect.stringContaining(said) });
  });

  it('shows only pages of topics if asked, and counts them', async () => {
    const few = await run(['search', dir, 'page', '--limit', '1', '--alike']);
    const matches = /^1 of (\d+) pages; --limit 2 shows more\.\n$/.exec(few.err)?.[1];
    const rows = await ask('page', '--alike');
    const most = await run(['search', dir, 'page', '--limit', String(rows.length - 1), '--alike']);
    expect(most.err).toMatch(/ shows more, --accepted only accepted pages\.\n$/);
    expect(rows).toHaveLength(Number(matches));
    const accepted = await ask('page', '--accepted', '--alike');
    expect(accepted.map(({ url }) => url).toSorted()).toEqual(
      rows
        .filter(({ topic }) => topic !== null)
        .map(({ url }) => url)
        .toSorted(),
    );
    expect(accepted.length).toBeLessThan(rows.length);
  });

  it.each(['bm25', 'cosine', 'confidence'])('shows rejected pages after accepted ones, or alone: %s', async (rank) => {
    const rows = await ask('bicycle recipe page', '--alike', '--rank', rank);
    const accepted = rows.filter(({ topic }) => topic !== null);
    const rejected = rows.slice(accepted.length);
    expect([accepted.length > 0, rejected.length > 0]).toEqual([true, true]);
    expect(rejected.map(({ topic }) => topic)).toEqual(rejected.map(() => null));
    const alone = await ask('bicycle recipe page', '--alike', '--rank', rank, '--rejected');
    expect(alone.map(({ url }) => url).toSorted()).toEqual(rejected.map(({ url }) => url).toSorted());
  });

  it.each([['--accepted'], ['--topic', 'cycling']])('refuses --rejected beside %s', async (...flags) => {
    const refused = await run(['search', dir, 'page', '--rejected', ...flags]);
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--rejected cannot be combined') });
  });

  it('shows pages of no topic with --topic OTHERS, alone or with those of a topic', async () => {
    const rows = await ask('page', '--alike');
    const others = await ask('page', '--alike', '--topic', 'OTHERS');
    const urls = (of: readonly Row[]): readonly string[] => of.map(({ url }) => url).toSorted();
    expect(urls(others)).toEqual(urls(rows.filter(({ topic }) => topic === null)));
    expect(others.length).toBeGreaterThan(0);
    const both = await ask('page', '--alike', '--topic', 'OTHERS', '--topic', 'cycling');
    expect(urls(both)).toEqual(urls(rows.filter(({ topic }) => topic === null || topic === 'cycling')));
    expect(both.length).toBeGreaterThan(others.length);
    const { out, err } = await run(['export', dir, '--topic', 'OTHERS']);
    const exported = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    expect(new Set(exported.map(({ topic }) => topic))).toEqual(new Set([null]));
    expect(exported.map(({ url }) => url)).toEqual(expect.arrayContaining([...urls(others)]));
    expect((await run(['export', dir, '--topic', 'OTHERS', '--format', 'urls'])).err).toBe(err);
  });

  it.each([[['search', 'page', '--accepted']], [['export', '--relevant']], [['export', '--format', 'opml']]])(
    'refuses --topic OTHERS where only pages of topics are wanted: %j',
    async ([command, ...words]) => {
      const refused = await run([command!, dir, ...words, '--topic', 'OTHERS']);
      expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--topic OTHERS') });
    },
  );

  it('says that a phrase may be the reason for no match', async () => {
    const { code, err } = await run(['search', dir, '"zeppelin bicycle"']);
    expect([code, err]).toEqual([0, 'Nothing matches. Try the words without quotation marks.\n']);
  });

  it.each([
    ['bycicle', 'bicycle'],
    ['"Bicycel pages"', '\'"bicycle page"\''],
  ])('asks whether words of titles were meant where nothing matches: %s', async (words, meant) => {
    const { code, out, err } = await run(['search', dir, words]);
    expect([code, out, err]).toEqual([0, '', `Nothing matches. Did you mean:  bingo search ${dir} ${meant}\n`]);
  });

  it('says that stop words of another language are ignored', async () => {
    const { code, err } = await run(['search', dir, 'der die das']);
    expect([code, err]).toEqual([0, 'Nothing matches. Stop words are ignored: use other words.\n']);
  });

  it('says which filters may be the reason for no match', async () => {
    const { err } = await run(['search', dir, 'bicycle zeppelin', '--all', '--type', 'html']);
    expect(err).toContain('Try it without --all, --type.');
  });

  it('answers while the crawl runs, with the pages stored so far', async () => {
    const folder = workspace('running', 'crawl: {budget: 12, learn: 0}\nstore: {flushMs: 1, batch: 1}\n');
    const counts: number[] = [];
    web.handle('bikes.test', (request, response) => {
      const answer = (): void => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const n = Number(request.url?.slice(1));
        const links = [n + 1, n + 2].map((next) => `<a href="/${next}">bicycle ${next}</a>`).join(' ');
        response.end(`<title>bicycle ${n}</title><p>bicycle cycling wheel saddle pedal chain unique${n}</p>${links}`);
      };
      void run(['search', folder, 'bicycle', '--json', '--limit', '50']).then(({ code, out }) => {
        if (code === 0) counts.push((JSON.parse(out) as unknown[]).length);
        answer();
      });
    });
    expect((await run(['crawl', folder])).code).toBe(0);
    const last = JSON.parse((await run(['search', folder, 'bicycle', '--json', '--limit', '50'])).out) as unknown[];
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(new Set(counts).size).toBeGreaterThan(5);
    expect(counts.at(-1)).toBeLessThanOrEqual(last.length);
  });
});
