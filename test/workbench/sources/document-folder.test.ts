import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDocumentFolder } from '../../../src/workbench/sources/document-folder.ts';

test('skips hidden files, other formats, and links, which may be circular', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bingo-documents-'));
  mkdirSync(join(dir, 'cycling', '.git'), { recursive: true });
  for (const name of ['cycling/wheel.txt', 'cycling/photo.jpg', 'cycling/.git/notes.txt', '.hidden.txt'])
    writeFileSync(join(dir, name), 'wheel saddle pedal');
  symlinkSync(dir, join(dir, 'cycling', 'circle'));
  symlinkSync(join(dir, 'cycling', 'wheel.txt'), join(dir, 'cycling', 'again.txt'));

  const { topics, kept, otherFormats } = readDocumentFolder(dir);
  rmSync(dir, { recursive: true });

  expect(topics).toMatchObject([
    { name: 'cycling', examples: [{ kind: 'file', path: join(dir, 'cycling/wheel.txt') }] },
  ]);
  expect([kept, otherFormats]).toEqual([1, 1]);
});

test('reads documents in every format that is read from the web', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bingo-documents-'));
  const names =
    'doc docm docx dotx epub gz htm html md odp odt ott pdf pot potx pps ppsx ppt pptm pptx rtf tar tgz txt xhtml zip'
      .split(' ')
      .map((end) => `a.${end}`);
  for (const name of names) writeFileSync(join(dir, name), 'wheel saddle pedal');

  const { kept, otherFormats } = readDocumentFolder(dir);
  rmSync(dir, { recursive: true });

  expect([kept, otherFormats]).toEqual([names.length, 0]);
});
