import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { flagsOf } from '../../src/cli/args.ts';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { ORDERINGS } from '../../src/core/index.ts';
import { VIEWS } from '../../src/store/index.ts';
import { LISTED_SETTINGS, settingOf } from '../../src/workbench/index.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const commands = await Promise.all(COMMANDS.map((listed) => listed.load()));
const rows = tableOf(readFileSync(new URL('methods.md', DOCS), 'utf8'));

/** Returns the rows of the table under "Paper section → command": what each asks for, and its last cell. */
function tableOf(text: string): readonly (readonly [what: string, cell: string])[] {
  const [, section = ''] = text.split('## Paper section → command\n');
  const lines = section.split('\n## ')[0]!.split('\n');
  return lines.flatMap((line) => {
    const cells = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''));
    return /^\| (?!paper |-)/.test(line) ? [[`${cells[0]}: ${cells[1]}`, cells.slice(2).join(' | ')] as const] : [];
  });
}

/** Returns the parts of a cell that name nothing of this program. */
function unknownParts(cell: string): readonly string[] {
  let before = '';
  return [...cell.replaceAll('\\|', '|').matchAll(/`([^`]+)`/g)].flatMap(([, part = '']) => {
    const isKnown = part.startsWith('--') ? isCommand(`${before} ${part}`) : isNamed(part);
    if (part.startsWith('bingo ')) before = part;
    return isKnown ? [] : [part];
  });
}

function isNamed(part: string): boolean {
  if (part.startsWith('bingo ')) return isCommand(part);
  const [key = '', value] = part.split(': ');
  if (key.endsWith('.*')) return LISTED_SETTINGS.some((setting) => setting.key.startsWith(key.slice(0, -1)));
  const setting = settingOf(key);
  if (setting !== undefined) return value === undefined || setting.rule.expects.includes(value) || isOrdering(value);
  return isOrdering(part) || [...VIEWS, 'frontier', 'hide', 'slow-fetching'].includes(part);
}

function isOrdering(name: string): boolean {
  return ORDERINGS.some((known) => known === name);
}

/** Whether a line names a command, or several that begin so, and only its flags. */
function isCommand(line: string): boolean {
  const words = line.split(' ').slice(1);
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  const names = commands.map(({ name }) => name);
  const own = commands.findLast(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  if (own === undefined) return flags.length === 0 && names.some((name) => name.startsWith(`${words.join(' ')} `));
  return flags.every((flag) => Object.hasOwn(flagsOf(own), flag));
}

describe('the table of paper sections and commands', () => {
  test('has a row for each paper', () => {
    const papers = ['BINGO!', 'Focus', 'Focused crawling', 'Symbiosis', 'URL ordering'];
    expect(papers.filter((paper) => !rows.some(([what]) => what.startsWith(`${paper} §`)))).toEqual([]);
    expect(rows.length).toBeGreaterThan(25);
  });

  test.each(rows)('names only existing commands, flags and settings for %s', (_, cell) => {
    expect(cell).toContain('`');
    expect(unknownParts(cell)).toEqual([]);
  });

  test('would notice a command, a flag or a setting that does not exist', () => {
    const cell =
      '`bingo compare`, `bingo nope`; `bingo search --nope`, `--nothing`; `crawl.nope`; `crawl.ordering: nope`';
    expect(unknownParts(cell)).toEqual([
      'bingo nope',
      'bingo search --nope',
      '--nothing',
      'crawl.nope',
      'crawl.ordering: nope',
    ]);
  });
});
