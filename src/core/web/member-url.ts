import type { CanonicalUrl } from '../ids.ts';
import { canonicalize } from './url.ts';

/** Separates the address of an archive from a member's name, as in `http://host/papers.zip!/2003/focus.html`. */
const SEPARATOR = '!/';
const ARCHIVE = /\.(?:zip|tar(?:\.gz)?|tgz)!\//i;

/** Returns true for an archive whose members have their own addresses. */
export function isArchiveUrl(url: string): boolean {
  return /\.(?:zip|tar(?:\.gz)?|tgz)$/i.test(url);
}

/**
 * Returns the address of a member of an archive, also of a nested one; `undefined` if it would not be a URL. Some
 * programs separate folders by backslashes.
 */
export function memberUrl(archive: string, name: string): CanonicalUrl | undefined {
  return canonicalize(archive + SEPARATOR + name.toWellFormed().split(/[/\\]/).map(encodeURIComponent).join('/'));
}

/** Returns the address of the archive that holds a member; `undefined` if the address is not of a member. */
export function archiveOfMember(url: CanonicalUrl): CanonicalUrl | undefined {
  if (!url.includes(SEPARATOR)) return undefined;
  // A host may contain the separator, too.
  const path = url.indexOf('/', url.indexOf('//') + 2);
  const found = ARCHIVE.exec(url.slice(path));
  if (found === null) return undefined;
  return url.slice(0, path + found.index + found[0].length - SEPARATOR.length) as CanonicalUrl;
}
