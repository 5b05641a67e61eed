import { afterEach, beforeEach, expect, test } from 'vitest';
import { page } from '../contracts/store-records.ts';
import { run } from './support/captured-io.ts';
import { type MadeWorkspace, makeWorkspace } from './support/made-workspace.ts';

let made: MadeWorkspace;

beforeEach(async () => {
  made = await makeWorkspace(
    'topics: [{name: cycling, examples: ["https://bikes.example/"]}]\nothers: ["https://b.example/"]',
    [(sequence) => page(sequence, 'https://bikes.example/', { topic: 'cycling' })],
  );
});
afterEach(() => made.drop());

const type = (input: string) => run(['sql', made.dir], { stdinIsTerminal: true, input });

test.each(['.quit', '.exit', 'quit', 'exit;', 'EXIT'])(
  '%s ends the console, even after an empty line',
  async (word) => {
    const { code, out, err } = await type(`select 41 + 1 as n;\n\n${word}\nselect 4 + 3 as n;\n`);
    expect(code, err).toBe(0);
    expect(out).toContain('42');
    expect(out).not.toContain('7');
  },
);

test('help explains how to leave the console, and starts no statement', async () => {
  const { err, out } = await type('help\nselect 41 + 1 as n;\n');
  expect(err.match(/\.quit \(or Ctrl-D\) ends/g)).toHaveLength(2);
  expect(out).toContain('42');
});

test('inside a statement these words are SQL', async () => {
  const { out } = await type('select 42 as\nexit\n;\n');
  expect(out).toContain('exit');
});

test('control characters in a column name never reach the terminal', async () => {
  const { out } = await type('select 42 as "\x1b[31mred\u202e";\n');
  expect(out).toContain('red');
  expect(out).not.toMatch(/[\x1b\u202e]/);
});

test('a comment separates two words', async () => {
  const { out, err } = await type('select/* the answer */42 as/**/n;\n');
  expect(out, err).toContain('42');
});

test('.tables and .schema list tables, views and columns; .quit ends inside a statement, too', async () => {
  const { code, out, err } = await type('.tables\n.schema page\nselect 4\n.quit\n+ 3 as n;\n');
  expect(code, err).toBe(0);
  expect(out).toMatch(/^census +view$/m);
  expect(out).toMatch(/^page +table$/m);
  expect(out).toMatch(/^page +topic_?i?d? /m);
  expect(out).not.toContain('7');
});

test('a script accepts the same words', async () => {
  const { code, out, err } = await run(['sql', made.dir, '--csv'], {
    input: 'select 41 + 1 as n;\n.tables\n.quit\nselect 4 + 3 as n;\n',
  });
  expect(code, err).toBe(0);
  expect([out.includes('42'), out.includes('census,view'), out.includes('7')]).toEqual([true, true, false]);
});
