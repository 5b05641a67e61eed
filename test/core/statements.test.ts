import { describe, expect, it } from 'vitest';
import { countStatements, MAX_STATEMENTS, statementsOf } from '../../src/core/index.ts';

const units = (text: string): Uint16Array => Uint16Array.from(text, (character) => character.charCodeAt(0));
const statements = (text: string): number[] => [...statementsOf(units(text))];

describe('the statements of a text', () => {
  it('are its runs of three words within a sentence', () => {
    expect(statements('one two three four')).toHaveLength(2);
    expect(statements('one two. three four')).toEqual([]);
    expect(statements('one two three\none two three')).toHaveLength(1);
  });

  it('ignore case, punctuation within a sentence, and words with numbers', () => {
    expect(statements('Queen, on 3 May: hive')).toEqual(statements('queen on MAY'));
    expect(statements('no events on 12 June 2027')).toEqual(statements('no events on 13 June 2028'));
  });

  it('read letters of all scripts', () => {
    expect(statements('ул моста дом')).toHaveLength(1);
    expect(statements('ул моста дом')).not.toEqual(statements('ул моста сад'));
  });

  it('of a long text are a sample that a similar text shares', () => {
    const words = Array.from({ length: 2_000 }, (_, i) => String.fromCharCode(97 + (i % 26)).repeat(1 + (i % 61)));
    const [a, b] = [statements(words.join(' ')), statements(words.slice(40).join(' '))];
    expect(a).toHaveLength(MAX_STATEMENTS);
    expect(a).toEqual([...a].sort((x, y) => x - y));
    expect(b.filter((statement) => a.includes(statement)).length).toBeGreaterThan(MAX_STATEMENTS * 0.8);
  });

  it('are counted exactly if few, and estimated if many', () => {
    const distinct = (n: number) =>
      Array.from({ length: n + 2 }, (_, i) => i.toString(26).replace(/\d/g, (d) => 'qrstuvwxyz'[Number(d)]!)).join(' ');
    expect(countStatements(statementsOf(units(distinct(20))))).toBe(20);
    const estimate = countStatements(statementsOf(units(distinct(3_000))));
    expect(estimate).toBeGreaterThan(2_000);
    expect(estimate).toBeLessThan(4_500);
  });
});
