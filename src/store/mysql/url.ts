import { UsageError } from '../../core/index.ts';

/** The URL without its password, for messages. */
export function mysqlPlace(url: string): string {
  const { username, host, pathname } = parseMysqlUrl(url);
  return `mysql://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** @throws UsageError when the URL names no server or no database */
export function parseMysqlUrl(text: string): URL {
  const url = URL.parse(text);
  const isWhole =
    url !== null && /^(mysql|mariadb):$/.test(url.protocol) && url.hostname !== '' && url.pathname.length > 1;
  if (!isWhole)
    throw new UsageError(
      'Expected store.url to be "sqlite" or mysql://user:password@host:port/database.',
      'For example: mysql://bingo:secret@127.0.0.1:3306/bingo',
    );
  return url;
}
