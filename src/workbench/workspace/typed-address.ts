import { type CanonicalUrl, canonicalize, type PageRecord } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { isBareAddress } from './topic-file.ts';

/**
 * Returns the URLs that the user may mean by a typed address: with either scheme if it has none, and with the other
 * scheme if it has one. The likeliest comes first; empty if the text is not a URL.
 */
export function addressForms(text: string): readonly CanonicalUrl[] {
  const bare = text.replace(/^https?:\/\//i, '');
  const isSecureFirst = !/^http:/i.test(text);
  const schemes = isSecureFirst ? ['https', 'http'] : ['http', 'https'];
  if (canonicalize(text) === undefined && !isBareAddress(text)) return [];
  return schemes.map((scheme) => canonicalize(`${scheme}://${bare}`)).filter((url) => url !== undefined);
}

/** Returns the page to which a typed address led; `undefined` if none is stored. */
export async function storedUnder(store: Pick<Store, 'pageOf'>, text: string): Promise<PageRecord | undefined> {
  for (const url of addressForms(text)) {
    const page = await store.pageOf(url);
    if (page !== undefined) return page;
  }
  return undefined;
}
