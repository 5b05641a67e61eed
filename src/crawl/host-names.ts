import { registeredDomain } from '../core/index.ts';
import { type Fields, GROWTH, grown, Names } from '../kit/index.ts';

const FIRST_CAPACITY = 16;

/** Hosts of waiting links and their registered domains, numbered while in use: see {@link Names}. */
export class HostNames {
  readonly hosts: Names = new Names();
  readonly domains: Names = new Names();
  /** Domain numbers, indexed by host. */
  #domain = new Uint32Array(FIRST_CAPACITY);

  keep(name: string): number {
    const host = this.hosts.keep(name);
    if (this.hosts.uses(host) > 1) return host;
    if (host >= this.#domain.length)
      this.#domain = grown(this.#domain, new Uint32Array(Math.ceil((host + 1) * GROWTH)));
    this.#domain[host] = this.domains.keep(registeredDomain(name));
    return host;
  }

  domainOf(host: number): number {
    return this.#domain[host]!;
  }

  release(host: number): void {
    if (this.hosts.uses(host) === 1) this.domains.release(this.#domain[host]!);
    this.hosts.release(host);
  }

  exchange(fields: Fields): void {
    this.hosts.exchange(fields);
    this.domains.exchange(fields);
    this.#domain = fields.numbers(this.#domain);
  }
}
