/**
 * Returns a copy of a text that shares no memory with it. A substring keeps the whole original string alive, so a
 * table of URLs would keep the links of every page from which one of them came.
 */
export function ownCopy(text: string): string {
  return text === '' ? '' : Buffer.from(text).toString();
}
