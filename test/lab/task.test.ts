import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CanonicalUrl, ROOT, type TopicId } from '../../src/core/index.ts';
import { isLabelled, parseLabels, parseTasks, readTasks, taskTree, truthOf } from '../../src/lab/index.ts';

const GOOD = {
  id: 'w/t',
  web: 'w',
  kind: 'near',
  topics: { t: ['A/B'] },
  examples: { t: ['http://x.test/e'] },
  seeds: ['http://x.test/s'],
  others: ['http://x.test/o'],
  budget: 10,
  oracleArea: 0.9,
  baseline: { bfs: 0.1 },
};
const parse = (...tasks: unknown[]): ReturnType<typeof parseTasks> => parseTasks(JSON.stringify(tasks), 'T.json');
const FILE = resolve('../shared/webs/tasks.json');

describe('the task file', () => {
  test('contains tasks with canonical URLs; optional figures may be missing', () => {
    const [task] = parse({ ...GOOD, seeds: ['HTTP://X.test:80/s#part'], oracleArea: undefined, note: 'ignored' });

    expect(task).toMatchObject({ id: 'w/t', budget: 10, seeds: ['http://x.test/s'], baseline: { bfs: 0.1 } });
    expect([task?.oracleArea, task?.reachable]).toEqual([undefined, undefined]);
  });

  test('may begin with a byte order mark, as some editors write it', () => {
    expect(parseTasks(`\uFEFF${JSON.stringify([GOOD])}`, 'T.json')).toEqual(parse(GOOD));
    expect(parseLabels('\uFEFFhttp://x.test/\tA', 'L.tsv')).toEqual(parseLabels('http://x.test/\tA', 'L.tsv'));
  });

  test.each([
    ['no list', '{}', /T\.json: Expected a list of tasks, got an object/],
    ['no JSON', '[', /T\.json: Invalid JSON/],
    ['empty', '[]', /T\.json: Expected at least one task/],
  ])('refuses a file that is %s', (_kind, text, message) => {
    expect(() => parseTasks(text, 'T.json')).toThrow(message);
  });

  test.each([
    [{ budget: 0 }, 'task "w/t", budget: Expected a number >= 1, got 0'],
    [{ budget: 'all' }, 'task "w/t", budget: Expected a number >= 1, got "all"'],
    [{ budget: 2.5 }, 'task "w/t", budget: Expected a whole number, got 2.5'],
    [{ id: 'w/\u001b[31mred' }, 'task "w/\\u001b[31mred", id: Expected one line of text without control characters'],
    [{ examples: { t: [] } }, 'task "w/t", examples.t: Expected a list of at least 1 text(s), got an empty list'],
    [{ id: 5 }, 'task 1, id: Expected a text, got 5'],
    [{ seeds: [] }, 'task "w/t", seeds: Expected a list of at least 1 text(s), got an empty list'],
    [{ seeds: ['ftp://x.test/'] }, 'task "w/t", seeds: Expected http(s) URLs, got "ftp://x.test/"'],
    [{ topics: { u: ['A'] } }, 'task "w/t", examples.u: Expected example pages or a query for this topic'],
    [{ topics: { u: ['A'] } }, 'task "w/t", examples.t: `topics` has no such topic'],
    [{ topics: { 't//u': ['A'] } }, 'Expected names such as "a" and "a/b", got "t//u"'],
    [{ topics: { '': ['A'] } }, 'Expected names such as "a" and "a/b", got ""'],
    [{ queries: [] }, 'task "w/t", queries: Expected an object, got an empty list'],
    [{ queries: { t: 'of the' } }, 'task "w/t", queries.t: Expected words to learn from, got "of the"'],
    [{ queries: { t: '-steam' } }, 'task "w/t", queries.t: Expected words to learn from, got "-steam"'],
    [{ queries: { t: 7 } }, 'task "w/t", queries.t: Expected words to learn from, got 7'],
    [
      { queries: { t: 'a\u001b[31mb' } },
      'task "w/t", queries.t: Expected one line of words without control characters',
    ],
    [{ queries: { u: 'steam' } }, 'task "w/t", queries.u: `topics` has no such topic'],
    [{ othersWeb: 3 }, 'task "w/t", othersWeb: Expected a text, got 3'],
    [{ oracleArea: 2 }, 'task "w/t", oracleArea: Expected a number in (0,1], got 2'],
    [{ baseline: { bfs: '.1' } }, 'task "w/t", baseline.bfs: Expected a number, got ".1"'],
  ])('names file, task and key of a mistake: %j', (change, message) => {
    expect(() => parse({ ...GOOD, ...change })).toThrow(message);
  });

  test('is rejected with one message if it is not a task or lacks a name', () => {
    const { id: _, ...nameless } = GOOD;
    const lines = [
      'T.json: task 1, id: Expected a text, got nothing.',
      'T.json: task 2: Expected an object, got 7.',
      'T.json: task 3: Expected an object, got null.',
    ];
    expect(() => parse(nameless, 7, null)).toThrow(new RegExp(`:\n  ${lines.join('\n  ')}$`));
  });

  test('is rejected with all mistakes at once, including duplicate ids', () => {
    expect(() => parse({ ...GOOD, web: '' }, { ...GOOD, others: 3 })).toThrow(
      /web: .*\n.*others: .*\n.*Another task has the same id/,
    );
  });

  test('the crawler gets examples, OTHERS, no labels, and seeds if they are not the examples', () => {
    const [task] = parse({
      ...GOOD,
      topics: { a: ['L1'], b: ['L2'] },
      examples: { a: ['http://x.test/1'], b: ['http://x.test/2'] },
      seeds: ['http://x.test/2', 'http://x.test/s', 'http://x.test/1'],
    });

    const tree = taskTree(task!);
    const seeds = Object.fromEntries([...tree.nodes.values()].map((node) => [node.id, node.seeds]));

    expect(seeds).toEqual({ '': [], a: ['http://x.test/s', 'http://x.test/1'], b: [] });
    expect(JSON.stringify([...tree.nodes.values()])).not.toMatch(/L1|L2/);
  });

  test('a query is another example under its name in bingo.yaml, and may be the only one', () => {
    const { examples: _, ...without } = GOOD;
    const [alone, beside] = parse(
      { ...without, queries: { t: ' steam engines ' } },
      { ...GOOD, id: 'b', queries: { t: 'steam' } },
    );

    const given = [alone!, beside!].map((task) => taskTree(task).nodes.get('t' as TopicId)!);

    expect(given.map(({ examples }) => examples)).toEqual([
      [{ kind: 'text', name: 'query: steam engines', text: 'steam engines' }],
      [
        { kind: 'text', name: 'query: steam', text: 'steam' },
        { kind: 'url', url: 'http://x.test/e' },
      ],
    ]);
    expect(given.map(({ seeds }) => seeds)).toEqual([['http://x.test/s'], ['http://x.test/s']]);
  });

  test('OTHERS of another web are not addresses that a crawl could fetch', () => {
    const [task] = parse({ ...GOOD, othersWeb: 'v' });

    expect(taskTree(task!).nodes.get(ROOT)!.others).toEqual([]);
  });

  test('names with a slash are subtopics', () => {
    const names = ['nature/birds', 'war', 'nature', 'nature/fish/rays'];
    const [task] = parse({
      ...GOOD,
      topics: Object.fromEntries(names.map((name) => [name, ['L']])),
      examples: Object.fromEntries(names.map((name, i) => [name, [`http://x.test/${i}`]])),
      seeds: ['http://x.test/0', 'http://x.test/1', 'http://x.test/2', 'http://x.test/3'],
    });

    const nodes = [...taskTree(task!).nodes.values()].map(({ id, good, examples }) => [id, good, examples.length]);

    expect(nodes).toEqual([
      ['', false, 0],
      ['nature', true, 1],
      ['nature/birds', true, 1],
      ['nature/fish', false, 0],
      ['nature/fish/rays', true, 1],
      ['war', true, 1],
    ]);
  });

  test.skipIf(!existsSync(FILE))('the tasks of ../shared are read (skipped without them)', async () => {
    const tasks = await readTasks(FILE);

    expect(tasks).toHaveLength(23);
    expect(tasks.filter((task) => task.topics.length === 3)).toHaveLength(2);
  });
});

describe('labels', () => {
  test('a page may have several labels; a page without any is unjudged', () => {
    const labels = parseLabels('http://x.test/a\tA/B\nhttp://X.test/a\tC\r\n\n', 'w.labels.tsv');

    expect([...labels]).toEqual([['http://x.test/a', ['A/B', 'C']]]);
  });

  test('a broken line is reported by number', () => {
    expect(() => parseLabels('http://x.test/a\tA\nnonsense\n', 'w.labels.tsv')).toThrow(
      /w\.labels\.tsv:2: Expected "URL, tab/,
    );
  });

  test('a label counts for its topic and the parents, not for names with the same prefix', () => {
    expect(['A/B', 'A/B/C', 'A/BC', 'A'].map((label) => isLabelled(label, ['A/B']))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('relevant pages', () => {
  const [task] = parse(GOOD);
  const web: Record<string, string[]> = {
    'http://x.test/s': ['http://x.test/o', 'http://x.test/1'],
    'http://x.test/o': ['http://x.test/2'],
    'http://x.test/1': ['http://x.test/e', 'http://x.test/s'],
    'http://x.test/e': ['http://x.test/3'],
    'http://x.test/4': ['http://x.test/1'],
  };
  const links = (url: CanonicalUrl): readonly CanonicalUrl[] => (web[url] ?? []) as CanonicalUrl[];
  const labels = parseLabels(
    `${['o', 'e', '2', '3', '4'].map((name) => `http://x.test/${name}\tA/B/C`).join('\n')}\nhttp://x.test/1\tD`,
    'l',
  );

  test('have the label, are reachable even through given pages, and are not given', () => {
    const truth = truthOf(task!, labels, links);

    expect([...truth.relevant].sort()).toEqual(['http://x.test/2', 'http://x.test/3']);
    expect(truth.reachable).toBe(6);
  });

  test('a judged page off topic is distinguished from an unjudged one', () => {
    const { topicsOf } = truthOf(task!, labels, links);

    expect(['2', '1', 's'].map((name) => topicsOf(`http://x.test/${name}` as CanonicalUrl))).toEqual([
      ['t'],
      [],
      undefined,
    ]);
  });
});
