import type { TopicId } from '../core/index.ts';
import type { HostSchedule } from './host-schedule.ts';
import type { TopicQueues } from './topic-queues.ts';

/** Maximum number of concurrent name lookups, so that a page with a thousand links does not flood the name server. */
const MAX_ASKED = 64;

/** Requests the names of waiting links' hosts ahead of time, each once, even if several topics lead to it. */
export class NameLookups {
  readonly #resolve: (host: string) => void;
  /** Names whose lookup is pending. */
  readonly #asked = new Set<string>();
  #isAsking = false;

  constructor(resolve: (host: string) => void) {
    this.#resolve = resolve;
  }

  /** Requests names for every topic in proportion, so that no topic delays the others. */
  ask(topics: ReadonlyMap<TopicId, { readonly queues: TopicQueues; readonly schedule: HostSchedule }>): void {
    if (this.#isAsking) return; // The answer arrived synchronously; the loop below continues.
    this.#isAsking = true;
    const limit = Math.max(1, Math.floor(MAX_ASKED / topics.size));
    for (const { queues, schedule } of topics.values()) schedule.askForNames((link) => queues.isPromising(link), limit);
    this.#isAsking = false;
  }

  /** Requests the name of a host unless its lookup is pending. */
  resolve(host: string): void {
    if (this.#asked.has(host)) return;
    this.#asked.add(host);
    this.#resolve(host);
  }

  /** Notes that a lookup ended. */
  ended(host: string): void {
    this.#asked.delete(host);
  }
}
