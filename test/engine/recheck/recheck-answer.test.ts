import { describe, expect, test } from 'vitest';
import {
  type CanonicalUrl,
  DEFAULTS,
  type FetchOutcome,
  hostOf,
  NO_HEADERS,
  type PageHistory,
  type PageRecord,
} from '../../../src/core/index.ts';
import type { Analysis } from '../../../src/engine/ports.ts';
import { type RecheckAnswer, type RecheckWorld, recheckAnswer } from '../../../src/engine/recheck/recheck-answer.ts';
import type { RecheckJob } from '../../../src/engine/state/jobs.ts';
import { at } from '../support/paper-web.ts';

const HOME = at('http://home.example/');
const OTHER = at('http://home.example/other');
const SEQUENCE = 7;
const ORIGIN = { via: 'link', from: '', topic: '' as never, depth: 1, tunnelDepth: 0, priority: 0.5 } as const;

/** A look at the stored page `HOME`, with what is known of it. */
function jobOf(known: Partial<PageHistory> = {}, url: CanonicalUrl = HOME): RecheckJob {
  const recheck = {
    ...{
      sequence: SEQUENCE,
      url: HOME,
      finalUrl: HOME,
      redirects: [],
      host: hostOf(HOME),
      role: 'crawled',
      missing: 0,
    },
    ...{ origin: ORIGIN, contentHash: 'as it was', simhash: [0, 0], etag: '"1"', lastModified: '' },
    ...known,
  } as unknown as PageHistory;
  return { role: 'crawled', recheck, entry: { ...ORIGIN, url, host: hostOf(url), tries: 0, redirects: [] } };
}

function answerOf(
  job: RecheckJob,
  outcome: FetchOutcome,
  { analysis, ...world }: Partial<RecheckWorld> & { readonly analysis?: Analysis } = {},
): RecheckAnswer {
  return recheckAnswer(job, outcome, analysis, {
    ...{
      rules: DEFAULTS.recheck,
      maxTries: 3,
      maxRedirects: 5,
      isBad: () => false,
      isKeptOut: () => false,
      pageOf: () => undefined,
    },
    ...{ duplicateOf: () => undefined, hasNewLinks: () => false, deadEnd: () => undefined },
    ...world,
  });
}

const error = (status: number): FetchOutcome => {
  return { kind: 'failed', url: HOME, retry: 'never', reason: 'http', detail: '', status, fetchedAt: 0 };
};
const sent = (target: CanonicalUrl, status: 301 | 302): FetchOutcome => {
  return { kind: 'redirected', url: HOME, target, status, permanent: status === 301, fetchedAt: 0 };
};
const page = (url: CanonicalUrl, etag = ''): FetchOutcome => {
  const rest = { status: 200, body: new Uint8Array(9), address: '', fetchedAt: 0, durationMs: 0 };
  return { kind: 'fetched', url, headers: { ...NO_HEADERS, etag }, ...rest };
};
const withText = (contentHash: string): { analysis: Analysis } => {
  const document = { contentHash, simhash: [-1, -1], noindex: false } as unknown as PageRecord['document'];
  return { analysis: { kind: 'analyzed', document } as Analysis };
};

describe('an unavailable page', () => {
  test('is gone at once if its server says so', () => {
    expect(answerOf(jobOf(), error(410))).toMatchObject({ end: 'gone', record: { result: 'gone', status: 410 } });
  });

  test('is missed before it is gone if its server does not know it', () => {
    const looked = (missing: number) => answerOf(jobOf({ missing }), error(404));
    expect(looked(0)).toMatchObject({ end: 'failed', record: { result: 'missing', retried: false } });
    expect(looked(DEFAULTS.recheck.goneAfter - 2)).toMatchObject({ end: 'failed', record: { result: 'missing' } });
    expect(looked(DEFAULTS.recheck.goneAfter - 1)).toMatchObject({ end: 'gone', record: { result: 'gone' } });
  });
});

describe('a page with the same text', () => {
  test('is then requested with the newest name of its version', () => {
    const record = { result: 'unchanged', reason: 'same-content', version: { etag: '"2"', lastModified: '' } };
    expect(answerOf(jobOf(), page(HOME, '"2"'), withText('as it was'))).toMatchObject({ end: 'unchanged', record });
    const same = answerOf(jobOf(), page(HOME, '"1"'), withText('as it was'));
    expect(same).not.toHaveProperty('record.version');
  });
});

describe('a page with another text', () => {
  test('is a new version', () => {
    expect(answerOf(jobOf(), page(HOME), withText('anew'))).toMatchObject({ kind: 'version' });
  });

  test('is gone if another page has that text', () => {
    const answer = answerOf(jobOf(), page(HOME), { ...withText('anew'), duplicateOf: () => 3 });
    expect(answer).toMatchObject({ end: 'gone', record: { result: 'duplicate', url: HOME, page: 3 } });
  });

  test('is not a copy of itself, with an earlier text or at its new URL', () => {
    const itself = { duplicateOf: () => SEQUENCE };
    expect(answerOf(jobOf(), page(HOME), { ...withText('anew'), ...itself })).toMatchObject({ kind: 'version' });
    const moved = answerOf(jobOf({}, OTHER), page(OTHER), { ...withText('as it was'), ...itself });
    expect(moved).toMatchObject({ kind: 'version' });
  });
});

describe('a page that moved permanently', () => {
  test('is requested at its new URL', () => {
    expect(answerOf(jobOf(), sent(OTHER, 301))).toMatchObject({
      record: { result: 'redirected', reason: 'permanent', target: OTHER },
      next: { entry: { url: OTHER, redirects: [HOME] } },
    });
  });

  test('to a stored page is that page from then on, without a request', () => {
    const answer = answerOf(jobOf(), sent(OTHER, 301), { pageOf: () => 3 });
    expect(answer).toMatchObject({ end: 'moved', record: { reason: 'merged', target: OTHER } });
    expect(answer).not.toHaveProperty('next');
  });

  test('has not moved if only a temporary redirect leads to the permanent one', () => {
    const first = answerOf(jobOf(), sent(OTHER, 302));
    expect(first).toMatchObject({ kind: 'again', job: { entry: { url: OTHER } } });
    const job = first.kind === 'again' ? first.job : jobOf();
    const target = at('http://home.example/login');
    const second = answerOf(job, { ...sent(target, 301), url: OTHER });
    expect(second).toMatchObject({ kind: 'again', job: { entry: { url: target, redirects: [] } } });
  });
});
