import type { Socket } from 'node:net';

/** More open sockets than this, and the longest idle ones are closed; processes often may have 1,024 open files. */
const MAX_SOCKETS = 400;

/** What an exchange may take beside its body, in bytes: heads, interim answers, the frame of each piece. */
const BESIDE_BODY_BYTES = 256 * 1024;
/** So often all open sockets are looked at, in ms. */
const LOOK_MS = 50;

interface HostSockets {
  readonly open: Set<Socket>;
  address: string;
  busy: number;
  /** Bytes read from sockets that are closed, and from all when the last exchange ended. */
  closedBytes: number;
  readBefore: number;
  /** Ends what is under way. */
  readonly onFlood: Set<(error: FloodError) => void>;
}

/** A server sends far more than the pages that were asked for. */
export class FloodError extends Error {
  constructor(bytes: number) {
    super(`the server sends more than ${bytes} bytes around its pages`);
  }
}

/**
 * The open sockets by origin. Closes idle ones if there are too many, and all of an origin that sends too much: every byte that is read counts,
 * whether it belongs to a body, a head, an interim answer, a chunk's extension, or to an HTTP/2 stream that was refused.
 */
export class SocketTable {
  /** Least recently used first; entries go when the last socket closes and nothing is under way. */
  readonly #hosts = new Map<string, HostSockets>();
  /** Bytes that one exchange may take. */
  readonly #exchangeBytes: number;
  #open = 0;
  #looks: NodeJS.Timeout | undefined;

  /** @param maxBodyBytes - greatest body of an exchange */
  constructor(maxBodyBytes: number = Number.POSITIVE_INFINITY) {
    this.#exchangeBytes = maxBodyBytes + BESIDE_BODY_BYTES;
  }

  add(origin: string, address: string, socket: Socket): void {
    const host = this.#host(origin);
    host.open.add(socket);
    host.address = address;
    this.#open += 1;
    socket.once('close', () => {
      if (host.open.delete(socket)) this.#open -= 1;
      host.closedBytes += socket.bytesRead;
      this.#forget(origin, host);
    });
    if (this.#open > MAX_SOCKETS) this.#closeIdle();
    this.#looks ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** An exchange with an origin begins. @param onFlood - ends it */
  use(origin: string, onFlood?: (error: FloodError) => void): void {
    const host = this.#host(origin);
    host.busy += 1;
    if (onFlood !== undefined) host.onFlood.add(onFlood);
    this.#hosts.delete(origin);
    this.#hosts.set(origin, host);
  }

  /** @param onFlood - as it was given to `use` */
  release(origin: string, onFlood?: (error: FloodError) => void): void {
    const host = this.#host(origin);
    host.busy -= 1;
    if (onFlood !== undefined) host.onFlood.delete(onFlood);
    host.readBefore = bytesRead(host);
    this.#forget(origin, host);
  }

  address(origin: string): string {
    return this.#hosts.get(origin)?.address ?? '';
  }

  isOpen(origin: string): boolean {
    return (this.#hosts.get(origin)?.open.size ?? 0) > 0;
  }

  /** What was refused over HTTP/2 would go on in a connection that stays. Others that are under way there keep it. */
  refused(origin: string): void {
    const host = this.#hosts.get(origin);
    if (host === undefined || host.busy > 0) return;
    for (const socket of host.open) if (isHttp2(socket)) socket.destroy();
  }

  /** Closes them all. */
  close(): void {
    clearInterval(this.#looks);
    for (const { open } of this.#hosts.values()) for (const socket of open) socket.destroy();
  }

  #host(origin: string): HostSockets {
    const known = this.#hosts.get(origin);
    if (known !== undefined) return known;
    const host: HostSockets = {
      ...{ open: new Set(), address: '', busy: 0 },
      ...{ closedBytes: 0, readBefore: 0, onFlood: new Set() },
    };
    this.#hosts.set(origin, host);
    return host;
  }

  #look(): void {
    if (this.#open === 0) {
      clearInterval(this.#looks);
      this.#looks = undefined;
    }
    for (const host of this.#hosts.values()) {
      const limit = host.busy === 0 ? BESIDE_BODY_BYTES : host.busy * this.#exchangeBytes;
      if (host.open.size === 0 || bytesRead(host) - host.readBefore <= limit) continue;
      const error = new FloodError(limit);
      for (const end of [...host.onFlood]) end(error);
      for (const socket of [...host.open]) socket.destroy();
    }
  }

  #forget(origin: string, host: HostSockets): void {
    if (host.busy === 0 && host.open.size === 0 && this.#hosts.get(origin) === host) this.#hosts.delete(origin);
  }

  #closeIdle(): void {
    for (const host of this.#hosts.values()) {
      if (this.#open <= MAX_SOCKETS) return;
      if (host.busy > 0) continue;
      this.#open -= host.open.size;
      for (const socket of host.open) socket.destroy();
      host.open.clear();
    }
  }
}

function bytesRead({ open, closedBytes }: HostSockets): number {
  let bytes = closedBytes;
  for (const socket of open) bytes += socket.bytesRead;
  return bytes;
}

function isHttp2(socket: Socket): boolean {
  return (socket as { readonly alpnProtocol?: unknown }).alpnProtocol === 'h2';
}
