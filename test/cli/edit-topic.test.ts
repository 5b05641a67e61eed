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

  it('set whether links are followed and pages shown, and remove the key for the default', async () => {
    const set = await typed('topic', 'set', 'cycling/touring', 'follow', 'false', '--json');
    expect(JSON.parse(set.out)).toEqual({ topic: 'cycling/touring', key: 'follow', value: false, isNew: true });
    expect((await typed('topic', 'set', 'stars', 'shown', 'false')).err).toContain('shown of "stars" is false now.');
    expect(file()).toMatch(/name: touring\n {8}examples: .*\n {8}follow: false/);
    expect(file()).toMatch(/name: stars\n {4}examples: .*\n {4}shown: false/);
    expect((await typed('topic', 'set', 'stars', 'shown', 'false')).err).toContain('Nothing was changed.');
    expect((await typed('topic', 'set', 'stars', 'shown', 'true')).code).toBe(0);
    expect((await typed('topic', 'set', 'cycling/touring', 'follow', 'true')).code).toBe(0);
    expect(file()).toBe(TEXT);
  });

  it.each([
    [['stars', 'good', 'true'], '"good" cannot be set for a topic.'],
    [['stars', 'shown', 'no'], 'shown takes true or false, got "no".'],
    [['moons', 'shown', 'true'], 'moons'],
  ])('reject what cannot be set: %s', async (words, message) => {
    expect(await typed('topic', 'set', ...words)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(file()).toBe(TEXT);
  });

  it('do the same as a line typed in the dashboard or a review', async () => {
    const line = (text: string): Promise<string> => editTopicsBy(loadForReading(dir, { env: {} }), text);
    expect(await line('rename cycling "on wheels"')).toContain('"cycling" is now "on wheels"');
    expect(await line('move stars "on wheels"')).toContain('"stars" is now "on wheels/stars"');
    expect(await line('example "on wheels/stars" http://q.test/')).toContain('an example added');
    expect(await line('add planets http://p.test/')).toContain('"planets" added');
    expect(await line('set planets shown false')).toContain('shown of "planets" is false');
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

  describe('remove a page', () => {
    const LISTS = TEXT.replace('examples: [http://b.test/]', 'examples: [http://b.test/, {file: tour.txt}]')
      .replace('others: everyday', 'others: [http://o.test/]')
      .replace(
        'examples: [http://c.test/]',
        'examples: [http://c.test/, http://d.test/]\n    seeds: [http://a.test/, http://d.test/]',
      );

    beforeEach(() => {
      writeFileSync(join(dir, 'tour.txt'), 'saddles and pedals');
      writeFileSync(join(dir, 'bingo.yaml'), LISTS);
    });

    it('whatever list has it, and keep the comments', async () => {
      const removed = async (page: string): Promise<unknown> => JSON.parse((await typed('remove', page, '--json')).out);
      expect(await removed('http://O.test')).toEqual({ page: 'http://o.test/', topic: 'OTHERS', lists: ['others'] });
      expect(await removed('tour.txt')).toEqual({ page: 'tour.txt', topic: 'cycling/touring', lists: ['examples'] });
      expect(await removed('http://d.test/')).toMatchObject({ topic: 'stars', lists: ['examples', 'seeds'] });
      expect(file()).toBe(
        LISTS.replace(', {file: tour.txt}', '')
          .replaceAll(', http://d.test/', '')
          .replace('others: [http://o.test/]\n', ''),
      );
    });

    it('of the topic that is named if several list it', async () => {
      const { code, err } = await typed('remove', 'http://a.test/');
      expect([code, err]).toEqual([2, expect.stringContaining('lists http://a.test/ in several places')]);
      expect(err).toContain(`bingo remove ${dir} http://a.test/ --topic cycling\nbingo remove`);
      expect(file()).toBe(LISTS);
      expect((await typed('remove', 'http://a.test/', '--topic', 'stars')).err).toContain(
        'Removed http://a.test/, seed of "stars". Next: bingo crawl',
      );
      expect(file()).toBe(LISTS.replace('http://a.test/, http://d', 'http://d'));
    });

    it('by a line typed in the dashboard or a review', async () => {
      const line = (text: string): Promise<string> => editTopicsBy(loadForReading(dir, { env: {} }), text);
      expect(await line('remove http://o.test/')).toContain('http://o.test/ removed from "OTHERS"');
      expect(await line('remove http://a.test/ stars')).toContain('removed from "stars"');
      expect(file()).not.toContain('o.test');
    });

    it.each([
      [['http://x.test/'], 'does not list http://x.test/'],
      [['http://o.test/', '--topic', 'stars'], '--topic OTHERS'],
      [['http://o.test/', '--topic', 'star'], 'Did you mean "stars"?'],
    ])('%j is misuse and changes nothing', async (words, message) => {
      const { code, err } = await typed('remove', ...words);
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
      expect(file()).toBe(LISTS);
    });

    it('never the last example of a topic', async () => {
      writeFileSync(join(dir, 'bingo.yaml'), TEXT);
      const { code, err } = await typed('remove', 'http://c.test/');
      expect([code, err]).toEqual([2, expect.stringContaining('stars has no examples')]);
      expect(file()).toBe(TEXT);
    });

    it('add a page beside a single one that is not in a list', async () => {
      writeFileSync(join(dir, 'bingo.yaml'), TEXT.replace('[http://c.test/]', 'http://c.test/'));
      expect((await typed('add', 'http://d.test/', '--topic', 'stars')).code).toBe(0);
      expect(file()).toMatch(/examples:\n {6}- http:\/\/c.test\/\n {6}- http:\/\/d.test\//);
    });
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
