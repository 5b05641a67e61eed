import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Reader } from './support/shell.ts';
import { missingLine, readSteps } from './support/tutorial.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const tutorials = [...readdirSync(DOCS).filter((name) => /^tutorial-.*\.md$/.test(name)), 'focus-queries.md'];

describe('a tutorial, or the queries of the Focus papers:', () => {
  it.concurrent.each(tutorials)('%s runs as written in an empty folder', async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'bingo-tutorial-'));
    const reader = new Reader(folder);
    try {
      const steps = readSteps(join(DOCS, name));
      expect(steps.length).toBeGreaterThan(5);
      for (const step of steps) await reader.follow(step, name);
    } finally {
      await reader.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});

/** Commands of the README that need the network, or run the tests. */
const NEEDS_MORE = /^npx bingo crawl bikes|^npx bingo search bikes|^npm ci && npm test$/;

describe('the README', () => {
  it('shows commands that run as written, as far as they need no network', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bingo-readme-'));
    const reader = new Reader(folder);
    try {
      const steps = readSteps(join(DOCS, '../README.md')).filter(({ command }) => !NEEDS_MORE.test(command));
      expect(steps.map(({ command }) => command.split(' ', 3).join(' '))).toEqual(['npm ci &&', 'npx bingo init']);
      for (const step of steps) await reader.follow(step, 'README.md');
    } finally {
      await reader.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});

describe('a reader of a document', () => {
  it.each([
    ['```console\n$ ls missing\n```', 'It ended with 2.'],
    ['```console\n$ echo a\nb\n```', 'The document shows: b'],
    ['```sh\ntrue\n(exit 3)\n```', 'It ended with 3.'],
    ['```console\n$ cat <<END\nx\nEND\nx\n```', undefined],
  ])('fails if a command fails, or prints something else: %j', async (text, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'bingo-reader-'));
    const reader = new Reader(folder);
    writeFileSync(join(folder, 'text.md'), text);
    const follow = async (): Promise<void> => {
      for (const step of readSteps(join(folder, 'text.md'))) await reader.follow(step, 'text.md');
    };
    try {
      if (message === undefined) await follow();
      else await expect(follow()).rejects.toThrow(message);
    } finally {
      await reader.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
  it.each([
    [['3 pages in 16s'], '3 pages in 2s\n', undefined],
    [['a  10'], 'a 12', undefined],
    [['a  10'], 'a 17', 'a  10'],
    [['…', 'b'], 'a\nb', undefined],
    [['a', '…'], 'a\nb', undefined],
    [['a'], 'a\nb', 'nothing, but the output continues: b'],
    [['a', 'b'], 'a\nc\nb', 'b'],
    [['a … z'], 'a b c z', undefined],
  ])('compares %j with %j', (shown, output, missing) => {
    expect(missingLine(shown, output)).toBe(missing);
  });
});
