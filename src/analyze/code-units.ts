/** Of a shorter text units are copied one by one: quicker than a call that copies all. */
const SHORT = 64;

/** A text's code units, in the memory given where they fit in. */
export function codeUnits(text: string, memory: Uint16Array<ArrayBuffer>): Uint16Array<ArrayBuffer> {
  const units = text.length <= memory.length ? memory : new Uint16Array(2 * text.length);
  if (text.length < SHORT) for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  else Buffer.from(units.buffer).write(text, 'utf16le');
  return units;
}
