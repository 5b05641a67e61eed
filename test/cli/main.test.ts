import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { describeError, exitCodeOf } from '../../src/cli/report-error.ts';
import { BingoError, InputError, UsageError } from '../../src/core/index.ts';
import { paint } from '../../src/workbench/words/terminal.ts';
import { run } from './support/captured-io.ts';

describe('bingo', () => {
  it('shows how to begin, every command and the exit codes', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(out).toContain('0 done, 1 failed, 2 misused (nothing was done), 130 stopped by Ctrl-C');
  });

  it.each([80, 100])('keeps its help within %d columns, except for examples', async (columns) => {
    for (const words of [[], ...COMMANDS.map(({ name }) => name.split(' '))]) {
      const { out } = await run([...words, '--help'], { columns: () => columns });
      const long = out.split('\n').filter((line) => line.length > columns && !line.startsWith('  bingo'));
      expect(long).toEqual([]);
    }
  });

  it.each(COMMANDS.map(({ name }) => name))('%s opens its help with examples', async (name) => {
    const { code, out } = await run([...name.split(' '), '--help']);
    expect(code).toBe(0);
    expect(out.split('\n')[2]).toMatch(new RegExp(`^  bingo ${name}`));
    expect(out).toContain('Exit codes:');
  });

  it.each(['--help', '-h', 'help'])('lists the commands behind a first word with %s', async (help) => {
    const { code, out } = await run(['lab', help]);
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out.includes(`  ${name} `)).toBe(name.startsWith('lab '));
  });

  it('has a command for every documented word', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining('init crawl search export status why sql topics demo'.split(' ')));
    expect(names).toEqual(expect.arrayContaining(['lab serve', 'lab run']));
  });

  it('prints its version', async () => {
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['crwl'], 'Did you mean "crawl"?'],
    [['lab'], 'bingo lab serve'],
    [['lab', 'srve'], 'bingo lab serve'],
    [['crawl', 'x', '--budgt', '3'], 'Did you mean "--budget"?'],
    [['crawl', 'x', '--seed', 'http://a.test/'], 'Start pages are in bingo.yaml'],
    [['mark', 'x', '--good', 'http://a.test/', '--seed', 'http://b.test/'], 'Add other pages to bingo.yaml'],
    [['crawl'], 'DIR is missing'],
    [['search', 'x'], 'WORDS is missing'],
    [['lab', 'run', 'tasks.json', '--webs', 'w'], '--out is missing.\nbingo lab run --help'],
    [['lab', 'tasks', 'physics', '--webs', 'w'], '--out is missing.\nbingo lab tasks --help'],
    [['lab', 'run', 'tasks.json', '--webs', 'w', '--out', 'o', '--orderings', 'bing'], 'Did you mean "bingo"?'],
    [['lab', 'run', 't.json', '--webs', 'w', '--out', 'o', '--set', 'crawl.reserve=perhaps'], 'true or false'],
    [
      ['lab', 'run', 't.json', '--webs', 'w', '--out', 'o', '--shards', '0'],
      '--shards takes a whole number, 1 or more, at most 64, got "0"',
    ],
    [
      ['lab', 'run', 't.json', '--webs', 'w', '--out', 'o', '--shards', '2', '--lag', 'abc'],
      '--lag takes milliseconds',
    ],
    [['lab', 'run', 't.json', '--webs', 'w', '--out', 'o', '--lag', '1s'], '--lag requires --shards.'],
    [['lab', 'run', 't.json', '--webs', 'w', '--out', 'o', '--shards', '2', '--explore', '9'], 'cannot be combined'],
    [['lab', 'serve', 'x.warc.gz', '--port', '99999'], 'at most 65535'],
    [['lab', 'run', '/nowhere.json', '--webs', 'w', '--out', 'o'], 'Cannot read the task file /nowhere.json'],
    [['lab', 'table', '/nowhere'], 'Cannot read the results /nowhere'],
    [['lab', 'serve', '/nowhere.warc'], 'Cannot read the WARC file /nowhere.warc'],
    [['lab', 'serve', 'README.md'], 'README.md: not a WARC record at byte 0'],
    [['lab', 'serve', '/dev/null'], '/dev/null has no page'],
    [['find', 'x', '--keep', '/nowhere', '--search-service', 'file:/nowhere.txt'], 'Cannot read the file /nowhere.txt'],
    [['sql', 'x', 'select 1', '--json', '--csv'], 'cannot be combined'],
    [['crawl', '/nowhere'], 'not a workspace'],
    [['crawl', '/etc/hosts'], 'is a file'],
    [['--versio'], '--help and --version'],
    [['init', '/proc/x/y', '--topic', 'x', '--seed', 'http://a.test/', '--urls', '/etc'], '/etc is a folder'],
    [['init', 'x', '--urls', process.execPath], 'is not a text file'],
  ])('%j is misuse, told with a remedy', async (words, message) => {
    const { code, out, err } = await run(words);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  it('names the flag that the user typed, not the setting it changes', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bingo-flags-'));
    await run(['init', dir, '--tree', 'cycling']);
    const { code, err } = await run(['crawl', dir, '--budget', '0', '--time', 'soon', '--set', 'crawl.learn=x']);
    expect(code).toBe(2);
    expect(err).toContain('command line: --budget: Expected a whole number, 1 or more, got "0".');
    expect(err).toContain('command line: --time: Expected milliseconds');
    expect(err).toContain('command line: crawl.learn: Expected');
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(['crawl', 'find'])('%s rejects a bare number and asks for the unit', async (command) => {
    const dir = mkdtempSync(join(tmpdir(), 'bingo-times-'));
    await run(['init', dir, '--tree', 'cycling', '--contact', 'me@a.test']);
    const where = command === 'crawl' ? [dir] : ['x', '--seed', 'http://a.test/', '--keep', join(dir, 'found')];
    const { code, err } = await run([command, ...where, '--time', '90']);
    expect([code, err]).toEqual([2, expect.stringContaining('got "90".\nWrite 90s, 90m or 90h.')]);
    expect(readdirSync(dir)).toEqual(['bingo.yaml']);
    rmSync(dir, { recursive: true, force: true });
  });

  it('reports a folder that cannot be made', async () => {
    const { code, err } = await run(['init', '/proc/x/y', '--topic', 'x', '--seed', 'http://a.test/']);
    expect([code, err]).toEqual([1, expect.stringContaining('/proc/x')]);
  });

  it('prints errors as JSON with --json', async () => {
    const { code, err } = await run(['status', '/nowhere', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(err)).toMatchObject({
      error: { code: 'USAGE', message: expect.any(String), hint: expect.any(String) },
    });
  });
});

describe('describeError', () => {
  const style = { json: false, debug: false, paint: paint(false) };

  it('says which limit to raise if a thread cannot be started', () => {
    const error = Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
    expect(describeError(error, style)).toMatch(/^error: No thread can be started \(EAGAIN\)\.\n.*ulimit -u/);
  });

  it('says what failed, and what to do', () => {
    const error = new BingoError({ code: 'X', message: 'It failed.', hint: 'Do this.' });
    expect(describeError(error, style)).toBe('error: It failed.\nDo this.\n');
  });

  it('shows a stack and the cause only while debugging', () => {
    const error = new BingoError({ code: 'X', message: 'It failed.', cause: new Error('deep down') });
    expect(describeError(error, style)).not.toContain('at ');
    expect(describeError(error, { ...style, debug: true })).toMatch(/at [\s\S]*caused by Error: deep down/);
  });

  it('reports an unexpected error as a fault of Bingo', () => {
    expect(describeError(new TypeError('x is undefined'), style)).toContain('This should not happen');
  });

  it('says what to do about a full disk', () => {
    const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    expect(describeError(error, style)).toContain('Free some space');
  });

  it('says what to do about a file that blocks a folder', () => {
    const error = Object.assign(new Error("EEXIST: file already exists, mkdir 'out'"), { code: 'EEXIST' });
    expect(describeError(error, style)).toBe(`error: ${error.message}\nIt already exists: choose another name.\n`);
  });

  it('removes terminal control characters of pages from messages', () => {
    expect(describeError(new BingoError({ code: 'X', message: 'bad \x1b[2Jpage' }), style)).toBe('error: bad page\n');
  });

  it('distinguishes misuse from failure', () => {
    const errors = [
      new UsageError('x'),
      new InputError('x', []),
      new BingoError({ code: 'X', message: 'x' }),
      new Error('x'),
    ];
    expect(errors.map(exitCodeOf)).toEqual([2, 2, 1, 1]);
  });
});
