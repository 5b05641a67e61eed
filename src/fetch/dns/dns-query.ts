import { type Answer, ask, isDefinite } from './dns-answer.ts';
import type { Channel, DnsChannels } from './dns-channels.ts';

/** Number of queries per server before a lookup fails for now. */
const ROUNDS = 2;

export interface InquiryOptions {
  /** Addresses of name servers. */
  readonly servers: readonly string[];
  /** The one to query first, an index of `servers`. */
  readonly first: number;
  /** After this long without an answer, the next server is queried too; the first one may still answer. */
  readonly timeoutMs: number;
  readonly channels: DnsChannels;
}

/** The answer and the server that gave it: an index of `servers`; -1 if no server answered. */
export interface Finding {
  readonly answer: Answer;
  readonly server: number;
}

/**
 * Looks up one name at several servers. The next server is queried if one is silent or has no usable answer. The
 * first address wins. "No such name" is accepted if a second server confirms it or does not contradict it in time:
 * one server may be broken, or know only part of the network. Resolves with the last trouble if every try failed.
 */
export function inquire(name: string, options: InquiryOptions): Promise<Finding> {
  return new Promise((resolve) => new Inquiry(name, options, resolve).askNext());
}

class Inquiry {
  readonly #name: string;
  readonly #options: InquiryOptions;
  readonly #tries: number;
  readonly #settle: (finding: Finding) => void;
  /** Number of queries per server, and of queries without an answer yet. */
  readonly #asked: number[] = [];
  readonly #waiting = new Map<Channel, number>();
  #denial: Finding | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(name: string, options: InquiryOptions, settle: (finding: Finding) => void) {
    this.#name = name;
    this.#options = options;
    this.#tries = ROUNDS * options.servers.length;
    this.#settle = settle;
  }

  askNext(): void {
    clearTimeout(this.#timer);
    const { servers, first, timeoutMs, channels } = this.#options;
    const nth = this.#asked.length;
    if (nth === this.#tries) return;
    const server = (first + nth) % servers.length;
    // A slow server may answer until the last query times out.
    const channel = channels.take(servers[server]!, (this.#tries - nth) * timeoutMs);
    this.#asked.push(server);
    this.#waiting.set(channel, server);
    if (nth + 1 < this.#tries) this.#timer = setTimeout(() => this.askNext(), timeoutMs);
    void ask(channel.resolver, this.#name).then((answer) => {
      this.#waiting.delete(channel);
      channels.release(channel, isDefinite(answer));
      if (!this.#isOver) this.#hear({ answer, server });
    });
  }

  #hear(finding: Finding): void {
    const { resolution } = finding.answer;
    if (resolution.kind === 'resolved') this.#finish(finding);
    else if (!resolution.temporary) this.#deny(finding);
    else if (this.#denial !== undefined) this.#deny(this.#denial);
    else if (resolution.code === 'ECANCELLED') this.#finish({ ...finding, server: -1 });
    else if (this.#waiting.size === 0) {
      if (this.#asked.length === this.#tries) this.#finish({ ...finding, server: -1 });
      else this.askNext();
    }
  }

  /**
   * Handles a server's answer that the name or its address does not exist. Called again if another server has
   * trouble.
   */
  #deny(finding: Finding): void {
    const isNew = this.#denial === undefined;
    this.#denial ??= finding;
    const denial = this.#denial;
    const isOther = (server: number): boolean => server !== denial.server;
    const isAnyAsked = this.#asked.some(isOther);
    const isAnyWaiting = [...this.#waiting.values()].some(isOther);
    const isAlone = this.#options.servers.length === 1;
    if (isAlone || isOther(finding.server) || (isAnyAsked && !isAnyWaiting)) this.#finish(denial);
    else if (isNew) {
      if (!isAnyAsked) this.askNext();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#finish(denial), this.#options.timeoutMs);
    }
  }

  #finish(finding: Finding): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#settle(finding);
    for (const { resolver } of this.#waiting.keys()) resolver.cancel();
  }
}
