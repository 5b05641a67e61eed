import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { isLocalName, isMetadataHost, isPublicAddress, literalAddress } from '../../src/fetch/address.ts';

describe('isPublicAddress', () => {
  it.each(['93.184.215.14', '1.1.1.1', '223.255.255.255', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1'])(
    'is true for an address of the open web: %s',
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );

  it.each([
    ['0.0.0.0', 'this network'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['169.254.0.1', 'link-local'],
    ['192.0.0.1', 'protocol assignments'],
    ['192.0.2.1', 'documentation'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['198.18.0.1', 'benchmark'],
    ['198.19.255.255', 'benchmark'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['168.63.129.16', 'metadata, although public by its number'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fec0::1', 'site-local'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata'],
    ['ff02::1', 'multicast'],
    ['100::1', 'discard'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['2001:2::1', 'benchmark'],
    ['5f00::1', 'segment routing'],
  ])('is false for %s (%s)', (ip) => expect(isPublicAddress(ip)).toBe(false));

  it.each([
    ['::ffff:127.0.0.1', 'mapped'],
    ['::ffff:7f00:1', 'mapped, in hexadecimal'],
    ['::ffff:a9fe:a9fe', 'mapped metadata'],
    ['::127.0.0.1', 'compatible'],
    ['::ffff:0:127.0.0.1', 'translated'],
    ['64:ff9b::10.0.0.1', 'NAT64'],
    ['64:ff9b:1::1', 'local NAT64'],
    ['2002:7f00:1::', '6to4'],
    ['2002:a9fe:a9fe::1', '6to4 of metadata'],
    ['2001:0:5ef5:79fd::', 'Teredo'],
    ['0177.0.0.1', 'octal'],
    ['0x7f000001', 'hexadecimal'],
    ['2130706433', 'decimal'],
    ['127.1', 'shortened'],
  ])('sees through %s (%s)', (ip) => expect(isPublicAddress(ip)).toBe(false));

  it.each(['::ffff:1.1.1.1', '64:ff9b::1.1.1.1', '2002:101:101::'])('lets a public address inside pass: %s', (ip) =>
    expect(isPublicAddress(ip)).toBe(true),
  );

  it.each(['', 'localhost', 'example.com', '1.2.3.4.5', '1.2.3.4 ', '[::1]', '1.1.1.1/8'])(
    'is false for what is no address: %j',
    (text) => expect(isPublicAddress(text)).toBe(false),
  );

  it('agrees with the ranges of ipaddr.js on every IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        fc.pre(!isMetadataHost(ip));
        expect(isPublicAddress(ip)).toBe(ipaddr.parse(ip).range() === 'unicast');
      }),
      { numRuns: 2000 },
    );
  });

  it('treats no special range of ipaddr.js as public, except embedded addresses', () => {
    const embedding = new Set(['unicast', 'ipv4Mapped', 'rfc6052', '6to4']);
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        if (isPublicAddress(ip)) expect(embedding).toContain(ipaddr.parse(ip).range());
      }),
      { numRuns: 2000 },
    );
  });
});

describe('hosts', () => {
  it('recognises metadata services by name and address, in every form', () => {
    for (const host of [
      'metadata.google.internal',
      'METADATA.google.internal.',
      '169.254.169.254',
      '::ffff:169.254.169.254',
    ]) {
      expect(isMetadataHost(host)).toBe(true);
    }
    expect(isMetadataHost('example.com')).toBe(false);
  });

  it.each([
    ['169.254.169.254', 'as it is'],
    ['::ffff:a9fe:a9fe', 'mapped'],
    ['::a9fe:a9fe', 'compatible'],
    ['::ffff:0:a9fe:a9fe', 'translated'],
    ['64:ff9b::a9fe:a9fe', 'NAT64'],
    ['64:ff9b:1::a9fe:a9fe', 'local NAT64, 96 bits'],
    ['64:ff9b:1:abcd:ef:12:a9fe:a9fe', 'local NAT64, 96 bits of its own'],
    ['64:ff9b:1:abcd:a9:fea9:fe00:0', 'local NAT64, 64 bits'],
    ['64:ff9b:1:aba9:fe:a9fe::', 'local NAT64, 56 bits'],
    ['64:ff9b:1:a9fe:a9:fe00::', 'local NAT64, 48 bits'],
    ['2002:a9fe:a9fe::1', '6to4'],
    ['2001:0:5ef5:79fd::5601:5601', 'Teredo'],
    ['fe80::a9fe:a9fe', 'link-local'],
    ['fe80::a9fe:a9fe%eth0', 'link-local with a zone'],
    ['2606:4700::5efe:169.254.169.254', 'ISATAP'],
    ['fd00::200:5efe:169.254.169.254', 'ISATAP of a public address'],
    ['64:ff9b::100.100.100.200', 'NAT64 of another service'],
    ['fd00:ec2:0:0::254', 'one with an IPv6 address of its own'],
  ])('knows an address that may lead to a metadata service: %s (%s)', (ip) => {
    expect(isMetadataHost(ip)).toBe(true);
    expect(isPublicAddress(ip)).toBe(false);
  });

  it.each([
    '64:ff9b:1::10.0.0.1',
    '64:ff9b::10.0.0.1',
    '2002:a00:1::',
    'fe80::1',
    '::1',
    '::',
    '2001:0:5ef5:79fd::5600:5600',
    'fd00::5efe:10.0.0.1',
    'fd00::a9fe:a9fe',
  ])('leaves other addresses to who allows private ones: %s', (ip) => {
    expect(isMetadataHost(ip)).toBe(false);
    expect(isPublicAddress(ip)).toBe(false);
  });

  it('recognises names that never leave the machine or its network', () => {
    const local = ['localhost', 'a.localhost.', 'printer.local', 'db.internal', 'intranet', 'wiki.', 'router.lan'];
    expect(local.every(isLocalName)).toBe(true);
    expect(['example.com', 'local.example', 'notlocalhost.com'].some(isLocalName)).toBe(false);
  });

  it('removes the brackets of an address', () => {
    expect(literalAddress('[::1]')).toBe('::1');
    expect(literalAddress('127.0.0.1')).toBe('127.0.0.1');
    expect(literalAddress('fe80::1')).toBe('fe80::1');
    expect(literalAddress('cafe.test')).toBeUndefined();
    expect(literalAddress('1e100.net')).toBeUndefined();
  });
});
