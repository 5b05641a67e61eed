/** A text without the byte order mark that some programs begin it with. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}
