import { Cookie } from 'tough-cookie';
import { type Mistake, UnreadableFileError } from '../../core/index.ts';

/** Fields of a line: domain, subdomains, path, secure, expiry, name, value. */
const FIELDS = 7;
const HTTP_ONLY = '#HttpOnly_';
const SENDABLE = /^[!-:<-~]*$/;

/**
 * Parses a cookies.txt file as browsers and curl write it (Netscape format): one cookie per line, seven fields
 * separated by tabs. Expired cookies are left out.
 * @param now ms since 1970
 * @throws UnreadableFileError `COOKIES_INVALID` that names the first malformed line; never its content
 */
export function parseCookiesTxt(text: string, file: string, now: number): readonly Cookie[] {
  const cookies: Cookie[] = [];
  for (const [i, raw] of text.split(/\r?\n/).entries()) {
    const isHttpOnly = raw.startsWith(HTTP_ONLY);
    const line = isHttpOnly ? raw.slice(HTTP_ONLY.length) : raw;
    if (line.trim() === '' || line.startsWith('#')) continue;
    const read = readLine(line.split('\t'));
    if (typeof read === 'string') throw malformed({ file, line: i + 1, message: read });
    const expires =
      read.expires === 'Infinity' || read.expires === null ? Number.POSITIVE_INFINITY : Number(read.expires);
    if (expires > now) cookies.push(read);
  }
  return cookies;
}

/** Returns the cookie, or what is wrong with the line. */
function readLine(fields: readonly string[]): Cookie | string {
  if (fields.length !== FIELDS) return `Expected ${FIELDS} fields separated by tabs, got ${fields.length}.`;
  const [domain = '', subdomains = '', path = '', secure = '', expiry = '', key = '', value = ''] = fields;
  if (!/^\.?[\w.-]+$/.test(domain)) return 'Expected a host name in the first field.';
  if (!/^(?:TRUE|FALSE)$/i.test(subdomains)) return 'Expected TRUE or FALSE in the second field.';
  if (!path.startsWith('/')) return 'Expected a path that begins with / in the third field.';
  if (!/^(?:TRUE|FALSE)$/i.test(secure)) return 'Expected TRUE or FALSE in the fourth field.';
  if (!/^\d{1,12}(?:\.\d+)?$/.test(expiry)) return 'Expected a time in seconds in the fifth field.';
  if (key === '' || !SENDABLE.test(key) || !SENDABLE.test(value))
    return 'Its name or value cannot be sent in a request.';
  const seconds = Number(expiry);
  return new Cookie({
    ...{ key, value, path, domain: domain.replace(/^\./, '').toLowerCase() },
    ...{ hostOnly: /^FALSE$/i.test(subdomains), secure: /^TRUE$/i.test(secure) },
    // 0 means: until the browser ends.
    expires: seconds === 0 ? 'Infinity' : new Date(seconds * 1000),
  });
}

function malformed({ file, line, message }: Mistake): UnreadableFileError {
  return new UnreadableFileError({
    code: 'COOKIES_INVALID',
    message: `${file}, line ${line}: ${message}`,
    hint: 'Export the cookies again in Netscape format (cookies.txt). Nothing was fetched.',
  });
}
