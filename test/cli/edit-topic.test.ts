import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editTopicsBy, loadForReading } from '../../src/workbench/index.ts';
import { run } from './support/captured-io.ts';

const TEXT = `topics:
  # what I ride
  - name: cycling
    examples:
      - http://a.test/ # the best
    topics:
      - name: touring
        examples: [http://b.test/]
  - name: stars
    examples: [http://c.test/]
others: everyday
`;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-topics-'));
  writeFileSync(join(dir, 'bingo.yaml'), TEXT);
});
afterEach(() => rmSync(dir, { recursive: true }));

const file = (): string => readFileSync(join(dir, 'bingo.yaml'), 'utf8');
const typed = (...words: string[]) => run(words, { env: { BINGO_WORKSPACE: dir } });

describe('commands that edit topics', () => {
  it('rename a topic, and keep comments and layout of the file', async () => {
    const { code, err } = await typed('topic', 'rename', 'cycling/touring', 'travel');
    expect([code, err]).toEqual([0, expect.stringContaining('Renamed "cycling/touring" to "cycling/travel"')]);
    expect(file()).toBe(TEXT.replace('name: touring', 'name: travel'));
    expect(readFileSync(join(dir, 'bingo.yaml.bak'), 'utf8')).toBe(TEXT);
  });

  it('move a topic under another one and to the top', async () => {
    expect((await typed('topic', 'move', 'cycling/touring', 'stars')).code).toBe(0);
    expect(file()).toMatch(/name: stars\n {4}examples: .*\n {4}topics:\n {6}- name: touring/);
    expect((await typed('topic', 'move', 'stars/touring', '/')).code).toBe(0);
    expect(file()).toMatch(/^ {2}- name: touring/m);
    expect(file()).not.toMatch(/^ {4}topics:/m);
    expect(file()).toContain('# the best');
  });

  it('add a topic with examples, and add a page to a topic', async () => {
    expect((await typed('topic', 'add', 'stars/planets', '--example', 'http://p.test/')).code).toBe(0);
    expect((await typed('add', 'http://q.test/', '--topic', 'stars/planets')).code).toBe(0);
    expect(file()).toMatch(/name: planets\n {8}examples:\n {10}- http:\/\/p.test\/\n {10}- http:\/\/q.test\//);
  });

  it('do the same as a line typed in the dashboard or a review', async () => {
    const line = (text: string): Promise<string> => editTopicsBy(loadForReading(dir, { env: {} }), text);
    expect(await line('rename cycling "on wheels"')).toContain('"cycling" is now "on wheels"');
    expect(await line('move stars "on wheels"')).toContain('"stars" is now "on wheels/stars"');
    expect(await line('example "on wheels/stars" http://q.test/')).toContain('an example added');
    expect(await line('add planets http://p.test/')).toContain('"planets" added');
    expect(await line('remove "on wheels/touring"')).toContain('"on wheels/touring" removed');
    expect(file()).toContain('examples: [http://c.test/, http://q.test/]');
    expect(JSON.parse(readFileSync(join(dir, 'topics.json'), 'utf8')).topics).toEqual({
      ...{ cycling: 'on wheels', stars: 'on wheels/stars', planets: 'planets' },
    });
    for (const wrong of ['', 'rename x', 'paint cycling red', 'remove'])
      await expect(line(wrong)).rejects.toThrow('Type one of: add TOPIC URL');
  });

  it('remove a topic', async () => {
    expect((await typed('topic', 'remove', 'stars', '--json')).out).toBe('{"topic":"stars"}\n');
    expect(file()).toBe(TEXT.replace(/ {2}- name: stars\n.*\n/, ''));
  });

  it.each([
    [['topic', 'rename', 'cyclin', 'x'], 'Did you mean one of these: cycling'],
    [['topic', 'rename', 'cycling', 'stars'], 'are called "stars"'],
    [['topic', 'rename', 'cycling', 'a/b'], 'holds a "/"'],
    [['topic', 'move', 'cycling', 'cycling/touring'], 'cannot move below itself'],
    [['topic', 'add', 'x'], 'needs pages to learn it from'],
    [['topic', 'add', 'x', '--example', 'http://a.test/'], 'already an example of cycling'],
    [['add', 'nourl', '--topic', 'stars'], 'is not a web address'],
    [['add', 'http://x.test/'], 'TOPIC is missing'],
  ])('%j is misuse and changes nothing', async (words, message) => {
    const { code, err } = await typed(...words);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(file()).toBe(TEXT);
  });
});
