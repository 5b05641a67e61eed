/** `into` with what `old` holds at its beginning. */
export function grown<A extends Int32Array | Uint32Array | Uint16Array | Uint8Array | Float64Array>(
  old: A,
  into: A,
): A {
  into.set(old);
  return into;
}
