import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isTar } from '../../src/analyze/signatures.ts';
import { readTar } from '../../src/convert/tar.ts';
import { tarOf } from './office-files.ts';

const isGnu = String(spawnSync('tar', ['--version']).stdout).includes('GNU tar');
const root = mkdtempSync(join(tmpdir(), 'bingo-tar-'));
afterAll(() => rmSync(root, { recursive: true }));

const LONG = `${'a-long-folder/'.repeat(9)}page.html`;
const LONGEST = `${'a-long-folder/'.repeat(18)}${'x'.repeat(120)}ö.txt`;
const FILES = { 'readme.txt': 'short', 'größe/e.txt': '', [LONG]: 'x'.repeat(512), [LONGEST]: 'y'.repeat(700) };

function textsOf(bytes: Uint8Array): Record<string, string> {
  return Object.fromEntries([...readTar(bytes)].map(([name, content]) => [name, Buffer.from(content).toString()]));
}

describe.skipIf(!isGnu)('an archive made by tar (skipped without GNU tar)', () => {
  it.each([
    ['ustar', { ...FILES, [LONGEST]: undefined }],
    ['gnu', FILES],
    ['oldgnu', FILES],
    ['pax', FILES],
  ])('as %s has its files, with names of any length', (format, files) => {
    const folder = join(root, format);
    const whole = Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined);
    for (const [name, content] of whole) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const made = spawnSync('tar', [`--format=${format}`, '-cf', '-', ...whole.map(([name]) => name)], { cwd: folder });
    expect(made.status, String(made.stderr)).toBe(0);
    expect(isTar(made.stdout)).toBe(true);
    expect(textsOf(made.stdout)).toEqual(Object.fromEntries(whole));
  });
});

describe('a tar archive', () => {
  const archive = tarOf({ 'a.txt': 'first', 'b.txt': 'second' });

  it('has its complete files if it is cut short', () => {
    expect(textsOf(archive.subarray(0, 1024 + 512 + 3))).toEqual({ 'a.txt': 'first' });
    expect(textsOf(archive.subarray(0, 1100))).toEqual({ 'a.txt': 'first' });
  });

  it('ends at a damaged header, or is rejected', () => {
    const damaged = Buffer.from(archive);
    damaged[1024 + 3] = 0x41;
    expect(textsOf(damaged)).toEqual({ 'a.txt': 'first' });
    damaged[3] = 0x41;
    expect(() => readTar(damaged)).toThrow('no readable header');
  });

  it('is read without its folders, links and devices', () => {
    expect(textsOf(Buffer.concat([tarOf({ l: '' }, '2').subarray(0, 512), archive]))).toEqual(textsOf(archive));
  });

  it('is read if its sizes are binary', () => {
    const binary = Buffer.from(archive);
    binary.fill(0, 124, 136);
    binary[124] = 0x80;
    binary[135] = 5;
    binary.write('        ', 148);
    const sum = binary.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    binary.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    expect(textsOf(binary)).toEqual({ 'a.txt': 'first', 'b.txt': 'second' });
  });

  it.each([
    ['that goes on beyond its end', '99 path=x\n'],
    ['of no length', '0 path=x\n'],
    ['without a length', 'path=x\n'],
    ['whose size is no number', '14 size=-12\n'],
  ])('with an extended header %s has its file under its own name', (_, records) => {
    const extended = tarOf({ h: records }, 'x').subarray(0, 1024);
    expect(textsOf(Buffer.concat([extended, tarOf({ 'a.txt': 'text' })]))).toEqual({ 'a.txt': 'text' });
  });
});
