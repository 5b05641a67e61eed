import { describe, expect, test } from 'vitest';
import { readArgs } from '../../src/cli/args.ts';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { shellWords } from './support/shell-words.ts';

const commands = await Promise.all(COMMANDS.map((listed) => listed.load()));
const lines = commands.flatMap((command) => command.examples.map(([line]) => line));

describe('the examples of every help', () => {
  test.each(commands.map((command) => [command.name, command] as const))('%s has some', (_, command) => {
    expect(command.examples.length).toBeGreaterThan(0);
  });

  test.each(lines)('%s', (line) => {
    const [program, ...rest] = shellWords(line);
    const command = commands.findLast(({ name }) => ` ${rest.join(' ')} `.startsWith(` ${name} `));
    expect([program, command]).toEqual(['bingo', expect.anything()]);
    expect(() => readArgs(command!, rest.slice(command!.name.split(' ').length), { cwd: '/', env: {} })).not.toThrow();
  });
});
