import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CanonicalUrl, DEFAULTS, ORDERINGS, type OrderingName, type TopicId } from '../../../src/core/index.ts';
import { type JudgedPage, learningPriority, makeOrdering, type Ordering } from '../../../src/crawl/index.ts';
import { LiveEntries } from '../../../src/crawl/orderings/live-entries.ts';
import { entry } from '../support/entries.ts';
import { follow, offer, page } from '../support/pages.ts';

const OPTIONS = { seed: 1, tunnelDecay: DEFAULTS.crawl.tunnelDecay };
const X = 'http://x.test/';
const Y = 'http://y.test/';
const Z = 'http://z.test/';

const make = (name: OrderingName): Ordering => makeOrdering(name, OPTIONS);
const gone = (ordering: Ordering, url: string): void => ordering.gone(url as CanonicalUrl);

describe('the memory of an ordering', () => {
  it('keeps removed entries for some time, then forgets the oldest first', () => {
    const forgotten: number[] = [];
    const entries = new LiveEntries<number>((value) => forgotten.push(value));
    const urlOf = (n: number) => `http://x.test/${n}` as CanonicalUrl;
    for (let n = 0; n < 5000; n++) entries.set(urlOf(n), n);
    for (let n = 0; n < 4990; n++) entries.gone(urlOf(n));
    expect([entries.size, [...entries.entries()].length]).toEqual([10, 10]);
    expect(forgotten).toEqual(Array.from({ length: forgotten.length }, (_, n) => n));
    expect(forgotten.length).toBeGreaterThan(0);
    const known = Array.from({ length: 5000 }, (_, n) => entries.get(urlOf(n)));
    expect(known).toEqual(known.map((_, n) => (n < forgotten.length ? undefined : n)));
    expect(known.filter((value) => value !== undefined).length).toBeGreaterThan(1000);
  });

  it('is that of the latest offer, and outlives an older one', () => {
    const entries = new LiveEntries<string>();
    const url = X as CanonicalUrl;
    entries.set(url, 'old');
    entries.gone(url);
    entries.set(url, 'new');
    entries.gone(Y as CanonicalUrl);
    expect([entries.get(url), entries.size]).toEqual(['new', 1]);
  });
});

describe('makeOrdering', () => {
  it('makes every ordering by its name', () => {
    expect(ORDERINGS.map((name) => make(name).name)).toEqual(ORDERINGS);
  });

  it('passes links through the focus rule only for bingo and hard focus', () => {
    expect(ORDERINGS.filter((name) => make(name).focused)).toEqual(['hard-focus', 'bingo']);
    expect(make('hard-focus').focusMode).toBe('hard');
    expect(make('bingo').focusMode).toBeUndefined();
  });
});

describe.each(ORDERINGS)('The ordering %s', (name) => {
  const URLS = [X, Y, Z, 'http://w.test/', 'http://v.test/'];
  const score = fc.double({ min: -3, max: 3, noNaN: true });
  const crawl = fc.array(
    fc.record({
      url: fc.constantFrom(...URLS),
      calibrated: score,
      cosine: fc.double({ min: 0, max: 1, noNaN: true }),
      bayesCalibrated: score,
      accepted: fc.boolean(),
      priority: score,
      links: fc.uniqueArray(fc.constantFrom(...URLS)),
      gone: fc.boolean(),
    }),
    { maxLength: 25 },
  );
  type Step = typeof crawl extends fc.Arbitrary<infer T> ? T : never;

  function play(steps: Step): unknown[] {
    const ordering = make(name);
    return steps.map((step, i) => {
      const { calibrated, cosine, bayesCalibrated, accepted, priority, links } = step;
      const from = page(step.url, {
        sequence: i + 1,
        scores: { calibrated, cosine, bayesCalibrated },
        accepted,
        entry: entry(step.url, { priority }),
        links: links.filter((url) => url !== step.url),
      });
      const priorities = follow(ordering, from, { tunnelDepth: accepted ? 0 : 1 });
      const changes = [...ordering.changes()];
      if (step.gone) gone(ordering, step.url);
      return { priorities, changes };
    });
  }

  it('gives finite priorities', () => {
    fc.assert(
      fc.property(crawl, (steps) => {
        const numbers = (play(steps) as { priorities: number[]; changes: [number, number][] }[]).flatMap((r) => [
          ...r.priorities,
          ...r.changes.map(([, p]) => p),
        ]);
        expect(numbers.every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('is reproducible if the same calls are repeated', () => {
    fc.assert(
      fc.property(crawl, (steps) => {
        expect(play(steps)).toEqual(play(steps));
      }),
      { numRuns: 50 },
    );
  });
});

describe('breadth-first', () => {
  it('gives all links the same priority, so that the frontier keeps their order', () => {
    const ordering = make('breadth-first');
    expect(follow(ordering, page(X, { links: [Y, Z], scores: { calibrated: 1 } }))).toEqual([0, 0]);
  });
});

describe('random', () => {
  it('depends only on the URL and the seed', () => {
    const one = page(X, { links: [Y, Z] });
    const two = page(Z, { links: [Y, Z], scores: { calibrated: 1 } });
    const first = follow(make('random'), one);
    expect(follow(make('random'), two)).toEqual(first);
    expect(first[0]).not.toBe(first[1]);
    const links = Array.from({ length: 50 }, (_, n) => `http://l${n}.test/`);
    const many = follow(make('random'), page(X, { links }));
    expect(many.every((priority) => priority >= 0 && priority < 1)).toBe(true);
    expect(new Set(many.map((priority) => Math.floor(priority * 4))).size).toBe(4);
    expect(follow(makeOrdering('random', { ...OPTIONS, seed: 2 }), one)).not.toEqual(first);
  });
});

describe('backlink', () => {
  it('counts the pages that link to a URL', () => {
    const ordering = make('backlink');
    expect(follow(ordering, page('http://a.test/', { links: [X, Y] }))).toEqual([1, 1]);
    expect(follow(ordering, page('http://b.test/', { links: [X] }))).toEqual([2]);
  });

  it('counts a page once that links twice', () => {
    const ordering = make('backlink');
    expect(follow(ordering, page('http://a.test/', { links: [X, X] }))).toEqual([1, 1]);
  });

  it('forgets a URL that left the frontier', () => {
    const ordering = make('backlink');
    follow(ordering, page('http://a.test/', { links: [X] }));
    gone(ordering, X);
    expect(follow(ordering, page('http://b.test/', { links: [X] }))).toEqual([1]);
  });
});

describe.each([
  ['best-first', 'cosine'],
  ['soft-focus', 'bayesCalibrated'],
  ['hard-focus', 'bayesCalibrated'],
  ['confidence', 'calibrated'],
] as const)('%s', (name, field) => {
  it(`gives a link the greatest ${field} among its parents`, () => {
    const ordering = make(name);
    const scores = [0.3, 0.7, 0.5].map((x) => ({ [field]: x }));
    const given = scores.map((s, i) => follow(ordering, page(`http://p${i}.test/`, { scores: s, links: [X] }))[0]);
    expect(given).toEqual([0.3, 0.7, 0.7]);
  });

  it("uses the score of the offer's topic if there are several", () => {
    const other = 'other' as TopicId;
    const from = page(X, { scores: { [field]: 0.1 }, more: { other: { [field]: 0.9 } }, links: [Y, Z] });
    const ordering = make(name);
    ordering.judged(from);
    expect(ordering.priorityOf(offer(from, Y, { topic: other }))).toBe(0.9);
    expect(ordering.priorityOf(offer(from, Z))).toBe(0.1);
  });

  it('gives 0 to links of a page that no model has judged', () => {
    const unjudged = page(X, { links: [Y] });
    const from: JudgedPage = { ...unjudged, assignment: { ...unjudged.assignment, scores: [], model: 0 } };
    expect(follow(make(name), from)).toEqual([0]);
  });
});

describe('shark-search', () => {
  const example = (links: readonly (string | { url: string; anchor?: string; context?: string })[]): JudgedPage =>
    page('http://seed.test/', { title: 'Steam railway', scores: { cosine: 0.8 }, links });

  it('inherits half of the page score, and a quarter after two steps', () => {
    expect(follow(make('shark-search'), example([X]))).toEqual([0.5 * 0.5 * 0.8]);
  });

  it('raises a link with title words in its anchor or context, the anchor more', () => {
    const links = [
      { url: X, anchor: 'Railway' },
      { url: Y, context: 'Railway' },
      { url: Z, anchor: 'Cooking', context: 'with butter' },
    ];
    const [anchor, context, neither] = follow(make('shark-search'), example(links)) as [number, number, number];
    expect(anchor).toBeGreaterThan(context);
    expect(context).toBeGreaterThan(neither);
    expect(anchor - neither).toBeCloseTo(0.5 * 0.8 * Math.SQRT1_2, 12);
  });

  it('does not count a context as a match because the anchor matches', () => {
    const links = [
      { url: X, anchor: 'Railway', context: 'Cooking' },
      { url: Y, anchor: 'Railway', context: 'Steam' },
    ];
    const [poor, good] = follow(make('shark-search'), example(links)) as [number, number];
    expect(good).toBeGreaterThan(poor);
  });

  it('passes on the inherited score of a poor page, halved at each step', () => {
    const ordering = make('shark-search');
    follow(ordering, example([X]));
    const poor = page(X, { scores: { cosine: 0 }, accepted: false, entry: entry(X), links: [Y] });
    expect(follow(ordering, poor)).toEqual([0.5 * 0.5 * 0.4]);
  });

  it('rates a link by its best page, and passes that on', () => {
    const from = (cosine: number): JudgedPage => page(Z, { scores: { cosine }, accepted: false, links: [X] });
    const poor = page(X, { scores: { cosine: 0 }, accepted: false, entry: entry(X), links: [Y] });
    for (const cosines of [
      [0.4, 0.8, 0.6],
      [0.8, 0.4],
    ]) {
      const ordering = make('shark-search');
      const promised = cosines.map((cosine) => follow(ordering, from(cosine))[0]);
      expect(promised.at(-1)).toBeCloseTo(0.2, 12);
      expect(follow(ordering, poor)).toEqual([0.5 * 0.5 * 0.4]);
    }
  });

  it('compares with the titles of the first ten accepted pages', () => {
    const ordering = make('shark-search');
    let links = 0;
    const promised = (anchor: string): number => {
      const url = `${X}${links++}`;
      return follow(ordering, page(Z, { accepted: false, links: [{ url, anchor }] }))[0]!;
    };
    ordering.judged(page(Y, { title: 'Cooking', accepted: false }));
    for (let n = 0; n < 9; n++) ordering.judged(page(Y, { title: '' }));
    expect(promised('Railway')).toBe(0);
    ordering.judged(page(Y, { title: 'Railway' }));
    ordering.judged(page(Y, { title: 'Tramway' }));
    expect([promised('Cooking'), promised('Tramway')]).toEqual([0, 0]);
    expect(promised('Railway')).toBeCloseTo(0.4, 12);
  });

  it('gives nothing to links of a page that was not judged for its topic', () => {
    expect(follow(make('shark-search'), example([X]), { topic: 'else' as TopicId })).toEqual([0]);
  });

  it('keeps the inherited score of a page after its entry left the frontier', () => {
    const ordering = make('shark-search');
    follow(ordering, example([X]));
    gone(ordering, X);
    const poor = page(X, { scores: { cosine: 0 }, accepted: false, entry: entry(X), links: [Y] });
    expect(follow(ordering, poor)).toEqual([0.1]);
  });

  it('reads anchors with the given stemmer', () => {
    const words = (text: string): string[] =>
      text
        .toLowerCase()
        .split(' ')
        .map((word) => word.slice(0, 4));
    const ordering = makeOrdering('shark-search', { ...OPTIONS, words });
    const links = [{ url: X, anchor: 'Steaming Railroads' }, Y];
    const [match, none] = follow(ordering, example(links)) as [number, number];
    expect(match - none).toBeCloseTo(0.4, 12);
  });

  it('reads titles and anchors in the language of their page', () => {
    const words = (text: string, language: string): string[] => text.split(' ').map((word) => `${language} ${word}`);
    const ordering = makeOrdering('shark-search', { ...OPTIONS, words });
    ordering.judged(page(Z, { title: 'Bahn', language: 'de' }));
    const link = { anchor: 'Bahn', context: 'Bahn' };
    expect(follow(ordering, page(Z, { accepted: false, language: 'de', links: [{ ...link, url: X }] }))).toEqual([0.5]);
    expect(follow(ordering, page(Z, { accepted: false, language: 'nl', links: [{ ...link, url: Y }] }))).toEqual([0]);
  });
});

describe('bingo', () => {
  const accepted = (calibrated: number): JudgedPage => page('http://a.test/', { scores: { calibrated }, links: [X] });
  const rejected = (priority: number): JudgedPage =>
    page(Z, { accepted: false, entry: entry(Z, { priority }), links: [Y] });
  const priorityBehind = (calibrated: number): number => follow(make('bingo'), accepted(calibrated))[0]!;
  const priorityInTunnel = (priority: number): number =>
    follow(make('bingo'), rejected(priority), { tunnelDepth: 1 })[0]!;

  it('gives links of an accepted page its calibrated confidence', () => {
    expect([0.75, 1, 1.3].map(priorityBehind)).toEqual([0.75, 1, 1.3]);
  });

  it('halves the priority of a rejected page for its links', () => {
    expect([1, 0.8, 0.3].map(priorityInTunnel)).toEqual([0.5, 0.4, 0.15]);
  });

  it('does not reward tunnelling behind a page of negative priority', () => {
    expect(priorityInTunnel(-1)).toBe(0);
  });

  it('never puts a tunnelled link before one of an accepted page', () => {
    const any = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(any, any, (calibrated, own) => {
        expect(priorityBehind(calibrated)).toBeGreaterThan(priorityInTunnel(own));
      }),
    );
  });

  it('keeps the order of accepted pages, however low their confidence', () => {
    const any = fc.integer({ min: -300, max: 300 }).map((x) => x / 100);
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(Math.sign(priorityBehind(a) - priorityBehind(b))).toBe(Math.sign(a - b));
      }),
    );
  });

  it('uses the best of several parents', () => {
    const ordering = make('bingo');
    const tunnel = page(Z, { accepted: false, entry: entry(Z, { priority: 0.6 }), links: [X] });
    expect(follow(ordering, tunnel, { tunnelDepth: 1 })).toEqual([0.3]);
    expect(follow(ordering, accepted(0.9))).toEqual([0.9]);
    expect(follow(ordering, tunnel, { tunnelDepth: 1 })).toEqual([0.9]);
  });
});

describe('learningPriority', () => {
  it('prefers deeper links, then higher confidence, then shorter tunnels', () => {
    const links: [number, number, number][] = [
      [1, 100, 1],
      [2, 0.4, 0.25],
      [2, 0.4, 0.5],
      [2, 0.4, 1],
      [2, 0.5, 1],
      [3, 0.1, 0.5],
    ];
    const priorities = links.map((link) => learningPriority(...link));
    expect(priorities).toEqual(priorities.toSorted((a, b) => a - b));
    expect(new Set(priorities).size).toBe(links.length);
  });

  it('gains nothing by tunnelling, however unlike the topic its page is', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.double({ min: -1e6, max: 1e6, noNaN: true }), (depth, confidence) => {
        const [near, far] = [0.5, 0.25].map((tunnelled) => learningPriority(depth, confidence, tunnelled));
        expect(far).toBeLessThanOrEqual(near!);
      }),
    );
  });

  it('stays below the priority of every deeper link', () => {
    const tunnelled = fc.constantFrom(1, 0.5, 0.25);
    fc.assert(
      fc.property(fc.nat(20), fc.double({ min: -1e6, max: 1e6, noNaN: true }), tunnelled, (depth, confidence, left) => {
        const p = learningPriority(depth, confidence, left);
        expect(p > depth && p < depth + 1).toBe(true);
      }),
    );
  });
});
