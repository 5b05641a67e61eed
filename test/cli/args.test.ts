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
    groups: { value: 'N', former: 'k', help: '' },
  },
  examples: [],
  run: async () => 0,
};
const place = { cwd: '/', env: {} };
const read = (...words: string[]) => readArgs(command, words, place);

describe('readArgs', () => {
  it('reads flags before and after words, with and without "="', () => {
    const args = read('--budget=5', 'dir', '--json', 'some words');
    expect(args.positionals).toEqual(['dir', 'some words']);
    expect([args.value('budget'), args.has('json'), args.has('set')]).toEqual(['5', true, false]);
  });

  it('gives a flag with several values all words up to the next flag', () => {
    const args = read('dir', '--seed', 'a', 'b', '--json');
    expect(args.values('seed')).toEqual(['a', 'b']);
    expect(args.positionals).toEqual(['dir']);
  });

  it('reads a flag by its former name too', () => {
    expect(read('dir', '-k', '3').value('groups')).toBe('3');
    expect(read('dir', '--groups', '4').value('groups')).toBe('4');
    expect(() => read('dir', '-k', '3', '--groups', '4')).toThrow('--groups was given 2 times');
  });

  it('accepts negative numbers as values', () => {
    expect(read('dir', '--budget', '-5').value('budget')).toBe('-5');
  });

  it('reads everything after -- as words', () => {
    expect(read('dir', '--', '--odd').positionals).toEqual(['dir', '--odd']);
  });

  it('requires no words if --help is given', () => {
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

  it('joins the words of an open-ended command, and explains how to pass a word like a flag', () => {
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

  it('suggests the closest flag for a misspelt one', () => {
    expect(() => read('dir', '--bugdet', '5')).toThrow(expect.objectContaining({ hint: 'Did you mean "--budget"?' }));
  });
});
