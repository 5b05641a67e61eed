import type { Socket } from 'node:net';

/** More open sockets than this, and the longest idle ones are closed; processes often may have 1,024 open files. */
const MAX_SOCKETS = 400;

interface HostSockets {
  readonly open: Set<Socket>;
  address: string;
  busy: number;
}

/** Who is connected where, and who may be closed when there are too many. */
export class SocketTable {
  /** Least recently used first; entries go when the last socket closes and nothing is under way. */
  readonly #hosts = new Map<string, HostSockets>();
  #open = 0;

  add(origin: string, address: string, socket: Socket): void {
    const host = this.#host(origin);
    host.open.add(socket);
    host.address = address;
    this.#open += 1;
    socket.once('close', () => {
      if (host.open.delete(socket)) this.#open -= 1;
      this.#forget(origin, host);
    });
    if (this.#open > MAX_SOCKETS) this.#closeIdle();
  }

  use(origin: string): void {
    const host = this.#host(origin);
    host.busy += 1;
    this.#hosts.delete(origin);
    this.#hosts.set(origin, host);
  }

  release(origin: string): void {
    const host = this.#host(origin);
    host.busy -= 1;
    this.#forget(origin, host);
  }

  address(origin: string): string {
    return this.#hosts.get(origin)?.address ?? '';
  }

  isOpen(origin: string): boolean {
    return (this.#hosts.get(origin)?.open.size ?? 0) > 0;
  }

  /** Closes them all. */
  close(): void {
    for (const { open } of this.#hosts.values()) for (const socket of open) socket.destroy();
  }

  #host(origin: string): HostSockets {
    const known = this.#hosts.get(origin);
    if (known !== undefined) return known;
    const host: HostSockets = { open: new Set(), address: '', busy: 0 };
    this.#hosts.set(origin, host);
    return host;
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
