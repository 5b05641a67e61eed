import { describe, expect, it } from 'vitest';
import { canonicalize, DEFAULTS, hostOf } from '../../../src/core/index.ts';
import { TrapGuard } from '../../../src/crawl/index.ts';
import { seededRandom } from '../../../src/kit/index.ts';

const draw = seededRandom(3);
const number = (): number => Math.floor(draw() * 2 ** 32);
const X = 'http://x.test';

/** A guard that counts four pages of a site section in full, and its events for pages that all differ. */
function guardOf(sectionPages = 4, isRelevant = false) {
  const guard = new TrapGuard({ ...DEFAULTS.traps, sectionPages });
  let sequence = 0;
  const fetch = (address: string, from = `${X}/`): void => {
    const finalUrl = canonicalize(address)!;
    const document = { simhash: [number(), number()] as const, tokens: 200, title: `${sequence}` };
    const page = { sequence: sequence++, finalUrl, host: hostOf(finalUrl), status: 200, document };
    guard.page({ ...page, origin: { from }, isRelevant });
  };
  const fetchMany = (n: number, addressOf: (i: number) => string): void => {
    for (let i = 0; i < n; i++) fetch(addressOf(i));
  };
  const linked = (host: string, ...urls: readonly string[]): void =>
    guard.linked(
      host,
      urls.map((url) => ({ url })),
    );
  const weight = (url: string): number => guard.weight(url, hostOf(canonicalize(url)!));
  return { guard, fetch, fetchMany, linked, weight };
}
const wiki = (i: number): string => `${X}/wiki/${number().toString(36)}-${i}`;

describe('a section of a site without links from other sites', () => {
  it('counts in full up to its allowance, then half, halved again at each doubling', () => {
    const { fetchMany, weight } = guardOf();
    const weights = [3, 1, 4, 8].map((n) => {
      fetchMany(n, wiki);
      return weight(wiki(0));
    });
    expect(weights).toEqual([1, 0.5, 0.25, 0.125]);
  });

  it('is listed as held back if it counts less, lowest weight first', () => {
    const { guard, fetchMany, linked } = guardOf();
    fetchMany(3, wiki);
    expect(guard.held(9)).toEqual([]);
    fetchMany(6, wiki);
    fetchMany(4, (i) => `${X}/search?q=${i}`);
    const search = { part: 'x.test/search?…', pages: 4, weight: 0.5 };
    expect(guard.held(9)).toEqual([{ part: 'x.test/wiki/…', pages: 9, weight: 0.25 }, search]);
    expect(guard.held(1)).toHaveLength(1);
    for (const n of [1, 2, 3]) linked(`s${n}.test`, wiki(0));
    expect(guard.held(9)).toEqual([search]);
  });

  it('is the first folder, a path with parameters, or the pages outside folders', () => {
    const { fetchMany, weight } = guardOf();
    fetchMany(4, wiki);
    fetchMany(4, (i) => `${X}/search?q=${i}`);
    fetchMany(4, (i) => `${X}/${i}/text-${'abcd'[i]}`);
    expect(['/wiki/a/b/c', '/search?page=7', '/99/text'].map((path) => weight(X + path))).toEqual([0.5, 0.5, 0.5]);
    expect(['/blog/a', '/search', '/find?q=1', '/a.html'].map((path) => weight(X + path))).toEqual([1, 1, 1, 1]);
    expect(weight('http://y.test/wiki/a')).toBe(1);
  });

  it('is reported at every step, so that waiting links can follow', () => {
    const { guard, fetchMany } = guardOf();
    fetchMany(4, wiki);
    const change = { host: 'x.test', name: 'x.test/wiki/…', factor: 0.5, weight: 0.5, pages: 4, sites: 0 };
    expect(guard.takeSectionChanges()).toMatchObject([change]);
    expect(guard.takeSectionChanges()).toEqual([]);
  });

  it('is remembered however many sections of other sites are linked', () => {
    const { fetchMany, linked, weight } = guardOf();
    fetchMany(4, wiki);
    linked('y.test', ...Array.from({ length: 30_000 }, (_, i) => `http://${i}.test/texts/`));
    expect(weight(wiki(0))).toBe(0.5);
  });

  it('is not charged for pages that other sites link to', () => {
    const { fetch, weight } = guardOf();
    for (let i = 0; i < 50; i++) fetch(wiki(i), 'http://y.test/');
    expect(weight(wiki(0))).toBe(1);
  });
});

describe('a link that redirects', () => {
  const page = {
    sequence: 1,
    status: 200,
    document: { simhash: [1, 2] as const, tokens: 9, title: '' },
    isRelevant: false,
  };
  const weightAfter = (to: string): number => {
    const guard = new TrapGuard({ ...DEFAULTS.traps, sectionPages: 4 });
    for (let i = 0; i < 4; i++) {
      const redirects = [canonicalize(`${X}/go?to=${i}`)!];
      guard.page({
        ...page,
        redirects,
        finalUrl: canonicalize(`${to}/${i}`)!,
        host: hostOf(canonicalize(to)!),
        origin: { from: `${X}/` },
      });
    }
    return guard.weight(`${X}/go?to=9`, 'x.test');
  };

  it('counts for its own section, unless it leads to other sites', () => {
    expect([weightAfter(`${X}/wiki`), weightAfter('http://y.test')]).toEqual([0.5, 1]);
  });
});

describe('links from other sites into a section', () => {
  it('add one allowance per site, at once', () => {
    const { guard, fetchMany, linked, weight } = guardOf();
    fetchMany(8, wiki);
    expect(weight(wiki(0))).toBe(0.25);
    linked('y.test', wiki(1), wiki(2));
    linked('www.y.test', wiki(3));
    expect(weight(wiki(0))).toBe(0.5);
    linked('z.test', wiki(1));
    expect(weight(wiki(0))).toBe(1);
    const product = guard.takeSectionChanges().reduce((all, { factor }) => all * factor, 1);
    expect(product).toBe(1);
  });

  it('count although they were found before any of its pages', () => {
    const { fetchMany, linked, weight } = guardOf();
    linked('y.test', wiki(1));
    linked('z.test', wiki(2));
    fetchMany(8, wiki);
    expect(weight(wiki(0))).toBe(1);
    fetchMany(4, wiki);
    expect(weight(wiki(0))).toBe(0.5);
  });

  it('exclude links of its own host', () => {
    const { fetchMany, linked, weight } = guardOf();
    linked('x.test', wiki(1));
    fetchMany(4, wiki);
    expect(weight(wiki(0))).toBe(0.5);
  });

  it('may be from IP addresses, each a site of its own', () => {
    const { fetchMany, linked, weight } = guardOf();
    linked('1.2.3.4', wiki(1));
    linked('1.2.3.5', wiki(1));
    fetchMany(8, wiki);
    expect(weight(wiki(0))).toBe(1);
  });

  it('do not count if they lead to its front page, or to another section', () => {
    const { fetchMany, linked, weight } = guardOf();
    fetchMany(4, (i) => `${X}/text-${i}`);
    linked('y.test', `${X}/`, `${X}/blog/1`);
    expect(weight(`${X}/text-9`)).toBe(0.5);
  });

  it('count logarithmically if their hosts belong to the same site', () => {
    const { fetchMany, linked, weight } = guardOf();
    fetchMany(12, wiki);
    expect(weight(wiki(0))).toBe(0.25);
    for (const n of [1, 2, 3]) linked(`w${n}.x.test`, wiki(1));
    expect(weight(wiki(0))).toBe(0.5);
    for (const n of [4, 5, 6, 7]) linked(`w${n}.x.test`, wiki(1));
    expect(weight(wiki(0))).toBe(1);
  });

  it('are not needed with traps.sectionPages 0, or with the rules switched off', () => {
    for (const settings of [{ sectionPages: 0 }, { enabled: false }]) {
      const guard = new TrapGuard({ ...DEFAULTS.traps, ...settings });
      const document = { simhash: [1, 2] as const, tokens: 9, title: '' };
      const page = { sequence: 1, host: 'x.test', status: 200, document, origin: { from: `${X}/` }, isRelevant: true };
      for (let i = 0; i < 500; i++) guard.page({ ...page, finalUrl: canonicalize(wiki(i))! });
      expect(guard.weight(wiki(0), 'x.test')).toBe(1);
    }
  });
});

describe('URLs combined from words of earlier ones', () => {
  const TAGS = ['queen', 'hive', 'wax', 'smoker', 'brood', 'nectar', 'varroa', 'comb', 'swarm', 'frame'];
  const combination = (i: number): string => `${X}/tag/${TAGS.filter((_, n) => ((i + 1) >> n) % 2 === 1).join('+')}`;
  const standing = (guard: TrapGuard, path: string) => guard.standing(X + path, 'x.test');

  it('make a section doubtful if nearly all of its last pages have them', () => {
    const { guard, fetchMany } = guardOf(0);
    fetchMany(30, combination);
    expect(standing(guard, '/tag/comb+swarm')).toBe('free');
    fetchMany(60, (i) => combination(30 + i));
    expect(standing(guard, '/tag/comb+swarm')).toBe('doubtful');
    expect(guard.takeChanged().hosts).toEqual(['x.test']);
    expect(standing(guard, '/blog/comb-swarm')).toBe('free');
  });

  it('do not affect a section whose pages are mostly relevant', () => {
    const { guard, fetchMany } = guardOf(0, true);
    fetchMany(90, combination);
    expect(standing(guard, '/tag/comb+swarm')).toBe('free');
  });

  it('count if 28 of the last 32 pages have one, wherever it was found', () => {
    const { guard, fetch, fetchMany } = guardOf(0);
    for (const tag of TAGS) fetch(`${X}/tag/${tag}`);
    let last = `${X}/`;
    const combine = (n: number): void => {
      for (let i = 0; i < n; i++) {
        const [a, b] = [TAGS[i % 10]!, TAGS[(i + 1 + Math.floor(i / 10)) % 10]!];
        fetch(`${X}/tag/${a}+${b}`, last);
        last = `${X}/tag/${a}+${b}`;
      }
    };
    combine(27);
    fetchMany(5, (i) => `${X}/tag/episode-${i}`);
    expect(standing(guard, '/tag/comb+swarm')).toBe('free');
    combine(27);
    expect(standing(guard, '/tag/comb+swarm')).toBe('free');
    combine(1);
    expect(standing(guard, '/tag/comb+swarm')).toBe('doubtful');
  });

  it('are forgiven once each, however many pages they lead to', () => {
    const { guard, fetch } = guardOf(0);
    for (let i = 0; i < 90; i++) fetch(combination(i));
    for (let i = 0; i < 9; i++) fetch(`${X}/article/${number().toString(36)}`, combination(89));
    expect(standing(guard, '/tag/wax')).toBe('doubtful');
    for (let i = 80; i < 89; i++) fetch(`${X}/article/${number().toString(36)}`, combination(i));
    expect(standing(guard, '/tag/wax')).toBe('free');
  });

  it('are recognised in folders, in parameters, and in another order of the same words', () => {
    const asFolders = (i: number): string => `${combination(i).replaceAll('+', '/')}/`;
    const asValues = (i: number): string => combination(i).replace('/tag/', '/browse?lang=en&tags=');
    const permuted = (i: number): string =>
      `${X}/tag/${['a', 'b', 'c', 'd', 'e'].toSorted((p, q) => ((p.charCodeAt(0) * (i + 7)) % 31) - ((q.charCodeAt(0) * (i + 7)) % 31)).join('/')}`;
    for (const [addressOf, path] of [
      [asFolders, '/tag/wax/'],
      [asValues, '/browse?lang=de&tags=wax'],
      [permuted, '/tag/a/b'],
    ] as const) {
      const { guard, fetchMany } = guardOf(0);
      fetchMany(90, addressOf);
      expect(standing(guard, path)).toBe('doubtful');
    }
  });

  it('exclude numbered series, and titles with new words', () => {
    const { guard, fetchMany } = guardOf(0);
    fetchMany(90, (i) => `${X}/season-${i >> 3}/episode-${i % 8}`);
    fetchMany(90, (i) => `${X}/forum/topic-${i}?page=${i % 5}`);
    fetchMany(90, (i) => `${X}/posts/the-queen-and-the-${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`);
    expect(
      ['/season-9/episode-9', '/forum/topic-1?page=9', '/posts/queen'].map((path) => standing(guard, path)),
    ).toEqual(['free', 'free', 'free']);
  });

  it('are forgiven if their pages lead to others', () => {
    const { guard, fetchMany, fetch } = guardOf(0);
    for (let i = 0; i < 90; i++) {
      fetch(combination(i));
      if (i % 4 === 0) fetch(`${X}/article/${number().toString(36)}`, combination(i));
    }
    expect(standing(guard, '/tag/wax')).toBe('free');
    fetchMany(40, (i) => combination(100 + i));
    expect(standing(guard, '/tag/wax')).toBe('doubtful');
  });
});
