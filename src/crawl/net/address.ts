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

/**
 * Addresses of cloud metadata services. Some are public by their number, and no page lives at any of them: they are
 * refused even on an intranet.
 */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
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
 * documentation or benchmark address, in any form that carries an IPv4 address inside (mapped, NAT64, 6to4).
 * IPv4-compatible and Teredo addresses are never public. What is no address is not public.
 */
export function isPublicAddress(ip: string): boolean {
  const bytes = bytesOf(ip);
  if (bytes === undefined || METADATA_ADDRESSES.has(canonicalText(bytes))) return false;
  return bytes.length === 4 ? isPublicV4(bytes) : isPublicV6(bytes);
}

/** True for addresses and names of metadata services, which are refused whatever the settings. */
export function isMetadataHost(host: string): boolean {
  const bytes = bytesOf(host);
  if (bytes === undefined) return METADATA_HOSTS.has(host.toLowerCase().replace(/\.$/, ''));
  return METADATA_ADDRESSES.has(canonicalText(embeddedV4(bytes) ?? bytes));
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
  const inside = embeddedV4(bytes);
  if (inside !== undefined) return isPublicAddress(inside.join('.'));
  const first = numberOf(bytes);
  if (first >>> 29 !== 1) return false;
  return !SPECIAL_V6.some(([prefix, bits]) => (first ^ Number.parseInt(prefix, 16)) >>> (32 - bits) === 0);
}

/** ::ffff:0:0/96 (mapped), 64:ff9b::/96 (NAT64) and 2002::/16 (6to4) lead to the IPv4 address inside. */
function embeddedV4(bytes: readonly number[]): readonly number[] | undefined {
  if (bytes.length === 4) return undefined;
  if (startsWith(bytes, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])) return bytes.slice(12);
  if (startsWith(bytes, [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])) return bytes.slice(12);
  return startsWith(bytes, [0x20, 0x02]) ? bytes.slice(2, 6) : undefined;
}

function startsWith(bytes: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}

function numberOf(bytes: readonly number[]): number {
  return (((bytes[0] ?? 0) << 24) | ((bytes[1] ?? 0) << 16) | ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0)) >>> 0;
}

function network(text: string): readonly [number, number] {
  const [ip = '', bits = ''] = text.split('/');
  return [numberOf(ip.split('.').map(Number)), Number(bits)];
}
