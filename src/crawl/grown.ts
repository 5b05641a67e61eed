/** A table that is full gets this many times the room. */
export const GROWTH = 1.5;

/** `into` with what `old` holds at its beginning. */
export function grown<A extends Int32Array | Uint32Array | Uint16Array | Uint8Array | Float32Array | Float64Array>(
  old: A,
  into: A,
): A {
  into.set(old);
  return into;
}
