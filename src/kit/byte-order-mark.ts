/** Returns a text without its leading byte order mark, which some programs write. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
