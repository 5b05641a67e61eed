import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it.each([
  ['test/fuzz/run.ts', ['--wrong'], "Unknown option '--wrong'"],
  ['test/fuzz/run.ts', ['--only', 'nothing'], 'there is no parser "nothing"'],
  ['test/fuzz/run.ts', ['--inputs', 'many'], '--inputs takes a number, 1 or more, got "many"'],
  ['bench/trees.ts', ['--wrong'], "Unknown option '--wrong'"],
  ['bench/trees.ts', ['word'], "Unexpected argument 'word'"],
])('%s %j is misuse, told in one line', (script, words, why) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, '..', script), ...words], {
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([2, '', `error: ${why}; --help lists all flags.\n`]);
});
