import { isIPv6, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import {
  IPV4_ONLY_NAME,
  isMetadataHost,
  isPublicAddress,
  literalAddress,
  translatedFrom,
  translationsOf,
} from './address.ts';
import type { Resolver } from './dns/resolver.ts';
import { byTurns, dialFirst } from './happy-eyeballs.ts';
import { makeConnector } from './undici-parts.ts';

/** Thrown if a host resolves to an address that must not be dialled. */
export class RefusedAddressError extends Error {
  constructor(host: string, address: string) {
    const what = host === address ? host : `${host} has the address ${address}, which`;
    // Names the setting that an intranet needs, since the user reads it here.
    const why = isMetadataHost(address)
      ? 'belongs to a metadata service'
      : 'is not public (network.allowPrivate is false)';
    super(`${what} ${why}`);
  }
}

/** Thrown if a host's name could not be resolved. */
export class UnresolvedNameError extends Error {
  readonly temporary: boolean;

  constructor(host: string, code: string, temporary: boolean) {
    super(`${nameTrouble(host, code, temporary)} (${code})`);
    this.temporary = temporary;
  }
}

function nameTrouble(host: string, code: string, temporary: boolean): string {
  if (temporary) return `no name server answers for ${host}`;
  return code === 'ENODATA' ? `the name ${host} has no address` : `the name ${host} does not exist`;
}

/**
 * Thrown if no connection was made; `cause` has the reason. It hides the error code from undici, which retries some
 * codes forever.
 */
export class DialError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

export interface ConnectorOptions {
  readonly resolver: Resolver;
  readonly allowPrivate: boolean;
  readonly insecureTls: boolean;
  readonly connectTimeoutMs: number;
  /** Use HTTP/2 if the server supports it. Default: true. */
  readonly allowH2?: boolean;
  /** Called for each connection, with the dialled address. */
  readonly onConnection: (origin: string, address: string, socket: Socket) => void;
}

/** Maximum number of addresses tried per host. */
const MAX_ADDRESSES = 3;
/**
 * Longer than the quarter of a second of RFC 8305 §8 (maximum: two seconds), because a polite crawler avoids needless
 * second connections.
 */
const ATTEMPT_DELAY_MS = 1_000;

/**
 * Returns a connector for undici. It resolves the name, requires every address to be public, and dials one of exactly
 * these addresses. TLS still uses the name. So a second DNS answer (rebinding) cannot redirect the connection.
 */
export function checkedConnector(options: ConnectorOptions): buildConnector.connector {
  const { connectTimeoutMs: timeout, insecureTls, allowH2 = true } = options;
  const connector = makeConnector({ timeout, rejectUnauthorized: !insecureTls, allowH2 });
  const delayMs = Math.min(ATTEMPT_DELAY_MS, timeout / MAX_ADDRESSES);

  async function dial(target: buildConnector.Options): Promise<Socket> {
    const addresses = byTurns(await checkedAddresses(target.hostname, options)).slice(0, MAX_ADDRESSES);
    const { socket, address } = await dialFirst(addresses, (each) => connect(connector, target, each), delayMs);
    options.onConnection(`${target.protocol}//${target.host}`, address, socket);
    return socket;
  }

  return (target, callback) => {
    dial(target).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(new DialError(error), null),
    );
  };
}

/**
 * Returns the addresses that may be dialled for a host.
 * @throws RefusedAddressError, UnresolvedNameError
 */
async function checkedAddresses(host: string, options: ConnectorOptions): Promise<readonly string[]> {
  assertNameAllowed(host, options.allowPrivate);
  const literal = literalAddress(host);
  if (literal !== undefined) {
    await assertAllowed(host, [literal], options);
    return [literal];
  }
  const resolution = await options.resolver.resolve(host);
  if (resolution.kind === 'unresolved') throw new UnresolvedNameError(host, resolution.code, resolution.temporary);
  await assertAllowed(host, resolution.addresses, options);
  return resolution.addresses;
}

/** @throws RefusedAddressError if one of the addresses, or an IPv4 address that it leads to, must not be dialled */
async function assertAllowed(host: string, addresses: readonly string[], options: ConnectorOptions): Promise<void> {
  const { allowPrivate, resolver } = options;
  const refuse = (all: readonly string[]): void => {
    const shut = all.find((address) => !isAllowed(address, allowPrivate));
    if (shut !== undefined) throw new RefusedAddressError(host, shut);
  };
  refuse(addresses);
  if (!addresses.some((address) => isIPv6(address))) return;
  // The network's translator may lead any prefix to its private IPv4 addresses.
  const known = await resolver.resolve(IPV4_ONLY_NAME);
  if (known.kind === 'unresolved') return;
  const translations = translationsOf(known.addresses);
  refuse(addresses.flatMap((address) => translatedFrom(address, translations)));
}

/**
 * Refuses hosts that need no DNS lookup to be refused: non-public literal addresses and metadata services.
 * @throws RefusedAddressError
 */
export function assertNameAllowed(host: string, allowPrivate: boolean): void {
  const literal = literalAddress(host);
  if (isMetadataHost(literal ?? host)) throw new RefusedAddressError(host, literal ?? host);
  if (literal !== undefined && !isAllowed(literal, allowPrivate)) throw new RefusedAddressError(host, literal);
}

function isAllowed(address: string, allowPrivate: boolean): boolean {
  return isPublicAddress(address) || (allowPrivate && !isMetadataHost(address));
}

function connect(
  connector: buildConnector.connector,
  target: buildConnector.Options,
  address: string,
): Promise<Socket> {
  // With a `servername`, undici would resolve the name again for plain HTTP.
  const { servername, ...rest } = target;
  const name = servername ?? (literalAddress(target.hostname) === undefined ? target.hostname : undefined);
  const pinned = target.protocol === 'https:' && name !== undefined ? { ...rest, servername: name } : rest;
  return new Promise((resolve, reject) => {
    connector({ ...pinned, hostname: address }, (error, socket) => (error ? reject(error) : resolve(socket as Socket)));
  });
}
