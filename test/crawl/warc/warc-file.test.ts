import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { WarcFile } from '../../../src/crawl/warc/warc-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'bingo-warc-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a recording is not appended to', () => {
  it.each([
    ['a record with two lengths, of which another reader may take the other', 'Content-Length:\r\nContent-Length: 6'],
    ['a header line that is none', 'e\r\nContent-Length: 6'],
  ])('when it holds %s', (_, header) => {
    const path = join(folder, 'damaged.warc');
    const damaged = `WARC/1.1\r\n${header}\r\n\r\npage c\r\n\r\n`;
    writeFileSync(path, damaged);
    const info = { software: 's', userAgent: 'u', contact: '', obeysRobots: true };
    expect(() => new WarcFile(path, info, 0)).toThrow();
    expect(readFileSync(path, 'utf8')).toBe(damaged);
  });
});
