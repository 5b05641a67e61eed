import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What happens instead of forwarding when a client sends certain words. */
interface Trap {
  readonly words: string;
  readonly act: (client: Socket, forward: () => void) => void;
}

/** Forwards connections to a server until it is set to fail, like a network between a program and that server. */
export class TcpProxy {
  readonly #host: string;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  /** Sockets that send nothing to their client any more. */
  readonly #mute = new Set<Socket>();
  readonly #traps = new Set<Trap>();
  #server: Server | undefined;
  #listening = 0;
  #isStalled = false;

  private constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  /** @param url with the host and the port of the server; default port: that of MySQL */
  static async to(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy(hostname, Number(port || 3306));
    await proxy.resume();
    return proxy;
  }

  /** Returns the URL of the server by way of this proxy. */
  through(url: string): string {
    const other = new URL(url);
    other.hostname = '127.0.0.1';
    other.port = String(this.#listening);
    return other.href;
  }

  /** Resets every connection. New ones are forwarded. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Forwards nothing, like a network without a route. Connections stay open. */
  stall(): void {
    this.#isStalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Ends every connection and accepts no new one, like a server that is down. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Forwards again. */
  async resume(): Promise<void> {
    this.#isStalled = false;
    for (const socket of this.#sockets) socket.resume();
    if (this.#server !== undefined) return;
    this.#server = createServer((client) => this.#join(client));
    this.#server.listen(this.#listening, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#listening = (this.#server.address() as { port: number }).port;
  }

  /** Resolves once a client sends these words. */
  sees(words: string): Promise<void> {
    return new Promise((resolve) => {
      this.#trap(words, (_, forward) => {
        resolve();
        forward();
      });
    });
  }

  /** Runs `act` once instead of forwarding these words. Resolves when it is done. */
  onceAt(words: string, act: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#trap(words, () => void act().then(resolve, reject));
    });
  }

  /** When a client next sends these words, forwards them and closes the client's connection before the answer. */
  swallowAnswerTo(words: string): Promise<void> {
    return new Promise((resolve) => {
      this.#trap(words, (client, forward) => {
        this.#mute.add(client);
        forward();
        resolve();
      });
    });
  }

  #trap(words: string, act: Trap['act']): void {
    this.#traps.add({ words, act });
  }

  #join(client: Socket): void {
    const server = connect(this.#port, this.#host);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (chunk) => {
      const forward = (): void => void server.write(chunk);
      const trap = [...this.#traps].find(({ words }) => chunk.includes(words));
      if (trap === undefined) return forward();
      this.#traps.delete(trap);
      trap.act(client, forward);
    });
    server.on('data', (chunk) => {
      if (this.#mute.has(client)) client.destroy();
      else client.write(chunk);
    });
    if (this.#isStalled) for (const socket of [client, server]) socket.pause();
  }
}
