import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/core/index.ts';
import { type AnalyzerSettings, analyzerSettings } from '../../src/engine/index.ts';
import { AnalysisCache, codeDigest, pruneCache } from '../../src/lab/run/analysis-cache.ts';

let dir = '';
let root = '';
const SETTINGS = analyzerSettings(DEFAULTS);
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-cache-'));
  root = mkdtempSync(join(dir, 'root-'));
  writeFileSync(join(dir, 'w.warc.gz'), 'one');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const open = (settings: AnalyzerSettings = SETTINGS, code = 'code'): AnalysisCache =>
  new AnalysisCache(root, join(dir, 'w.warc.gz'), settings, code);

describe('AnalysisCache', () => {
  test('returns what was written for the same key', () => {
    open().write(0, [['http://a.test/' as never, { kind: 'unusable', reason: 'empty', detail: '' }]]);

    expect(open().has(0)).toBe(true);
    expect(open().has(1)).toBe(false);
    expect(open().read(0)).toEqual([['http://a.test/', { kind: 'unusable', reason: 'empty', detail: '' }]]);
  });

  test('other settings, other code or another file never use old analyses', () => {
    open().write(0, []);

    expect(open({ ...SETTINGS, analyze: { ...SETTINGS.analyze, pairWindow: 99 } }).has(0)).toBe(false);
    expect(open({ ...SETTINGS, learn: { ...SETTINGS.learn, spaces: ['terms', 'pairs'] } }).has(0)).toBe(false);
    expect(open(SETTINGS, 'new code').has(0)).toBe(false);
    writeFileSync(join(dir, 'w.warc.gz'), 'another one');
    expect(open().has(0)).toBe(false);
  });

  test('the digest of the code is stable while the code is', () => {
    expect(codeDigest()).toBe(codeDigest());
    expect(codeDigest()).toMatch(/^[0-9a-f]{16}$/);
  });

  test('entries unused for a day are removed, used ones are kept', () => {
    open(SETTINGS, 'kept').write(0, []);
    open(SETTINGS, 'old').write(0, []);
    const days = new Date(Date.now() - 3 * 86_400_000);
    for (const name of readdirSync(root)) utimesSync(join(root, name), days, days);
    open(SETTINGS, 'kept').touch();

    pruneCache(root, Date.now());

    expect(readdirSync(root)).toHaveLength(1);
    expect(open(SETTINGS, 'kept').has(0)).toBe(true);
  });
});
