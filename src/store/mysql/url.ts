import { UsageError } from '../../core/index.ts';

/** Forms of `store.url`, for messages. */
export const STORE_URL = 'sqlite or mysql://user:password@host:port/database';
/** Hint on how to write the URL. */
export const STORE_URL_HINT: string =
  'For example mysql://bingo:secret@127.0.0.1:3306/bingo. In a password, write @ as %40, / as %2F, # as %23, ? as %3F, : as %3A and % as %25; ' +
  'The address ends with the database.';

/** Returns the URL without its password, for messages. */
export function mysqlPlace(url: string): string {
  const { username, host, pathname } = parseMysqlUrl(url);
  return `mysql://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** @throws UsageError if the URL has no server or no database */
export function parseMysqlUrl(text: string): URL {
  if (!isMysqlUrl(text)) throw new UsageError(`Expected store.url to be ${STORE_URL}.`, STORE_URL_HINT);
  return new URL(text);
}

/**
 * Returns true for a URL with only a server and a database. In an unencoded password, a slash would start the name of
 * the database and a question mark would start parameters, which are not allowed.
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
