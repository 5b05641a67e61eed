import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PortalSource, writeFolder, writePortal } from '../../../src/postprocess/index.ts';
import { packCounts } from '../../support/pack-counts.ts';
import { row, source, tree } from './portal-source.ts';

const PAGES = 900;

let folder: string;
/** Sequences of pages whose documents were read. */
let read: number[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bingo-portal-again-'));
  read = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A source of so many pages of two topics, without some. */
function pagesOf(count: number, left: ReadonlySet<number> = new Set()): PortalSource {
  return {
    ...source,
    exportPages: async function* () {
      for (let n = 1; n <= count; n++)
        if (!left.has(n))
          yield row(n, n % 2 === 0 ? 'bikes' : 'bikes/touring', { relevance: 1 / n, title: `Page ${n}` });
    },
    histories: async function* () {},
    scoredPages: async () => [],
    training: async () => [],
    words: async (sequences) => {
      read.push(...sequences);
      return new Map(
        sequences.map((n) => [
          n,
          {
            text: `The text of page ${n}.`,
            terms: packCounts([
              ['common', 1],
              [`word${n}`, 2],
            ]),
          },
        ]),
      );
    },
  };
}

async function portal(from: PortalSource): Promise<{ changed: number; written: readonly string[] }> {
  const out = join(folder, 'site');
  const before = inodes(out);
  read = [];
  const { files } = await writeFolder(out, { kind: 'portal' }, (making) =>
    writePortal(from, { tree, title: 'Bikes', before: out }, making),
  );
  const written = [...inodes(out)].filter(([name, inode]) => before.get(name) !== inode).map(([name]) => name);
  return { changed: files.changed, written: written.sort() };
}

/** Files by name: a file that was written has another inode. */
function inodes(out: string): ReadonlyMap<string, number> {
  const entries = readdirSync(join(out, '..'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.startsWith('site/'),
  );
  return new Map(
    entries
      .map((name) => [name, statSync(join(out, '..', name))] as const)
      .flatMap(([name, stat]) => (stat.isFile() ? [[name.slice(5), stat.ino] as const] : [])),
  );
}

/** Sequences that a word finds, by the files of the search. */
function found(word: string): readonly number[] {
  const out = join(folder, 'site');
  const data = <T>(name: string): T => {
    const text = readFileSync(join(out, name), 'utf8');
    return JSON.parse(`[${text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))}]`);
  };
  type Manifest = { readonly all: readonly number[]; readonly shards: readonly string[]; readonly block: number };
  const [{ all, shards, block }] = data<[Manifest]>('index/manifest.js');
  const lines = shards.flatMap((_, i) => data<[number, string]>(`index/${i}.js`)[1].split('\n'));
  const postings: string = lines.find((line) => line.startsWith(`${word}\t`))?.split('\t')[1] ?? '';
  const numbers: number[] = [];
  for (const [, step] of postings.matchAll(/([0-9a-z]+)[A-Z]/g))
    numbers.push((numbers.at(-1) ?? -1) + Number.parseInt(step!, 36));
  const isShown = (number: number): boolean =>
    all.some((from, i) => i % 2 === 0 && number >= from && number < all[i + 1]!);
  return numbers
    .filter(isShown)
    .map((number) =>
      Number(
        /\d+/.exec(data<[number, string[][]]>(`pages/${Math.floor(number / block)}.js`)[1][number % block]![0]!)![0],
      ),
    )
    .sort((a, b) => a - b);
}

describe('a portal that is written again', () => {
  test('reads no document and writes no file if nothing changed', async () => {
    await portal(pagesOf(PAGES));
    expect(read).toHaveLength(PAGES);
    const { changed, written } = await portal(pagesOf(PAGES));
    expect(read).toEqual([]);
    expect(changed).toBe(0);
    expect(written.filter((name) => name !== '.portal-state' && name !== 'bingo-folder.json')).toEqual([]);
  });

  test('writes only the files of a page that left, and does not find it', async () => {
    await portal(pagesOf(PAGES));
    expect(found('word900')).toEqual([900]);
    // The least relevant page of its topic.
    const { written } = await portal(pagesOf(PAGES, new Set([900])));
    expect(read).toEqual([]);
    expect(found('word900')).toEqual([]);
    expect(found('word899')).toEqual([899]);
    expect(found('common')).toHaveLength(PAGES - 1);
    expect(written.filter((name) => name.startsWith('index/'))).toEqual(['index/facets.js', 'index/manifest.js']);
    expect(written.filter((name) => name.startsWith('pages/'))).toHaveLength(1);
    expect(written.filter((name) => name.startsWith('all/bikes-touring'))).toEqual([]);
  });

  test('reads only documents of new pages, and finds them', async () => {
    await portal(pagesOf(PAGES));
    const { written } = await portal(pagesOf(PAGES + 3, new Set([5])));
    expect(read.toSorted()).toEqual([901, 902, 903]);
    expect(found('word902')).toEqual([902]);
    expect(found('common')).toHaveLength(PAGES + 2);
    expect(written.filter((name) => name.startsWith('pages/'))).toHaveLength(2);
  });

  test('numbers all pages again if a fifth of the numbers is unused', async () => {
    await portal(pagesOf(PAGES));
    await portal(pagesOf(PAGES, new Set(Array.from({ length: 300 }, (_, i) => 3 * i + 1))));
    expect(read).toHaveLength(600);
    expect(found('common')).toHaveLength(600);
  });

  test('takes no file that was changed since', async () => {
    await portal(pagesOf(20));
    rmSync(join(folder, 'site', 'index', '0.js'));
    await portal(pagesOf(20));
    expect(found('common')).toHaveLength(20);
  });
});
