import { expect, test } from 'vitest';
import { dayWithin, readDate } from '../../../src/analyze/record/dates.ts';

/** Croatian is missing: its months have the names of other months in Czech and Polish. */
const LANGUAGES = 'ca cs da de el en es fi fr hu it ja ko nb nl pl pt ro ru sv tr uk zh'.split(' ');

test('reads days as they are written in 23 languages, and finds them in a line', () => {
  for (const language of LANGUAGES) {
    const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
    for (let month = 0; month < 12; month++) {
      const written = format.format(Date.UTC(2024, month, 5));
      const day = `2024-${String(month + 1).padStart(2, '0')}-05`;
      expect([written, readDate(written)]).toEqual([written, day]);
      expect([written, dayWithin(`Bonn | ${written}, 10:30`, false)]).toEqual([written, day]);
    }
  }
});

test('takes other numbers and words for no date', () => {
  for (const text of ['Marketing 12345', '31 February 2024', '3 bikes 2024', '1.2.3.2024', '12/13/14', '+49 30 2024-1'])
    expect([text, dayWithin(text, false)]).toEqual([text, undefined]);
  expect(readDate('Redmarch 2024')).toBeUndefined();
});

test('takes no longer for a long line', () => {
  const began = performance.now();
  for (const unit of ['1 ', '12.', 'may ', '2024-', '1 de ', 'é']) dayWithin(unit.repeat(20_000), true);
  expect(performance.now() - began).toBeLessThan(1_000);
});
