import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BingoError, canonicalize } from '../../../src/core/index.ts';
import { readWarc } from '../../../src/warc/index.ts';
import { WarcFile } from '../../../src/warc/warc-file.ts';
import { gzippedWarc, plainWarc } from '../../lab/support/warc-writer.ts';
import type { FuzzTarget } from '../fuzz.ts';
import { answered, must, words } from './checks.ts';

const WARC_PAGES = ['a', 'b', 'c'].map((name) => ({ url: `http://x.test/${name}`, body: `page ${name}` }));
const WARC_INFO = { software: 's', userAgent: 'u', contact: '', obeysRobots: true };

/** Checks that records appended to a damaged file can be read. */
async function checkWarc(input: Buffer, ending: string): Promise<void> {
  const path = join(tmpdir(), `bingo-fuzz-${process.pid}-${Math.random().toString(36).slice(2)}${ending}`);
  try {
    writeFileSync(path, input);
    let end = 0;
    for await (const { offset } of damagedWarc(path)) {
      must(offset >= end && offset <= input.length, 'records out of order');
      end = offset;
    }
    const file = answered(() => new WarcFile(path, WARC_INFO, 0));
    if (file === undefined) return;
    const url = canonicalize('http://x.test/last')!;
    file.write({
      url,
      fetchedAt: 0,
      address: '',
      requestFields: [],
      status: 200,
      responseFields: [],
      body: Buffer.from('x'),
      cut: false,
    });
    file.close();
    let last = '';
    for await (const record of damagedWarc(path)) if (record.type === 'response') last = record.url;
    must(last === url, 'what was written last is not there');
  } finally {
    rmSync(path, { force: true });
  }
}

async function* damagedWarc(path: string): ReturnType<typeof readWarc> {
  try {
    yield* readWarc(path, { onDamage: () => {} });
  } catch (error) {
    if (!(error instanceof BingoError)) throw error;
  }
}

const WARC_WORDS = 'WARC/1.1 WARC/1.0 ␤ ␤␤ Content-Length: 0 99999999 -1 WARC-Type:␣response \x1f\x8b\x08';
/** Parsers of recorded crawls. */
export const WARCS: readonly FuzzTarget[] = [
  {
    name: 'warc',
    samples: [plainWarc(WARC_PAGES)],
    words: words(WARC_WORDS),
    share: 0.1,
    maxMs: 5_000,
    check: (input) => checkWarc(input, '.warc'),
  },
  {
    name: 'warc.gz',
    samples: [gzippedWarc(WARC_PAGES)],
    words: words(WARC_WORDS),
    share: 0.1,
    maxMs: 5_000,
    check: (input) => checkWarc(input, '.warc.gz'),
  },
];
