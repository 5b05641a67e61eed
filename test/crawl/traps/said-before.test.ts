import { describe, expect, it } from 'vitest';
import { SaidBefore } from '../../../src/crawl/traps/said-before.ts';
import { LoadingFields, SavingFields } from '../../../src/kit/index.ts';

const numbers = (from: number, to: number): Uint32Array => Uint32Array.from({ length: to - from }, (_, i) => from + i);

describe('statements of a site', () => {
  it('are new once, on each site', () => {
    const said = new SaidBefore();
    expect(said.note(1, numbers(1, 11))).toBe(10);
    expect(said.note(1, numbers(6, 16))).toBe(5);
    expect(said.note(2, numbers(1, 11))).toBe(10);
  });

  it('of a sample count for the whole text', () => {
    const said = new SaidBefore();
    const sample = Uint32Array.from({ length: 48 }, (_, i) => (i + 1) * 2 ** 24);
    expect(said.note(1, sample)).toBeGreaterThan(200);
    expect(said.note(1, sample)).toBe(0);
  });

  it('are forgotten after very many others only', () => {
    const said = new SaidBefore();
    said.note(1, numbers(1, 11));
    for (let from = 100; from < 400_100; from += 40) said.note(2, numbers(from, from + 40));
    expect(said.note(1, numbers(1, 11))).toBe(0);
    for (let from = 100; from < 1_200_100; from += 40) said.note(3, numbers(from, from + 40));
    expect(said.note(1, numbers(1, 11))).toBe(10);
  });

  it('survive saving and loading', () => {
    const said = new SaidBefore();
    for (let from = 1; from < 2_000; from += 40) said.note(1, numbers(from, from + 40));
    const saving = new SavingFields();
    said.exchange(saving);
    const other = new SaidBefore();
    other.exchange(
      new LoadingFields(
        saving.slots.map((slot) => (slot.kind === 'numbers' ? slot.numbers : slot.kind === 'value' && slot.value)),
      ),
    );
    expect(other.note(1, numbers(1_981, 2_011))).toBe(10);
  });
});
