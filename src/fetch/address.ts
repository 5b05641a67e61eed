import ipaddr from 'ipaddr.js';

/**
 * IPv4 ranges that are not public (IANA special-purpose registry, RFC 6890), including multicast and reserved ranges.
 */
const SPECIAL_V4: readonly (readonly [network: number, bits: number])[] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map(network);

/** Ranges within the global unicast range 2000::/3 that are not public. */
const SPECIAL_V6: readonly (readonly [prefix: string, bits: number])[] = [
  ['20010000', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['20010db8', 32], // documentation
  ['3fff0000', 20], // documentation
];

/** A kind of IPv6 address that contains an IPv4 address. */
interface Carrier {
  /** First bytes; `undefined` = any. */
  readonly prefix: readonly (number | undefined)[];
  /** Positions of the bytes of the IPv4 address. */
  readonly inside: readonly number[];
  /** The bytes are inverted. */
  readonly isInverted?: boolean;
  /** True: as public as the IPv4 address inside. False: never public. */
  readonly isOpen: boolean;
}

const LAST = [12, 13, 14, 15];
const ANY_NETWORK = Array.from({ length: 8 }, () => undefined);

const CARRIERS: readonly Carrier[] = [
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255], inside: LAST, isOpen: true }, // mapped, RFC 4291 §2.5.5.2
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], inside: LAST, isOpen: true }, // NAT64, RFC 6052
  { prefix: [0x20, 0x02], inside: [2, 3, 4, 5], isOpen: true }, // 6to4, RFC 3056
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], inside: LAST, isOpen: false }, // compatible, RFC 4291 §2.5.5.1
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0], inside: LAST, isOpen: false }, // translated, RFC 2765
  // NAT64 of a network's own, RFC 8215, by prefixes of 96, 64, 56 and 48 bits (RFC 6052 §2.2)
  ...[LAST, [9, 10, 11, 12], [7, 9, 10, 11], [6, 7, 9, 10]].map((inside) => {
    return { prefix: [0, 0x64, 0xff, 0x9b, 0, 1], inside, isOpen: false };
  }),
  { prefix: [0x20, 0x01, 0, 0], inside: LAST, isInverted: true, isOpen: false }, // Teredo, RFC 4380
  { prefix: [0xfe, 0x80], inside: LAST, isOpen: false }, // link-local: some clouds have metadata at fe80::a9fe:a9fe
  { prefix: [...ANY_NETWORK, 0, 0, 0x5e, 0xfe], inside: LAST, isOpen: false }, // ISATAP, RFC 5214
  { prefix: [...ANY_NETWORK, 2, 0, 0x5e, 0xfe], inside: LAST, isOpen: false }, // ISATAP of a public address
];

/**
 * Addresses of cloud metadata services. Some are in public ranges, but they serve no pages. They are refused even on
 * an intranet.
 */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.42.42',
  '169.254.0.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd00:42::42',
  'fd00:c1::a9fe:a9fe',
  'fd20:ce::254',
]);

const METADATA_HOSTS: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'rancher-metadata',
]);

/**
 * Returns true if the address is globally reachable unicast: not private, loopback, link-local, shared, multicast,
 * reserved, documentation or benchmark. An IPv6 address that contains an IPv4 address is as public as that one, or
 * never public. Returns false if the text is not an address.
 */
export function isPublicAddress(ip: string): boolean {
  const bytes = bytesOf(ip);
  if (bytes === undefined || METADATA_ADDRESSES.has(canonicalText(bytes))) return false;
  return bytes.length === 4 ? isPublicV4(bytes) : isPublicV6(bytes);
}

/**
 * Returns true for addresses and names of metadata services, which are refused whatever the settings, and for
 * addresses that may lead to one.
 */
export function isMetadataHost(host: string): boolean {
  const bytes = bytesOf(host);
  if (bytes === undefined) return METADATA_HOSTS.has(host.toLowerCase().replace(/\.$/, ''));
  return [bytes, ...carriedV4(bytes).map(({ address }) => address)].some((each) =>
    METADATA_ADDRESSES.has(canonicalText(each)),
  );
}

/** A NAT64 prefix of this network, and the positions of the IPv4 address behind it. */
export interface Translation {
  readonly prefix: readonly number[];
  readonly inside: readonly number[];
}

/** Positions of an IPv4 address by the prefix length in bytes (RFC 6052 §2.2). */
const TRANSLATED: readonly (readonly [bytes: number, inside: readonly number[]])[] = [
  [12, LAST],
  [8, [9, 10, 11, 12]],
  [7, [7, 9, 10, 11]],
  [6, [6, 7, 9, 10]],
  [5, [5, 6, 7, 9]],
  [4, [4, 5, 6, 7]],
];

/** A name that only has the addresses 192.0.0.170 and .171; a network with NAT64 adds IPv6 ones (RFC 7050). */
export const IPV4_ONLY_NAME = 'ipv4only.arpa';

/** Returns the NAT64 prefixes of this network, from the addresses of {@link IPV4_ONLY_NAME}. */
export function translationsOf(addresses: readonly string[]): readonly Translation[] {
  return addresses.flatMap((address) => {
    const bytes = bytesOf(address) ?? [];
    if (bytes.length !== 16) return [];
    return TRANSLATED.flatMap(([length, inside]) => {
      const [a, b, c, d = 0] = inside.map((place) => bytes[place]);
      const isKnown = a === 192 && b === 0 && c === 0 && (d === 170 || d === 171);
      return isKnown ? [{ prefix: bytes.slice(0, length), inside }] : [];
    });
  });
}

/** Returns the IPv4 addresses that an IPv6 address leads to by these prefixes. */
export function translatedFrom(address: string, translations: readonly Translation[]): readonly string[] {
  const bytes = bytesOf(address) ?? [];
  return translations
    .filter(({ prefix }) => bytes.length === 16 && prefix.every((byte, i) => bytes[i] === byte))
    .map(({ inside }) => inside.map((place) => bytes[place]).join('.'));
}

/**
 * Returns true for names of this machine or its local network, without a DNS lookup: names reserved for it, names
 * that ICANN does not delegate because networks use them privately, and names without a dot.
 */
export function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  const isPlain = !name.includes('.') && literalAddress(name) === undefined;
  return isPlain || /\.(?:localhost|localdomain|local|lan|internal|intranet|private|corp|home|home\.arpa)$/i.test(name);
}

/** Maximum number of addresses kept per name and family: one more than are dialled. */
const MAX_KEPT = 4;

/** Returns a few addresses of a name, IPv4 first. Keeps a non-public address, because it makes the host refused. */
export function fewAddresses(all: readonly string[]): readonly string[] {
  const isV6 = (address: string): boolean => address.includes(':');
  const v4 = all.filter((address) => !isV6(address));
  const few = [...v4.slice(0, MAX_KEPT), ...all.filter(isV6).slice(0, MAX_KEPT)];
  const shut = all.find(isMetadataHost) ?? all.find((address) => !isPublicAddress(address));
  return shut === undefined || few.includes(shut) ? few : [...few, shut];
}

/** Returns the address, without brackets if it has any; `undefined` if the host is a name. */
export function literalAddress(hostname: string): string | undefined {
  // Asked for each waiting host at each look for the next link: a parser would take most of the time.
  if (!/^\d|:/.test(hostname)) return undefined;
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
  return bytesOf(bare) === undefined ? undefined : bare;
}

function bytesOf(ip: string): readonly number[] | undefined {
  return /^[0-9a-fA-FxX.:%\w]+$/.test(ip) && ipaddr.isValid(ip) ? ipaddr.parse(ip).toByteArray() : undefined;
}

function canonicalText(bytes: readonly number[]): string {
  return ipaddr.fromByteArray([...bytes]).toString();
}

function isPublicV4(bytes: readonly number[]): boolean {
  const address = numberOf(bytes);
  return !SPECIAL_V4.some(([start, bits]) => (address ^ start) >>> (32 - bits) === 0);
}

function isPublicV6(bytes: readonly number[]): boolean {
  const [carried] = carriedV4(bytes);
  if (carried !== undefined) return carried.isOpen && isPublicAddress(carried.address.join('.'));
  const first = numberOf(bytes);
  if (first >>> 29 !== 1) return false;
  return !SPECIAL_V6.some(([prefix, bits]) => (first ^ Number.parseInt(prefix, 16)) >>> (32 - bits) === 0);
}

/** Returns the IPv4 addresses that an IPv6 address may lead to, one per matching kind; empty for IPv4. */
function carriedV4(bytes: readonly number[]): { readonly address: readonly number[]; readonly isOpen: boolean }[] {
  if (bytes.length === 4) return [];
  const fits = ({ prefix }: Carrier): boolean => prefix.every((byte, i) => byte === undefined || bytes[i] === byte);
  return CARRIERS.filter(fits).map(({ inside, isInverted = false, isOpen }) => ({
    address: inside.map((place) => bytes[place]! ^ (isInverted ? 0xff : 0)),
    isOpen,
  }));
}

function numberOf(bytes: readonly number[]): number {
  return (((bytes[0] ?? 0) << 24) | ((bytes[1] ?? 0) << 16) | ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0)) >>> 0;
}

function network(text: string): readonly [number, number] {
  const [ip = '', bits = ''] = text.split('/');
  return [numberOf(ip.split('.').map(Number)), Number(bits)];
}
