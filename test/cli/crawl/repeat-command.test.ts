import { expect, test } from 'vitest';
import { readArgs } from '../../../src/cli/args.ts';
import { crawl } from '../../../src/cli/commands/crawl.ts';
import { sameAgain } from '../../../src/cli/crawl/repeat-command.ts';

const again = (...words: string[]): string => sameAgain(readArgs(crawl, words, { cwd: '/', env: {} }));

test('the proposed command keeps the flags of the last one', () => {
  expect(again('my bikes', '--budget', '9', '--set', 'network.delayMs=1s', '--set', 'crawl.learn=3', '--fast')).toBe(
    "bingo crawl 'my bikes' --budget 9 --set network.delayMs=1s --set crawl.learn=3 --fast",
  );
});

test('the proposed command shows no password', () => {
  expect(again('a', '--proxy', 'http://me:s3cret@proxy.test:3128')).toBe(
    "bingo crawl a --proxy 'http://me:…@proxy.test:3128'",
  );
  const set = again('a', '--set', 'network.proxy=http://me:s3cret@p.test', '--set', 'store.url=mysql://me:s3cret@db/x');
  expect(set).toBe("bingo crawl a --set 'network.proxy=http://me:…@p.test' --set 'store.url=mysql://me:…@db/x'");
});
