import { expect, test } from 'vitest';
import { InputError } from '../../../src/core/index.ts';
import { readSeeds } from '../../../src/workbench/sources/seeds.ts';

function mistakes(...words: string[]): readonly { readonly file: string; readonly message: string }[] {
  try {
    readSeeds(words);
    return [];
  } catch (error) {
    return (error as InputError).mistakes.map(({ file, message }) => ({ file, message }));
  }
}

test('seeds are listed once each, in their order', () => {
  expect(readSeeds(['https://a.test/x', 'https://b.test', 'https://a.test/x'])).toEqual([
    'https://a.test/x',
    'https://b.test/',
  ]);
});

test('seeds with a user name or a password are refused without showing the password', () => {
  expect(() => readSeeds(['https://me:secret@a.test/'])).toThrow(InputError);
  expect(mistakes('https://me:secret@a.test/', 'https://b.test/', 'http://me@c.test/', 'nonsense')).toEqual([
    { file: 'seed 1', message: 'https://a.test/ is given with a user name or a password.' },
    { file: 'seed 3', message: 'http://c.test/ is given with a user name or a password.' },
    { file: 'seed 4', message: '"nonsense" is not a web address.' },
  ]);
});
