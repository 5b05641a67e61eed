import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../../src/workbench/words/units.ts';

describe('durations', () => {
  it.each([
    ['250', 250],
    ['250ms', 250],
    ['30s', 30_000],
    ['90m', 5_400_000],
    ['1h30m', 5_400_000],
    ['1.5 h', 5_400_000],
    ['1.1h', 3_960_000],
    ['1.15h', 4_140_000],
    ['0.7d', 60_480_000],
    ['2d', 172_800_000],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', 'soon', '5 parsecs', '-3s', '3s later', 'm'])('does not read %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('reads what it wrote', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e10 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});

describe('sizes', () => {
  it.each([
    ['8388608', 8_388_608],
    ['8MiB', 8_388_608],
    ['8 mib', 8_388_608],
    ['500 kB', 500_000],
    ['0.5KiB', 512],
  ])('reads %s', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['', 'big', '8 miles', '1MiB2KiB'])('does not read %j', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });

  it('writes them in the largest unit', () => {
    expect([formatSize(8_388_608), formatSize(1536), formatSize(12)]).toEqual(['8 MiB', '1.5 KiB', '12 B']);
  });
});
