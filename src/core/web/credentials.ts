/**
 * User names and passwords as they stand in URLs.
 */

/**
 * Decodes a user name or password from a URL: `p%40ss` means `p@ss`. An invalid escape stays unchanged.
 * @param text a part of a parsed URL
 */
export function decodeCredential(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}

/** True if a URL names a user or a password. Bingo sends neither to a page's host. */
export function hasCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username + url.password !== '';
}

/** What to do about such a URL in a list of pages. */
export const CREDENTIALS_HINT =
  'Remove the user name and the password: Bingo fetches pages without them. Pages behind a login cannot be crawled.';

/**
 * Returns a text for messages with any password removed: everything from the colon after a user name to the last `@`.
 * Works on invalid URLs too, because special characters in a password can be what makes them invalid.
 */
export function hidePassword(text: string): string {
  return text.replace(/^("?(?:[a-z][a-z0-9+.-]*:?\/+)?[^:@/]*):.*@/is, '$1:…@');
}
