/** Shorter texts are copied unit by unit, which is faster than a call. */
const SHORT = 64;

/** Bytes of the memory last written to: it is usually the same again, and a new view costs as much as a short text. */
let last: { readonly units: Uint16Array; readonly bytes: Buffer } | undefined;

/** Returns a text's code units, in the given memory if they fit. */
export function codeUnits(text: string, memory: Uint16Array<ArrayBuffer>): Uint16Array<ArrayBuffer> {
  const units = text.length <= memory.length ? memory : new Uint16Array(2 * text.length);
  if (text.length < SHORT) for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  else bytesOf(units).write(text, 'utf16le');
  return units;
}

function bytesOf(units: Uint16Array<ArrayBuffer>): Buffer {
  if (last?.units !== units) last = { units, bytes: Buffer.from(units.buffer) };
  return last.bytes;
}
