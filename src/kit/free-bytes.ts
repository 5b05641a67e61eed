/**
 * Frees the memory of buffers at once; they are empty afterwards. V8 is slow to collect buffers, because they take
 * little of its own heap: 64 MB per thread can wait. Views of a larger buffer are left alone. No native code may be
 * using the bytes: a stream that still writes them would access freed memory.
 */
export function freeBytes(...all: readonly ArrayBufferView[]): void {
  for (const { buffer, byteLength } of all)
    if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
