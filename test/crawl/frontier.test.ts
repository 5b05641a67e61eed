import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CanonicalUrl, hostOf, type TopicId } from '../../src/core/index.ts';
import {
  Frontier,
  type FrontierEntry,
  type FrontierPorts,
  HostClocks,
  type HostLimits,
  type QueueLimits,
} from '../../src/crawl/index.ts';
import type { Band, Bands } from '../../src/crawl/link-table.ts';
import { urlKey } from '../../src/crawl/url-key.ts';
import { entry } from './support/entries.ts';
import { heldBytes } from './support/held-bytes.ts';
import { NaiveFrontier } from './support/naive-frontier.ts';

const PATIENT: HostLimits = {
  perHost: 1000,
  perDomain: 1000,
  delayMs: 0,
  backoffMs: 0,
  backoffMaxMs: 0,
  backoffJitter: 0,
  maxCrawlDelayMs: 60_000,
  maxTries: 3,
};
const ROOMY: QueueLimits = { incomingQueue: 100, outgoingQueue: 10 };

interface Made {
  readonly frontier: Frontier;
  readonly hosts: HostClocks;
  readonly gone: string[];
}

function make(limits: Partial<HostLimits> = {}, queues: QueueLimits = ROOMY): Made {
  const hosts = new HostClocks({ ...PATIENT, ...limits });
  const gone: string[] = [];
  const frontier = new Frontier(queues, {
    hosts,
    resolve: () => {},
    isResolved: () => true,
    onGone: (url) => gone.push(url),
  });
  return { frontier, hosts, gone };
}

function drain(frontier: Frontier, now = 0): string[] {
  const urls: string[] = [];
  for (let e = frontier.take(now); e !== undefined; e = frontier.take(now)) urls.push(e.url);
  return urls;
}

const url = (text: string): CanonicalUrl => text as CanonicalUrl;
const topic = (text: string): TopicId => text as TopicId;

describe('Frontier', () => {
  it('shows the place of a waiting link in the queues of its topic', () => {
    const { frontier } = make({}, { incomingQueue: 10, outgoingQueue: 2 });
    for (const [path, priority] of [
      ['a', 1],
      ['b', 3],
      ['c', 2],
    ] as const)
      frontier.offer(entry(`https://a.test/${path}`, { priority }));
    expect(frontier.placeOf(url('https://a.test/b'))).toMatchObject({ queue: 'outgoing', priority: 3, before: 0 });
    expect(frontier.placeOf(url('https://a.test/a'))).toMatchObject({ queue: 'incoming', before: 2, waiting: 3 });
    expect(frontier.placeOf(url('https://a.test/d'))).toBeUndefined();
  });

  it('lists the priorities of links that pauses permit to be taken soon, best first', () => {
    const { frontier, hosts } = make({ perHost: 1, delayMs: 500, maxTries: 1 });
    for (const [host, priority] of [
      ['a', 5],
      ['a', 4],
      ['a', 3],
      ['rests', 2],
      ['b', 1],
      ['bad', 6],
    ] as const)
      frontier.offer(entry(`http://${host}.test/${priority}`, { priority }));
    hosts.acquire('bad.test', 0);
    hosts.release('bad.test', 0, 'failed');
    hosts.acquire('rests.test', 0);
    hosts.release('rests.test', 0, 'ok');
    frontier.nextWillingAt(0);

    expect(frontier.soon(0, 1_000, 50)).toEqual([5, 4, 2, 1]);
    expect(frontier.soon(0, 1_000, 2)).toEqual([5, 4]);
    expect(frontier.size).toBe(6);
  });

  it('lists the next entries with the state of their hosts, and takes none', () => {
    const { frontier, hosts } = make({ perHost: 1, maxTries: 1 });
    for (const [host, priority] of [
      ['busy', 3],
      ['bad', 2],
      ['free', 1],
      ['late', 0],
    ] as const)
      frontier.offer(entry(`http://${host}.test/`, { priority }));
    hosts.acquire('busy.test', 0);
    hosts.acquire('bad.test', 0);
    hosts.release('bad.test', 0, 'failed');
    const listed = frontier.next(3, 0).map(({ entry: { url: at }, standing }) => [at, standing.kind]);
    expect(listed).toEqual([
      ['http://busy.test/', 'host-full'],
      ['http://bad.test/', 'bad'],
      ['http://free.test/', 'willing'],
    ]);
    expect(frontier.size).toBe(4);
  });

  it('stores 30,000 links in 11 MB if each has its own host and domain', () => {
    const { frontier } = make({}, { incomingQueue: 30_000, outgoingQueue: 1000 });
    const before = heldBytes();
    for (let i = 0; i < 30_000; i++) frontier.offer(entry(`http://h${i}.site${i}.test/p${i}`, { priority: i % 1000 }));
    expect((heldBytes() - before) / 2 ** 20).toBeLessThan(11);
    expect(frontier.size).toBe(30_000);
  });

  it('takes the best entry over all topics', () => {
    const { frontier } = make();
    frontier.offer(entry('http://a.test/1', { priority: 1 }));
    frontier.offer(entry('http://b.test/3', { priority: 3, topic: topic('other') }));
    frontier.offer(entry('http://c.test/2', { priority: 2 }));
    expect(drain(frontier)).toEqual(['http://b.test/3', 'http://c.test/2', 'http://a.test/1']);
  });

  it('takes equal priorities in the order of their first offers, across topics', () => {
    const { frontier } = make();
    for (const [i, name] of ['x', 'y', 'x', 'z'].entries())
      frontier.offer(entry(`http://h${9 - i}.test/`, { topic: topic(name) }));
    expect(drain(frontier)).toEqual(['http://h9.test/', 'http://h8.test/', 'http://h7.test/', 'http://h6.test/']);
  });

  describe('with rules on the order', () => {
    const bands: Bands = {
      of: (at) => (at.includes('/first') ? 1 : at.includes('/last') ? -1 : 0),
      floor: -1000,
    };
    const ruled = (limits: QueueLimits & { readonly fairShare?: number } = ROOMY): Made => {
      const hosts = new HostClocks(PATIENT);
      const gone: string[] = [];
      const onGone = (at: string): void => void gone.push(at);
      const ports = { hosts, bands, onGone, resolve: () => {}, isResolved: () => true };
      return { frontier: new Frontier(limits, ports), hosts, gone };
    };

    it('takes "first" entries before and "last" entries after all others, best first', () => {
      const { frontier } = ruled();
      for (const [path, priority] of [
        ['last', 9],
        ['x', 5],
        ['first', -1],
        ['y', 6],
        ['first2', 0],
        ['last2', 10],
      ] as const)
        frontier.offer(entry(`http://${path}.test/${path}`, { priority }));
      expect(drain(frontier).map((at) => at.split('/').at(-1))).toEqual(['first2', 'first', 'y', 'x', 'last2', 'last']);
    });

    it('puts no entry of negative priority first, whenever it becomes negative', () => {
      const { frontier } = ruled();
      frontier.offer(entry('http://a.test/first', { priority: 1 }));
      frontier.offer(entry('http://b.test/x', { priority: 0 }));
      frontier.reprioritize(url('http://a.test/first'), -1000);
      expect(drain(frontier)).toEqual(['http://b.test/x', 'http://a.test/first']);
    });

    it('drops "last" entries for any others, and "first" entries for none', () => {
      const { frontier, gone } = ruled({ incomingQueue: 1, outgoingQueue: 1 });
      frontier.offer(entry('http://a.test/last', { priority: 9 }));
      frontier.offer(entry('http://b.test/first', { priority: -1 }));
      expect(frontier.offer(entry('http://c.test/x', { priority: 0 }))).toBe('added');
      expect(frontier.offer(entry('http://d.test/last', { priority: 9 }))).toBe('dropped');
      expect(gone).toEqual(['http://a.test/last', 'http://d.test/last']);
    });

    it('sets hosts aside: their entries do not block others, and can return', () => {
      const aside = new Set(['a.test']);
      const hosts = new HostClocks(PATIENT);
      const asked: string[] = [];
      const frontier = new Frontier(
        { incomingQueue: 2, outgoingQueue: 1 },
        {
          ...{ hosts, onGone: () => {}, resolve: (host) => asked.push(host) },
          bands: { of: (at) => (aside.has(hostOf(at)) ? -2 : 0), floor: -1000 },
        },
      );
      frontier.offer(entry('http://a.test/1', { priority: 9 }));
      frontier.offer(entry('http://a.test/2', { priority: 8 }));
      expect([frontier.take(0), asked, frontier.isExhausted()]).toEqual([undefined, [], true]);
      expect([...frontier.sizes().values()]).toEqual([{ incoming: 0, outgoing: 0 }]);
      frontier.offer(entry('http://b.test/1', { priority: 0 }));
      expect(frontier.offer(entry('http://b.test/2', { priority: 0 }))).toBe('added');
      expect(frontier.waitingFor((host) => host === 'a.test')).toBe(1);
      aside.clear();
      frontier.reband((host) => host === 'a.test');
      for (const host of ['a.test', 'b.test']) frontier.resolved(host);
      expect(drain(frontier)).toEqual(['http://a.test/1', 'http://b.test/1', 'http://b.test/2']);
    });

    it('still gives other topics their share', () => {
      const { frontier } = ruled({ ...ROOMY, fairShare: 1 });
      for (let i = 0; i < 8; i++) {
        frontier.offer(entry(`http://a${i}.test/first`, { priority: -1, topic: topic('ruled') }));
        frontier.offer(entry(`http://b${i}.test/x`, { priority: 0.5, topic: topic('other') }));
      }
      const taken = drain(frontier).slice(0, 8);
      expect(taken.filter((at) => at.endsWith('/x')).length).toBeGreaterThanOrEqual(3);
    });
  });

  it('moves an entry up if a better priority is found, with the fields of the better offer', () => {
    const { frontier } = make();
    frontier.offer(entry('http://a.test/', { priority: 2 }));
    expect(frontier.offer(entry('http://b.test/', { priority: 1, depth: 5 }))).toBe('added');
    expect(frontier.offer(entry('http://b.test/', { priority: 3, depth: 2, topic: topic('other') }))).toBe('raised');
    expect(frontier.size).toBe(2);
    expect(frontier.take(0)).toMatchObject({ url: 'http://b.test/', priority: 3, depth: 2, topic: 'other' });
  });

  it('keeps a waiting entry that is as good as the offer', () => {
    const { frontier } = make();
    frontier.offer(entry('http://a.test/', { priority: 2, depth: 1 }));
    expect(frontier.offer(entry('http://a.test/', { priority: 2, depth: 9 }))).toBe('kept');
    expect(frontier.get(url('http://a.test/'))?.depth).toBe(1);
  });

  it('keeps the failed attempts of a raised entry', () => {
    const { frontier } = make();
    frontier.offer(entry('http://a.test/', { tries: 2 }));
    frontier.offer(entry('http://a.test/', { priority: 1 }));
    expect(frontier.take(0)).toMatchObject({ priority: 1, tries: 2 });
  });

  it('sets another priority, better or worse, and reports if the entry does not wait', () => {
    const { frontier } = make();
    for (const name of ['a', 'b', 'c']) frontier.offer(entry(`http://${name}.test/`, { priority: 1 }));
    expect(frontier.reprioritize(url('http://c.test/'), 2)).toBe(true);
    expect(frontier.reprioritize(url('http://a.test/'), 0)).toBe(true);
    expect(frontier.reprioritize(url('http://d.test/'), 0)).toBe(false);
    expect(drain(frontier)).toEqual(['http://c.test/', 'http://b.test/', 'http://a.test/']);
  });

  it('finds a waiting URL by its key', () => {
    const { frontier } = make();
    frontier.offer(entry('http://a.test/ü?b=1'));
    expect(frontier.urlOf(urlKey('http://a.test/ü?b=1'))).toBe('http://a.test/ü?b=1');
    frontier.take(0);
    expect(frontier.urlOf(urlKey('http://a.test/ü?b=1'))).toBeUndefined();
  });

  it('drops the worst entry of a full topic for a better one, and reports it', () => {
    const { frontier, gone } = make({}, { incomingQueue: 1, outgoingQueue: 1 });
    for (const priority of [2, 1, 3]) frontier.offer(entry(`http://h${priority}.test/`, { priority }));
    expect(gone).toEqual(['http://h1.test/']);
    expect(frontier.offer(entry('http://h0.test/', { priority: 0 }))).toBe('dropped');
    expect(frontier.offer(entry('http://late.test/', { priority: 2 }))).toBe('dropped');
    expect(gone.slice(1)).toEqual(['http://h0.test/', 'http://late.test/']);
    expect(frontier.offer(entry('http://h0.test/', { topic: topic('other') }))).toBe('added');
  });

  it('leaves a raised entry in place if the better topic is full of better ones', () => {
    const { frontier } = make({}, { incomingQueue: 0, outgoingQueue: 1 });
    frontier.offer(entry('http://a.test/', { priority: 1 }));
    frontier.offer(entry('http://b.test/', { priority: 9, topic: topic('other') }));
    expect(frontier.offer(entry('http://a.test/', { priority: 2, topic: topic('other') }))).toBe('kept');
    expect(frontier.get(url('http://a.test/'))).toMatchObject({ topic: 'topic', priority: 1 });
  });

  it('lets an earlier raised entry replace an equal one in the better topic', () => {
    const { frontier, gone } = make({}, { incomingQueue: 0, outgoingQueue: 1 });
    frontier.offer(entry('http://a.test/', { priority: 1 }));
    frontier.offer(entry('http://b.test/', { priority: 2, topic: topic('other') }));
    expect(frontier.offer(entry('http://a.test/', { priority: 2, topic: topic('other') }))).toBe('raised');
    expect([gone, drain(frontier)]).toEqual([['http://b.test/'], ['http://a.test/']]);
  });

  it('keeps the best entries in the outgoing queue', () => {
    const { frontier } = make({}, { incomingQueue: 5, outgoingQueue: 2 });
    for (const priority of [1, 2, 3, 4]) frontier.offer(entry(`http://h${priority}.test/`, { priority }));
    expect(frontier.sizes().get(topic('topic'))).toEqual({ incoming: 2, outgoing: 2 });
    frontier.takeExact(url('http://h4.test/'));
    frontier.takeExact(url('http://h3.test/'));
    frontier.takeExact(url('http://h2.test/'));
    expect(frontier.sizes().get(topic('topic'))).toEqual({ incoming: 0, outgoing: 1 });
  });

  it('skips busy hosts, and returns to them when a request ends', () => {
    const { frontier, hosts } = make({ perHost: 1 });
    for (const page of ['a.test/1', 'a.test/2', 'b.test/3'])
      frontier.offer(entry(`http://${page}`, { priority: -Number(page.at(-1)) }));
    expect(drain(frontier)).toEqual(['http://a.test/1', 'http://b.test/3']);
    expect(frontier.isExhausted()).toBe(false);
    expect(frontier.nextWillingAt(0)).toBeUndefined();
    hosts.release('a.test', 0, 'ok');
    expect(drain(frontier)).toEqual(['http://a.test/2']);
    expect(frontier.isExhausted()).toBe(true);
  });

  it('can be resumed from another frontier with all finished requests', () => {
    const { frontier, hosts } = make({ perHost: 1, perDomain: 2 });
    for (const host of ['a.test', 'b.test', 'c.x.test', 'd.x.test', 'e.x.test'])
      for (const page of [1, 2]) frontier.offer(entry(`http://${host}/${page}`, { priority: -page }));
    expect(drain(frontier)).toHaveLength(4);
    new Frontier(ROOMY, { hosts, resolve: () => {}, onGone: () => {} });
    for (const host of ['a.test', 'c.x.test']) hosts.release(host, 0, 'ok');
    frontier.takeOver();
    expect(drain(frontier)).toEqual(['http://e.x.test/1', 'http://a.test/2']);
    for (const host of ['a.test', 'b.test', 'd.x.test', 'e.x.test']) hosts.release(host, 0, 'ok');
    expect(drain(frontier)).toEqual(['http://b.test/2', 'http://c.x.test/2', 'http://d.x.test/2']);
  });

  it('skips all hosts of a domain at its limit', () => {
    const { frontier, hosts } = make({ perDomain: 1 });
    for (const host of ['a.x.test', 'b.x.test', 'c.y.test']) frontier.offer(entry(`http://${host}/`));
    expect(drain(frontier)).toEqual(['http://a.x.test/', 'http://c.y.test/']);
    hosts.release('a.x.test', 0, 'ok');
    expect(drain(frontier)).toEqual(['http://b.x.test/']);
  });

  it('waits for the delay of a host, and returns its end', () => {
    const { frontier } = make({ delayMs: 250 });
    frontier.offer(entry('http://a.test/1'));
    frontier.offer(entry('http://a.test/2'));
    expect(drain(frontier, 1000)).toEqual(['http://a.test/1']);
    expect(frontier.nextWillingAt(1000)).toBe(1250);
    expect(drain(frontier, 1249)).toEqual([]);
    expect(drain(frontier, 1250)).toEqual(['http://a.test/2']);
  });

  it('skips a host with a request started elsewhere', () => {
    const { frontier, hosts } = make({ perHost: 1 });
    frontier.offer(entry('http://a.test/'));
    hosts.acquire('a.test', 0);
    expect(frontier.take(0)).toBeUndefined();
    hosts.release('a.test', 0, 'ok');
    expect(frontier.take(0)?.url).toBe('http://a.test/');
  });

  it('is exhausted if only bad hosts are left, until one is forgiven', () => {
    const { frontier, hosts } = make({ maxTries: 1 });
    hosts.acquire('a.test', 0);
    hosts.acquire('a.test', 0);
    frontier.offer(entry('http://a.test/1'));
    hosts.release('a.test', 0, 'failed');
    frontier.offer(entry('http://a.test/2'));
    expect([frontier.isExhausted(), frontier.take(0)]).toEqual([true, undefined]);
    frontier.takeExact(url('http://a.test/1'));
    expect(frontier.isExhausted()).toBe(true);
    hosts.release('a.test', 0, 'ok');
    expect([frontier.isExhausted(), frontier.take(0)?.url]).toEqual([false, 'http://a.test/2']);
    expect(frontier.isExhausted()).toBe(true);
  });

  it('removes an entry that was fetched under another URL, and reports it', () => {
    const { frontier, gone } = make();
    frontier.offer(entry('http://a.test/'));
    frontier.moved(url('http://a.test/'));
    frontier.moved(url('http://unknown.test/'));
    expect([gone, frontier.size]).toEqual([['http://a.test/'], 0]);
  });

  it('drops the entries of hosts that the user blocked, and reports it', () => {
    const { frontier, gone } = make();
    for (const page of ['a.test/1', 'b.test/2', 'a.test/3']) frontier.offer(entry(`http://${page}`));
    expect(frontier.dropLocked((host) => host === 'a.test')).toBe(2);
    expect(gone).toEqual(['http://a.test/1', 'http://a.test/3']);
    expect(drain(frontier)).toEqual(['http://b.test/2']);
  });

  it('rejects a priority that is not finite', () => {
    const { frontier } = make();
    expect(() => frontier.offer(entry('http://a.test/', { priority: Number.NaN }))).toThrow(/finite priority/);
    frontier.offer(entry('http://a.test/'));
    expect(() => frontier.reprioritize(url('http://a.test/'), Number.POSITIVE_INFINITY)).toThrow(/finite priority/);
  });
});

describe('Several topics', () => {
  const [rich, poor] = [topic('rich'), topic('poor')];

  function makeFair(fairShare: number, more: Partial<FrontierPorts> = {}): Frontier {
    const ports = { hosts: new HostClocks(PATIENT), resolve: () => {}, isResolved: () => true, onGone: () => {} };
    const frontier = new Frontier({ ...ROOMY, fairShare }, { ...ports, ...more });
    for (let i = 0; i < 20; i++) {
      frontier.offer(entry(`http://rich.test/${i}`, { topic: rich, priority: 9 }));
      frontier.offer(entry(`http://poor.test/${i}`, { topic: poor, priority: 1 - i / 20 }));
    }
    return frontier;
  }
  const topics = (frontier: Frontier, n: number): string =>
    Array.from({ length: n }, () => frontier.take(0)?.topic[0]).join('');

  it('share the takes: half of an equal share each, the rest to the best link of all', () => {
    expect(topics(makeFair(0.5), 12)).toBe('rrrrprrrprrr');
    expect(topics(makeFair(0), 12)).toBe('rrrrrrrrrrrr');
    expect(topics(makeFair(1), 6)).toBe('rrprpr');
  });

  it('lists as next what is taken next, topics that are due and rules included', () => {
    const frontier = makeFair(0.5);
    for (let i = 0; i < 12; i++) {
      const [next] = frontier.next(1, 0);
      expect(next?.entry.url).toBe(frontier.take(0)?.url);
    }
    expect(
      makeFair(0.5, { isOpen: (id) => id === poor })
        .next(2, 0)
        .map(({ entry: { url: at } }) => at),
    ).toEqual(['http://poor.test/0', 'http://poor.test/1']);
  });

  it('give the best link of the topic that is due', () => {
    const frontier = makeFair(0.5);
    const urls = Array.from({ length: 9 }, () => frontier.take(0)!).filter((e) => e.topic === poor);
    expect(urls.map((e) => e.url)).toEqual(['http://poor.test/0', 'http://poor.test/1']);
  });

  it('have no share for links below 0, which are worse than links of off-topic pages', () => {
    const frontier = makeFair(1);
    frontier.offer(entry('http://bad.test/', { topic: topic('bad'), priority: -0.1 }));
    frontier.dropTopic(poor);
    expect(topics(frontier, 21)).toBe(`${'r'.repeat(20)}b`);
  });

  it('do not block each other: a due topic without a ready host is skipped', () => {
    const hosts = new HostClocks({ ...PATIENT, perHost: 1 });
    const frontier = makeFair(1, { hosts });
    hosts.acquire('poor.test', 0);
    const first = frontier.take(0);
    expect(first?.topic).toBe(rich);
    for (let i = 0; i < 9; i++) {
      hosts.release('rich.test', 0, 'ok');
      expect(frontier.take(0)?.topic).toBe(rich);
    }
    hosts.release('poor.test', 0, 'ok');
    hosts.release('rich.test', 0, 'ok');
    expect(topics(frontier, 1)).toBe('p');
  });

  it('share equally if the takes are replayed one by one', () => {
    const [live, replica] = [makeFair(0.5), makeFair(0.5)];
    for (let i = 0; i < 6; i++) replica.takeExact(live.take(0)!.url);
    expect(topics(replica, 12)).toBe(topics(live, 12));
  });

  it('are skipped while they are closed', () => {
    const open = new Set([poor]);
    const frontier = makeFair(0.5, { isOpen: (id) => open.has(id) });
    expect(topics(frontier, 3)).toBe('ppp');
    open.clear();
    expect([frontier.take(0), frontier.nextWillingAt(0), frontier.isExhausted()]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    open.add(rich);
    expect(topics(frontier, 2)).toBe('rr');
  });

  it('are skipped while they are closed, although they are due', () => {
    const open = new Set([rich, poor]);
    const frontier = makeFair(1, { isOpen: (id) => open.has(id) });
    expect(topics(frontier, 2)).toBe('rr');
    expect(frontier.due()).toEqual([poor]);
    open.delete(poor);
    expect(topics(frontier, 2)).toBe('rr');
    open.add(poor);
    expect(topics(frontier, 1)).toBe('p');
  });

  it('can be dropped with all their waiting links', () => {
    const gone: string[] = [];
    const frontier = makeFair(0.5, { onGone: (url) => gone.push(url) });
    expect(frontier.dropTopic(rich)).toBe(20);
    expect(gone[0]).toBe('http://rich.test/0');
    expect([frontier.size, frontier.dropTopic(rich), frontier.dropTopic(topic('unheard of'))]).toEqual([20, 0, 0]);
  });

  it('resolve the names of their hosts in parallel, each name once', () => {
    const asked: string[] = [];
    const hosts = new HostClocks(PATIENT);
    const frontier = new Frontier(ROOMY, { hosts, resolve: (host) => asked.push(host), onGone: () => {} });
    for (let i = 0; i < 100; i++) frontier.offer(entry(`http://r${i}.test/`, { topic: rich, priority: 9 }));
    frontier.offer(entry('http://r0.test/other', { topic: poor }));
    frontier.offer(entry('http://p.test/', { topic: poor }));
    frontier.take(0);
    expect(asked).toHaveLength(33);
    expect(asked).toContain('p.test');
    frontier.resolved('r0.test');
    expect([frontier.take(0)?.url, frontier.take(0)?.url]).toEqual(['http://r0.test/', 'http://r0.test/other']);
  });
});

describe('Sites', () => {
  const full = new Set<string>();
  const ports = { resolve: () => {}, isResolved: () => true, hasRoom: (site: string) => !full.has(site) };

  it('without room are skipped with all their hosts, until they are reopened', () => {
    const frontier = new Frontier(ROOMY, { ...ports, hosts: new HostClocks(PATIENT), onGone: () => {} });
    for (const host of ['a.x.test', 'b.x.test', 'c.y.test']) frontier.offer(entry(`http://${host}/`));
    full.add('x.test');
    expect(drain(frontier)).toEqual(['http://c.y.test/']);
    expect([frontier.isExhausted(), frontier.nextWillingAt(0)]).toEqual([false, undefined]);
    full.clear();
    frontier.reopened('x.test');
    expect(drain(frontier)).toEqual(['http://a.x.test/', 'http://b.x.test/']);
  });

  it('find the links of given hosts, whatever is added and removed', () => {
    const places = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 2 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(places, (list) => {
        const frontier = new Frontier(ROOMY, { ...ports, hosts: new HostClocks(PATIENT), onGone: () => {} });
        const waiting = new Set<string>();
        for (const [host, step] of list) {
          const at = `http://${host}.x.test/${step}`;
          if (step > 0) waiting.add(at);
          // The best entry is removed. Sometimes it is the last entry of its host.
          if (step > 0) frontier.offer(entry(at, { priority: host }));
          else waiting.delete(frontier.take(0)?.url ?? '');
          expect(new Set(frontier.waitingOnSite('x.test').map((each) => each.url))).toEqual(waiting);
        }
        expect(frontier.dropSite('x.test')).toBe(waiting.size);
      }),
    );
  });

  it('can be dropped by host, whatever the topic, best entry first', () => {
    const gone: string[] = [];
    const onGone = (url: string): number => gone.push(url);
    const frontier = new Frontier(ROOMY, { ...ports, hosts: new HostClocks(PATIENT), onGone });
    frontier.offer(entry('http://a.x.test/', { topic: topic('one') }));
    frontier.offer(entry('http://b.x.test/', { topic: topic('two'), priority: 1 }));
    frontier.offer(entry('http://c.y.test/'));
    expect(frontier.dropSite('x.test')).toBe(2);
    expect(gone).toEqual(['http://b.x.test/', 'http://a.x.test/']);
    expect(drain(frontier)).toEqual(['http://c.y.test/']);
  });
});

describe('Names of hosts', () => {
  function makeAsking(queues: QueueLimits): { frontier: Frontier; asked: string[] } {
    const asked: string[] = [];
    const hosts = new HostClocks(PATIENT);
    const frontier = new Frontier(queues, { hosts, resolve: (host) => asked.push(host), onGone: () => {} });
    return { frontier, asked };
  }

  it('are resolved, best entry first, and waited for', () => {
    const { frontier, asked } = makeAsking(ROOMY);
    frontier.offer(entry('http://a.test/', { priority: 1 }));
    frontier.offer(entry('http://b.test/', { priority: 2 }));
    expect(frontier.take(0)).toBeUndefined();
    expect(asked).toEqual(['b.test', 'a.test']);
    frontier.resolved('a.test');
    expect(frontier.take(0)?.url).toBe('http://a.test/');
    expect(frontier.take(0)).toBeUndefined();
    expect(frontier.isExhausted()).toBe(false);
  });

  it('are resolved before the outgoing queue, but not for every incoming entry', () => {
    const { frontier, asked } = makeAsking({ incomingQueue: 200, outgoingQueue: 2 });
    for (let i = 0; i < 200; i++) frontier.offer(entry(`http://h${i}.test/`, { priority: -i }));
    while (asked.length < 33) {
      frontier.take(0);
      for (const host of asked) frontier.resolved(host);
    }
    expect(asked.length).toBeLessThanOrEqual(64 + 33);
    const before = asked.length;
    frontier.offer(entry('http://urgent.test/', { priority: 1 }));
    frontier.offer(entry('http://dull.test/', { priority: -1000 }));
    for (const host of asked) frontier.resolved(host);
    expect(asked.slice(before)).toEqual(['urgent.test']);
  });

  it('are resolved for all outgoing entries and the next incoming one', () => {
    for (const [waiting, promising] of [
      [10, 10],
      [20, 20],
      [30, 21],
    ] as const) {
      const { frontier, asked } = makeAsking({ incomingQueue: 200, outgoingQueue: 60 });
      for (let i = 0; i < 40; i++) frontier.offer(entry(`http://ready${i}.test/`, { priority: 1000 - i }));
      frontier.take(0);
      for (const host of [...asked]) frontier.resolved(host);
      const before = asked.length;
      for (let i = 0; i < waiting; i++) frontier.offer(entry(`http://h${i}.test/`, { priority: -i }));
      frontier.take(0);
      expect(asked.length - before).toBe(promising);
    }
  });

  it('never wait for more than 64 answers at once', () => {
    const { frontier, asked } = makeAsking({ incomingQueue: 200, outgoingQueue: 200 });
    for (let i = 0; i < 200; i++) frontier.offer(entry(`http://h${i}.test/`));
    frontier.take(0);
    expect(asked.length).toBe(64);
    frontier.resolved('h0.test');
    expect(asked.length).toBe(65);
  });

  it('are not resolved again while the answer is pending, whatever changes', () => {
    const { frontier, asked } = makeAsking(ROOMY);
    frontier.offer(entry('http://a.test/1'));
    frontier.take(0);
    frontier.takeExact(url('http://a.test/1'));
    frontier.offer(entry('http://a.test/2'));
    frontier.take(0);
    expect(asked).toEqual(['a.test']);
  });

  it('that cannot be resolved let their entries pass, so that the failure is recorded', () => {
    const { frontier } = makeAsking(ROOMY);
    frontier.offer(entry('http://nowhere.test/'));
    frontier.take(0);
    frontier.resolved('nowhere.test');
    expect(frontier.take(0)?.url).toBe('http://nowhere.test/');
  });

  it('may be known at once: a synchronous answer is used', () => {
    const hosts = new HostClocks(PATIENT);
    const frontier: Frontier = new Frontier(ROOMY, {
      hosts,
      resolve: (host) => frontier.resolved(host),
      onGone: () => {},
    });
    for (let i = 0; i < 5; i++) frontier.offer(entry(`http://h${i}.test/`));
    expect(drain(frontier)).toHaveLength(5);
  });

  it('stay known while their host waits, also if its only entry is raised', () => {
    const { frontier, asked } = makeAsking(ROOMY);
    frontier.offer(entry('http://a.test/'));
    frontier.take(0);
    frontier.resolved('a.test');
    frontier.offer(entry('http://a.test/', { priority: 1 }));
    frontier.reprioritize(url('http://a.test/'), 0.5);
    expect(frontier.take(0)?.priority).toBe(0.5);
    expect(asked).toEqual(['a.test']);
  });
});

// ── Against the naive model ─ few URLs, hosts, topics and priorities, so that they often collide.

const LIMITS: QueueLimits = { incomingQueue: 4, outgoingQueue: 3 };
const TIGHT: HostLimits = {
  perHost: 1,
  perDomain: 2,
  delayMs: 10,
  backoffMs: 20,
  backoffMaxMs: 60,
  backoffJitter: 0,
  maxCrawlDelayMs: 100,
  maxTries: 2,
};
const HOSTS = ['a.x.test', 'b.x.test', 'c.x.test', 'a.y.test', 'b.y.test', 'z.test'];
const TOPICS = ['one', 'two'];
const URLS = HOSTS.flatMap((host) => [1, 2, 3, 4].map((i) => `http://${host}/${i}`));

const anyUrl = fc.constantFrom(...URLS);
const priority = fc.constantFrom(-2, -0.5, 0, 0.25, 0.5, 3);
const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('offer'), url: anyUrl, priority, topic: fc.constantFrom(...TOPICS) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reprioritize'), url: anyUrl, priority }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('take'), after: fc.integer({ min: 0, max: 15 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('release'), which: fc.nat(9), ok: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('name'), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('takeExact'), url: anyUrl }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop'), host: fc.constantFrom(...HOSTS) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('aside'), host: fc.constantFrom(...HOSTS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('delay'),
      host: fc.constantFrom(...HOSTS),
      ms: fc.constantFrom(0, 30, 200),
    }),
  },
);
type Command = Partial<{
  do: string;
  url: string;
  priority: number;
  topic: string;
  after: number;
  which: number;
  ok: boolean;
  host: string;
  ms: number;
}>;

/** Runs the same commands on the frontier and on the model, each with its own clocks, and compares after each. */
class Duel {
  readonly clocks: HostClocks;
  readonly modelClocks: HostClocks;
  readonly named = new Set<string>();
  readonly asked: string[] = [];
  readonly gone: string[] = [];
  readonly active: string[] = [];
  readonly calls: ((frontier: Frontier, aside: Set<string>) => void)[] = [];
  readonly aside = new Set<string>();
  readonly frontier: Frontier;
  readonly model: NaiveFrontier;
  now = 0;

  constructor({ maxTries, fairShare, isRuled }: { maxTries: number; fairShare: number; isRuled: boolean }) {
    const bands = isRuled ? bandsBut(this.aside) : undefined;
    this.clocks = new HostClocks({ ...TIGHT, maxTries });
    this.modelClocks = new HostClocks({ ...TIGHT, maxTries });
    const isResolved = (host: string): boolean => this.named.has(host);
    this.frontier = new Frontier(
      { ...LIMITS, fairShare },
      {
        hosts: this.clocks,
        bands,
        resolve: (host) => this.asked.push(host),
        isResolved,
        onGone: (gone) => this.gone.push(gone),
      },
    );
    this.model = new NaiveFrontier({ ...LIMITS, fairShare, bands }, this.modelClocks, isResolved);
  }

  run(c: Command): void {
    if (c.do === 'offer') this.#offer(entry(c.url!, { priority: c.priority!, topic: topic(c.topic!) }));
    if (c.do === 'reprioritize') this.#reprioritize(c.url!, c.priority!);
    if (c.do === 'take') this.#take(c.after!);
    if (c.do === 'release' && this.active.length > 0) this.#release(c.which! % this.active.length, c.ok!);
    if (c.do === 'name' && this.asked.length > 0) this.#name(c.which! % this.asked.length);
    if (c.do === 'takeExact') this.#takeExact(c.url!);
    if (c.do === 'drop') this.#drop(c.host!);
    if (c.do === 'aside') this.#toggleAside(c.host!);
    if (c.do === 'delay') for (const clocks of [this.clocks, this.modelClocks]) clocks.setCrawlDelay(c.host!, c.ms!);
    this.#compare();
  }

  #offer(offered: FrontierEntry): void {
    expect(this.frontier.offer(offered)).toBe(this.model.offer(offered));
    this.calls.push((replica) => replica.offer(offered));
  }

  #reprioritize(at: string, to: number): void {
    expect(this.frontier.reprioritize(url(at), to)).toBe(this.model.reprioritize(at, to));
    this.calls.push((replica) => replica.reprioritize(url(at), to));
  }

  #take(after: number): void {
    this.now += after;
    const expected = this.model.best(this.now);
    const taken = this.frontier.take(this.now);
    expect(taken).toEqual(expected);
    if (taken === undefined) return;
    this.model.take(taken.url);
    this.modelClocks.acquire(taken.host, this.now);
    this.active.push(taken.host);
    this.calls.push((replica) => replica.takeExact(taken.url));
  }

  #release(which: number, ok: boolean): void {
    const [host] = this.active.splice(which, 1);
    for (const clocks of [this.clocks, this.modelClocks]) clocks.release(host!, this.now, ok ? 'ok' : 'failed');
  }

  #name(which: number): void {
    const [host] = this.asked.splice(which, 1);
    this.named.add(host!);
    this.frontier.resolved(host!);
  }

  #takeExact(at: string): void {
    const expected = this.model.waiting.find((w) => w.entry.url === at)?.entry;
    expect(this.frontier.takeExact(url(at))).toEqual(expected);
    this.model.take(at);
    this.calls.push((replica) => replica.takeExact(url(at)));
  }

  #drop(host: string): void {
    const isDropped = (each: string): boolean => each === host;
    expect(this.frontier.dropLocked(isDropped)).toBe(this.model.dropHost(host));
    this.calls.push((replica) => replica.dropLocked(isDropped));
  }

  #toggleAside(host: string): void {
    const toggle = (frontier: Frontier, aside: Set<string>): void => {
      if (!aside.delete(host)) aside.add(host);
      frontier.reband((concerned) => concerned === host);
    };
    toggle(this.frontier, this.aside);
    this.calls.push(toggle);
  }

  #compare(): void {
    const { frontier, model } = this;
    expect(frontier.size).toBe(model.waiting.length);
    expect(frontier.places()).toEqual(model.places());
    expect(this.gone).toEqual(model.gone);
    expect(frontier.isExhausted()).toBe(model.isExhausted());
    expect(new Set(this.asked).size).toBe(this.asked.length);
    for (const at of URLS) expect(frontier.get(url(at))).toEqual(model.waiting.find((w) => w.entry.url === at)?.entry);
    compareSizes(frontier, model);
    const next = frontier.nextWillingAt(this.now) ?? Number.POSITIVE_INFINITY;
    if (model.best(this.now) !== undefined) expect(next).toBe(this.now);
    else expect(next).toBeGreaterThan(this.now);
    expect(next).toBeLessThanOrEqual(model.nextWillingAt(this.now));
  }
}

function compareSizes(frontier: Frontier, model: NaiveFrontier): void {
  for (const name of TOPICS) {
    const { incoming, outgoing } = model.queues(name);
    const none = { incoming: 0, outgoing: 0 };
    const expected = { incoming: incoming.length, outgoing: outgoing.length };
    expect(frontier.sizes().get(topic(name)) ?? none).toEqual(expected);
  }
}

/** One URL per host is "first", one is "last"; priority -2 is negative; some hosts are set aside. */
function bandsBut(aside: ReadonlySet<string>): Bands {
  return { of: (at) => (aside.has(hostOf(at)) ? -2 : bandOf(at)), floor: -2 };
}

function bandOf(at: string): Band {
  if (at.endsWith('/1')) return 1;
  return at.endsWith('/4') ? -1 : 0;
}

const played = fc.record({
  commands: fc.array(command, { maxLength: 120, size: 'max' }),
  maxTries: fc.constantFrom(1, 2),
  fairShare: fc.constantFrom(0, 0.5, 1),
  isRuled: fc.boolean(),
});

describe('Frontier beside a sorted array', () => {
  it('takes, keeps and drops the same entries after any sequence of commands', () => {
    fc.assert(
      fc.property(played, ({ commands, ...given }) => {
        const duel = new Duel(given);
        for (const c of commands) duel.run(c);
      }),
      { numRuns: 100 },
    );
  });

  it('is the same after a replay without clocks and names', () => {
    fc.assert(
      fc.property(played, ({ commands, ...given }) => {
        const duel = new Duel(given);
        for (const c of commands) duel.run(c);
        const hosts = new HostClocks(TIGHT);
        const { fairShare, isRuled } = given;
        const aside = new Set<string>();
        const bands = isRuled ? bandsBut(aside) : undefined;
        const replica = new Frontier({ ...LIMITS, fairShare }, { hosts, bands, resolve: () => {}, onGone: () => {} });
        for (const call of duel.calls) call(replica, aside);
        for (const at of URLS) expect(replica.get(url(at))).toEqual(duel.frontier.get(url(at)));
        compareSizes(replica, duel.model);
        expect(replica.due()).toEqual(duel.frontier.due());
      }),
      { numRuns: 100 },
    );
  });

  it('returns every entry exactly once, best first, if hosts have no delay', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(anyUrl, priority), { selector: ([at]) => at }), (offers) => {
        const { frontier } = make();
        for (const [at, p] of offers) frontier.offer(entry(at, { priority: p }));
        const expected = offers.toSorted((a, b) => b[1] - a[1]).map(([at]) => at);
        expect(drain(frontier)).toEqual(expected);
        expect(frontier.isExhausted()).toBe(true);
      }),
    );
  });

  it('does not scan a thousand entries of a busy host to find one of another', () => {
    const { frontier, hosts } = make({ perHost: 1 }, { incomingQueue: 25_000, outgoingQueue: 1000 });
    let looks = 0;
    const standing = hosts.standing.bind(hosts);
    hosts.standing = (host, now) => {
      looks++;
      return standing(host, now);
    };
    for (let i = 0; i < 20_000; i++) frontier.offer(entry(`http://busy.test/${i}`, { priority: 2 }));
    for (let i = 0; i < 100; i++) frontier.offer(entry(`http://h${i}.test/`, { priority: 1 }));
    expect(drain(frontier)).toHaveLength(101);
    expect(looks).toBeLessThanOrEqual(102);
  });
});
