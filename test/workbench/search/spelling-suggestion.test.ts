import { expect, test } from 'vitest';
import type { ExportRow } from '../../../src/store/index.ts';
import { meantWords } from '../../../src/workbench/search/spelling-suggestion.ts';

/** A store of pages with these titles; of some the role is another one than `crawled`. */
function storeOf(...titles: readonly (string | readonly [title: string, role: ExportRow['role']])[]) {
  return {
    async *exportPages() {
      for (const given of titles) {
        const [title, role] = typeof given === 'string' ? [given, 'crawled' as const] : given;
        yield { title, role } as ExportRow;
      }
    },
  };
}

test('a word in no title is replaced by the most similar one, then the most frequent', async () => {
  const store = storeOf('Wired networks', 'Wireless networks', 'Wireless cards', 'Wirelass Ltd');
  expect(await meantWords(store, 'wirelss -netwroks')).toBe('wireless -networks');
});

test('words in titles are kept, in any case, as is everything between words', async () => {
  const store = storeOf('Dynamo hubs', 'Touring');
  expect(await meantWords(store, '"DYNAMO  hbus"')).toBe('"DYNAMO  hubs"');
  expect(await meantWords(store, 'Dynamo touring')).toBeUndefined();
});

test('no dissimilar word is proposed, nor for short words, nor from pages not searched', async () => {
  const store = storeOf(['Recipes', 'others'], 'Bicycles', 'Gear');
  expect(await meantWords(store, 'recipse')).toBeUndefined();
  expect(await meantWords(store, 'qwertyuiop gea')).toBeUndefined();
});

test('words in other scripts are corrected, too', async () => {
  expect(await meantWords(storeOf('Беспроводная сеть'), 'беспроводня')).toBe('беспроводная');
});
