import type { CanonicalUrl } from '../ids.ts';
import { canonicalize } from './url.ts';

/** Parts the address of an archive from the name of a member, as in `http://host/papers.zip!/2003/focus.html`. */
const SEPARATOR = '!/';
const ARCHIVE = /\.(?:zip|tar(?:\.gz)?|tgz)!\//i;

/** True for an address whose archive's members have addresses of their own. */
export function isArchiveUrl(url: string): boolean {
  return /\.(?:zip|tar(?:\.gz)?|tgz)$/i.test(url);
}

/**
 * Address of a member of an archive, or of a member of an archive in it; `undefined` when it would be no URL. Some programs part
 * folders by backslashes.
 */
export function memberUrl(archive: string, name: string): CanonicalUrl | undefined {
  return canonicalize(archive + SEPARATOR + name.toWellFormed().split(/[/\\]/).map(encodeURIComponent).join('/'));
}

/** Address of the archive that must be fetched for a member; `undefined` for an address that is no member's. */
export function archiveOfMember(url: CanonicalUrl): CanonicalUrl | undefined {
  if (!url.includes(SEPARATOR)) return undefined;
  // A host may be called so, too.
  const path = url.indexOf('/', url.indexOf('//') + 2);
  const found = ARCHIVE.exec(url.slice(path));
  if (found === null) return undefined;
  return url.slice(0, path + found.index + found[0].length - SEPARATOR.length) as CanonicalUrl;
}
