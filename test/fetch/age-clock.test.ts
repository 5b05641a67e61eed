import { describe, expect, test } from 'vitest';
import { ageClock } from '../../src/fetch/age-clock.ts';

const HOUR = 3_600_000;

/** Both clocks of a machine, and the clock built on them. */
function machine() {
  const clocks = { wall: 1_800_000_000_000, steady: 500 };
  const age = ageClock(
    () => clocks.wall,
    () => clocks.steady,
  );
  const began = age();
  const pass = (ms: number): void => {
    clocks.wall += ms;
    clocks.steady += ms;
  };
  return { clocks, pass, age: () => age() - began };
}

describe('the clock for the age of cached entries', () => {
  test('counts the elapsed time', () => {
    const { pass, age } = machine();
    pass(HOUR);
    expect(age()).toBe(HOUR);
  });

  test('continues if the system clock is set back, also repeatedly', () => {
    const { clocks, pass, age } = machine();
    for (const years of [1, 20]) {
      clocks.wall -= years * 365 * 24 * HOUR;
      expect(age()).toBe((years === 1 ? 0 : 1) * HOUR);
      pass(HOUR);
    }
    expect(age()).toBe(2 * HOUR);
  });

  test('counts the sleep of a laptop, although its steady clock does not', () => {
    const { clocks, pass, age } = machine();
    clocks.wall += 8 * HOUR;
    expect(age()).toBe(8 * HOUR);
    pass(HOUR);
    expect(age()).toBe(9 * HOUR);
  });

  test('does not drift by the rounding of the system clock, however often it is read', () => {
    const { clocks, age } = machine();
    for (let i = 0; i < 1000; i++) {
      clocks.steady += 0.25;
      clocks.wall = 1_800_000_000_000 + Math.floor(clocks.steady - 500);
      age();
    }
    expect(age()).toBe(250);
  });
});
