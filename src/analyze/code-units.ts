/** Of a shorter text units are copied one by one: quicker than a call that copies all. */
const SHORT = 64;

/** The memory that was written to last, as bytes: mostly it is the same again, and a view costs as much as a short text. */
let last: { readonly units: Uint16Array; readonly bytes: Buffer } | undefined;

/** A text's code units, in the memory given where they fit in. */
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
