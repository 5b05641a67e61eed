import { GROWTH, grown, HashSlots } from '../kit/index.ts';
import type { WaitingLink } from './link-table.ts';

/** A row of {@link HostRows} or {@link DomainRows}. */
export type Row = number;

/** No row, or no link. */
export const NONE = -1;

/**
 * State of a host:
 * - `unnamed`: its address was not requested yet; `asked`: the lookup is pending
 * - `ready`: takes a request as far as known, if its domain permits
 * - `resting` until a known time; `full` until one of its requests ends
 * - `bad`: never requested again
 * - `aside`: not requested while the user's rules set it aside
 */
export const PLACES = ['unnamed', 'asked', 'ready', 'resting', 'full', 'bad', 'aside'] as const;
export type Place = (typeof PLACES)[number];

const FIRST_CAPACITY = 16;

/** Rows found by a number. Removed rows are reused first. */
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

  /** Returns all rows, in no particular order. Rows must not be added during iteration. */
  rows(): Generator<Row> {
    return this.#byNumber.numbers();
  }
}

/**
 * Hosts with waiting links, in parallel arrays: about 60 bytes each. Objects in a map took 190 bytes, and nearly
 * every link may have its own host.
 */
export class HostRows {
  readonly #rows = new Rows();
  /** Best link of the host: its key in the trees. */
  best: Int32Array = new Int32Array(FIRST_CAPACITY);
  domain: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** Previous and next host of the same domain, or {@link NONE}. */
  previous: Int32Array = new Int32Array(FIRST_CAPACITY);
  next: Int32Array = new Int32Array(FIRST_CAPACITY);
  restsUntil: Float64Array = new Float64Array(FIRST_CAPACITY);
  isNamed: Uint8Array = new Uint8Array(FIRST_CAPACITY);
  #place = new Uint8Array(FIRST_CAPACITY);

  /** Finds a row by the host's number among the names. */
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

/** Registered domains with waiting hosts, in parallel arrays: hundreds of thousands of them may have one host each. */
export class DomainRows {
  readonly #rows = new Rows();
  /** First of its hosts, which form a linked list. */
  first: Int32Array = new Int32Array(FIRST_CAPACITY);
  last: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** Best link of its first ready host: its key among the domains. {@link NONE} if no host is ready. */
  best: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** Its only ready host, as long as it never had two. */
  ready: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** Has the maximum number of requests per domain, or no room for another page. */
  isFull: Uint8Array = new Uint8Array(FIRST_CAPACITY);

  /** Finds a row by the domain's number among the names. */
  find(domain: number): Row | undefined {
    return this.#rows.find(domain);
  }

  numberOf(row: Row): number {
    return this.#rows.numberOf(row);
  }

  /** Adds a domain without hosts. */
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

  /** Appends a host to the list of its domain. */
  join(host: Row, { domain, previous, next }: HostRows): void {
    const row = domain[host]!;
    const last = this.last[row]!;
    previous[host] = last;
    next[host] = NONE;
    if (last === NONE) this.first[row] = host;
    else next[last] = host;
    this.last[row] = host;
  }

  /** Removes a host from the list of its domain. */
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
