import { describe, expect, it } from 'vitest';
import { HostClocks, type HostLimits, type HostResult } from '../../src/crawl/index.ts';

const LIMITS: HostLimits = {
  perHost: 2,
  perDomain: 3,
  delayMs: 0,
  backoffMs: 1000,
  backoffMaxMs: 3000,
  backoffJitter: 0,
  maxCrawlDelayMs: 60_000,
  maxTries: 3,
};

function clocks(limits: Partial<HostLimits> = {}): HostClocks {
  return new HostClocks({ ...LIMITS, ...limits });
}

/** Starts and ends one request. */
function visit(hosts: HostClocks, host: string, now: number, result: HostResult, retryAfterMs?: number): void {
  hosts.acquire(host, now);
  hosts.release(host, now, result, retryAfterMs);
}

describe('HostClocks', () => {
  it('allows each host at most its limit of simultaneous requests', () => {
    const hosts = clocks();
    hosts.acquire('a.test', 0);
    expect(hosts.isWilling('a.test', 0)).toBe(true);
    hosts.acquire('a.test', 0);
    expect(hosts.isWilling('a.test', 0)).toBe(false);
    expect(hosts.nextWillingAt('a.test', 0)).toBe(Number.POSITIVE_INFINITY);
    hosts.release('a.test', 0, 'ok');
    expect(hosts.isWilling('a.test', 0)).toBe(true);
  });

  it('allows all hosts of a registered domain together at most the domain limit', () => {
    const hosts = clocks();
    for (const host of ['a.x.test', 'b.x.test', 'c.x.test']) hosts.acquire(host, 0);
    expect(hosts.standing('d.x.test', 0)).toEqual({ kind: 'domain-full' });
    expect(hosts.isWilling('d.y.test', 0)).toBe(true);
    hosts.release('b.x.test', 0, 'ok');
    expect(hosts.isWilling('d.x.test', 0)).toBe(true);
  });

  it('counts ports separately as hosts and together as a domain', () => {
    const hosts = clocks({ perHost: 1, perDomain: 2 });
    hosts.acquire('127.0.0.1:81', 0);
    expect(hosts.isWilling('127.0.0.1:82', 0)).toBe(true);
    hosts.acquire('127.0.0.1:82', 0);
    expect(hosts.standing('127.0.0.1:83', 0).kind).toBe('domain-full');
    expect(hosts.isWilling('127.0.0.2:81', 0)).toBe(true);
  });

  it('keeps the minimum delay between the starts of two requests', () => {
    const hosts = clocks({ delayMs: 250 });
    hosts.acquire('a.test', 1000);
    expect(hosts.nextWillingAt('a.test', 1000)).toBe(1250);
    hosts.release('a.test', 1100, 'ok');
    expect([hosts.isWilling('a.test', 1249), hosts.isWilling('a.test', 1250)]).toEqual([false, true]);
  });

  it('counts the delay from the sending of a request, and starts no other before', () => {
    const hosts = clocks({ delayMs: 250 });
    const told: string[] = [];
    hosts.acquire('a.test', 1000);
    const sent = hosts.prepare('a.test');
    hosts.onChange((host) => told.push(host));
    expect(hosts.standing('a.test', 1600)).toEqual({ kind: 'host-full' });
    sent(1600);
    expect([hosts.nextWillingAt('a.test', 1600), told]).toEqual([1850, ['a.test']]);
    // It is sent again, and ends.
    sent(1700);
    sent();
    hosts.release('a.test', 1750, 'ok');
    expect(hosts.nextWillingAt('a.test', 1750)).toBe(1950);
  });

  it('allows other requests if one ends without being sent', () => {
    const hosts = clocks({ delayMs: 250 });
    hosts.acquire('a.test', 1000);
    hosts.prepare('a.test')();
    expect(hosts.isWilling('a.test', 1250)).toBe(true);
  });

  it('delays no request if there is no delay', () => {
    const hosts = clocks();
    hosts.acquire('a.test', 1000);
    hosts.prepare('a.test');
    expect(hosts.isWilling('a.test', 1000)).toBe(true);
  });

  it('keeps a longer crawl delay that the host reports during the first request', () => {
    const hosts = clocks({ delayMs: 250 });
    hosts.acquire('a.test', 1000);
    hosts.setCrawlDelay('a.test', 5000);
    hosts.release('a.test', 9000, 'ok');
    hosts.acquire('a.test', 9000);
    hosts.release('a.test', 9000, 'ok');
    expect(hosts.nextWillingAt('a.test', 9000)).toBe(14_000);
  });

  it('counts a crawl delay from the end of a request, however slow the response', () => {
    const hosts = clocks();
    hosts.setCrawlDelay('a.test', 5000);
    hosts.acquire('a.test', 1000);
    hosts.release('a.test', 9000, 'ok');
    expect(hosts.nextWillingAt('a.test', 9000)).toBe(14_000);
  });

  it('excludes a host whose crawl delay is above the limit', () => {
    const hosts = clocks();
    hosts.setCrawlDelay('a.test', 60_001);
    expect(hosts.isBad('a.test')).toBe(true);
    hosts.setCrawlDelay('a.test', 60_000);
    expect(hosts.isBad('a.test')).toBe(false);
  });

  it('pauses a slow host, each time twice as long, up to the limit', () => {
    const hosts = clocks({ maxTries: 10 });
    const wakings: number[] = [];
    let now = 0;
    for (let i = 0; i < 4; i++) {
      visit(hosts, 'a.test', now, 'failed');
      now = hosts.nextWillingAt('a.test', now);
      wakings.push(now);
    }
    expect(wakings).toEqual([1000, 3000, 6000, 9000]);
  });

  it('waits as long as the server asks, if that is longer', () => {
    const hosts = clocks();
    visit(hosts, 'a.test', 0, 'failed', 2500);
    visit(hosts, 'b.test', 0, 'failed', 10);
    expect([hosts.nextWillingAt('a.test', 0), hosts.nextWillingAt('b.test', 0)]).toEqual([2500, 1000]);
  });

  it('excludes a host that asks for more than the longest pause', () => {
    const hosts = clocks();
    visit(hosts, 'a.test', 0, 'failed', 3001);
    expect(hosts.standing('a.test', 1e9)).toEqual({ kind: 'bad' });
  });

  it('waits as long as a redirect asks, up to the longest pause, without a penalty', () => {
    const hosts = clocks();
    visit(hosts, 'a.test', 0, 'ok', 2500);
    visit(hosts, 'b.test', 0, 'ok', 86_400_000);
    expect([hosts.nextWillingAt('a.test', 0), hosts.nextWillingAt('b.test', 0)]).toEqual([2500, 3000]);
    expect(hosts.counts()).toEqual({ active: 0, slow: 0, bad: 0 });
  });

  it('returns the rest of a pause, without the delay between two requests', () => {
    const hosts = clocks();
    expect(hosts.pauseLeftMs('a.test', 0)).toBe(0);
    visit(hosts, 'a.test', 0, 'ok');
    expect(hosts.pauseLeftMs('a.test', 0)).toBe(0);
    visit(hosts, 'a.test', 1000, 'failed', 1500);
    expect(hosts.pauseLeftMs('a.test', 2000)).toBe(500);
    expect(hosts.pauseLeftMs('a.test', 9000)).toBe(0);
  });

  it('gives an unannounced request the next start, without occupying a slot', () => {
    const hosts = clocks({ delayMs: 1000 });
    visit(hosts, 'a.test', 0, 'ok');
    expect([hosts.reserve('a.test', 100), hosts.reserve('a.test', 100)]).toEqual([900, 1900]);
    expect(hosts.restLeftMs('a.test', 100)).toBe(2900);
    expect(hosts.nextWillingAt('a.test', 100)).toBe(3000);
    expect([hosts.reserve('new.test', 100), hosts.nextWillingAt('new.test', 100)]).toEqual([0, 1100]);
    expect(hosts.counts().active).toBe(0);
  });

  it('calls a host bad after three failures in a row', () => {
    const hosts = clocks();
    for (const now of [0, 1000]) visit(hosts, 'a.test', now, 'failed');
    expect(hosts.isBad('a.test')).toBe(false);
    visit(hosts, 'a.test', 3000, 'failed');
    expect(hosts.isBad('a.test')).toBe(true);
    expect(hosts.nextWillingAt('a.test', 3000)).toBe(Number.POSITIVE_INFINITY);
  });

  it('forgives after a time without requests that exceeds the longest pause', () => {
    const hosts = clocks({ maxCrawlDelayMs: 0 });
    for (const now of [0, 1000]) visit(hosts, 'a.test', now, 'failed');
    visit(hosts, 'a.test', 3000 + 3001, 'failed');
    expect(hosts.isBad('a.test')).toBe(false);
    expect(hosts.nextWillingAt('a.test', 6001)).toBe(7001);
  });

  it('excludes a host whose failures take longer than the longest pause', () => {
    const hosts = clocks({ backoffMaxMs: 5_000 });
    for (const now of [0, 21_000, 43_000]) {
      hosts.acquire('a.test', now);
      hosts.release('a.test', now + 20_000, 'failed');
    }
    expect(hosts.isBad('a.test')).toBe(true);
  });

  it('excludes a host after as many failures if there are no pauses', () => {
    const hosts = clocks({ backoffMaxMs: 0, delayMs: 250 });
    for (const now of [0, 260, 520]) visit(hosts, 'a.test', now, 'failed');
    expect(hosts.isBad('a.test')).toBe(true);
  });

  it('excludes a host without a name after as many links, without pauses', () => {
    const hosts = clocks();
    const standings = [0, 0, 0].map((now) => {
      hosts.acquire('a.test', now);
      hosts.release('a.test', now, 'nameless');
      return hosts.standing('a.test', now).kind;
    });
    expect(standings).toEqual(['willing', 'willing', 'bad']);
  });

  it('extends each pause by up to the jitter, per host, and reproducibly', () => {
    const pause = (host: string): number => {
      const hosts = clocks({ backoffJitter: 0.5 });
      visit(hosts, host, 0, 'failed');
      return hosts.nextWillingAt(host, 0);
    };
    const pauses = Array.from({ length: 50 }, (_, i) => pause(`h${i}.test`));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...pauses)).toBeLessThan(1500);
    expect(new Set(pauses).size).toBeGreaterThan(40);
    expect(pause('h1.test')).toBe(pauses[1]);
  });

  it('allows only the first request of a host until its rules are known', () => {
    const hosts = clocks({ meetAlone: true });
    hosts.acquire('a.test', 0);
    expect(hosts.standing('a.test', 0).kind).toBe('host-full');
    hosts.release('a.test', 0, 'ok');
    hosts.acquire('a.test', 0);
    expect(hosts.isWilling('a.test', 0)).toBe(true);
  });

  it('forgives after a success', () => {
    const hosts = clocks();
    for (const now of [0, 10_000]) visit(hosts, 'a.test', now, 'failed');
    visit(hosts, 'a.test', 20_000, 'ok');
    visit(hosts, 'a.test', 30_000, 'failed');
    expect(hosts.isBad('a.test')).toBe(false);
    expect(hosts.nextWillingAt('a.test', 30_000)).toBe(31_000);
  });

  it('counts a burst of failures of parallel requests as one', () => {
    const hosts = clocks({ perHost: 3 });
    for (let i = 0; i < 3; i++) hosts.acquire('a.test', 0);
    for (let i = 0; i < 3; i++) hosts.release('a.test', 10, 'failed');
    expect(hosts.isBad('a.test')).toBe(false);
    expect(hosts.nextWillingAt('a.test', 10)).toBe(1010);
  });

  it('excludes a host on command, until a request succeeds', () => {
    const hosts = clocks();
    hosts.leaveAlone('never-met.test');
    expect(hosts.isBad('never-met.test')).toBe(false);
    hosts.acquire('a.test', 0);
    const told: string[] = [];
    hosts.onChange((host) => told.push(host));
    hosts.leaveAlone('a.test');
    expect([hosts.standing('a.test', 1e9), told]).toEqual([{ kind: 'bad' }, ['a.test']]);
    hosts.release('a.test', 10, 'ok');
    expect(hosts.isBad('a.test')).toBe(false);
  });

  it('keeps a pause if an earlier request succeeds', () => {
    const hosts = clocks();
    hosts.acquire('a.test', 0);
    hosts.acquire('a.test', 0);
    hosts.release('a.test', 10, 'failed', 2000);
    hosts.release('a.test', 20, 'ok');
    expect(hosts.nextWillingAt('a.test', 20)).toBe(2010);
  });

  it('counts active, slow and bad hosts', () => {
    const hosts = clocks({ maxTries: 2 });
    hosts.acquire('active.test', 0);
    visit(hosts, 'slow.test', 0, 'failed');
    visit(hosts, 'bad.test', 0, 'failed');
    visit(hosts, 'bad.test', 1000, 'failed');
    visit(hosts, 'fine.test', 0, 'ok');
    expect(hosts.counts()).toEqual({ active: 1, slow: 1, bad: 1 });
  });

  it('lists bad hosts, then slow ones, then active ones, up to the given number', () => {
    const hosts = clocks({ maxTries: 2 });
    hosts.acquire('active.test', 0);
    visit(hosts, 'slow.test', 0, 'failed');
    for (const now of [0, 1000]) visit(hosts, 'bad.test', now, 'failed');
    visit(hosts, 'fine.test', 0, 'ok');
    const named = hosts.named(9).map(({ host, standing }) => `${standing} ${host}`);
    expect(named).toEqual(['bad bad.test', 'slow slow.test', 'active active.test']);
    expect(hosts.named(2).map(({ host }) => host)).toEqual(['bad.test', 'slow.test']);
  });

  it('reports a missing name as missing, not slow, until it is excluded or answers', () => {
    const hosts = clocks({ maxTries: 2 });
    const standing = () => hosts.named(9).map((one) => one.standing);
    visit(hosts, 'a.test', 0, 'nameless');
    expect([standing(), hosts.counts()]).toEqual([['nameless'], { active: 0, slow: 0, bad: 0 }]);
    visit(hosts, 'a.test', 0, 'nameless');
    expect([standing(), hosts.counts()]).toEqual([['bad'], { active: 0, slow: 0, bad: 1 }]);
    visit(hosts, 'b.test', 0, 'nameless');
    visit(hosts, 'b.test', 0, 'ok');
    expect(standing()).toEqual(['bad']);
  });

  it('is ready at once if no rule delays it', () => {
    const hosts = clocks();
    visit(hosts, 'a.test', 0, 'ok');
    expect(['a.test', 'never-met.test'].map((host) => hosts.nextWillingAt(host, 5))).toEqual([5, 5]);
  });

  it('excludes a bad host however long it was idle', () => {
    const hosts = clocks();
    for (const now of [0, 1000, 3000]) visit(hosts, 'a.test', now, 'failed');
    hosts.acquire('a.test', 1e9);
    expect(hosts.isBad('a.test')).toBe(true);
  });

  it('rejects the end of a request that did not start', () => {
    const hosts = clocks();
    expect(() => hosts.release('a.test', 0, 'ok')).toThrow(/had not begun/);
    visit(hosts, 'a.test', 0, 'ok');
    expect(() => hosts.release('a.test', 0, 'ok')).toThrow(/had not begun/);
  });

  it('notifies its listener of every host that may be ready sooner', () => {
    const hosts = clocks();
    const told: string[] = [];
    hosts.onChange((host, domain) => told.push(`${host} of ${domain}`));
    hosts.acquire('www.a.test', 0);
    hosts.setCrawlDelay('www.a.test', 10);
    hosts.setCrawlDelay('www.a.test', 10);
    hosts.release('www.a.test', 0, 'ok');
    expect(told).toEqual(['www.a.test of a.test', 'www.a.test of a.test']);
  });

  it('remembers bad and slow hosts, hosts with their own delay, and pending hosts', () => {
    const hosts = clocks();
    for (const now of [0, 1000, 3000]) visit(hosts, 'bad.test', now, 'failed');
    visit(hosts, 'slow.test', 0, 'failed');
    visit(hosts, 'calm.test', 0, 'ok');
    hosts.setCrawlDelay('calm.test', 5000);
    hosts.acquire('asked.test', 0);
    for (let i = 0; i < 10_000; i++) visit(hosts, `h${i}.test`, 10_000, 'ok');
    hosts.release('asked.test', 10_000, 'ok');
    for (const now of [10_000, 20_000]) visit(hosts, 'slow.test', now, 'failed');
    visit(hosts, 'calm.test', 10_000, 'ok');
    expect([hosts.isBad('bad.test'), hosts.isBad('slow.test')]).toEqual([true, true]);
    expect(hosts.nextWillingAt('calm.test', 10_000)).toBe(15_000);
    for (let i = 0; i < 10_000; i++) visit(hosts, `g${i}.test`, 1e9, 'ok');
    expect(hosts.isBad('bad.test')).toBe(true);
  });

  it('forgets idle healthy hosts: a hundred thousand need the memory of a thousand', () => {
    const hosts = clocks({ delayMs: 100 });
    for (let i = 0; i < 100_000; i++) visit(hosts, `h${i}.test`, i, 'ok');
    expect(hosts.remembered).toBeLessThan(2000);
  });
});
