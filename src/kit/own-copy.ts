/**
 * A copy of a text that shares no memory with it. A string cut out of a longer one keeps the whole of it alive, and so a table of
 * URLs the links of every page that one of them came from.
 */
export function ownCopy(text: string): string {
  return text === '' ? '' : Buffer.from(text).toString();
}
