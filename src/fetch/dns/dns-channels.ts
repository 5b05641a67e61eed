import { promises as dns } from 'node:dns';

/** A resolver for one name at a time, at one server. */
export interface Channel {
  readonly resolver: dns.Resolver;
  readonly server: string;
  readonly timeoutMs: number;
}

/** An address that is never queried (RFC 5737). Setting it makes a resolver forget its server. */
const NOBODY = ['192.0.2.1'];

/**
 * Pool of reusable DNS resolvers. A resolver cannot be shared between names: it waits five times as long as its last
 * answers took, at most a second, whatever its `timeout`, but distant servers take longer. Setting the server again
 * resets these times. Creating a resolver costs three times as much.
 */
export class DnsChannels {
  readonly #open = new Set<Channel>();
  readonly #idle: Channel[] = [];

  /** Returns a channel for one name at a server, with this timeout. */
  take(server: string, timeoutMs: number): Channel {
    const at = this.#idle.findLastIndex((idle) => idle.server === server && idle.timeoutMs === timeoutMs);
    const channel = at < 0 ? newChannel(server, timeoutMs) : this.#idle.splice(at, 1)[0]!;
    this.#open.add(channel);
    return channel;
  }

  /** Returns a channel to the pool. A resolver without an answer may still be busy, so it is not reused. */
  release(channel: Channel, isAnswered: boolean): void {
    this.#open.delete(channel);
    if (!isAnswered || this.#idle.length >= MAX_IDLE) return;
    channel.resolver.setServers(NOBODY);
    channel.resolver.setServers([channel.server]);
    this.#idle.push(channel);
  }

  /** Cancels all pending lookups. */
  close(): void {
    for (const { resolver } of this.#open) resolver.cancel();
  }
}

/** Maximum number of idle channels; a crawl looks up about as many names at once. */
const MAX_IDLE = 64;

function newChannel(server: string, timeoutMs: number): Channel {
  // Without `maxTimeout` the timeout is limited to five seconds.
  const resolver = new dns.Resolver({ timeout: timeoutMs, maxTimeout: timeoutMs, tries: 1 });
  resolver.setServers([server]);
  return { resolver, server, timeoutMs };
}
