import { expect, test } from 'vitest';
import { whyLines } from '../../src/cli/url-answer.ts';
import type { CanonicalUrl } from '../../src/core/index.ts';
import type { Store, UrlFacts } from '../../src/store/index.ts';

test('addresses are shown in their own letters', async () => {
  const url = 'http://xn--e1afmkfd.xn--p1ai/%D0%B2%D0%B5%D0%BB%D0%BE' as CanonicalUrl;
  const linkedFrom = [{ sequence: 1, url: `${url}/%D0%B0`, anchor: '', nofollow: false }];
  const facts: UrlFacts = { page: undefined, as: undefined, visits: [], linkedFrom, hostTrouble: undefined };
  const lines = await whyLines({ lookup: async () => facts } as unknown as Store, url);
  expect(lines[0]).toBe('http://пример.рф/вело');
  expect(lines).toContain('  http://пример.рф/вело/а  ""');
});

/** What is told of an address that was never fetched, by whether each link to it asks not to be followed. */
async function told(...nofollow: readonly boolean[]): Promise<string> {
  const linkedFrom = nofollow.map((asks, i) => ({
    sequence: i + 1,
    url: `http://a.test/${i}`,
    anchor: '',
    nofollow: asks,
  }));
  const facts: UrlFacts = { page: undefined, as: undefined, visits: [], linkedFrom, hostTrouble: undefined };
  const [, reason = ''] = await whyLines(
    { lookup: async () => facts } as unknown as Store,
    'http://b.test/' as CanonicalUrl,
  );
  return reason;
}

test('a link that no page wants followed is told as such, and as nothing else', async () => {
  expect(await told(true)).toBe(
    'It was not fetched: the one stored page that links to it asks not to follow the link (nofollow).',
  );
  expect(await told(true, true)).toBe(
    'It was not fetched: the stored pages that link to it ask not to follow the link (nofollow).',
  );
  expect(await told(true, false)).toContain('it still waits in the queue');
});
