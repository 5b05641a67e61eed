import { type CanonicalUrl, canonicalize } from '../../core/index.ts';
import { isBareAddress } from './topic-file.ts';

/**
 * What a person may mean who types an address of a page that was met before: without https:// either scheme, and with the wrong one the
 * other. The likeliest first; none for what is no address.
 */
export function addressForms(text: string): readonly CanonicalUrl[] {
  const bare = text.replace(/^https?:\/\//i, '');
  const isSecureFirst = !/^http:/i.test(text);
  const schemes = isSecureFirst ? ['https', 'http'] : ['http', 'https'];
  if (canonicalize(text) === undefined && !isBareAddress(text)) return [];
  return schemes.map((scheme) => canonicalize(`${scheme}://${bare}`)).filter((url) => url !== undefined);
}
