/** A typed array of any kind. */
export type NumberArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** Converts a value to plain data and back. */
export interface Form<Value, Plain> {
  readonly pack: (value: Value) => Plain;
  readonly unpack: (plain: Plain) => Value;
}

/** An object with state that a checkpoint saves. */
export interface Saved {
  /** Lists its fields, always in the same order. A checkpoint saves their values or restores them. */
  exchange(fields: Fields): void;
}

/** Saved data of one field: plain data, or data in pieces because it may be large. */
export type Slot =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'numbers'; readonly numbers: NumberArray }
  | {
      readonly kind: 'items';
      readonly size: number;
      readonly items: Iterable<unknown>;
      readonly pack: (item: unknown) => unknown;
    };

/**
 * The fields of a state, in the order in which its classes list them. The same list saves and loads, so the two
 * cannot disagree. Values are plain data (see `ValueWriter`). Saving keeps references: nothing may change until
 * everything is written.
 */
export interface Fields {
  /** If true, the fields receive saved values; else they provide them. */
  readonly isLoading: boolean;
  /** Returns the new value of the field. */
  value<T>(now: T): T;
  /** Returns the new value of a typed array, which may be large. */
  numbers<T extends NumberArray>(now: T): T;
  /** Like `value`, for a value computed for saving; `now` is called only if saving. */
  made<T>(now: () => T): T;
  /** Saves the entries of a map, or replaces them; the map stays the same object. */
  map<K, V, Plain = V>(map: Map<K, V>, form?: Form<V, Plain>): void;
  set(set: Set<unknown>): void;
  list<T, Plain = T>(list: T[], form?: Form<T, Plain>): void;
}

const asIs = (value: unknown): unknown => value;

/** Collects the values to save. */
export class SavingFields implements Fields {
  readonly isLoading = false;
  readonly slots: Slot[] = [];

  value<T>(now: T): T {
    this.slots.push({ kind: 'value', value: now });
    return now;
  }

  numbers<T extends NumberArray>(now: T): T {
    this.slots.push({ kind: 'numbers', numbers: now });
    return now;
  }

  made<T>(now: () => T): T {
    return this.value(now());
  }

  map<K, V, Plain = V>(map: Map<K, V>, form?: Form<V, Plain>): void {
    const pack = form?.pack as ((value: unknown) => unknown) | undefined;
    const packed = (entry: unknown): unknown => [(entry as [K, V])[0], pack?.((entry as [K, V])[1])];
    this.slots.push({ kind: 'items', size: map.size, items: map, pack: pack === undefined ? asIs : packed });
  }

  set(set: Set<unknown>): void {
    this.slots.push({ kind: 'items', size: set.size, items: set, pack: asIs });
  }

  list<T, Plain = T>(list: T[], form?: Form<T, Plain>): void {
    const pack = (form?.pack ?? asIs) as (item: unknown) => unknown;
    this.slots.push({ kind: 'items', size: list.length, items: list, pack });
  }
}

/** Restores saved values. Throws a RangeError if there are too few. */
export class LoadingFields implements Fields {
  readonly isLoading = true;
  readonly #values: unknown[];
  #at = 0;

  /** @param values what was read for each slot; emptied during loading */
  constructor(values: unknown[]) {
    this.#values = values;
  }

  /** True if every value was assigned to a field. */
  get isAtEnd(): boolean {
    return this.#at === this.#values.length;
  }

  value<T>(_now: T): T {
    return this.#next() as T;
  }

  numbers<T extends NumberArray>(now: T): T {
    const read = this.#next();
    if (read === null || Object.getPrototypeOf(read) !== Object.getPrototypeOf(now))
      throw new RangeError('Not the kind of array that was expected');
    return read as T;
  }

  made<T>(_now: () => T): T {
    return this.#next() as T;
  }

  map<K, V, Plain = V>(map: Map<K, V>, form?: Form<V, Plain>): void {
    map.clear();
    for (const [key, plain] of this.#items() as [K, Plain][])
      map.set(key, form === undefined ? (plain as unknown as V) : form.unpack(plain));
  }

  set(set: Set<unknown>): void {
    set.clear();
    for (const item of this.#items()) set.add(item);
  }

  list<T, Plain = T>(list: T[], form?: Form<T, Plain>): void {
    list.length = 0;
    for (const item of this.#items()) list.push(form === undefined ? (item as T) : form.unpack(item as Plain));
  }

  #items(): unknown[] {
    const items = this.#next();
    if (!Array.isArray(items)) throw new RangeError('Expected a collection');
    return items;
  }

  #next(): unknown {
    if (this.#at >= this.#values.length) throw new RangeError('Fewer fields than expected');
    const value = this.#values[this.#at];
    this.#values[this.#at++] = undefined;
    return value;
  }
}
