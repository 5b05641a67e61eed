import { promises as dns } from 'node:dns';

/** What is asked with: of one name at a time, at one server. */
export interface Channel {
  readonly resolver: dns.Resolver;
  readonly server: string;
  readonly timeoutMs: number;
}

/** An address that is never asked (RFC 5737): a resolver forgets a server by being given another. */
const NOBODY = ['192.0.2.1'];

/**
 * Resolvers for questions to name servers, used again for later names. A resolver cannot be shared between names: it waits for an answer five times
 * as long as the last ones took, a second at the most, whatever its `timeout`; names far away take longer. One that is told its
 * server anew has forgotten how quick it was. Making one costs three times as much.
 */
export class DnsChannels {
  readonly #open = new Set<Channel>();
  readonly #idle: Channel[] = [];

  /** A channel for one name at a server, which is listened to for so long. */
  take(server: string, timeoutMs: number): Channel {
    const at = this.#idle.findLastIndex((idle) => idle.server === server && idle.timeoutMs === timeoutMs);
    const channel = at < 0 ? newChannel(server, timeoutMs) : this.#idle.splice(at, 1)[0]!;
    this.#open.add(channel);
    return channel;
  }

  /** Its questions are over. What it was not answered on may still be busy with it. */
  release(channel: Channel, isAnswered: boolean): void {
    this.#open.delete(channel);
    if (!isAnswered || this.#idle.length >= MAX_IDLE) return;
    channel.resolver.setServers(NOBODY);
    channel.resolver.setServers([channel.server]);
    this.#idle.push(channel);
  }

  /** Gives up all questions under way. */
  close(): void {
    for (const { resolver } of this.#open) resolver.cancel();
  }
}

/** Channels kept for later; a crawl asks for about as many names at once. */
const MAX_IDLE = 64;

function newChannel(server: string, timeoutMs: number): Channel {
  // Without `maxTimeout` five seconds are the most.
  const resolver = new dns.Resolver({ timeout: timeoutMs, maxTimeout: timeoutMs, tries: 1 });
  resolver.setServers([server]);
  return { resolver, server, timeoutMs };
}
