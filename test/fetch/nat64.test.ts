import { describe, expect, it } from 'vitest';
import { translatedFrom, translationsOf } from '../../src/fetch/address.ts';
import { checkedConnector } from '../../src/fetch/connector.ts';
import { Resolver } from '../../src/fetch/dns/resolver.ts';

/** Addresses of RFC 6052 §2.4: one IPv4 address behind prefixes of each length. */
const EXAMPLES: readonly (readonly [length: number, own: string, target: string])[] = [
  [32, '2001:db8:c000:aa::', '2001:db8:a00:1::'],
  [40, '2001:db8:1c0:0:aa::', '2001:db8:10a:0:1::'],
  [48, '2001:db8:122:c000:0:aa00::', '2001:db8:122:a00:0:100::'],
  [56, '2001:db8:122:3c0:0:aa::', '2001:db8:122:30a:0:1::'],
  [64, '2001:db8:122:344:c0:0:aa00::', '2001:db8:122:344:a:0:100::'],
  [96, '2001:db8:122:344::c000:aa', '2001:db8:122:344::a00:1'],
];

describe("a network's own NAT64 prefix", () => {
  it.each(EXAMPLES)('of %i bits leads to the IPv4 address behind it', (_, own, target) => {
    expect(translatedFrom(target, translationsOf(['192.0.0.170', own]))).toContain('10.0.0.1');
  });

  it('is unknown without IPv6 addresses of the well-known name', () => {
    expect(translationsOf(['192.0.0.170', '192.0.0.171', '2606:4700::1111'])).toEqual([]);
  });
});

/** Dials a host of a network with the prefix 2606:64::/96. */
function dial(hostname: string, allowPrivate: boolean): Promise<string> {
  const names: Readonly<Record<string, readonly string[]>> = {
    'ipv4only.arpa': ['192.0.0.170', '2606:64::c000:aa'],
    'inner.test': ['2606:64::a00:1'],
    'metadata.test': ['2606:64::a9fe:a9fe'],
  };
  const settings = { dnsServers: [], dnsTimeoutMs: 1000, dnsCacheSize: 10, dnsTtlMaxMs: 1000 };
  const resolver = new Resolver(settings, { lookup: async (name) => names[name] ?? [] });
  const connect = checkedConnector({
    ...{ resolver, allowPrivate, insecureTls: false, connectTimeoutMs: 200 },
    onConnection: () => {},
  });
  return new Promise((resolve) => {
    const target = { hostname, host: hostname, protocol: 'http:', port: '1' };
    connect(target, (...[error]) => resolve(error?.message ?? 'connected'));
  });
}

describe('a connection through NAT64', () => {
  it.each(['inner.test', '[2606:64::a00:1]'])('is refused to a private IPv4 address: %s', async (host) => {
    expect(await dial(host, false)).toMatch(/10\.0\.0\.1, which is not public/);
  });

  it('is refused to a metadata service, even on an intranet', async () => {
    expect(await dial('metadata.test', true)).toContain('belongs to a metadata service');
    expect(await dial('inner.test', true)).not.toContain('which');
  });
});
