import { expect, test } from 'vitest';
import { answerLines } from '../../src/cli/explain/url-answer.ts';
import type { CanonicalUrl, PageRole } from '../../src/core/index.ts';
import type { Explanation } from '../../src/meta/index.ts';
import type { Store, UrlFacts } from '../../src/store/index.ts';
import { answerFor } from '../../src/workbench/explain/url-answer.ts';
import { paint } from '../../src/workbench/words/terminal.ts';

async function linesOn(url: CanonicalUrl, facts: UrlFacts): Promise<readonly string[]> {
  const store = { lookup: async () => facts } as unknown as Store;
  return answerLines(await answerFor(store, url, {}), paint(false), Number.POSITIVE_INFINITY);
}

test('international addresses are shown in their own script', async () => {
  const url = 'http://xn--e1afmkfd.xn--p1ai/%D0%B2%D0%B5%D0%BB%D0%BE' as CanonicalUrl;
  const linkedFrom = [{ sequence: 1, url: `${url}/%D0%B0`, anchor: '', role: 'crawled' as const, nofollow: false }];
  const facts: UrlFacts = { page: undefined, as: undefined, visits: [], linkedFrom, hostTrouble: undefined };
  const lines = await linesOn(url, facts);
  expect(lines[0]).toBe('http://пример.рф/вело');
  expect(lines).toContain('  http://пример.рф/вело/а  ""');
});

test('says that a kernel decided, and whose terms are shown', async () => {
  const explanation = { topic: 'bikes', for: [], against: [], votes: [], threshold: 0.9 } as unknown as Explanation;
  const facts: UrlFacts = { page: undefined, as: undefined, visits: [], linkedFrom: [], hostTrouble: undefined };
  const answer = await answerFor(
    { lookup: async () => facts } as unknown as Store,
    'http://a.test/' as CanonicalUrl,
    {},
  );
  const lines = (kernel: object) =>
    answerLines({ ...answer, explanation: { ...explanation, ...kernel } }, paint(false), Number.POSITIVE_INFINITY);
  const note = '  The kernel rbf decided. These terms are those of a linear SVM beside it:';
  expect(lines({ kernel: 'rbf' })).toContain(note);
  expect(lines({})).not.toContain(note);
});

/**
 * Returns the explanation of an unfetched address by the pages that link to it: their nofollow marks, or their roles.
 */
async function told(...pages: readonly (boolean | PageRole)[]): Promise<string> {
  const linkedFrom = pages.map((page, i) => ({
    ...{ sequence: i + 1, url: `http://a.test/${i}`, anchor: '' },
    role: typeof page === 'string' ? page : ('crawled' as const),
    nofollow: page === true,
  }));
  const facts: UrlFacts = { page: undefined, as: undefined, visits: [], linkedFrom, hostTrouble: undefined };
  const [, reason = ''] = await linesOn('http://b.test/' as CanonicalUrl, facts);
  return reason;
}

test('explains a link that all pages mark as nofollow', async () => {
  expect(await told(true)).toBe(
    'It was not fetched: the one stored page that links to it asks not to follow the link (nofollow).',
  );
  expect(await told(true, true)).toBe(
    'It was not fetched: the stored pages that link to it ask not to follow the link (nofollow).',
  );
  expect(await told(true, false)).toContain('it still waits in the queue');
});

test('explains a link of pages that are never crawled from', async () => {
  expect(await told('others')).toBe(
    'It was not fetched: the one stored page that links to it is one of OTHERS, whose links are never followed.',
  );
  expect(await told('others', 'others')).toContain(
    'the stored pages that link to it are of OTHERS, whose links are never followed.',
  );
  expect(await told('others', true)).toContain(
    'whose links are never followed, or ask not to follow the link (nofollow).',
  );
  expect(await told('others', 'crawled')).toContain('it still waits in the queue, or the focus rule');
  expect(await told('others', 'example')).toContain(
    'or the topic that the page exemplifies starts at its seeds alone, or',
  );
});
