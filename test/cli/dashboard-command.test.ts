import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openInBrowser } from '../../src/cli/browser.ts';
import type { Io } from '../../src/cli/command.ts';
import { makeReporter } from '../../src/cli/crawl/crawl-reporter.ts';
import { fitsDashboard } from '../../src/cli/crawl/dashboard-reporter.ts';
import { openStore } from '../../src/store/index.ts';
import { crawlStatus, page } from '../contracts/store-records.ts';
import { run } from './support/captured-io.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-dashboard-'));
  writeFileSync(
    join(dir, 'bingo.yaml'),
    'topics:\n  - name: databases\n    examples: ["http://a.example/"]\nothers: ["http://b.example/"]\n',
  );
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('bingo dashboard', () => {
  test('says what to run if there is nothing to watch', async () => {
    expect(await run(['dashboard', dir])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`Crawl first: bingo crawl ${dir}\n`),
    });
    const store = await openStore({ url: 'sqlite', workspace: dir, batch: 10, flushMs: 10 });
    await store.close();
    const outcome = await run(['dashboard', dir, '--plain']);
    expect(outcome.code).toBe(2);
    expect(outcome.err).toContain('No crawl is running in this workspace.');
    expect(outcome.err).toContain('bingo crawl ');
  });

  test('opens a finished crawl read-only; without a terminal it prints the final state', async () => {
    const store = await openStore({ url: 'sqlite', workspace: dir, batch: 10, flushMs: 10 });
    store.append({ kind: 'phase', sequence: 1, phase: 'learning', reason: 'long ago', at: 1 });
    await store.flush();
    await store.publish(crawlStatus({ fetched: 7, phase: 'done', elapsedMs: 3000 }));
    await store.close();
    const { code, err } = await run(['dashboard', dir]);
    expect(code).toBe(0);
    expect(err).toMatch(/^done: 7 of 100 pages, .*\nNo crawl is running\. Next:\n {2}bingo status /);
  });

  test('without a terminal, prints new lines until the crawl ends, and leaves out older ones', async () => {
    const store = await openStore({ url: 'sqlite', workspace: dir, batch: 10, flushMs: 10 });
    store.append({ kind: 'phase', sequence: 1, phase: 'learning', reason: 'long ago', at: 1 });
    await store.flush();
    await store.publish(crawlStatus({ fetched: 1, elapsedMs: 3000 }));
    const told: string[] = [];
    const watching = run(['dashboard', dir], { err: (text) => told.push(text) });
    await expect.poll(() => told.join('')).toContain('learning: 1 of 100 pages');
    store.append(page(2, 'http://a.example/'));
    store.append({ kind: 'phase', sequence: 3, phase: 'harvesting', reason: '15 pages fetched', at: 1 });
    await store.flush();
    await store.publish(crawlStatus({ fetched: 2, phase: 'done', elapsedMs: 6000 }));
    const { code, out } = await watching;
    await store.close();
    expect([code, out]).toEqual([0, '']);
    const err = told.join('');
    expect(err).not.toContain('long ago');
    expect(err).toContain('harvesting phase: 15 pages fetched\n');
    expect(err).toMatch(/done: 2 of 100 pages, .*\nNo crawl is running\. Next:\n {2}bingo status /);
  });
});

describe('the dashboard of a crawl', () => {
  const io = (parts: Partial<Io>): Io => ({ stdinIsTerminal: true, stderrIsTerminal: true, env: {}, ...parts }) as Io;

  test('needs a screen and readable keys', () => {
    expect(fitsDashboard(io({}))).toBe(true);
    expect(fitsDashboard(io({ stdinIsTerminal: false }))).toBe(false);
    expect(fitsDashboard(io({ stderrIsTerminal: false }))).toBe(false);
    expect(fitsDashboard(io({ env: { TERM: 'dumb' } }))).toBe(false);
  });

  test('is replaced by plain lines if a screen reader is used', () => {
    const written: string[] = [];
    const aloud = io({ env: { INK_SCREEN_READER: 'true' }, err: (text) => written.push(text) });
    expect(fitsDashboard(aloud)).toBe(false);
    makeReporter(aloud, false).tick(crawlStatus({ fetched: 7, elapsedMs: 5000 }));
    expect(written.join('')).toMatch(/^learning: 7 of 100 pages, [^\u001b]*\n$/);
  });
});

describe('opening a page in the browser', () => {
  test('passes the address to the program that the user chose', async () => {
    expect(await openInBrowser('https://a.example/', { BROWSER: 'true' })).toBe('Opened https://a.example/');
  });

  test('prints the address if no browser starts', async () => {
    expect(await openInBrowser('https://a.example/', { BROWSER: '/no/such/browser' })).toBe(
      'No browser could be started (/no/such/browser). The page: https://a.example/',
    );
  });

  test('opens only web pages', async () => {
    expect(await openInBrowser('file:///etc/passwd', { BROWSER: 'true' })).toBe(
      'Not a page of the web: file:///etc/passwd',
    );
  });
});
