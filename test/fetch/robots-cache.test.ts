import { describe, expect, it } from 'vitest';
import { productToken } from '../../src/core/index.ts';
import { type RobotsAnswer, RobotsCache, type RobotsPorts } from '../../src/fetch/robots-cache.ts';
import { heldBytes } from '../crawl/support/held-bytes.ts';

const SETTINGS = {
  userAgent: 'bingo-crawler/0.1',
  robotsMaxAgeMs: 86_400_000,
  backoffMs: 10_000,
  backoffMaxMs: 60_000,
};
const ORIGIN = 'http://a.test';
const ABSENT: RobotsAnswer = { kind: 'absent' };
const DOWN: RobotsAnswer = {
  kind: 'unreachable',
  trouble: { kind: 'failed', retry: 'later', reason: 'http', detail: 'HTTP status 503', status: 503 },
};
const file = (text: string): RobotsAnswer => ({ kind: 'file', body: Buffer.from(text) });

/** A cache over responses in sequence; the last one repeats. */
function cacheOf(...answers: readonly RobotsAnswer[]) {
  const asked: string[] = [];
  const clock = { now: 0 };
  const fetch = async (origin: string): Promise<RobotsAnswer> => {
    asked.push(origin);
    return answers[Math.min(asked.length, answers.length) - 1] ?? ABSENT;
  };
  return { cache: new RobotsCache(SETTINGS, { fetch, now: () => clock.now }), asked, clock };
}

describe('the robots cache', () => {
  it('requests a file once a day, also if it is missing', async () => {
    for (const answer of [file('User-agent: *\nDisallow: /x'), ABSENT]) {
      const { cache, asked, clock } = cacheOf(answer);
      await cache.check(ORIGIN, '/');
      clock.now = 86_399_999;
      await cache.check(ORIGIN, '/');
      expect(asked).toHaveLength(1);
      clock.now = 86_400_001;
      await cache.check(ORIGIN, '/');
      expect(asked).toHaveLength(2);
    }
  });

  it("treats a redirect target as the host's own file, and requests it again if it is old", async () => {
    const clock = { now: 0 };
    const asked: string[] = [];
    const fetch: RobotsPorts['fetch'] = async (origin, known) => {
      const before = known('http://shared.test');
      if (before === undefined) asked.push(origin);
      return before ?? { kind: 'file', body: Buffer.from('User-agent: *\nDisallow: /x'), of: 'http://shared.test' };
    };
    const cache = new RobotsCache(SETTINGS, { fetch, now: () => clock.now });
    for (const [origin, now] of [
      ['http://a.test', 0],
      ['http://shared.test', 50_000_000],
      ['http://b.test', 86_399_999],
      ['http://b.test', 86_400_001],
    ] as const) {
      clock.now = now;
      expect(await cache.check(origin, '/x')).toMatchObject({ kind: 'verdict', allowed: false });
    }
    expect(asked).toEqual(['http://a.test', 'http://b.test']);
  });

  it('decides without waiting if the file is cached', async () => {
    const { cache } = cacheOf(file('User-agent: *\nDisallow: /x'));
    await cache.check(ORIGIN, '/');
    expect(cache.check(ORIGIN, '/x')).toMatchObject({ kind: 'verdict', allowed: false, rule: { line: 2 } });
  });

  it('allows everything if the file is missing', async () => {
    expect(await cacheOf(ABSENT).cache.check(ORIGIN, '/x')).toMatchObject({ kind: 'verdict', allowed: true });
  });

  it('disallows everything while the file is unreachable, and retries with growing pauses', async () => {
    const { cache, asked, clock } = cacheOf(DOWN, DOWN, DOWN, DOWN, DOWN, ABSENT);
    const pauses: number[] = [];
    for (let i = 0; i < 5; i++) {
      const decision = await cache.check(ORIGIN, '/');
      if (decision.kind !== 'unreachable') throw new Error('expected unreachable');
      pauses.push(decision.retryAfterMs);
      clock.now += decision.retryAfterMs - 1;
      await cache.check(ORIGIN, '/');
      expect(asked).toHaveLength(i + 1);
      clock.now += 1;
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000, 60_000, 60_000]);
    expect(await cache.check(ORIGIN, '/')).toMatchObject({ kind: 'verdict', allowed: true });
  });

  it('waits as long as the server asks', async () => {
    for (const retryAfterMs of [45_000, 86_400_000]) {
      const busy = { ...DOWN, trouble: { ...DOWN.trouble, retryAfterMs } } as RobotsAnswer;
      expect(await cacheOf(busy).cache.check(ORIGIN, '/')).toMatchObject({ retryAfterMs });
    }
  });

  it('uses the last known file while a new one is unavailable', async () => {
    const { cache, clock } = cacheOf(file('User-agent: *\nDisallow: /x'), DOWN);
    await cache.check(ORIGIN, '/');
    clock.now = 86_400_001;
    expect(await cache.check(ORIGIN, '/x')).toMatchObject({ kind: 'verdict', allowed: false });
    expect(await cache.check(ORIGIN, '/y')).toMatchObject({ kind: 'verdict', allowed: true });
  });

  it('lets all callers of a host share one request', async () => {
    const { cache, asked } = cacheOf(ABSENT);
    await Promise.all([cache.check(ORIGIN, '/1'), cache.check(ORIGIN, '/2'), cache.check('http://b.test', '/')]);
    expect(asked).toEqual([ORIGIN, 'http://b.test']);
  });

  it('reports the crawl delay and the sitemaps if the file is cached', async () => {
    const { cache } = cacheOf(file('User-agent: bingo-crawler\nCrawl-delay: 7\nSitemap: http://a.test/s.xml'));
    expect(cache.crawlDelayMs(ORIGIN)).toBe(0);
    await cache.check(ORIGIN, '/');
    expect(cache.crawlDelayMs(ORIGIN)).toBe(7000);
    expect(cache.sitemaps(ORIGIN)).toEqual(['http://a.test/s.xml']);
  });

  it.each([
    ['of many rules', 40, 'Disallow: /x\n'.repeat(40_000)],
    ['of a few long rules', 100, `Disallow: /x\n${`Disallow: /${'é'.repeat(8_000)}\n`.repeat(32)}`],
    ['of long sitemaps', 100, `Disallow: /x\n${`Sitemap: http://a.test/${'s'.repeat(16_000)}\n`.repeat(32)}`],
  ])(
    'holds a bounded memory of large files %s, and asks again before it says what is allowed',
    async (_of, hosts, text) => {
      const { cache, asked } = cacheOf(file(`User-agent: *\n${text}`));
      const before = heldBytes();
      for (let i = 0; i < hosts; i++) await cache.check(`http://${i}.test`, '/');
      expect(heldBytes() - before).toBeLessThan(100 * 1000 * 1000);
      await cache.check(`http://${hosts - 1}.test`, '/');
      expect(asked).toHaveLength(hosts);

      expect(await cache.check('http://0.test', '/x')).toMatchObject({ kind: 'verdict', allowed: false });
      expect(asked).toHaveLength(hosts + 1);
    },
  );

  it('does not cache a response to a request from before the cache was cleared', async () => {
    const answers = [Promise.withResolvers<RobotsAnswer>(), Promise.withResolvers<RobotsAnswer>()];
    let asked = 0;
    const cache = new RobotsCache(SETTINGS, { fetch: () => answers[asked++]!.promise, now: () => 0 });
    const before = cache.check(ORIGIN, '/x');
    cache.forget(true);
    const after = cache.check(ORIGIN, '/x');
    answers[1]!.resolve(file('User-agent: *\nDisallow: /x'));
    answers[0]!.resolve(ABSENT);
    expect(await before).toMatchObject({ allowed: true });
    expect(await after).toMatchObject({ allowed: false });
    expect(await cache.check(ORIGIN, '/x')).toMatchObject({ allowed: false });
  });

  it('stores only the rules for this crawler', async () => {
    const others = `User-agent: other\n${'Disallow: /a/folder/of/theirs\n'.repeat(10_000)}`;
    const { cache } = cacheOf(
      file(`${others}User-agent: *\nDisallow: /a/folder/of/ours\nSitemap: http://a.test/map.xml`),
    );
    const before = heldBytes();
    for (let i = 0; i < 50; i++) await cache.check(`http://${i}.test`, '/');
    expect(heldBytes() - before).toBeLessThan(2 * 1024 * 1024);
    expect(cache.sitemaps('http://0.test')).toEqual(['http://a.test/map.xml']);
  });
});

describe('productToken', () => {
  it.each([
    ['bingo-crawler/0.1', 'bingo-crawler'],
    ['MyBot (+http://x)', 'mybot'],
    ['', ''],
  ])('%s → %s', (agent, token) => expect(productToken(agent)).toBe(token));
});
