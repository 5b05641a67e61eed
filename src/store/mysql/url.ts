import { UsageError } from '../../core/index.ts';

/** What `store.url` is, for messages. */
export const STORE_URL = 'sqlite or mysql://user:password@host:port/database';
/** How it is written right. */
export const STORE_URL_HINT: string =
  'For example mysql://bingo:secret@127.0.0.1:3306/bingo. In a password write @ as %40, / as %2F, # as %23, ? as %3F, : as %3A and % as %25; ' +
  'nothing follows the database.';

/** The URL without its password, for messages. */
export function mysqlPlace(url: string): string {
  const { username, host, pathname } = parseMysqlUrl(url);
  return `mysql://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** @throws UsageError when the URL names no server or no database */
export function parseMysqlUrl(text: string): URL {
  if (!isMysqlUrl(text)) throw new UsageError(`Expected store.url to be ${STORE_URL}.`, STORE_URL_HINT);
  return new URL(text);
}

/**
 * True for a URL that names a server and a database, and nothing else: in a password that is not encoded, a slash would begin the name of
 * the database, and a question mark parameters, of which there are none.
 */
export function isMysqlUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^(mysql|mariadb):$/.test(url.protocol) &&
    url.hostname !== '' &&
    /^\/[^/@\s]+$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === ''
  );
}
