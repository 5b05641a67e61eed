import { type CanonicalUrl, UnreadableFileError } from '../../core/index.ts';

/** Header fields that are sent to one host. */
export interface HostAccess {
  /** Scheme and host, with the port if it is not the usual one: `https://example.org`. */
  readonly origin: string;
  readonly name: string;
  readonly value: string;
}

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\x20-\x7e\x80-\xff]+$/;
/** Fields that would break the request, or that have a setting of their own. */
const OWN_FIELDS =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|user-agent|cookie|range|te|upgrade|proxy-.*|if-.*)$/i;

/**
 * Parses an access file: `HOST basic USER:PASSWORD` or `HOST header NAME: VALUE`, one per line. A host without a scheme
 * gets it over https only; `http://HOST` sends it unencrypted.
 * @throws UnreadableFileError `ACCESS_INVALID` that names the first malformed line; never its content
 */
export function parseAccess(text: string, file: string): readonly HostAccess[] {
  return text.split(/\r?\n/).flatMap((raw, i) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const read = readLine(line);
    if (typeof read === 'string') throw malformed(file, i + 1, read);
    return [read];
  });
}

/** Returns the access or what is wrong with the line. */
function readLine(line: string): HostAccess | string {
  const [, host = '', kind = '', rest = ''] = /^(\S+)\s+(basic|header)\s+(.+)$/i.exec(line) ?? [];
  if (host === '') return 'Expected HOST basic USER:PASSWORD, or HOST header NAME: VALUE.';
  const url = URL.parse(host.includes('://') ? host : `https://${host}`);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.username !== '' ||
    url.search !== ''
  )
    return 'Expected a host name, or http://HOST, in the first field.';
  const { origin } = url;
  if (kind.toLowerCase() === 'basic') {
    if (!rest.includes(':')) return 'Expected USER:PASSWORD behind "basic".';
    return { origin, name: 'authorization', value: `Basic ${Buffer.from(rest).toString('base64')}` };
  }
  const colon = rest.indexOf(':');
  const [name, value] = [rest.slice(0, Math.max(0, colon)).trim(), rest.slice(colon + 1).trim()];
  if (colon < 0 || !FIELD_NAME.test(name) || !FIELD_VALUE.test(value)) return 'Expected NAME: VALUE behind "header".';
  if (OWN_FIELDS.test(name)) return `The header ${name} cannot be set here.`;
  return { origin, name: name.toLowerCase(), value };
}

function malformed(file: string, line: number, message: string): UnreadableFileError {
  return new UnreadableFileError({
    code: 'ACCESS_INVALID',
    message: `${file}, line ${line}: ${message}`,
    hint: 'Correct the file. Nothing was fetched.',
  });
}

/** The header fields that the user sends to some hosts. They are never recorded. */
export class AccessList {
  readonly #fields = new Map<string, string[]>();

  constructor(entries: readonly HostAccess[]) {
    for (const { origin, name, value } of entries) {
      const fields = this.#fields.get(origin) ?? [];
      fields.push(name, value);
      this.#fields.set(origin, fields);
    }
  }

  /** Returns the fields for a URL: name, value, name, value, … */
  fieldsFor(url: CanonicalUrl): readonly string[] {
    if (this.#fields.size === 0) return NONE;
    return this.#fields.get(url.slice(0, url.indexOf('/', 8))) ?? NONE;
  }
}

const NONE: readonly string[] = [];
