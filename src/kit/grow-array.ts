import { freeBytes } from './free-bytes.ts';

/** Factor by which a full table grows. */
export const GROWTH = 1.5;

/** Copies the content of `old` to the start of `into` and empties `old`. Returns `into`. */
export function grown<
  A extends Int32Array | Uint32Array | Uint16Array | Uint8Array | Int8Array | Float32Array | Float64Array,
>(old: A, into: A): A {
  into.set(old);
  freeBytes(old);
  return into;
}
