import ipaddr from 'ipaddr.js';

/**
 * IPv4 ranges that are not for everybody (IANA special-purpose registry, RFC 6890), multicast and reserved included.
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

/** Global unicast is 2000::/3; these parts of it are not for everybody. */
const SPECIAL_V6: readonly (readonly [prefix: string, bits: number])[] = [
  ['20010000', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['20010db8', 32], // documentation
  ['3fff0000', 20], // documentation
];

/** Where IPv6 addresses of some kind carry an IPv4 address to which they lead. */
interface Carrier {
  /** First bytes; `undefined` = any. */
  readonly prefix: readonly (number | undefined)[];
  /** Places of the bytes of the IPv4 address. */
  readonly inside: readonly number[];
  /** The bytes are written upside down. */
  readonly isInverted?: boolean;
  /** True: as public as the address inside. False: for its own network alone. */
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
 * Addresses of cloud metadata services. Some are public by their number, and no page lives at any of them: they are
 * refused even on an intranet.
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
 * True when the address is globally reachable unicast: no private, loopback, link-local, shared, multicast, reserved,
 * documentation or benchmark address. IPv6 addresses that carry an IPv4 address are as public as that one, or never. What is no address is
 * not public.
 */
export function isPublicAddress(ip: string): boolean {
  const bytes = bytesOf(ip);
  if (bytes === undefined || METADATA_ADDRESSES.has(canonicalText(bytes))) return false;
  return bytes.length === 4 ? isPublicV4(bytes) : isPublicV6(bytes);
}

/** True for addresses and names of metadata services, which are refused whatever the settings, and for addresses that may lead to one. */
export function isMetadataHost(host: string): boolean {
  const bytes = bytesOf(host);
  if (bytes === undefined) return METADATA_HOSTS.has(host.toLowerCase().replace(/\.$/, ''));
  return [bytes, ...carriedV4(bytes).map(({ address }) => address)].some((each) =>
    METADATA_ADDRESSES.has(canonicalText(each)),
  );
}

/**
 * True for names that mean this machine or its own network, without asking any DNS: those set aside for it, those that networks
 * took for themselves and ICANN gives to nobody, and all without a dot.
 */
export function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  const isPlain = !name.includes('.') && literalAddress(name) === undefined;
  return isPlain || /\.(?:localhost|localdomain|local|lan|internal|intranet|private|corp|home|home\.arpa)$/i.test(name);
}

/** Addresses kept of one name and family: as many as are dialled, and one more. */
const MAX_KEPT = 4;

/** A few addresses of a name, IPv4 first. One that is not public stays, because it refuses the host. */
export function fewAddresses(all: readonly string[]): readonly string[] {
  const isV6 = (address: string): boolean => address.includes(':');
  const v4 = all.filter((address) => !isV6(address));
  const few = [...v4.slice(0, MAX_KEPT), ...all.filter(isV6).slice(0, MAX_KEPT)];
  const shut = all.find(isMetadataHost) ?? all.find((address) => !isPublicAddress(address));
  return shut === undefined || few.includes(shut) ? few : [...few, shut];
}

/** The address inside `[…]` or as it stands; `undefined` when the host is a name. */
export function literalAddress(hostname: string): string | undefined {
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

/** IPv4 addresses to which an IPv6 address may lead, for all kinds of it that carry one; empty for IPv4. */
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
