import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { isMetadataHost, isPublicAddress, literalAddress } from './address.ts';
import { byTurns, dialFirst } from './dialling.ts';
import type { Resolver } from './dns/resolver.ts';
import { makeConnector } from './undici-parts.ts';

/** A host stands for an address that must not be dialled. */
export class RefusedAddressError extends Error {
  constructor(host: string, address: string) {
    const what = host === address ? host : `${host} has the address ${address}, which`;
    // The setting that an intranet needs stands where a person looks for the reason.
    const why = isMetadataHost(address)
      ? 'is that of a metadata service, where no page lives'
      : 'is not public (network.allowPrivate is false)';
    super(`${what} ${why}`);
  }
}

/** A host's name could not be resolved. */
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
 * No connection could be made; `cause` says why. It hides the codes of its cause from undici, which takes some of
 * them for passing and would dial for ever.
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
  /** HTTP/2 where the server speaks it. Default: true. */
  readonly allowH2?: boolean;
  /** Told of each connection, with the address that was dialled. */
  readonly onConnection: (origin: string, address: string, socket: Socket) => void;
}

/** More addresses of one host than this are not tried in one go. */
const MAX_ADDRESSES = 3;
/** RFC 8305 §8 has a quarter of a second, and two at the most; a guest knocks at a second door only when the first seems shut. */
const ATTEMPT_DELAY_MS = 1_000;

/**
 * Connects for undici: the name is resolved here, every address of it must be public, and one of just these addresses
 * is dialled, while TLS still asks for the name. So no second answer of the name server (rebinding) can lead elsewhere.
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
 * The addresses that may be dialled for a host.
 * @throws RefusedAddressError, UnresolvedNameError
 */
async function checkedAddresses(host: string, options: ConnectorOptions): Promise<readonly string[]> {
  assertNameAllowed(host, options.allowPrivate);
  const literal = literalAddress(host);
  if (literal !== undefined) return [literal];
  const resolution = await options.resolver.resolve(host);
  if (resolution.kind === 'unresolved') throw new UnresolvedNameError(host, resolution.code, resolution.temporary);
  for (const address of resolution.addresses) {
    if (!isAllowed(address, options.allowPrivate)) throw new RefusedAddressError(host, address);
  }
  return resolution.addresses;
}

/**
 * Refuses what the host itself gives away without asking any DNS: literal addresses that are not public, metadata
 * services.
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
  // For plain HTTP a `servername` would make undici look the name up again.
  const { servername, ...rest } = target;
  const name = servername ?? (literalAddress(target.hostname) === undefined ? target.hostname : undefined);
  const pinned = target.protocol === 'https:' && name !== undefined ? { ...rest, servername: name } : rest;
  return new Promise((resolve, reject) => {
    connector({ ...pinned, hostname: address }, (error, socket) => (error ? reject(error) : resolve(socket as Socket)));
  });
}
