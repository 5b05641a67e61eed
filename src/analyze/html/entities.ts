export { decodeHTML as decodeText, decodeHTMLAttribute as decodeAttribute } from 'entities/decode';

/** `&CounterClockwiseContourIntegral;` is the longest reference. */
const MAX_REFERENCE_CHARS = 34;

/** Returns the end of a possible reference that starts with the `&` at `at`, after its `;` if it has one. */
export function referenceEnd(text: string, at: number): number {
  let i = at + 1;
  const limit = Math.min(text.length, at + MAX_REFERENCE_CHARS);
  while (i < limit) {
    const c = text.charCodeAt(i);
    const isNameChar = (c >= 48 && c <= 57) || ((c | 32) >= 97 && (c | 32) <= 122) || (c === 35 && i === at + 1);
    if (!isNameChar) return c === 59 || c === 61 ? i + 1 : i;
    i++;
  }
  return i;
}
