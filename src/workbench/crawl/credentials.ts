import { isAbsolute, join } from 'node:path';
import { type Config, UnreadableFileError } from '../../core/index.ts';
import { type Credentials, parseAccess, parseCookiesTxt } from '../../fetch/index.ts';
import { FILE_LIMITS, isTooLarge, readBounded } from '../workspace/bounded-file.ts';

/**
 * Reads the cookies and passwords that the settings name. They are kept in memory only.
 * @param dir folder that the paths are relative to
 * @returns `undefined` if the settings name none
 * @throws UnreadableFileError `COOKIES_INVALID`, `ACCESS_INVALID`, with the line
 */
export function readCredentials(dir: string, { cookies, access }: Config['network']): Credentials | undefined {
  if (cookies === '' && access === '') return undefined;
  return {
    cookies: cookies === '' ? [] : parseCookiesTxt(read(dir, cookies, 'COOKIES_INVALID'), cookies, Date.now()),
    access: access === '' ? [] : parseAccess(read(dir, access, 'ACCESS_INVALID'), access),
  };
}

function read(dir: string, path: string, code: string): string {
  try {
    return readBounded(isAbsolute(path) ? path : join(dir, path), FILE_LIMITS.list).toString('utf8');
  } catch (cause) {
    if (isTooLarge(cause)) throw cause;
    const hint = 'Correct the path: it is relative to the workspace.';
    throw new UnreadableFileError({ code, message: `Cannot read ${path}: ${(cause as Error).message}`, hint, cause });
  }
}
