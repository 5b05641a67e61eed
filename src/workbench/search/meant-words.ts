import type { Store } from '../../store/index.ts';
import { suggest } from '../words/suggest.ts';

/** Pages whose titles are read at the most. */
const MOST_PAGES = 20_000;
/** Shorter words are like too many others. */
const WORD = /[\p{L}\p{M}]{4,}/gu;

/**
 * A question that nothing matches, with words of titles in the place of those that are like them; `undefined` when no title has any.
 * The search index knows words by numbers alone, which are like nothing: so titles are read, and only when nothing was found.
 */
export async function meantWords(store: Pick<Store, 'exportPages'>, words: string): Promise<string | undefined> {
  const known = await titleWords(store);
  const meant = words.replace(WORD, (word) => (known.has(word.toLowerCase()) ? word : (suggest(word, known) ?? word)));
  return meant === words ? undefined : meant;
}

/** Words of the titles of pages that a search looks at, those of most titles first. */
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
