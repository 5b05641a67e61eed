import { type Answer, ask, isDefinite } from './dns-answer.ts';
import type { Channel, DnsChannels } from './dns-channels.ts';

/** Each server is asked this often before a name is given up for now. */
const ROUNDS = 2;

export interface InquiryOptions {
  /** Addresses of name servers. */
  readonly servers: readonly string[];
  /** The one to ask first, an index of `servers`. */
  readonly first: number;
  /** After this long without an answer the next server is asked as well, and the first still listened to. */
  readonly timeoutMs: number;
  readonly channels: DnsChannels;
}

/** What came of it, and whose word it is: an index of `servers`; -1 when nobody gave an answer. */
export interface Finding {
  readonly answer: Answer;
  readonly server: number;
}

/**
 * One name, asked of several servers: the next one when one is silent or has no usable answer. The first address wins. That there
 * is no such name is believed when a second server says so, too, or does not say otherwise in its time: a server may be broken, or
 * know one side of a network alone. Resolves with the last trouble when every try failed.
 */
export function inquire(name: string, options: InquiryOptions): Promise<Finding> {
  return new Promise((resolve) => new Inquiry(name, options, resolve).askNext());
}

class Inquiry {
  readonly #name: string;
  readonly #options: InquiryOptions;
  readonly #tries: number;
  readonly #settle: (finding: Finding) => void;
  /** Questions asked, by server, and those without an answer yet. */
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
    // Whoever is slow may answer until the last one's time is over.
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

  /** A server says that there is no such name, or no address. Called again when another one has trouble. */
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
