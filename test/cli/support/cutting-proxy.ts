import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Forwards traffic between a program and a server until certain words pass. */
export class CuttingProxy {
  readonly #server: Server;
  #cut: { readonly words: string; readonly act: () => Promise<void> } | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param port of the server */
  static async to(port: number): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#join(client, connect(port, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Runs `act` once instead of forwarding these words. Resolves when it is done. */
  onceAt(words: string, act: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#cut = { words, act: () => act().then(resolve, reject) };
    });
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    client.on('data', (chunk: Buffer) => {
      if (this.#cut === undefined || !chunk.includes(this.#cut.words)) {
        server.write(chunk);
        return;
      }
      const { act } = this.#cut;
      this.#cut = undefined;
      void act();
    });
    server.on('data', (chunk: Buffer) => client.write(chunk));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy());
  }
}
