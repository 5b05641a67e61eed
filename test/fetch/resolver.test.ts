import { afterEach, describe, expect, it, vi } from 'vitest';
import { fewAddresses } from '../../src/fetch/address.ts';
import { type Resolution, Resolver, type ResolverPorts, type ResolverSettings } from '../../src/fetch/dns/resolver.ts';
import { startTinyDns, type TinyDns, type Zone } from '../support/tiny-dns.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

async function server(zones: Readonly<Record<string, Zone>>): Promise<TinyDns> {
  const dns = await startTinyDns(zones);
  open.push(dns);
  return dns;
}

function resolver(settings: Partial<ResolverSettings>, ports: Partial<ResolverPorts> = {}): Resolver {
  const defaults = { dnsServers: [], dnsTimeoutMs: 2000, dnsCacheSize: 100, dnsTtlMaxMs: 3_600_000 };
  const made = new Resolver({ ...defaults, ...settings }, ports);
  open.push(made);
  return made;
}

const addresses = (resolution: Resolution): readonly string[] =>
  resolution.kind === 'resolved' ? resolution.addresses : [resolution.code];

/** Queried names, by their IPv4 queries: each has an IPv6 query, too. */
const asked = ({ questions }: TinyDns): string[] => questions.filter((question) => question.startsWith('A '));

/** Servers and the resolver use simulated time; Node.js itself waits for a server by the real clock. */
function fakeTime(): { passes(ms: number): void } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return { passes: (ms) => void vi.advanceTimersByTime(ms) };
}

/** Waits until a server has received the queries of both families for a name. */
const hears = (dns: TinyDns, name: string): Promise<void> =>
  expect.poll(() => dns.questions.toSorted()).toEqual([`A ${name}`, `AAAA ${name}`]);

const SITE: Zone = { kind: 'addresses', v4: ['192.0.2.1', '192.0.2.2'], ttl: 30 };
const SILENT: Zone = { kind: 'silent' };

describe('the resolver with its own name servers', () => {
  it('asks once within the TTL of the answer, and again afterwards', async () => {
    const dns = await server({ 'a.test': SITE });
    let now = 0;
    const names = resolver({ dnsServers: [dns.address] }, { now: () => now });
    expect(addresses(await names.resolve('a.test'))).toEqual(['192.0.2.1', '192.0.2.2']);
    now = 29_999;
    await names.resolve('A.test.');
    expect(asked(dns)).toEqual(['A a.test']);
    now = 30_001;
    await names.resolve('a.test');
    expect(asked(dns)).toHaveLength(2);
  });

  it('caps the TTL at the allowed maximum', async () => {
    const dns = await server({ 'a.test': { kind: 'addresses', v4: ['192.0.2.1'], ttl: 86_400 } });
    let now = 0;
    const names = resolver({ dnsServers: [dns.address], dnsTtlMaxMs: 1000 }, { now: () => now });
    await names.resolve('a.test');
    now = 1001;
    await names.resolve('a.test');
    expect(asked(dns)).toHaveLength(2);
  });

  it('lets all callers of a name share one query', async () => {
    const dns = await server({ 'a.test': { kind: 'slow', afterMs: 20, v4: ['192.0.2.1'] } });
    const names = resolver({ dnsServers: [dns.address], dnsTimeoutMs: 500 });
    const answers = await Promise.all([1, 2, 3].map(() => names.resolve('a.test')));
    expect(new Set(answers).size).toBe(1);
    expect(asked(dns)).toHaveLength(1);
  });

  it('drops the least recently used name if the cache is full', async () => {
    const dns = await server({ '*': SITE });
    const names = resolver({ dnsServers: [dns.address], dnsCacheSize: 2 });
    for (const name of ['a.test', 'b.test', 'a.test', 'c.test', 'a.test', 'b.test']) await names.resolve(name);
    expect(asked(dns)).toEqual(['A a.test', 'A b.test', 'A c.test', 'A b.test']);
  });

  it('caches negative answers too', async () => {
    const dns = await server({});
    let now = 0;
    const names = resolver({ dnsServers: [dns.address] }, { now: () => now });
    expect(await names.resolve('gone.test')).toEqual({ kind: 'unresolved', temporary: false, code: 'ENOTFOUND' });
    now = 59_000;
    await names.resolve('gone.test');
    expect(asked(dns)).toHaveLength(1);
    now = 61_000;
    await names.resolve('gone.test');
    expect(asked(dns)).toHaveLength(2);
  });

  it('queries both families at once, and does not wait long for IPv6', async () => {
    const dns = await server({
      'both.test': { kind: 'addresses', v4: ['192.0.2.1', '192.0.2.2'], v6: ['2001:db8::1'], ttl: 30 },
      'half.test': { kind: 'addresses', v4: ['192.0.2.3'], v6: 'silent' },
    });
    const names = resolver({ dnsServers: [dns.address], dnsTimeoutMs: 10_000 });
    expect(addresses(await names.resolve('both.test'))).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    expect(dns.questions.toSorted()).toEqual(['A both.test', 'AAAA both.test']);
    const started = performance.now();
    expect(addresses(await names.resolve('half.test'))).toEqual(['192.0.2.3']);
    expect(performance.now() - started).toBeLessThan(2_000);
    // Its socket is reused for the next name.
    expect(addresses(await names.resolve('both.test'))).toHaveLength(3);
  });

  it('resolves names with IPv6 alone, and names without addresses', async () => {
    const dns = await server({
      'six.test': { kind: 'addresses', v6: ['2001:db8::1'] },
      'none.test': { kind: 'addresses' },
    });
    const names = resolver({ dnsServers: [dns.address] });
    expect(addresses(await names.resolve('six.test'))).toEqual(['2001:db8::1']);
    expect(await names.resolve('none.test')).toMatchObject({ temporary: false, code: 'ENODATA' });
  });

  it('follows chains of CNAMEs', async () => {
    const dns = await server({
      'a.test': { kind: 'cname', to: 'b.test' },
      'b.test': { kind: 'cname', to: 'c.test' },
      'c.test': SITE,
    });
    expect(addresses(await resolver({ dnsServers: [dns.address] }).resolve('a.test'))).toHaveLength(2);
  });

  it('asks the next server if one is silent, and stays with the one that answers', async () => {
    const silent = await server({ '*': SILENT });
    const good = await server({ '*': SITE });
    const time = fakeTime();
    const names = resolver({ dnsServers: [silent.address, good.address], dnsTimeoutMs: 10_000 });
    const answer = names.resolve('a.test');
    await hears(silent, 'a.test');
    time.passes(10_000);
    expect(addresses(await answer)).toHaveLength(2);
    await names.resolve('b.test');
    expect(asked(silent)).toEqual(['A a.test']);
    expect(asked(good)).toEqual(['A a.test', 'A b.test']);
  });

  it.each<Zone>([
    { kind: 'error', code: 'SERVFAIL' },
    { kind: 'error', code: 'REFUSED' },
  ])('asks the next server at once when one gives up ($code)', async (zone) => {
    const bad = await server({ '*': zone });
    const good = await server({ '*': SITE });
    const names = resolver({ dnsServers: [bad.address, good.address], dnsTimeoutMs: 10_000 });
    expect(addresses(await names.resolve('a.test'))).toHaveLength(2);
  });

  it.each<Zone>([{ kind: 'error', code: 'NXDOMAIN' }, { kind: 'addresses' }])(
    'asks a second server before it believes that there is no such name ($kind)',
    async (zone) => {
      const lying = await server({ '*': zone });
      const good = await server({ 'a.test': SITE });
      const names = resolver({ dnsServers: [lying.address, good.address], dnsTimeoutMs: 10_000 });
      expect(addresses(await names.resolve('a.test'))).toHaveLength(2);
      // The server that knew is asked first afterwards.
      await names.resolve('gone.test');
      expect(asked(good).slice(0, 2)).toEqual(['A a.test', 'A gone.test']);
    },
  );

  it('accepts "no such name" from two servers, asks no third, and caches it', async () => {
    const all = [await server({}), await server({}), await server({ '*': SITE })];
    const names = resolver({ dnsServers: all.map(({ address }) => address), dnsTimeoutMs: 10_000 });
    const gone = { kind: 'unresolved', temporary: false, code: 'ENOTFOUND' };
    expect(await names.resolve('gone.test')).toEqual(gone);
    expect(await names.resolve('gone.test')).toEqual(gone);
    expect(all.map((dns) => asked(dns).length)).toEqual([1, 1, 0]);
  });

  it.each<Zone>([SILENT, { kind: 'error', code: 'SERVFAIL' }])(
    'believes one server when the second one cannot tell ($kind)',
    async (zone) => {
      const sure = await server({});
      const unsure = await server({ '*': zone });
      const time = fakeTime();
      const names = resolver({ dnsServers: [sure.address, unsure.address], dnsTimeoutMs: 10_000 });
      const answer = names.resolve('gone.test');
      await hears(unsure, 'gone.test');
      time.passes(10_000);
      expect(await answer).toMatchObject({ temporary: false, code: 'ENOTFOUND' });
      expect([sure, unsure].map(asked)).toEqual([['A gone.test'], ['A gone.test']]);
    },
  );

  it('waits for a slow server that was asked before another said "no such name"', async () => {
    const slow = await server({ '*': { kind: 'slow', afterMs: 18_000, v4: ['192.0.2.7'] } });
    const lying = await server({});
    const time = fakeTime();
    const names = resolver({ dnsServers: [slow.address, lying.address], dnsTimeoutMs: 10_000 });
    const answer = names.resolve('a.test');
    await hears(slow, 'a.test');
    time.passes(10_000);
    await hears(lying, 'a.test');
    time.passes(8_000);
    expect(addresses(await answer)).toEqual(['192.0.2.7']);
    expect(asked(lying)).toEqual(['A a.test']);
  });

  it('accepts the answer of a slow server after another was asked', async () => {
    const slow = await server({ '*': { kind: 'slow', afterMs: 15_000, v4: ['192.0.2.7'] } });
    const silent = await server({ '*': SILENT });
    const time = fakeTime();
    const names = resolver({ dnsServers: [slow.address, silent.address], dnsTimeoutMs: 10_000 });
    const answer = names.resolve('a.test');
    await hears(slow, 'a.test');
    time.passes(10_000);
    await hears(silent, 'a.test');
    time.passes(5_000);
    expect(addresses(await answer)).toEqual(['192.0.2.7']);
  });

  it('waits for a slow server until the total timeout', async () => {
    const slow = await server({ '*': { kind: 'slow', afterMs: 1400, v4: ['192.0.2.7'] } });
    const silent = await server({ '*': SILENT });
    const names = resolver({ dnsServers: [slow.address, silent.address], dnsTimeoutMs: 600 });
    expect(addresses(await names.resolve('a.test'))).toEqual(['192.0.2.7']);
  });

  it('waits equally long for a slow answer after many fast ones', async () => {
    const dns = await server({ '*': SITE, 'far.test': { kind: 'slow', afterMs: 1200, v4: ['192.0.2.7'] } });
    const names = resolver({ dnsServers: [dns.address], dnsTimeoutMs: 3000 });
    for (let n = 0; n < 20; n++) await names.resolve(`${n}.test`);
    expect(addresses(await names.resolve('far.test'))).toEqual(['192.0.2.7']);
    expect(asked(dns).slice(20)).toEqual(['A far.test']);
  });

  it('waits longer than five seconds if the total timeout is longer', async () => {
    const dns = await server({ 'far.test': { kind: 'slow', afterMs: 5500, v4: ['192.0.2.7'] } });
    const names = resolver({ dnsServers: [dns.address], dnsTimeoutMs: 6000 });
    expect(addresses(await names.resolve('far.test'))).toEqual(['192.0.2.7']);
  });

  it('reuses its sockets for many names at once', async () => {
    const dns = await server({ '*': SITE, 'gone.test': { kind: 'error', code: 'NXDOMAIN' } });
    const names = resolver({ dnsServers: [dns.address], dnsCacheSize: 1000 });
    for (let round = 0; round < 5; round++) {
      const answers = Array.from({ length: 100 }, (_, n) => names.resolve(`${n}.round-${round}.test`));
      for (const answer of await Promise.all(answers)) expect(addresses(answer)).toHaveLength(2);
    }
    expect(asked(dns)).toHaveLength(500);
    expect(addresses(await names.resolve('gone.test'))).toEqual(['ENOTFOUND']);
  });

  it('cancels all queries if it is closed', async () => {
    const silent = await server({ '*': SILENT });
    const names = resolver({ dnsServers: [silent.address], dnsTimeoutMs: 60_000 });
    const answer = names.resolve('a.test');
    names.close();
    expect(await answer).toEqual({ kind: 'unresolved', temporary: true, code: 'ECANCELLED' });
  });

  it('reports a temporary failure if no server answers, and retries soon', async () => {
    const bad = await server({ '*': { kind: 'error', code: 'SERVFAIL' } });
    let now = 0;
    const names = resolver({ dnsServers: [bad.address] }, { now: () => now });
    expect(await names.resolve('a.test')).toEqual({ kind: 'unresolved', temporary: true, code: 'ESERVFAIL' });
    expect(asked(bad)).toHaveLength(2);
    now = 6_000;
    bad.set('a.test', SITE);
    expect(addresses(await names.resolve('a.test'))).toHaveLength(2);
  });

  it('handles a server that answers with garbage', async () => {
    const bad = await server({ '*': { kind: 'garbage' } });
    const good = await server({ '*': SITE });
    const time = fakeTime();
    const names = resolver({ dnsServers: [bad.address, good.address], dnsTimeoutMs: 10_000 });
    const answer = names.resolve('a.test');
    await hears(bad, 'a.test');
    time.passes(10_000);
    expect(addresses(await answer)).toHaveLength(2);
  });

  it('accepts servers with and without a port, IPv6 too', () => {
    expect(() => resolver({ dnsServers: ['192.0.2.1', '192.0.2.1:5353', '::1', '[::1]:5353'] })).not.toThrow();
  });

  it('rejects a server that is not an IP address', () => {
    expect(() => resolver({ dnsServers: ['dns.example'] })).toThrow();
  });
});

describe('the resolver of the operating system', () => {
  it('uses and caches its answers', async () => {
    const names: string[] = [];
    const lookup = async (name: string): Promise<string[]> => {
      names.push(name);
      return ['192.0.2.1', '2001:db8::1'];
    };
    const system = resolver({}, { lookup });
    await system.resolve('a.test');
    expect(addresses(await system.resolve('a.test'))).toEqual(['192.0.2.1', '2001:db8::1']);
    expect(names).toEqual(['a.test']);
  });

  it('does not cache an answer to a query from before the cache was cleared', async () => {
    const answers = [Promise.withResolvers<string[]>(), Promise.withResolvers<string[]>()];
    let asked = 0;
    const names = resolver({}, { lookup: () => answers[asked++]!.promise });
    const before = names.resolve('a.test');
    names.forget();
    const after = names.resolve('a.test');
    answers[1]!.resolve(['192.0.2.1']);
    answers[0]!.resolve(['192.0.2.9']);
    expect(addresses(await before)).toEqual(['192.0.2.9']);
    expect(addresses(await after)).toEqual(['192.0.2.1']);
    expect(addresses(await names.resolve('a.test'))).toEqual(['192.0.2.1']);
  });

  it.each([
    ['ENOTFOUND', false],
    ['EAI_AGAIN', true],
  ])('turns %s into a value', async (code, temporary) => {
    const names = resolver({}, { lookup: () => Promise.reject(Object.assign(new Error(code), { code })) });
    expect(await names.resolve('a.test')).toEqual({ kind: 'unresolved', temporary, code });
  });

  it('resolves localhost', async () => {
    expect(addresses(await resolver({}).resolve('localhost'))).toContain('127.0.0.1');
  });
});

it('keeps few addresses per name, including one that is not public', async () => {
  const v4 = Array.from({ length: 200 }, (_, i) => `93.184.${i}.1`);
  const dns = await server({ 'many.test': { kind: 'addresses', v4: [...v4, '10.0.0.1'] } });
  const known = addresses(await resolver({ dnsServers: [dns.address] }, { kept: fewAddresses }).resolve('many.test'));
  expect(known).toHaveLength(5);
  expect(known).toContain('10.0.0.1');
});
