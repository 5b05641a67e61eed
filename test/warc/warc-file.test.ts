import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { canonicalize } from '../../src/core/index.ts';
import type { Recording } from '../../src/warc/index.ts';
import { WarcFile } from '../../src/warc/warc-file.ts';
import { heldBytes } from '../crawl/support/held-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'bingo-warc-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const INFO = { software: 's', userAgent: 'u', contact: '', obeysRobots: true };

/** A response with its own text. */
function answer(i: number): Recording {
  return {
    ...{ url: canonicalize(`http://a.test/folder/page-${i}.html`)!, fetchedAt: i, address: '192.0.2.1' },
    ...{ requestFields: ['user-agent', 'u'], status: 200, responseFields: ['content-type', 'text/html'], cut: false },
    body: Buffer.from(`page ${i} `.repeat(2_000)),
  };
}

it.each(['.warc', '.warc.gz'])(
  'a resumed recording %s needs about 200 bytes per page, whatever the pages',
  async (ending) => {
    const path = join(folder, `long${ending}`);
    const first = new WarcFile(path, INFO, 0);
    for (let i = 0; i < 300; i++) first.write(answer(i));
    first.close();
    const before = heldBytes();
    const second = new WarcFile(path, INFO, 0);
    await expect.poll(() => heldBytes() - before).toBeLessThan(1024 * 1024);
    expect(second.write(answer(7))).toBe(true);
    second.close();
  },
);

it.each(['.warc', '.warc.gz'])('a recording %s resumes after a URL of the maximum length', (ending) => {
  const path = join(folder, `address${ending}`);
  const first = new WarcFile(path, INFO, 0);
  first.write({ ...answer(1), url: canonicalize(`http://a.test/?${'x'.repeat(90_000)}`)! });
  first.close();
  const second = new WarcFile(path, INFO, 0);
  expect([second.repaired, second.write(answer(1))]).toEqual([0, true]);
  second.close();
});

describe('reports why recording is impossible, and what to do', () => {
  const folderAt = (name: string): string => {
    mkdirSync(join(folder, name));
    return name;
  };
  it.each([
    ['a folder', () => folderAt('folder.warc'), /EISDIR/, /^It is a folder: name a file in it\.$/],
    ['a folder that is not there', () => 'none/a.warc', /ENOENT/, /^Its folder does not exist: create it/],
    ['a device', () => '/dev/null', /it is not a file/, /devices and pipes are not supported/],
  ])('%s', (_, name, message, hint) => {
    const path = resolve(folder, name());
    expect(() => new WarcFile(path, INFO, 0)).toThrow(
      expect.objectContaining({
        ...{ code: 'WARC_UNWRITABLE', message: expect.stringMatching(message) },
        hint: expect.stringMatching(hint),
      }),
    );
  });

  it('another crawl that records into the same file', () => {
    const path = join(folder, 'two.warc');
    const [first, second] = [new WarcFile(path, INFO, 0), new WarcFile(path, INFO, 0)];
    expect(() => first.write(answer(1))).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^Another crawl may be recording into it/) }),
    );
    second.write(answer(1));
  });
});

describe('does not append to a recording', () => {
  it.each([
    ['a record with two lengths, of which another reader may take the other', 'Content-Length:\r\nContent-Length: 6'],
    ['a header line that is none', 'e\r\nContent-Length: 6'],
  ])('when it holds %s', (_, header) => {
    const path = join(folder, 'damaged.warc');
    const damaged = `WARC/1.1\r\n${header}\r\n\r\npage c\r\n\r\n`;
    writeFileSync(path, damaged);
    expect(() => new WarcFile(path, INFO, 0)).toThrow();
    expect(readFileSync(path, 'utf8')).toBe(damaged);
  });
});
