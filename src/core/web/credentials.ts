/**
 * User names and passwords as they stand in URLs.
 */

/**
 * A user name or a password as the other end wants it: `p%40ss` means `p@ss`. A percent sign that begins no character stands for itself.
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

/**
 * A text for messages, without what may be a password in it: all from the colon behind a user name to the last `@`, since the URL may be
 * wrong just because of what its password is made of.
 */
export function hidePassword(text: string): string {
  return text.replace(/^("?(?:[a-z][a-z0-9+.-]*:?\/+)?[^:@/]*):.*@/is, '$1:…@');
}
