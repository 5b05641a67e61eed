import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CanonicalUrl, DEFAULTS, type FetchedPage, NO_HEADERS } from '../../../src/core/index.ts';
import { AnalysisPool, analyzerSettings } from '../../../src/engine/index.ts';
import { encodeModels } from '../../../src/meta/index.ts';
import { pdfOf } from '../../convert/office-files.ts';
import { DATABASES, EVERYDAY, example, train } from '../../meta/topics.ts';

const LIMIT_MS = 5_000;
const settings = analyzerSettings({ ...DEFAULTS, analyze: { ...DEFAULTS.analyze, timeoutMs: LIMIT_MS } });

/** Documents that keep their libraries busy for many seconds or forever; found by fuzzing. */
function endless(name: string): Buffer {
  return gunzipSync(readFileSync(new URL(`../../convert/office/${name}.gz`, import.meta.url)));
}

function page(path: string, contentType: string, body: Buffer): FetchedPage {
  const url = `http://x.test/${path}` as CanonicalUrl;
  const headers = { ...NO_HEADERS, contentType };
  return { kind: 'fetched', url, status: 200, headers, body, address: '', fetchedAt: 0, durationMs: 0 };
}

test('a converted document has the canonical URL that its server names', async () => {
  const pool = new AnalysisPool(settings, 1);
  const pdf = page('copies/a.pdf', 'application/pdf', pdfOf('A paper', ['A text.'], 'http://b.test/'));
  const linked = { ...pdf, headers: { ...pdf.headers, link: '</paper.html>; rel="canonical"' } };
  expect(await pool.analyze(linked, 'learning')).toMatchObject({ document: { canonical: 'http://x.test/paper.html' } });
  await pool.close();
});

test('a model that crashes every thread ends the crawl, and costs only the current page', async () => {
  const pool = new AnalysisPool(settings, 1);
  const html = page('a.html', 'text/html', Buffer.from('<title>A page</title><p>A text.'));
  await pool.analyze(html, 'learning');
  pool.setModel(new Uint8Array([1, 2, 3]));
  const codeOf = (error: { code?: string }): string => error.code ?? '';
  await expect.poll(() => pool.analyze(html, 'learning').then(() => '', codeOf)).toBe('ANALYSIS_FAILED');
  await pool.close();
});

test('crawls that share threads have models of their own', async () => {
  const pool = new AnalysisPool(settings, 1);
  const [first, second] = [pool.branch(), pool.branch()];
  const html = page('a.html', 'text/html', Buffer.from('<title>A database</title><p>A transaction index query.'));
  const topicBy = async (analyzer: Pick<AnalysisPool, 'analyze'>): Promise<string | undefined> => {
    const analysis = await analyzer.analyze(html, 'harvesting');
    return analysis.kind === 'analyzed' ? analysis.assignment?.topic : analysis.reason;
  };
  const storage = ['index query disk', 'transaction disk index'].map((text) => example('storage', text));
  first.setModel(encodeModels(train([{ name: 'databases' }], [...DATABASES, ...EVERYDAY]).models));
  second.setModel(encodeModels(train([{ name: 'storage' }], [...storage, ...EVERYDAY]).models));
  expect([await topicBy(first), await topicBy(second), await topicBy(pool)]).toEqual([
    'databases',
    'storage',
    undefined,
  ]);
  await first.close();
  expect(await topicBy(second)).toBe('storage');
  await pool.close();
});

/** Converters that run as children of this process. */
function converters(): string[] {
  const all = execFileSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return all.split('\n').filter((line) => line.includes('convert-worker'));
}

describe('documents that never finish', () => {
  let pool: AnalysisPool;
  beforeAll(() => {
    pool = new AnalysisPool(settings, 1);
  });
  afterAll(() => pool.close());

  test.each([
    // A fast machine finishes this one within the limit.
    ['endless.pdf', 'application/pdf', /^(timeout|damaged)$/],
    ['endless.doc', 'application/msword', /^timeout$/],
  ])('%s is marked, pages behind it do not wait, and no process is left spinning', async (name, type, reason) => {
    await pool.analyze(page('warm.pdf', 'application/pdf', pdfOf('t', ['warm'], 'http://b.test/')), 'learning');
    const late = pool.analyze(page(name, type, endless(name)), 'learning');
    const next = await pool.analyze(
      page('next.html', 'text/html', Buffer.from('<title>Behind it</title><p>A page.')),
      'learning',
    );
    expect(next).toMatchObject({ kind: 'analyzed', document: { title: 'Behind it' } });
    const marked = await late;
    expect(marked).toMatchObject({ kind: 'unusable', reason: expect.stringMatching(reason) });
    const isKilled = marked.kind === 'unusable' && marked.reason === 'timeout';
    if (isKilled) await expect.poll(converters).toEqual([]);
    const after = page('after.pdf', 'application/pdf', pdfOf('It goes on', ['A text.'], 'http://b.test/'));
    expect(await pool.analyze(after, 'learning')).toMatchObject({ document: { title: 'It goes on' } });
  });

  test('end with their process, even without a parent to end it', async () => {
    const file = new URL('../../../dist/convert-worker.js', import.meta.url);
    const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    await once(child, 'message');
    const limits = {
      maxPdfPages: 20,
      maxTextChars: 200_000,
      maxHtmlChars: 200_000,
      maxInflatedBytes: 4_000_000,
      maxMembers: 50,
    };
    const document = { bytes: endless('endless.doc'), contentType: 'application/msword', url: 'http://x.test/x.doc' };
    child.send({ id: 1, ...document, limits, timeoutMs: 500 });
    expect(await once(child, 'exit')).toEqual([null, 'SIGVTALRM']);
  });
});

describe('a suspended process', () => {
  let pool: AnalysisPool;
  beforeAll(() => {
    const hasty = { ...DEFAULTS, analyze: { ...DEFAULTS.analyze, timeoutMs: 2000 } };
    pool = new AnalysisPool(analyzerSettings(hasty), 1);
  });
  afterAll(() => pool.close());

  const pdf = page('a.pdf', 'application/pdf', pdfOf('A document', ['A text.'], 'http://b.test/'));
  const html = page('a.html', 'text/html', Buffer.from('<title>A page</title><p>A text.'));

  test.each([
    ['page', html],
    ['document', pdf],
  ])('by Ctrl-Z or a sleeping laptop does not fail any %s', async (_, asleep) => {
    // Thread and child have started, so the answer arrives before anyone reads it.
    await expect.poll(() => pool.analyze(asleep, 'learning')).toMatchObject({ kind: 'analyzed' });
    const analysis = pool.analyze(asleep, 'learning');
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000);
    expect(await analysis).toMatchObject({ kind: 'analyzed' });
  });
});
