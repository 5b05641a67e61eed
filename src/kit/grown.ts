import { freeBytes } from './free-bytes.ts';

/** A table that is full gets this many times the room. */
export const GROWTH = 1.5;

/** `into` with what `old` holds at its beginning; `old` is empty from then on. */
export function grown<
  A extends Int32Array | Uint32Array | Uint16Array | Uint8Array | Int8Array | Float32Array | Float64Array,
>(old: A, into: A): A {
  into.set(old);
  freeBytes(old);
  return into;
}
