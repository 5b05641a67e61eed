import { describe, expect, it } from 'vitest';
import { readArgs } from '../../src/cli/args.ts';
import type { Command } from '../../src/cli/command.ts';
import { UsageError } from '../../src/core/index.ts';

const command: Command = {
  name: 'try',
  summary: '',
  positionals: ['DIR', '[WORDS]'],
  flags: {
    budget: { value: 'N', help: '' },
    seed: { value: 'URL', greedy: true, help: '' },
    set: { value: 'KEY=VALUE', repeats: true, help: '' },
    json: { help: '' },
  },
  examples: [],
  run: async () => 0,
};
const place = { cwd: '/', env: {} };
const read = (...words: string[]) => readArgs(command, words, place);

describe('readArgs', () => {
  it('reads flags before and after words, with = and without', () => {
    const args = read('--budget=5', 'dir', '--json', 'some words');
    expect(args.positionals).toEqual(['dir', 'some words']);
    expect([args.value('budget'), args.has('json'), args.has('set')]).toEqual(['5', true, false]);
  });

  it('gives a greedy flag all words up to the next flag', () => {
    const args = read('dir', '--seed', 'a', 'b', '--json');
    expect(args.values('seed')).toEqual(['a', 'b']);
    expect(args.positionals).toEqual(['dir']);
  });

  it('takes negative numbers for values', () => {
    expect(read('dir', '--budget', '-5').value('budget')).toBe('-5');
  });

  it('takes what follows -- for words', () => {
    expect(read('dir', '--', '--odd').positionals).toEqual(['dir', '--odd']);
  });

  it('asks for no words when help is wanted', () => {
    expect(read('-h').has('help')).toBe(true);
  });

  it.each([
    [['dir', '--bugdet', '5'], 'no flag --bugdet'],
    [['dir', '--budget'], '--budget needs a value'],
    [['dir', '--budget', '--json'], '--budget needs a value'],
    [['dir', '--json=yes'], 'takes no value'],
    [['dir', '--budget', '1', '--budget', '2'], 'given 2 times'],
    [[], 'DIR is missing'],
    [[''], 'DIR is empty'],
    [['dir', 'two', 'words'], 'got "words" as well'],
    [['dir', '--constructor'], 'no flag --constructor'],
  ])('refuses %j', (words, message) => {
    expect(() => read(...words)).toThrow(UsageError);
    expect(() => read(...words)).toThrow(message);
  });

  it('takes all words behind an open end for one text, and says how a word that looks like a flag becomes one', () => {
    const open: Command = { ...command, positionals: ['DIR', 'WORDS...'] };
    const words = (...given: string[]) => readArgs(open, given, place).positionals;
    expect(words('dir', 'gold', 'silver')).toEqual(['dir', 'gold silver']);
    expect(words('dir', 'gold', '--json', 'silver', '"a b"')).toEqual(['dir', 'gold silver "a b"']);
    expect(words('dir', '--', '-gold', 'silver')).toEqual(['dir', '-gold silver']);
    expect(() => words('dir')).toThrow('WORDS is missing');
    expect(() => words('dir', 'gold', '-silver')).toThrow(
      expect.objectContaining({
        message: 'bingo try has no flag -silver.',
        hint: expect.stringMatching(/^If it is one of the words: bingo try DIR -- words -silver, or in quotes/),
      }),
    );
  });

  it('suggests the flag that was meant', () => {
    expect(() => read('dir', '--bugdet', '5')).toThrow(expect.objectContaining({ hint: 'Did you mean "--budget"?' }));
  });
});
