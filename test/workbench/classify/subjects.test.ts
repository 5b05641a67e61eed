import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stemsOf } from '../../../src/analyze/index.ts';
import { canonicalize, type TopicSpec } from '../../../src/core/index.ts';
import { routeStems } from '../../../src/workbench/classify/route-document.ts';
import { readShippedTree } from '../../../src/workbench/sources/shipped.ts';
import { run } from '../../cli/support/captured-io.ts';

const { topics } = readShippedTree('subjects');
const leaves = topics.flatMap(({ name, topics: below = [] }) =>
  below.map((leaf) => ({ path: `${name}/${leaf.name}`, leaf })),
);
const pagesOf = ({ examples = [] }: TopicSpec): string[] =>
  examples.flatMap((one) => (one.kind === 'url' ? [one.url] : []));
const queryOf = ({ examples = [] }: TopicSpec): string =>
  examples.flatMap((one) => (one.kind === 'text' ? [one.text] : [])).join(' ');

const RECIPE = 'Melt the butter with garlic and onion, add flour, stir the sauce, and bake the dish in the oven. ';
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-subjects-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

describe('the tree of subjects', () => {
  test('has two levels, 60 to 100 subjects, and three to five pages for each', () => {
    expect(topics.every(({ good, examples = [] }) => good === false && examples.length === 0)).toBe(true);
    expect(leaves.length).toBeGreaterThanOrEqual(60);
    expect(leaves.length).toBeLessThanOrEqual(100);
    for (const { path, leaf } of leaves) {
      expect(leaf.topics ?? [], path).toEqual([]);
      expect(pagesOf(leaf).length, path).toBeGreaterThanOrEqual(3);
      expect(pagesOf(leaf).length, path).toBeLessThanOrEqual(5);
    }
  });

  test('names each page once, by its canonical https address without parameters', () => {
    const pages = leaves.flatMap(({ leaf }) => pagesOf(leaf));
    expect(new Set(pages).size).toBe(pages.length);
    for (const page of pages) {
      expect(canonicalize(page)).toBe(page);
      expect(page).toMatch(/^https:\/\/[^?#]+$/);
      // Formats of addresses that die: dates, sessions, scripts of old servers, web archives.
      expect(page).not.toMatch(/\/(19|20)\d\d\/|;jsessionid|\.(cfm|jsp|cgi|php)\b|web\.archive\.org|~/);
    }
  });

  test('has pages outside Wikipedia for every subject', () => {
    for (const { path, leaf } of leaves)
      expect(
        pagesOf(leaf).some((page) => !page.includes('wikipedia.org')),
        path,
      ).toBe(true);
  });

  test('has ten key words or more per subject, which lead to it', () => {
    for (const { path, leaf } of leaves) {
      const stems = stemsOf(queryOf(leaf));
      expect(new Set(stems).size, path).toBeGreaterThanOrEqual(10);
      expect(routeStems(new Map(stems.map((stem) => [stem, 1])))[0]?.subject).toBe(path);
    }
  });

  test('says where it is from', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../topics/subjects.yaml'), 'utf8');
    expect(text).toMatch(/^#.*licence/m);
  });
});

describe('bingo classify --subjects', () => {
  test('names the nearest subject of a document, without a workspace', async () => {
    const file = join(dir, 'soup.txt');
    writeFileSync(file, RECIPE.repeat(5));
    const { code, out } = await run(['classify', '--subjects', file]);
    expect([code, out]).toEqual([0, expect.stringContaining('Nearest subject: home and daily life/cooking.')]);
    const json = JSON.parse((await run(['classify', '--subjects', file, '--json', '--limit', '1'])).out);
    expect(json).toMatchObject({
      subject: 'home and daily life/cooking',
      places: [{ words: expect.arrayContaining(['garlic']) }],
    });
    expect(json.places).toHaveLength(1);
  });

  test('says that no subject fits, and that a file is missing', async () => {
    const file = join(dir, 'none.txt');
    writeFileSync(file, 'zzyzx qwerty foobar lorem ipsum dolor sit amet '.repeat(10));
    expect((await run(['classify', '--subjects', file])).out).toContain('No subject fits clearly.');
    expect((await run(['classify', '--subjects', join(dir, 'missing')])).code).toBe(2);
  });
});

describe('bingo init --near', () => {
  test('proposes neighbours of the examples as counter-examples, without a network', async () => {
    const papers = join(dir, 'papers', 'recipes');
    mkdirSync(papers, { recursive: true });
    writeFileSync(
      join(papers, 'a.txt'),
      `${RECIPE.repeat(5)} Prune the vegetable garden, and give the dog its vitamin.`,
    );
    const made = join(dir, 'made');
    const { code, err } = await run([
      'init',
      made,
      '--documents',
      join(dir, 'papers'),
      '--seed',
      'https://recipes.example/',
      '--near',
    ]);
    expect([code, err]).toEqual([0, expect.stringContaining('is nearest to the subject home and daily life/cooking')]);
    expect(err).toMatch(/Neighbours to tell it apart from: .*gardening/);
    const yaml = readFileSync(join(made, 'bingo.yaml'), 'utf8');
    expect(yaml).toContain('https://en.wikipedia.org/wiki/Compost');
    expect(yaml).not.toContain('https://www.bbcgoodfood.com/');
    expect((await run(['crawl', made, '--help'])).code).toBe(0);
  });

  test('says which examples cannot be read, and makes the workspace all the same', async () => {
    const made = join(dir, 'offline');
    const { code, err } = await run(['init', made, '--topic', 'cooking', '--seed', 'http://127.0.0.1:1/', '--near']);
    expect(code).toBe(0);
    expect(err).toContain('Cannot read http://127.0.0.1:1/');
    expect(err).toContain('no example could be read, so no neighbours are proposed');
  });
});
