import { LruMap } from '../net/lru.ts';
import { partsOf } from './url-parts.ts';

interface Suspicion {
  fetched: number;
  /** Pages that the other host has under the same path, by host. */
  readonly same: Map<string, number>;
}

const MAX_HOSTS = 5_000;
const MAX_OTHERS = 8;
/** Pages in common, and their share of all pages fetched from a host, that make it a mirror. */
const ENOUGH = 4;
const SHARE = 0.75;

/** Notices hosts whose pages keep being those of another host under the same path. A fold; bounded. */
export class Mirrors {
  readonly #hosts = new LruMap<string, Suspicion>(MAX_HOSTS);
  readonly #known = new LruMap<string, string>(MAX_HOSTS);

  fetched(host: string): void {
    this.#of(host).fetched++;
  }

  /** An address gave the page of another address. */
  same(url: string, before: string): void {
    const [a, b] = [partsOf(url), partsOf(before)];
    if (a.host === b.host || pathOf(url) !== pathOf(before)) return;
    const suspicion = this.#of(a.host);
    const same = (suspicion.same.get(b.host) ?? 0) + 1;
    if (suspicion.same.has(b.host) || suspicion.same.size < MAX_OTHERS) suspicion.same.set(b.host, same);
    // Two hosts that are known to repeat each other would send each other's links away for ever.
    const isBackward = this.#known.peek(b.host) === a.host;
    if (same >= ENOUGH && same >= SHARE * suspicion.fetched && !isBackward) this.#known.set(a.host, b.host);
  }

  /** The host that a host repeats. */
  mirrored(host: string): string | undefined {
    return this.#known.peek(host);
  }

  /** The same address on the host that this one repeats. */
  originalOf(url: string, host: string): string | undefined {
    const original = this.#known.peek(host);
    return original === undefined ? undefined : `${url.slice(0, url.indexOf('//') + 2)}${original}${pathOf(url)}`;
  }

  #of(host: string): Suspicion {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const made: Suspicion = { fetched: 0, same: new Map() };
    this.#hosts.set(host, made);
    return made;
  }
}

function pathOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}
