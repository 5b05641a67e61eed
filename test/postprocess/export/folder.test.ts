import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { slugOf, slugsOf, writeFolder } from '../../../src/postprocess/index.ts';

let place: string;
let out: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'bingo-folder-'));
  out = join(place, 'out');
});

afterEach(() => rmSync(place, { recursive: true, force: true }));

const write = (text: string, options: { force?: boolean; kind?: 'portal' | 'corpus' } = {}) =>
  writeFolder(out, { kind: 'portal', ...options }, async (folder) => {
    writeFileSync(join(folder, 'page'), text);
    return text.length;
  });

describe('an output folder', () => {
  test('appears once it is complete, with its contents and nothing beside it', async () => {
    expect(await write('new')).toEqual({ content: 3, kept: undefined, files: { all: 2, changed: 2 } });
    expect(readFileSync(join(out, 'page'), 'utf8')).toBe('new');
    expect(readdirSync(place)).toEqual(['out']);
  });

  test('replaces an older one, including removed files', async () => {
    await writeFolder(out, { kind: 'portal' }, async (folder) => writeFileSync(join(folder, 'left'), ''));
    await write('new');
    expect(readdirSync(out).sort()).toEqual(['bingo-folder.json', 'page']);
    expect(readdirSync(place)).toEqual(['out']);
  });

  test('keeps files that the user added, each time it is written again', async () => {
    await write('old');
    writeFileSync(join(out, 'bingo-folder.json'), '{"madeBy":"bingo portal"}');
    mkdirSync(join(out, '.git'));
    writeFileSync(join(out, '.git', 'config'), 'mine');
    writeFileSync(join(out, 'more'), 'mine');
    await write('new');
    await writeFolder(out, { kind: 'portal' }, async (folder) => writeFileSync(join(folder, 'more'), 'made'));
    expect(readdirSync(out).sort()).toEqual(['.git', 'bingo-folder.json', 'more', 'more.before']);
    expect(readFileSync(join(out, '.git', 'config'), 'utf8')).toBe('mine');
    expect(readFileSync(join(out, 'more.before'), 'utf8')).toBe('mine');
    expect(readFileSync(join(out, 'more'), 'utf8')).toBe('made');
    expect(readdirSync(place)).toEqual(['out']);
  });

  test('does not replace a link, even one to a folder', async () => {
    mkdirSync(join(place, 'real'));
    symlinkSync(join(place, 'real'), out);
    await expect(write('new')).rejects.toThrow(`${out} is a link, which would be replaced by a folder.`);
  });

  test('is not changed if writing the new one fails', async () => {
    await write('old');
    const failing = writeFolder(out, { kind: 'portal' }, async () => {
      throw new Error('no luck');
    });
    await expect(failing).rejects.toThrow('no luck');
    expect(readFileSync(join(out, 'page'), 'utf8')).toBe('old');
    expect(readdirSync(place)).toEqual(['out']);
  });

  test('is named if the disk is full, and removed completely', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write' });
    const failing = writeFolder(out, { kind: 'portal' }, () => Promise.reject(full));
    const message = `The folder ${out} could not be written: ENOSPC: no space left on device`;
    await expect(failing).rejects.toMatchObject({ code: 'FOLDER_UNWRITABLE', message, cause: full });
    expect(readdirSync(place)).toEqual([]);
  });

  test('is written even if a process with the same number was killed while writing one', async () => {
    const left = join(place, `out.making-${process.pid}`);
    mkdirSync(left);
    writeFileSync(join(left, 'half'), '');
    await write('new');
    expect(readdirSync(out).sort()).toEqual(['bingo-folder.json', 'page']);
    expect(readdirSync(place)).toEqual(['out']);
  });

  test('may replace an empty one', async () => {
    mkdirSync(out);
    await write('new');
    expect(existsSync(join(out, 'page'))).toBe(true);
  });

  test.each([
    ['of somebody', () => writeFileSync(join(out, 'thesis.txt'), 'years of work')],
    ['of another kind', () => writeFileSync(join(out, 'bingo-folder.json'), '{"madeBy":"bingo corpus"}')],
    ['with a broken mark', () => writeFileSync(join(out, 'bingo-folder.json'), 'null')],
  ])('refuses one %s; with force, keeps it beside the new one', async (_, fill) => {
    mkdirSync(out);
    fill();
    const before = readdirSync(out);
    await expect(write('new')).rejects.toMatchObject({ code: 'USAGE', hint: expect.stringContaining('force') });
    expect(readdirSync(out)).toEqual(before);
    const { kept } = await write('new', { force: true });
    expect(kept).toBe(join(place, 'out.before'));
    expect(readdirSync(kept!)).toEqual(before);
  });

  test('never replaces a workspace or a file', async () => {
    mkdirSync(out);
    writeFileSync(join(out, 'bingo.yaml'), '');
    await expect(write('new', { force: true })).rejects.toMatchObject({ code: 'USAGE' });
    rmSync(out, { recursive: true });
    writeFileSync(out, 'a file');
    await expect(write('new', { force: true })).rejects.toMatchObject({ code: 'USAGE' });
    expect(readFileSync(out, 'utf8')).toBe('a file');
  });
});

describe('file names', () => {
  test.each([
    ['Databases / Recovery', 'databases-recovery'],
    ['Ærø, Straße & Café', 'aero-strasse-cafe'],
    ['../../etc/passwd', 'etc-passwd'],
    ['東京', 'page'],
    ['NUL', 'page-nul'],
    ['x'.repeat(200), 'x'.repeat(60)],
  ])('of %j are safe', (text, slug) => {
    expect(slugOf(text, 'page')).toBe(slug);
  });

  test('of topics in non-Latin script do not change if topics are added before them', () => {
    const few = slugsOf(['東京', '大阪', 'Rechte/Права'], 'topic');
    const more = slugsOf(['京都', 'Rechte/Свободы', '大阪', '東京', 'Rechte/Права'], 'topic');
    for (const [name, slug] of few) expect(more.get(name)).toBe(slug);
    expect(new Set(more.values()).size).toBe(5);
    expect(few.get('東京')).toMatch(/^topic-[a-z0-9]+$/);
  });

  test('stay distinct', () => {
    expect([...slugsOf(['C', 'C++', 'c#', 'c-2'], 'page').values()]).toEqual(['c', 'c-2', 'c-3', 'c-2-2']);
  });
});
