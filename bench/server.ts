import { fork } from 'node:child_process';
import { replyOf } from './child-reply.ts';
import type { CrawlStart } from './web.ts';
import type { ServedCounts, ServeOptions, ServerMessage } from './web-server.ts';

/** A served web, as the benchmark sees it. */
export interface Server {
  readonly start: CrawlStart;
  /** `address:port` of the name server. */
  readonly names: string;
  /** What was served so far. */
  served(): Promise<ServedCounts>;
  close(): void;
}

/** Starts the process that serves a web. */
export async function startServer(options: ServeOptions): Promise<Server> {
  const child = fork(new URL('./web-server.ts', import.meta.url), [JSON.stringify(options)]);
  const ready = await replyOf<ServerMessage>(child, 'the web server');
  if (ready.kind !== 'ready') throw new Error(`Expected the server to be ready, got ${JSON.stringify(ready)}`);
  return {
    start: ready.start,
    names: `127.0.0.1:${ready.dnsPort}`,
    async served() {
      child.send('served');
      const message = await replyOf<ServerMessage>(child, 'the web server');
      if (message.kind !== 'served') throw new Error(`Expected counts, got ${JSON.stringify(message)}`);
      return message.served;
    },
    close: () => child.disconnect(),
  };
}
