import { GROWTH, grown, HashSlots } from '../kit/index.ts';
import type { WaitingLink } from './link-table.ts';

/** A row of {@link HostRows} or {@link DomainRows}. */
export type Row = number;

/** No row, or no link. */
export const NONE = -1;

/**
 * Where a host stands:
 * - `unnamed`: its address was not asked for yet; `asked`: it was, the answer is awaited
 * - `ready`: takes a request as far as we know, its domain permitting
 * - `resting` until a known time; `full` until a request of it ends
 * - `bad`: never again
 * - `aside`: not while a person says so
 */
export const PLACES = ['unnamed', 'asked', 'ready', 'resting', 'full', 'bad', 'aside'] as const;
export type Place = (typeof PLACES)[number];

const FIRST_CAPACITY = 16;

/** Rows found by a number. A row that was removed is used again first. */
class Rows {
  readonly #byNumber = new HashSlots();
  readonly #free: Row[] = [];
  #end = 0;

  find(number: number): Row | undefined {
    return this.#byNumber.find(number);
  }

  numberOf(row: Row): number {
    return this.#byNumber.hashOf(row);
  }

  add(number: number): Row {
    const row = this.#free.pop() ?? this.#end++;
    this.#byNumber.set(number, row);
    return row;
  }

  remove(row: Row): void {
    this.#byNumber.delete(row);
    this.#free.push(row);
  }

  /** All rows, in no order; none may be added meanwhile. */
  rows(): Generator<Row> {
    return this.#byNumber.numbers();
  }
}

/**
 * Hosts with links that wait, in parallel arrays: some 60 bytes each. As objects in a map they took 190, and nearly every link may have a
 * host of its own.
 */
export class HostRows {
  readonly #rows = new Rows();
  /** First of its links: the key under which the host stands in trees. */
  best: Int32Array = new Int32Array(FIRST_CAPACITY);
  domain: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** The hosts of its domain that came before and after it, or {@link NONE}. */
  previous: Int32Array = new Int32Array(FIRST_CAPACITY);
  next: Int32Array = new Int32Array(FIRST_CAPACITY);
  restsUntil: Float64Array = new Float64Array(FIRST_CAPACITY);
  isNamed: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #place = new Uint8Array(FIRST_CAPACITY);

  /** By its number among names. */
  find(host: number): Row | undefined {
    return this.#rows.find(host);
  }

  numberOf(row: Row): number {
    return this.#rows.numberOf(row);
  }

  add(host: number, best: WaitingLink, domain: Row): Row {
    const row = this.#rows.add(host);
    if (row === this.best.length) this.#grow();
    this.best[row] = best;
    this.domain[row] = domain;
    return row;
  }

  remove(row: Row): void {
    this.#rows.remove(row);
  }

  rows(): Generator<Row> {
    return this.#rows.rows();
  }

  placeOf(row: Row): Place {
    return PLACES[this.#place[row]!]!;
  }

  setPlace(row: Row, place: Place): void {
    this.#place[row] = PLACES.indexOf(place);
  }

  #grow(): void {
    const capacity = Math.ceil(this.best.length * GROWTH);
    this.best = grown(this.best, new Int32Array(capacity));
    this.domain = grown(this.domain, new Int32Array(capacity));
    this.previous = grown(this.previous, new Int32Array(capacity));
    this.next = grown(this.next, new Int32Array(capacity));
    this.restsUntil = grown(this.restsUntil, new Float64Array(capacity));
    this.isNamed = grown(this.isNamed, new Uint8Array(capacity));
    this.#place = grown(this.#place, new Uint8Array(capacity));
  }
}

/** Registered domains with hosts that wait, in the same way: hundreds of thousands of them may have one host each. */
export class DomainRows {
  readonly #rows = new Rows();
  /** Its hosts, a chain. */
  first: Int32Array = new Int32Array(FIRST_CAPACITY);
  last: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** Best link of its first ready host: the key of the domain among the domains. {@link NONE}: no host is ready. */
  best: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** Its only ready host, while there was never a second one. */
  ready: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** Has as many requests under way as a domain may, or no room for another page. */
  isFull: Uint8Array = new Uint8Array(FIRST_CAPACITY);

  /** By its number among names. */
  find(domain: number): Row | undefined {
    return this.#rows.find(domain);
  }

  numberOf(row: Row): number {
    return this.#rows.numberOf(row);
  }

  /** A domain without hosts. */
  add(domain: number): Row {
    const row = this.#rows.add(domain);
    if (row === this.best.length) this.#grow();
    for (const column of [this.first, this.last, this.best, this.ready]) column[row] = NONE;
    this.isFull[row] = 0;
    return row;
  }

  remove(row: Row): void {
    this.#rows.remove(row);
  }

  /** Puts a host behind the others of its domain. */
  join(host: Row, { domain, previous, next }: HostRows): void {
    const row = domain[host]!;
    const last = this.last[row]!;
    previous[host] = last;
    next[host] = NONE;
    if (last === NONE) this.first[row] = host;
    else next[last] = host;
    this.last[row] = host;
  }

  /** Takes a host out of its domain. */
  part(host: Row, { domain, previous, next }: HostRows): void {
    const row = domain[host]!;
    const [before, after] = [previous[host]!, next[host]!];
    if (before === NONE) this.first[row] = after;
    else next[before] = after;
    if (after === NONE) this.last[row] = before;
    else previous[after] = before;
  }

  #grow(): void {
    const capacity = Math.ceil(this.best.length * GROWTH);
    this.first = grown(this.first, new Int32Array(capacity));
    this.last = grown(this.last, new Int32Array(capacity));
    this.best = grown(this.best, new Int32Array(capacity));
    this.ready = grown(this.ready, new Int32Array(capacity));
    this.isFull = grown(this.isFull, new Uint8Array(capacity));
  }
}
