import { describe, expect, it } from 'vitest';
import { canonicalize, DEFAULTS, hostOf } from '../../../src/core/index.ts';
import { TrapGuard } from '../../../src/crawl/index.ts';
import { seededRandom } from '../../../src/kit/index.ts';

const draw = seededRandom(3);
const number = (): number => Math.floor(draw() * 2 ** 32);
const X = 'http://x.test';

/** A guard of which four pages of a part of a site count in full, and what it is told of pages that are all different. */
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

describe('a part of a site that no other site links into', () => {
  it('counts in full up to its allowance, half from there on, and half of that with each doubling', () => {
    const { fetchMany, weight } = guardOf();
    const weights = [3, 1, 4, 8].map((n) => {
      fetchMany(n, wiki);
      return weight(wiki(0));
    });
    expect(weights).toEqual([1, 0.5, 0.25, 0.125]);
  });

  it('counts in full up to six times its allowance, and never less than a quarter, if most of its pages are relevant', () => {
    const { fetchMany, weight } = guardOf(4, true);
    const weights = [23, 1, 24, 200].map((n) => {
      fetchMany(n, wiki);
      return weight(wiki(0));
    });
    expect(weights).toEqual([1, 0.5, 0.25, 0.25]);
  });

  it('is named as held back once it counts less, those that count least first', () => {
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

  it('is the first folder, a path with parameters, or what lies in no folder: the rest of the site counts in full', () => {
    const { fetchMany, weight } = guardOf();
    fetchMany(4, wiki);
    fetchMany(4, (i) => `${X}/search?q=${i}`);
    fetchMany(4, (i) => `${X}/${i}/text-${'abcd'[i]}`);
    expect(['/wiki/a/b/c', '/search?page=7', '/99/text'].map((path) => weight(X + path))).toEqual([0.5, 0.5, 0.5]);
    expect(['/blog/a', '/search', '/find?q=1', '/a.html'].map((path) => weight(X + path))).toEqual([1, 1, 1, 1]);
    expect(weight('http://y.test/wiki/a')).toBe(1);
  });

  it('is told of with every step, so that what waits can follow', () => {
    const { guard, fetchMany } = guardOf();
    fetchMany(4, wiki);
    const change = { host: 'x.test', name: 'x.test/wiki/…', factor: 0.5, weight: 0.5, pages: 4, sites: 0 };
    expect(guard.takeSectionChanges()).toMatchObject([change]);
    expect(guard.takeSectionChanges()).toEqual([]);
  });

  it('is remembered however many parts of other sites are linked to', () => {
    const { fetchMany, linked, weight } = guardOf();
    fetchMany(4, wiki);
    linked('y.test', ...Array.from({ length: 30_000 }, (_, i) => `http://${i}.test/texts/`));
    expect(weight(wiki(0))).toBe(0.5);
  });

  it('does not pay for pages that other sites name', () => {
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

  it('counts for the part of the site that it is in itself, unless it leads to other sites', () => {
    expect([weightAfter(`${X}/wiki`), weightAfter('http://y.test')]).toEqual([0.5, 1]);
  });
});

describe('others that link into a part of a site', () => {
  it('give it as much again, each site once, and at once', () => {
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

  it('count although they were heard of before any of its pages', () => {
    const { fetchMany, linked, weight } = guardOf();
    linked('y.test', wiki(1));
    linked('z.test', wiki(2));
    fetchMany(8, wiki);
    expect(weight(wiki(0))).toBe(1);
    fetchMany(4, wiki);
    expect(weight(wiki(0))).toBe(0.5);
  });

  it('are not the pages of its own host', () => {
    const { fetchMany, linked, weight } = guardOf();
    linked('x.test', wiki(1));
    fetchMany(4, wiki);
    expect(weight(wiki(0))).toBe(0.5);
  });

  it('are addresses, too, each a site of its own', () => {
    const { fetchMany, linked, weight } = guardOf();
    linked('1.2.3.4', wiki(1));
    linked('1.2.3.5', wiki(1));
    fetchMany(8, wiki);
    expect(weight(wiki(0))).toBe(1);
  });

  it('say nothing by links to its front page, or to another part', () => {
    const { fetchMany, linked, weight } = guardOf();
    fetchMany(4, (i) => `${X}/text-${i}`);
    linked('y.test', `${X}/`, `${X}/blog/1`);
    expect(weight(`${X}/text-9`)).toBe(0.5);
  });

  it('count as the logarithm of their number where they are hosts of the same site', () => {
    const { fetchMany, linked, weight } = guardOf();
    fetchMany(12, wiki);
    expect(weight(wiki(0))).toBe(0.25);
    for (const n of [1, 2, 3]) linked(`w${n}.x.test`, wiki(1));
    expect(weight(wiki(0))).toBe(0.5);
    for (const n of [4, 5, 6, 7]) linked(`w${n}.x.test`, wiki(1));
    expect(weight(wiki(0))).toBe(1);
  });

  it('are asked of nobody with traps.sectionPages 0, or with the rules switched off', () => {
    for (const settings of [{ sectionPages: 0 }, { enabled: false }]) {
      const guard = new TrapGuard({ ...DEFAULTS.traps, ...settings });
      const document = { simhash: [1, 2] as const, tokens: 9, title: '' };
      const page = { sequence: 1, host: 'x.test', status: 200, document, origin: { from: `${X}/` }, isRelevant: true };
      for (let i = 0; i < 500; i++) guard.page({ ...page, finalUrl: canonicalize(wiki(i))! });
      expect(guard.weight(wiki(0), 'x.test')).toBe(1);
    }
  });
});

describe('addresses put together from words of earlier ones', () => {
  const TAGS = ['queen', 'hive', 'wax', 'smoker', 'brood', 'nectar', 'varroa', 'comb', 'swarm', 'frame'];
  const combination = (i: number): string => `${X}/tag/${TAGS.filter((_, n) => ((i + 1) >> n) % 2 === 1).join('+')}`;
  const standing = (guard: TrapGuard, path: string) => guard.standing(X + path, 'x.test');

  it('make a part of a site doubtful when nearly all of its last pages are such', () => {
    const { guard, fetchMany } = guardOf(0);
    fetchMany(30, combination);
    expect(standing(guard, '/tag/comb+swarm')).toBe('free');
    fetchMany(60, (i) => combination(30 + i));
    expect(standing(guard, '/tag/comb+swarm')).toBe('doubtful');
    expect(guard.takeChanged().hosts).toEqual(['x.test']);
    expect(standing(guard, '/blog/comb-swarm')).toBe('free');
  });

  it('say nothing against a part of a site most of whose pages are relevant', () => {
    const { guard, fetchMany } = guardOf(0, true);
    fetchMany(90, combination);
    expect(standing(guard, '/tag/comb+swarm')).toBe('free');
  });

  it('are so when 28 of its last 32 have such an address, wherever these were found', () => {
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

  it('are known in folders, in parameters, and in another order of the same words', () => {
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

  it('are not those that count a series, nor titles that bring words of their own', () => {
    const { guard, fetchMany } = guardOf(0);
    fetchMany(90, (i) => `${X}/season-${i >> 3}/episode-${i % 8}`);
    fetchMany(90, (i) => `${X}/forum/topic-${i}?page=${i % 5}`);
    fetchMany(90, (i) => `${X}/posts/the-queen-and-the-${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`);
    expect(
      ['/season-9/episode-9', '/forum/topic-1?page=9', '/posts/queen'].map((path) => standing(guard, path)),
    ).toEqual(['free', 'free', 'free']);
  });

  it('are forgiven where their pages lead to others', () => {
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
