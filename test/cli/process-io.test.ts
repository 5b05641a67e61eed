import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { screenOf } from '../../src/cli/process-io.ts';
import { BINGO } from './support/bingo-process.ts';

const isBuilt = existsSync(join(import.meta.dirname, '../../dist/main.js'));

test('assumes 80 by 24 for a terminal without a known size', () => {
  expect(screenOf({ columns: 0, rows: 0 })).toEqual({ columns: 80, rows: 24 });
  expect(screenOf({})).toEqual({ columns: 80, rows: 24 });
  expect(screenOf({ columns: 120, rows: 40 })).toEqual({ columns: 120, rows: 40 });
});

test.skipIf(!isBuilt || !existsSync('/dev/full'))(
  'output that cannot be written is an error, as JSON where that is asked for',
  () => {
    const full = openSync('/dev/full', 'w');
    const start = (...words: string[]) =>
      spawnSync(process.execPath, [BINGO, 'topics', ...words], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
    const [asJson, asText] = [start('--json'), start()];
    closeSync(full);
    expect([asJson.status, asText.status]).toEqual([1, 1]);
    expect(JSON.parse(asJson.stderr).error).toMatchObject({
      code: 'OUTPUT_FAILED',
      message: expect.stringMatching(/^The output cannot be written: ENOSPC/),
    });
    expect(asText.stderr).toMatch(/^error: The output cannot be written: ENOSPC/);
  },
);
