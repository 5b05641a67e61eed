import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UrlLists } from '../../src/crawl/index.ts';

const url = fc
  .tuple(fc.constantFrom('http://a.test', 'https://b.test:8080', 'https://c.test'), fc.webPath())
  .map(([o, p]) => `${o}/${p}`);
const urls = fc.array(url, { maxLength: 6 }).map((list) => list.join('\n'));

test('restores lists of URLs, whatever was stored and released since', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(urls, fc.nat({ max: 10 })), { maxLength: 60 }), (steps) => {
      const lists = new UrlLists();
      const kept: { id: number; text: string }[] = [];
      for (const step of steps) {
        if (typeof step === 'string') kept.push({ id: lists.keep(step), text: step });
        else for (const { id } of kept.splice(step, 1)) lists.release(id);
        expect(kept.map(({ id }) => lists.text(id))).toEqual(kept.map(({ text }) => text));
      }
    }),
    { numRuns: 50 },
  );
});

test('also restores a URL without a path, and text that is not a URL', () => {
  const lists = new UrlLists();
  for (const text of ['http://a.test', 'nonsense', 'x\n\nhttp://a.test/?q=1#/'])
    expect(lists.text(lists.keep(text))).toBe(text);
});
