import type { Store } from '../../store/index.ts';
import { suggest } from '../words/suggest.ts';

/** Maximum number of pages whose titles are read. */
const MOST_PAGES = 20_000;
/** Shorter words resemble too many others. */
const WORD = /[\p{L}\p{M}]{4,}/gu;

/**
 * Returns a query without matches, with its words replaced by similar words from titles; `undefined` if no title has
 * any. The search index stores words only as hashes, which cannot be compared. Therefore titles are read, and only if
 * nothing matches.
 */
export async function meantWords(store: Pick<Store, 'exportPages'>, words: string): Promise<string | undefined> {
  const known = await titleWords(store);
  const meant = words.replace(WORD, (word) => (known.has(word.toLowerCase()) ? word : (suggest(word, known) ?? word)));
  return meant === words ? undefined : meant;
}

/** Returns the words in titles of the searched pages, most frequent first. */
async function titleWords(store: Pick<Store, 'exportPages'>): Promise<ReadonlySet<string>> {
  const counts = new Map<string, number>();
  let pages = 0;
  for await (const { title, role } of store.exportPages()) {
    if (role === 'others') continue;
    for (const word of new Set(title.toLowerCase().match(WORD))) counts.set(word, (counts.get(word) ?? 0) + 1);
    if (++pages === MOST_PAGES) break;
  }
  return new Set([...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word));
}
