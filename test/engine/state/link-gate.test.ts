import { describe, expect, test } from 'vitest';
import { type CanonicalUrl, DEFAULTS, type Link } from '../../../src/core/index.ts';
import { UrlRules } from '../../../src/crawl/index.ts';
import { LeftOutLinks } from '../../../src/engine/state/excluded-links.ts';
import { LinkGate, type LinkGatePorts } from '../../../src/engine/state/link-gate.ts';

/** A crawl that is not spread: every host is its own. */
const ALONE = { isForeign: () => false };

/** A gate of which only limits and locks matter. */
function gate(limits: Partial<LinkGatePorts['limits']>, locked: readonly string[] = []): LinkGate {
  const rules = { rules: new UrlRules(DEFAULTS.crawl), isNamed: () => false, others: ALONE };
  const ports = { limits: { ...DEFAULTS.crawl, ...limits }, hosts: { isBad: () => false }, ...rules };
  return new LinkGate(ports as unknown as LinkGatePorts, locked);
}

test('a block applies to a host on all its ports, and to its subdomains', () => {
  const locks = gate({}, ['a.test', '[::1]']);
  const locked = ['a.test', 'a.test:8080', 'www.a.test:8080', '[::1]:81'].map((host) => locks.isLocked(host));
  expect(locked).toEqual([true, true, true, true]);
  expect(['aa.test', 'test', '[::2]'].map((host) => locks.isLocked(host))).toEqual([false, false, false]);
});

test('a block with a port applies only to that port', () => {
  const locks = gate({}, ['a.test:8080']);
  expect(['a.test:8080', 'a.test', 'a.test:81'].map((host) => locks.isLocked(host))).toEqual([true, false, false]);
});

test('a port does not count for the length limit of a name', () => {
  const short = gate({ maxHostChars: 6 });
  expect(short.isAdmissible('http://a.test:8080/' as CanonicalUrl, 'a.test:8080')).toBe(true);
  expect(short.isAdmissible('http://aa.test/' as CanonicalUrl, 'aa.test')).toBe(false);
});

test('reports a redirect to an overlong URL as such, not as an error of its host', () => {
  const url = `http://a.test/login?back=${'x'.repeat(1_975)}` as CanonicalUrl;
  const why = gate({ maxUrlChars: 1_000 }).whyNotTo(url, 'a.test');
  expect(why).toBe('an address of 2,000 characters on a.test (crawl.maxUrlChars is 1,000)');
});

describe('links', () => {
  /** What the crawl knows of addresses and hosts. */
  interface World {
    readonly seen?: readonly string[];
    readonly underWay?: readonly string[];
    readonly waiting?: readonly string[];
    readonly bad?: readonly string[];
    readonly spent?: readonly string[];
    readonly doubtful?: readonly string[];
    readonly barred?: readonly string[];
    /** Addresses, and others that lead to the same page. */
    readonly originals?: Readonly<Record<string, string>>;
    readonly claimed?: readonly string[];
    readonly limits?: Partial<LinkGatePorts['limits']>;
  }

  function gateOf(world: World) {
    const { seen = [], underWay = [], waiting = [], bad = [], spent = [], doubtful = [], barred = [] } = world;
    const leftOut = new LeftOutLinks();
    const ports = {
      limits: { ...DEFAULTS.crawl, maxPagesPerSite: 1, ...world.limits },
      seen: { has: (url: string) => seen.includes(url) },
      hosts: { isBad: (host: string) => bad.includes(host) },
      ...{ rules: new UrlRules(DEFAULTS.crawl), isNamed: () => false, others: ALONE },
      budgets: { isSiteSpent: (site: string) => spent.includes(site) },
      guard: {
        standing: (url: string) => (barred.includes(url) ? 'barred' : doubtful.includes(url) ? 'doubtful' : 'free'),
        barredBy: () => 'traps.wastedFetches',
        originalOf: (url: string) => world.originals?.[url],
        claim: (url: string) => world.claimed?.includes(url) !== true,
      },
      isAsked: (url: string) => underWay.includes(url),
      isWaiting: (url: string) => waiting.includes(url),
      leftOut,
    };
    return { leftOut, gate: new LinkGate(ports as unknown as LinkGatePorts, []) };
  }
  const [A, B] = ['http://a.test/', 'http://www.b.test/'] as const;
  const links = [A, B].map((url) => ({ url }) as Link);
  const admitted = (world: World) =>
    gateOf(world)
      .gate.admitted(links)
      .map(({ url }) => url);

  test('without known objections are admitted, also if they wait already', () => {
    expect([admitted({}), admitted({ waiting: [A] })]).toEqual([
      [A, B],
      [A, B],
    ]);
    expect(gateOf({ doubtful: [B] }).gate.admitted(links)).toMatchObject([
      { url: A, host: 'a.test', link: links[0], doubtful: false },
      { url: B, host: 'www.b.test', link: links[1], doubtful: true },
    ]);
  });

  test.each<[string, World]>([
    ['fetched', { seen: [A] }],
    ['being fetched', { underWay: [A] }],
    ['on a host in trouble', { bad: ['a.test'] }],
    ['on a site that has had all its pages', { spent: ['a.test'] }],
    ['in a trap', { barred: [A] }],
    ['on a mirror of what was fetched', { originals: { [A]: 'http://c.test/' }, seen: ['http://c.test/'] }],
    ['on a mirror of what waits', { originals: { [A]: 'http://c.test/' }, waiting: ['http://c.test/'] }],
    ['another address of what was let in', { claimed: [A] }],
  ])('do not enter that are %s', (_, world) => {
    expect(admitted(world)).toEqual([B]);
  });

  test('on a mirror are admitted if the original is unknown', () => {
    expect(admitted({ originals: { [A]: 'http://c.test/' } })).toEqual([A, B]);
  });

  test('are counted by site only if sites have a limit', () => {
    expect(admitted({ spent: ['a.test'], limits: { maxPagesPerSite: 0 } })).toEqual([A, B]);
  });

  test('may be as long as the limits say', () => {
    const within = (limits: World['limits']) => admitted({ limits: limits! });
    expect([within({ maxUrlChars: A.length }), within({ maxUrlChars: A.length - 1 })]).toEqual([[A], []]);
    expect([within({ maxHostChars: 10 }), within({ maxHostChars: 9 })]).toEqual([[A, B], [A]]);
  });

  test('excluded by a rule are counted for it, until they are allowed', () => {
    const world = { bad: ['a.test'], barred: [B] as string[] };
    const { gate, leftOut } = gateOf(world);
    gate.admitted(links);
    gate.admitted(links);
    const [trap, trouble] = [
      { rule: 'traps.wastedFetches', addresses: 1 },
      { rule: 'bad-host', addresses: 1 },
    ];
    expect(leftOut.counts()).toEqual([trap, trouble]);
    world.barred.pop();
    gate.admitted(links);
    expect(leftOut.counts()).toEqual([trouble]);
    gate.lock(['b.test']);
    gate.admitted(links);
    expect(leftOut.counts()).toEqual([{ rule: 'crawl.lockedHosts', addresses: 1 }, trouble]);
  });

  test('are known if they were fetched, are being fetched, or wait', () => {
    const { gate } = gateOf({ seen: ['s'], underWay: ['u'], waiting: ['w'] });
    const urls = ['s', 'u', 'w', 'n'] as CanonicalUrl[];
    expect(urls.map((url) => gate.isTaken(url))).toEqual([true, true, false, false]);
    expect(urls.map((url) => gate.isKnown(url))).toEqual([true, true, true, false]);
  });
});
