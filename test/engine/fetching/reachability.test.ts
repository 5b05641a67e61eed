import { describe, expect, test } from 'vitest';
import { type FetchedPage, type FetchOutcome, hostOf, NO_HEADERS, topicTree } from '../../../src/core/index.ts';
import { Reachability } from '../../../src/engine/fetching/reachability.ts';
import { freeBytes } from '../../../src/kit/index.ts';
import { type Answer, at, exactConfig, type PaperCrawl, paperCrawl, paperUrl, paperWeb } from '../support/paper-web.ts';

const silence = (host: string, reason = 'connect', status = 0): FetchOutcome => {
  return { kind: 'failed', url: at(`http://${host}/`), retry: 'later', reason, detail: '', status, fetchedAt: 0 };
};
const gone = (host: string): FetchOutcome => {
  return { kind: 'refused', url: at(`http://${host}/`), reason: 'robots', detail: '', fetchedAt: 0 };
};

const nameless = (host: string, retry: 'later' | 'never' = 'later'): FetchOutcome => {
  const detail = retry === 'never' ? `the name ${host} does not exist` : `no name server answers for ${host}`;
  return { ...silence(host, 'dns'), retry, detail } as FetchOutcome;
};
const redirected = (host: string, to: string): FetchOutcome => {
  const [url, target] = [at(`http://${host}/`), at(`http://${to}/`)];
  return { kind: 'redirected', url, target, status: 302, permanent: false, fetchedAt: 0 };
};
const fetched = (host: string, text: string): FetchedPage => {
  const page = {
    url: at(`http://${host}/`),
    status: 200,
    headers: NO_HEADERS,
    body: Uint8Array.from(Buffer.from(text)),
  };
  return { kind: 'fetched', ...page, address: '', fetchedAt: 0, durationMs: 0 };
};
const untrusted = (host: string): FetchOutcome => ({ ...silence(host, 'tls'), retry: 'never' }) as FetchOutcome;

/**
 * A machine whose network comes and goes; `looks` says for each look at a site that answered whether it does, or its name is known;
 * `state.says` what a site that answered says when it is asked again, after so many pauses.
 */
function machine(...looks: readonly boolean[]) {
  const told: string[] = [];
  const asked: string[] = [];
  const given: FetchedPage[] = [];
  const state = {
    isWanted: true,
    meanwhile: async (): Promise<unknown> => undefined,
    isNamed: (_: string): boolean | undefined => looks[Math.min(asked.length, looks.length) - 1] ?? false,
    says: (host: string, _pauses: number): FetchOutcome => fetched(host, 'about trains'),
  };
  const reachability = new Reachability({
    isNamed: async (host) => {
      asked.push(host);
      return state.isNamed(host);
    },
    fetch: async (url) => {
      asked.push(url);
      const outcome = state.says(hostOf(url), told.filter((line) => line.startsWith('slept')).length);
      if (outcome.kind === 'fetched') given.push(outcome);
      return outcome;
    },
    release: ({ body }) => freeBytes(body),
    forget: (wasForged) => told.push(wasForged ? 'forgot all' : 'forgot'),
    isReachable: async (url) => {
      asked.push(url);
      return looks[Math.min(asked.length, looks.length) - 1] ?? false;
    },
    sleep: async (ms) => {
      told.push(`slept ${ms}`);
      await state.meanwhile();
    },
    isWanted: () => state.isWanted,
    onLost: () => told.push('lost'),
    onBack: () => told.push('back'),
  });
  return { reachability, told, asked, given, state };
}

describe('detects a lost network', () => {
  test('if three sites in a row are silent, and sites that answered before are, too', async () => {
    const { reachability, told, asked } = machine(false, false, false, true);
    expect(await reachability.wasLost(gone('a.test'))).toBe(false);
    expect(await reachability.wasLost(silence('b.test', 'connect'))).toBe(false);
    expect(await reachability.wasLost(silence('www.b.test', 'timeout'))).toBe(false);
    expect(await reachability.wasLost(silence('c.test', 'reset'))).toBe(false);
    expect(await reachability.wasLost(silence('d.test'))).toBe(true);
    expect(told).toEqual(['lost', 'slept 1000', 'slept 2000', 'slept 4000', 'forgot', 'back']);
    expect(new Set(asked)).toEqual(new Set(['http://a.test/']));
  });

  test('if the machine reports twice in a row that it has no route, however few the sites', async () => {
    const { reachability, told } = machine(false, true);
    const failed = { ...silence('a.test'), detail: 'connect ENETUNREACH 192.0.2.1:80' } as FetchOutcome;
    await reachability.wasLost(gone('a.test'));
    expect(await reachability.wasLost(failed)).toBe(false);
    expect(await reachability.wasLost(failed)).toBe(true);
    expect(told).toEqual(['lost', 'slept 1000', 'forgot', 'back']);
  });

  test.each(['never', 'later'] as const)(
    'at the first unknown name (asked again: %s) if names of known sites fail, too',
    async (retry) => {
      const { reachability, told, asked } = machine(false, false, true);
      await reachability.wasLost(gone('a.test'));
      const both = await Promise.all(
        [nameless('b.test', retry), nameless('c.test', retry)].map((o) => reachability.wasLost(o)),
      );
      expect(both).toEqual([true, true]);
      expect(asked).toEqual(['a.test', 'a.test', 'a.test']);
      expect(told).toEqual(['lost', 'slept 1000', 'slept 2000', 'forgot', 'back']);
    },
  );

  test('while names are unknown, although sites with cached names still answer', async () => {
    const { reachability, told, state } = machine(false, false, false, true);
    state.meanwhile = () => reachability.wasLost(gone('e.test'));
    await reachability.wasLost(gone('a.test'));
    expect(await reachability.wasLost(nameless('b.test'))).toBe(true);
    expect(told).toEqual(['lost', 'slept 1000', 'slept 2000', 'forgot', 'back']);
  });

  test('once, if both names and routes are missing', async () => {
    const { reachability, told, state } = machine(false);
    await reachability.wasLost(gone('a.test'));
    const lost = ['b.test', 'c.test', 'd.test'].map((host) => reachability.wasLost(silence(host)));
    const unnamed = reachability.wasLost(nameless('e.test'));
    state.meanwhile = async () => {
      state.isWanted = told.length < 5;
    };
    expect([...(await Promise.all(lost)), await unnamed]).toEqual([false, false, true, true]);
    expect(told.filter((line) => line === 'lost')).toHaveLength(1);
  });

  test('as soon as the proxy does not answer', async () => {
    const { reachability, told } = machine(false, true);
    const failed = { ...silence('a.test', 'connect'), detail: 'the proxy does not answer: connect ECONNREFUSED' };
    await reachability.wasLost(gone('a.test'));
    expect(await reachability.wasLost(failed as FetchOutcome)).toBe(true);
    expect(told).toEqual(['lost', 'slept 1000', 'forgot', 'back']);
  });

  test('for all running requests, which wait together', async () => {
    const { reachability, told } = machine(false, true);
    await reachability.wasLost(gone('a.test'));
    const hosts = ['b.test', 'c.test', 'd.test', 'e.test', 'e.test'];
    const waited = await Promise.all(hosts.map((host) => reachability.wasLost(silence(host))));
    expect(waited).toEqual([false, false, true, true, true]);
    expect(told).toEqual(['lost', 'slept 1000', 'forgot', 'back']);
  });

  test('if the sites that answered an earlier run do not, either', async () => {
    const { reachability, told, asked } = machine(false, true);
    reachability.recall(at('http://a.test/page'));
    for (const host of ['b.test', 'c.test']) expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(await reachability.wasLost(silence('d.test'))).toBe(true);
    expect([told, asked[0]]).toEqual([['lost', 'slept 1000', 'forgot', 'back'], 'http://a.test/page']);
  });

  test('until any earlier site answers', async () => {
    const { reachability, told, state } = machine(false, false, true);
    state.meanwhile = () => reachability.wasLost(gone('e.test'));
    await reachability.wasLost(gone('a.test'));
    for (const host of ['b.test', 'c.test']) await reachability.wasLost(silence(host));
    expect(await reachability.wasLost(silence('d.test'))).toBe(true);
    expect(told).toEqual(['lost', 'slept 1000', 'forgot', 'back']);
  });

  test('only as long as a request waits', async () => {
    const { reachability, state, told } = machine(false);
    await reachability.wasLost(gone('a.test'));
    for (const host of ['b.test', 'c.test']) await reachability.wasLost(silence(host));
    const waiting = reachability.wasLost(silence('d.test'));
    state.isWanted = false;
    expect(await waiting).toBe(true);
    expect(told).not.toContain('back');
  });
});

describe('does not detect a lost network', () => {
  test('and asks known sites at most once per second, however many hosts lack a route', async () => {
    const { reachability, told, asked } = machine(true);
    const wayless = { ...silence('b.test'), detail: 'connect ENETUNREACH 2001:db8::1' } as FetchOutcome;
    await reachability.wasLost(gone('a.test'));
    for (let i = 0; i < 6; i++) expect(await reachability.wasLost(wayless)).toBe(false);
    expect(asked).toHaveLength(3);
    expect(told).toEqual([expect.stringMatching(/^slept \d+$/), expect.stringMatching(/^slept \d+$/)]);
  });

  test('for missing names while others resolve: no host is requested', async () => {
    const { reachability, told, asked } = machine(true);
    for (const host of ['z.test', 'a.test']) await reachability.wasLost(gone(host));
    for (const host of ['b.test', 'c.test', 'd.test'])
      expect(await reachability.wasLost(nameless(host, 'never'))).toBe(false);
    expect(asked).toEqual(['a.test', 'a.test', 'a.test']);
    expect(told).toEqual([]);
  });

  test('for an unknown name without name servers: hosts are addresses, or a proxy resolves', async () => {
    const { reachability, told, state } = machine();
    state.isNamed = () => undefined;
    await reachability.wasLost(gone('192.0.2.1'));
    expect(await reachability.wasLost(nameless('b.test', 'never'))).toBe(false);
    expect(told).toEqual([]);
  });

  test('while a site that answered before does so now', async () => {
    const { reachability, told, asked } = machine(true);
    await reachability.wasLost(gone('a.test'));
    for (const host of ['b.test', 'c.test', 'd.test']) expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(asked).toHaveLength(1);
    // Nor is anybody asked for each of the next two.
    for (const host of ['e.test', 'f.test']) expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(asked).toHaveLength(1);
    expect(told).toEqual([]);
  });

  test('if any site answered in between, even with an error', async () => {
    const { reachability, asked } = machine(false);
    await reachability.wasLost(gone('a.test'));
    for (const host of ['b.test', 'c.test']) await reachability.wasLost(silence(host));
    await reachability.wasLost(silence('d.test', 'http', 503));
    for (const host of ['b.test', 'c.test']) await reachability.wasLost(silence(host));
    expect(asked).toEqual([]);
  });

  test('if one site is down, however often it is requested', async () => {
    const { reachability, asked } = machine(false);
    await reachability.wasLost(gone('a.test'));
    const refusing = { ...silence('a.test', 'connect'), detail: 'connect ECONNREFUSED 192.0.2.1:80' } as FetchOutcome;
    for (let n = 0; n < 9; n++) expect(await reachability.wasLost(refusing)).toBe(false);
    expect(asked).toEqual([]);
  });

  test.each([
    ['name that does not exist', { reason: 'dns' }],
    ['certificate that is not trusted', { reason: 'tls' }],
    ['private address', { kind: 'refused', reason: 'private-address' }],
    ['port of another service', { kind: 'refused', reason: 'port' }],
  ])('does not wait after a %s: it proves a network, and its host is not probed later', async (_, what) => {
    const { reachability, asked } = machine(false);
    await reachability.wasLost({ ...silence('a.test'), retry: 'never', ...what } as FetchOutcome);
    for (const host of ['b.test', 'c.test', 'd.test', 'e.test'])
      expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(asked).toEqual([]);
  });

  test('before any site has answered', async () => {
    const { reachability, asked } = machine(false);
    for (const host of ['b.test', 'c.test', 'd.test', 'e.test'])
      expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(asked).toEqual([]);
  });
});

describe('a network that answers for other hosts', () => {
  const login = 'login.hotel.test';

  test.each<[string, (host: string) => FetchOutcome]>([
    ['leads all to one host', (host) => redirected(host, login)],
    ['gives one page for all', (host) => fetched(host, 'Log in!')],
    ['breaks into safe connections', untrusted],
    ['says so by its status', (host) => silence(host, 'http', 511)],
  ])(
    'is taken for none when it %s, those that answered before too, until one answers for itself',
    async (_, forged) => {
      const { reachability, told, state, asked } = machine();
      state.says = (host, pauses) => (pauses < 2 ? forged(host) : fetched(host, 'about trains'));
      await reachability.wasLost(fetched('a.test', 'about trains'));
      const outcomes = [];
      for (const host of ['b.test', 'c.test', 'd.test']) outcomes.push(await reachability.wasLost(forged(host)));
      expect(outcomes).toEqual([false, false, true]);
      expect(told).toEqual(['lost', 'slept 1000', 'slept 2000', 'forgot all', 'back']);
      expect(new Set(asked)).toContain('http://a.test/');
    },
  );

  test('is detected by pages that are checked first and then released', async () => {
    const { reachability, told, state, given } = machine();
    state.says = (host, pauses) => fetched(host, pauses < 1 ? 'Log in!' : 'about trains');
    for (const host of ['a.test', 'b.test']) await reachability.wasLost(gone(host));
    for (const host of ['c.test', 'd.test', 'e.test']) await reachability.wasLost(fetched(host, 'Log in!'));
    expect(told).toEqual(['lost', 'slept 1000', 'forgot all', 'back']);
    expect(given.map(({ url, body }) => [hostOf(url), body.byteLength])).toEqual(
      ['b.test', 'c.test', 'd.test', 'b.test', 'c.test', 'd.test'].map((host) => [host, 0]),
    );
  });

  test('is not detected just because its own page exists, to which all are redirected', async () => {
    const { reachability, told, state } = machine();
    state.says = (host, pauses) => (pauses === 0 ? redirected(host, login) : fetched(host, 'about trains'));
    await reachability.wasLost(fetched('a.test', 'about trains'));
    for (const host of ['b.test', 'c.test']) await reachability.wasLost(redirected(host, login));
    expect(await reachability.wasLost(fetched(login, 'Log in!'))).toBe(false);
    expect(await reachability.wasLost(redirected('d.test', login))).toBe(true);
    expect(told).toContain('back');
  });

  test('is not detected if sites redirect to one host while others answer for themselves', async () => {
    const { reachability, told } = machine();
    await reachability.wasLost(fetched('a.test', 'about trains'));
    for (const host of ['b.test', 'c.test', 'd.test'])
      expect(await reachability.wasLost(redirected(host, 'parked.test'))).toBe(false);
    expect(told).toEqual([]);
  });

  test('is not checked if the pages of one site are alike, or redirect to it', async () => {
    const { reachability, asked } = machine();
    for (let n = 0; n < 5; n++) {
      await reachability.wasLost(fetched('a.test', 'nothing here'));
      await reachability.wasLost(redirected(`b${n}.a.test`, 'www.a.test'));
    }
    expect(asked).toEqual([]);
  });
});

describe('a crawl whose network fails', () => {
  /** The paper web with a site for each of its hosts. */
  const sites = (text: string): string => text.replaceAll('.paper.test', '.test');
  const web = new Map([...paperWeb()].map(([url, answer]): [string, Answer] => [sites(url), sites(answer as string)]));
  const tree = topicTree(
    [{ name: 'railways', examples: [0, 1, 2].map((i) => ({ kind: 'url' as const, url: sites(paperUrl('rail', i)) })) }],
    [0, 1, 2, 3, 4, 5].map((i) => ({ kind: 'url' as const, url: sites(paperUrl('food', i)) })),
  );

  /** From the 30th page on nothing answers, until the network was looked for so often. */
  function crawlWithOutage(looks: number): PaperCrawl & { readonly isReachable: () => Promise<boolean> } {
    // Links of hubs would lead to one site several times in a row, before a third site is silent.
    const paper = paperCrawl(web, exactConfig({ distill: { hubs: 0 } }), { tree });
    const fetch = paper.fetcher.fetch.bind(paper.fetcher);
    let left = looks;
    const isReachable = async (): Promise<boolean> => left === 0 || --left === 0;
    const away = (url: string): FetchOutcome => ({ ...silence('x.test'), url: at(url) });
    Object.assign(paper.fetcher, {
      isReachable,
      fetch: async (url: ReturnType<typeof at>) =>
        left > 0 && paper.fetcher.asked.length >= 30 ? away(url) : await fetch(url),
    });
    return { ...paper, isReachable };
  }

  test('waits, blames no host, reports it, and finds the same pages', async () => {
    const { run, journal, events } = crawlWithOutage(4);
    expect(await run()).toMatchObject({ reason: 'budget', status: { fetched: 60, hosts: { bad: 0 } } });
    expect(events.flatMap((event) => (event.kind === 'alarm' ? [event.code] : []))).toEqual(
      expect.arrayContaining(['offline', 'online']),
    );
    const failed = journal.records.filter((record) => record.kind === 'visit' && record.result === 'failed');
    // Of three silent sites the third rouses doubt; a site may be asked twice before.
    expect(failed.length).toBeGreaterThanOrEqual(2);
    expect(failed.length).toBeLessThanOrEqual(4);
    expect(failed.every((record) => record.kind === 'visit' && record.retried)).toBe(true);
  });

  test('releases each fetched page, also those used to check the network', async () => {
    const { run, fetcher, events } = paperCrawl(web, exactConfig(), { tree });
    const fetch = fetcher.fetch.bind(fetcher);
    const given: FetchedPage[] = [];
    const released: FetchedPage[] = [];
    const isTold = (): boolean => events.some((event) => event.kind === 'alarm' && event.code === 'offline');
    Object.assign(fetcher, {
      isReachable: async () => true,
      forget: () => {},
      release: (page: FetchedPage) => released.push(page),
      fetch: async (url: ReturnType<typeof at>) => {
        const isForging = given.length >= 30 && !isTold();
        const outcome = isForging ? { ...fetched('x.test', 'Log in!'), url } : await fetch(url);
        if (outcome.kind === 'fetched') given.push(outcome);
        return outcome;
      },
    });
    expect(await run()).toMatchObject({ reason: 'budget' });
    expect(isTold()).toBe(true);
    expect(released).toHaveLength(given.length);
    expect(new Set(released)).toEqual(new Set(given));
  });

  test('waits as well if it fails before a resume', async () => {
    const first = paperCrawl(web, exactConfig({ crawl: { budget: 30 } }), { tree });
    await first.run();
    const { run, journal, fetcher } = paperCrawl(web, exactConfig(), { tree, journal: first.journal });
    const before = journal.records.length;
    const fetch = fetcher.fetch.bind(fetcher);
    // Three sites are asked each time.
    let left = 4;
    Object.assign(fetcher, {
      isReachable: async () => true,
      isNamed: async () => --left <= 0,
      fetch: async (url: ReturnType<typeof at>) => (left > 0 ? { ...nameless('x.test'), url } : await fetch(url)),
    });
    expect(await run()).toMatchObject({ reason: 'budget', status: { hosts: { bad: 0 } } });
    const failed = journal.records.slice(before).flatMap((r) => (r.kind === 'visit' ? [r.retried] : []));
    expect(failed).toEqual([]);
  });

  test('ends on command, and the waiting page is not lost', async () => {
    const { run, crawl, journal, events } = crawlWithOutage(1_000);
    const running = run();
    while (!events.some((event) => event.kind === 'alarm' && event.code === 'offline'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    crawl.stop();
    expect(await running).toMatchObject({ reason: 'stopped' });
    const visits = journal.records.filter((record) => record.kind === 'visit');
    expect(visits.every((visit) => visit.kind === 'visit' && visit.retried)).toBe(true);
    expect(visits.length).toBeLessThanOrEqual(4);
  });
});

test('a crawl at the limit of open files waits for one to close, and blames no host', async () => {
  const { run, fetcher, journal, events } = paperCrawl(paperWeb(), exactConfig());
  const fetch = fetcher.fetch.bind(fetcher);
  let left = 2;
  fetcher.fetch = async (url) => {
    if (fetcher.asked.length < 30 || left-- <= 0) return await fetch(url);
    return { ...silence('x.test', 'connect'), url, detail: 'robots.txt: connect EMFILE 192.0.2.1:80' } as FetchOutcome;
  };
  expect(await run()).toMatchObject({ reason: 'budget' });
  expect(journal.records.filter((record) => record.kind === 'visit')).toEqual([]);
  expect(events.filter((event) => event.kind === 'alarm' && event.code === 'no-files')).toHaveLength(1);
});
