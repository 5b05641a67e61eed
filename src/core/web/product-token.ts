/** Returns our name for robots.txt: letters, `-` and `_` at the start of the User-Agent, in lower case. */
export function productToken(userAgent: string): string {
  return (/^[A-Za-z_-]*/.exec(userAgent)?.[0] ?? '').toLowerCase();
}
