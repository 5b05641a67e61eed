import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gzippedWarc } from '../lab/support/warc-writer.ts';
import { archivedUrl, archiveWorkspace, bikeArchive } from '../support/bike-archive.ts';
import { run } from './support/captured-io.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bingo-first-'));
  writeFileSync(join(root, 'results.txt'), `${archivedUrl('bikes', 5)}\n${archivedUrl('bikes', 0)}\n`);
  writeFileSync(join(root, 'bikes.warc.gz'), gzippedWarc(bikeArchive()));
});
afterAll(() => rmSync(root, { recursive: true }));

describe('first pages from a search service', () => {
  it('become examples of a new workspace', async () => {
    const dir = join(root, 'made');
    const { code, err } = await run([
      'init',
      dir,
      '--query',
      'bicycles',
      '--search-service',
      `file:${join(root, 'results.txt')}`,
    ]);
    expect([code, err]).toEqual([0, expect.stringContaining(archivedUrl('bikes', 5))]);
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toMatch(
      /query: bicycles\n +examples:\n +- https:\/\/bikes\.example\.org\/5\n/,
    );
  });

  it('become seeds of a crawl, without those that bingo.yaml has', async () => {
    const dir = join(root, 'crawled');
    await run(['init', dir, '--query', 'x', '--seed', 'https://x.example/']);
    writeFileSync(
      join(dir, 'bingo.yaml'),
      archiveWorkspace(`archive: { source: archive, files: [${join(root, 'bikes.warc.gz')}] }`),
    );

    const { code, err } = await run([
      'crawl',
      dir,
      '--budget',
      '4',
      '--learn',
      '2',
      '--search-service',
      `file:${join(root, 'results.txt')}`,
    ]);

    expect([code, err]).toEqual([
      0,
      expect.stringContaining(`Start pages of bikes for "bikes": ${archivedUrl('bikes', 5)}\n`),
    ]);
    expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toMatch(
      /seeds:\n? *-? ?\[? ?https:\/\/bikes\.example\.org\/5/,
    );
    expect((await run(['why', dir, archivedUrl('bikes', 5)])).out).toContain('bikes page 5');
  });

  it('need words, and a service that exists', async () => {
    const wordless = await run(['init', join(root, 'a'), '--topic', 'x', '--search-service', 'openalex']);
    const unknown = await run(['init', join(root, 'b'), '--query', 'x', '--search-service', 'altavista']);
    expect([wordless.code, unknown.code]).toEqual([2, 2]);
    expect(wordless.err).toContain('Add --query');
    expect(unknown.err).toContain('openalex');
  });
});

describe('crawl.languages', () => {
  it('keeps pages of other languages out, says why, and fetches them once the setting allows it', async () => {
    const dir = join(root, 'languages');
    const pages = bikeArchive().map((page) =>
      page.url === archivedUrl('bikes', 3)
        ? {
            ...page,
            body: `<html lang=fr><title>velo</title><p>${'le vélo et la roue sont dans la rue avec une selle, les pédales et la chaîne pour le voyage '.repeat(8)}</p>`,
          }
        : page,
    );
    const warc = join(root, 'languages.warc.gz');
    writeFileSync(warc, gzippedWarc(pages));
    await run(['init', dir, '--query', 'x', '--seed', 'https://x.example/']);
    writeFileSync(join(dir, 'bingo.yaml'), archiveWorkspace(`archive: { source: archive, files: [${warc}] }`));

    await run(['crawl', dir, '--budget', '20', '--set', 'crawl.languages=en']);
    const kept = await run(['why', dir, archivedUrl('bikes', 3)]);
    await run(['crawl', dir, '--budget', '22', '--set', 'crawl.languages=en,fr']);
    const fetched = await run(['why', dir, archivedUrl('bikes', 3)]);

    expect(kept.out).toContain('it is in fr, crawl.languages has en');
    expect(fetched.out).toMatch(/title +velo/);
    const wrong = await run(['crawl', dir, '--set', 'crawl.languages=english']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('a language code such as en or pt')]);
  });
});

describe('crawl.feeds', () => {
  it('follows feeds that a page names in its head, only if set', async () => {
    const body =
      '<html lang=en><link rel=alternate type="application/rss+xml" title="wheel news" href="/feed"><title>bicycle wheel</title><p>bicycle wheel saddle pedal chain gear frame rider touring bicycle';
    const feed =
      '<rss version="2.0"><channel><title>bicycle</title><item><title>wheel pedal</title><link>https://bikes.example.org/news</link></item></channel></rss>';
    const news =
      '<html lang=en><title>news</title><p>bicycle wheel saddle pedal chain gear frame rider touring derailleur spoke';
    const pages = bikeArchive().map((page) => (page.url === archivedUrl('bikes', 0) ? { ...page, body } : page));
    const warc = join(root, 'feeds.warc.gz');
    writeFileSync(
      warc,
      gzippedWarc([
        ...pages,
        { url: 'https://bikes.example.org/feed', headers: { 'Content-Type': 'application/rss+xml' }, body: feed },
        { url: 'https://bikes.example.org/news', body: news },
      ]),
    );
    const found: string[] = [];
    for (const flags of [[], ['--feeds']]) {
      const dir = join(root, `feeds${flags.length}`);
      await run(['init', dir, '--query', 'x', '--seed', 'https://x.example/']);
      writeFileSync(join(dir, 'bingo.yaml'), archiveWorkspace(`archive: { source: archive, files: [${warc}] }`));
      await run(['crawl', dir, '--budget', '40', ...flags]);
      found.push((await run(['export', dir, '--format', 'jsonl'])).out);
    }
    expect(found[0]).not.toContain('bikes.example.org/news');
    expect(found[1]).toContain('bikes.example.org/news');
  });
});
