import { expect, test } from 'vitest';
import { screenOf } from '../../src/cli/process-io.ts';

test('a terminal that does not know its size is taken to be 80 by 24', () => {
  expect(screenOf({ columns: 0, rows: 0 })).toEqual({ columns: 80, rows: 24 });
  expect(screenOf({})).toEqual({ columns: 80, rows: 24 });
  expect(screenOf({ columns: 120, rows: 40 })).toEqual({ columns: 120, rows: 40 });
});
