import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { flagsOf, readArgs } from '../../src/cli/args.ts';
import { COMMON_FLAGS, type Command } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { commandsPage } from '../../src/cli/commands-page.ts';
import { DEFAULTS } from '../../src/core/index.ts';
import { shellWords } from './support/shell-words.ts';

const ROOT = new URL('../../', import.meta.url);
const FILES = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync(new URL('docs', ROOT)).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ...readdirSync(new URL('src', ROOT)).map((name) => `src/${name}/README.md`),
].filter((file) => existsSync(new URL(file, ROOT)));
const textOf = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');

const commands = await Promise.all(COMMANDS.map((listed) => listed.load()));

/** Returns the command of a line, the longest name first: `lab serve`, `serve`. */
function commandOf(words: readonly string[]): Command | undefined {
  return commands.findLast(({ name }) => ` ${words.join(' ')} `.startsWith(` ${name} `));
}

describe('docs/commands.md', () => {
  it('matches what the commands print (npm run docs writes it)', () => {
    expect(textOf('docs/commands.md')).toBe(commandsPage(commands));
  });
});

describe.each(FILES)('%s', (file) => {
  const text = textOf(file);

  it('links only to existing targets', () => {
    for (const [, link] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', anchor] = link!.split('#');
      const target = new URL(path === '' ? file : path, path === '' ? ROOT : new URL(file, ROOT));
      expect(existsSync(target), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(readFileSync(target, 'utf8')), link).toContain(anchor);
    }
  });

  const typed = [...text.matchAll(/```(?:console|sh)\n([\s\S]*?)```/g)].flatMap(([, block]) => linesOf(block!));
  if (typed.length > 0)
    test.each(typed)('%s', (line) => {
      // An ellipsis in a document is not a word of the command.
      const words = shellWords(line).filter((word) => word !== '…');
      const command = commandOf(words.slice(1));
      expect(command, line).toBeDefined();
      const rest = words.slice(1 + command!.name.split(' ').length);
      // A usage line of docs/commands.md.
      if (rest.includes('[flags]')) return;
      expect(() => readArgs(command!, rest, { cwd: '/', env: {} })).not.toThrow();
    });

  it('names only existing commands and flags', () => {
    for (const [, line] of text.matchAll(/`(?:npx )?bingo ([a-z][^`]*)`/g)) {
      const command = commandOf(line!.split(/\s+/));
      // The first word of several commands: `bingo lab`.
      if (command === undefined)
        expect(['help', ...COMMANDS.map(({ name }) => name.split(' ')[0])]).toContain(line!.split(' ')[0]);
      const flags = command === undefined ? COMMON_FLAGS : flagsOf(command);
      for (const [, flag] of line!.matchAll(/(?<=\s)--([a-z-]+)/g)) expect(Object.keys(flags), line).toContain(flag);
    }
  });
});

const sources = ['src', 'test', 'bench', 'scripts'].flatMap((folder) =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => ({ file: `${folder}/${name}`, text: textOf(`${folder}/${name}`) })),
);

describe('docs/methods.md', () => {
  const text = textOf('docs/methods.md');
  const number = (written: string): number => Number(written.replaceAll(',', ''));

  it('names settings that there are, with their defaults', () => {
    const groups: Readonly<Record<string, object>> = { ...DEFAULTS };
    const named = [...text.matchAll(/`(\w+)\.(\w+)`(?: \(([\d.,]+)\))?/g)].filter(([, group]) => group! in groups);
    expect(named.length).toBeGreaterThan(30);
    for (const [found, group, name, value] of named) {
      const setting = new Map<string, unknown>(Object.entries(groups[group!]!)).get(name!);
      expect(setting, found).toBeDefined();
      if (value !== undefined) expect(setting, found).toBe(number(value));
    }
  });

  it('names constants that there are, with their values', () => {
    const named = [...text.matchAll(/`([A-Z]+_[A-Z_]+)`(?: \(([\d.,]+)\))?/g)];
    expect(named.length).toBeGreaterThan(20);
    for (const [found, name, value] of named) {
      const defined = new RegExp(`const ${name}\\b[^=]*=\\s*([\\d._]*)`, 'g');
      const values = sources.flatMap((source) => [...source.text.matchAll(defined)].map((match) => match[1]!));
      expect(values.length, found).toBeGreaterThan(0);
      if (value !== undefined)
        expect(
          values.map((each) => Number(each.replaceAll('_', ''))),
          found,
        ).toContain(number(value));
    }
  });
});

describe('comments', () => {
  const comments = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm)].map(([comment]) => ({ file, comment })),
  );

  it('point to documents and headings that are there', () => {
    const named = comments.flatMap(({ file, comment }) =>
      [...comment.matchAll(/(?<![\w/.-])(docs\/[\w-]+\.md|[A-Z]+\.md)(?:#([\w-]+))?/g)].map((match) => ({
        file,
        match,
      })),
    );
    expect(named.length).toBeGreaterThan(10);
    for (const { file, match } of named) {
      const [link, document, anchor] = match;
      expect(existsSync(new URL(document!, ROOT)), `${file}: ${link}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(textOf(document!)), `${file}: ${link}`).toContain(anchor);
    }
  });

  it('refer to no notes outside of the repository', () => {
    const outside = comments.filter(({ comment }) => /\b(?:DESIGN|QUALITY|STYLE|STACK)\b(?!\.md)/.test(comment));
    expect(outside).toEqual([]);
  });
});

/** Returns the lines of a block that call Bingo. Lines that end with a backslash are joined. */
function linesOf(block: string): string[] {
  return block.replaceAll(/\\\n\s*/g, ' ').match(/(?<=^(?:\$ )?(?:npx )?)bingo .*/gm) ?? [];
}

/** Returns the link targets of the headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}
