import type { Socket } from 'node:net';

/** Above this number, the longest idle sockets are closed. Processes often have a limit of 1,024 open files. */
const MAX_SOCKETS = 400;

/** Allowance of an exchange besides its body, in bytes: heads, interim responses, and framing. */
const BESIDE_BODY_BYTES = 256 * 1024;
/** Interval between checks of all open sockets, in ms. */
const LOOK_MS = 50;

interface HostSockets {
  readonly open: Set<Socket>;
  address: string;
  busy: number;
  /** Bytes read from closed sockets, and from all sockets at the end of the last exchange. */
  closedBytes: number;
  readBefore: number;
  /** Callbacks that abort the active exchanges. */
  readonly onFlood: Set<(error: FloodError) => void>;
}

/** Thrown if a server sends far more data than was requested. */
export class FloodError extends Error {
  constructor(bytes: number) {
    super(`the server sends more than ${bytes} bytes beyond its pages`);
  }
}

/**
 * The open sockets by origin. Closes idle ones if there are too many, and closes all of an origin that sends too
 * much. Every byte read counts: bodies, heads, interim responses, chunk extensions, and refused HTTP/2 streams.
 */
export class SocketTable {
  /** Least recently used first; an entry is removed after its last socket is closed and no exchange is active. */
  readonly #hosts = new Map<string, HostSockets>();
  /** Maximum number of bytes per exchange. */
  readonly #exchangeBytes: number;
  #open = 0;
  #looks: NodeJS.Timeout | undefined;

  /** @param maxBodyBytes - maximum size of a body */
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

  /** Records that an exchange with an origin begins. @param onFlood - aborts it */
  use(origin: string, onFlood?: (error: FloodError) => void): void {
    const host = this.#host(origin);
    host.busy += 1;
    if (onFlood !== undefined) host.onFlood.add(onFlood);
    this.#hosts.delete(origin);
    this.#hosts.set(origin, host);
  }

  /** Records the end of an exchange. @param onFlood - the callback given to `use` */
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

  /**
   * Closes the origin's connections after a refused response: over HTTP/2 the refused data would otherwise continue.
   * Connections with other active exchanges stay open.
   */
  refused(origin: string): void {
    const host = this.#hosts.get(origin);
    if (host === undefined || host.busy > 0) return;
    for (const socket of host.open) if (isHttp2(socket)) socket.destroy();
  }

  /** Closes all sockets. */
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
