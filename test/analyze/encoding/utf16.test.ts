import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { utf16Text } from '../../../src/analyze/encoding/utf16.ts';

test('decodes the whole characters of bytes at any offset and of any length', () => {
  const bytes = new Uint8Array(Buffer.from('Zahnräder 歯車', 'utf16le'));
  for (let from = 0; from < 6; from++)
    for (let length = 0; length <= bytes.length; length++) {
      const room = new Uint8Array(64);
      room.set(bytes.subarray(0, length), from);
      const expected = 'Zahnräder 歯車'.slice(0, length >> 1);
      expect(utf16Text(room.subarray(from, from + length))).toBe(expected);
    }
});

test('no other source file decodes UTF-16 from the bytes of a document', () => {
  const src = join(import.meta.dirname, '../../../src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const readers = files.filter((name) =>
    /\.toString\(\s*'(?:utf-?16le|ucs-?2)',\s*\S/.test(readFileSync(join(src, name), 'utf8')),
  );
  const slices = files.filter((name) =>
    /(?:subarray|slice)\([^()]*\)\.toString\(\s*'(?:utf-?16le|ucs-?2)'/.test(readFileSync(join(src, name), 'utf8')),
  );
  expect([...readers, ...slices]).toEqual([]);
});
