import { describe, expect, it } from 'vitest';
import { decodeCredential, hidePassword } from '../../../src/core/index.ts';

describe('decodeCredential', () => {
  it.each([
    ['p%40ss%2Fword', 'p@ss/word'],
    ['r%C3%A9', 'ré'],
    ['100%', '100%'],
    ['100%se%27cret', "100%se'cret"],
    ['%FF%41', '%FF%41'],
  ])('%s means %s', (text, meant) => {
    expect(decodeCredential(text)).toBe(meant);
  });
});

describe('hidePassword', () => {
  it.each([
    ['mysql://u:p@ss/w:rd#%? x@db:3306/bingo', 'mysql://u:…@db:3306/bingo'],
    ['"mysql://u:12/secret@db/bingo"', '"mysql://u:…@db/bingo"'],
    ['mysql//u:secret@db/bingo', 'mysql//u:…@db/bingo'],
    ['http://:secret@proxy', 'http://:…@proxy'],
    ['http://u:line\nbreak@proxy', 'http://u:…@proxy'],
    ['http://proxy:3128/', 'http://proxy:3128/'],
    ['someone@example', 'someone@example'],
  ])('%s is shown as %s', (text, shown) => {
    expect(hidePassword(text)).toBe(shown);
  });
});
