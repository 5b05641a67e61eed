/**
 * Gives the memory of bytes back at once; they are empty from then on. V8 does not hurry to collect what holds little of its own heap: it
 * lets buffers of 64 MB in each thread wait for their end. Bytes that are a part of something larger are left alone. Nothing outside
 * JavaScript may be at work on them: a stream that still writes them would read freed memory.
 */
export function freeBytes(...all: readonly ArrayBufferView[]): void {
  for (const { buffer, byteLength } of all)
    if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
