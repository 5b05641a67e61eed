import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import {
  canonicalize,
  DEFAULTS,
  InputError,
  parseTopicId,
  type TopicId,
  topicTree,
  UsageError,
} from '../../../src/core/index.ts';
import { withTopic as withSubtopic } from '../../../src/workbench/workspace/edit-topics.ts';
import {
  loadWorkspace,
  parseWorkspace,
  type Workspace,
  withLearnShare,
} from '../../../src/workbench/workspace/workspace.ts';

const GOOD = `topics:
  - name: cycling
    examples: [https://bikes.example/]
  - name: cooking
    examples: [https://food.example/]
others: [https://else.example/]
`;

/** Mistakes as `line key message`, in the order of the report. */
function mistakesOf(text: string): string[] {
  return parseWorkspace(text, 'bingo.yaml', '/nowhere').mistakes.map((m) => `${m.line} ${m.key}: ${m.message}`);
}

test('a topic that gets a subtopic is found by its name or by a reference', () => {
  const text = `topics:
  - name: &version 1.10
    examples: [https://a.example/]
  - name: b
    examples: [https://b.example/]
    topics:
      - name: *version
        examples: [https://c.example/]
`;
  for (const parent of ['1.10', 'b/1.10']) {
    const subtopic = { parent: parseTopicId(parent), name: 'new', examples: [canonicalize('https://d.example/')!] };
    const { mistakes, topics } = parseWorkspace(withSubtopic(text, subtopic), 'bingo.yaml', '/nowhere');
    expect(mistakes).toEqual([]);
    expect(topicTree(topics, []).nodes.has(parseTopicId(`${parent}/new`))).toBe(true);
  }
});

test('an added topic has the line endings of the file', () => {
  const text = '# Mine\r\ntopics:\r\n  - name: bikes\r\n    examples: [http://a.example/]\r\n';
  const subtopic = { parent: parseTopicId('bikes'), name: 'touring', examples: [canonicalize('http://b.example/')!] };
  const lines = withSubtopic(text, subtopic).split('\r\n');
  expect(lines.slice(0, 3)).toEqual(['# Mine', 'topics:', '  - name: bikes']);
  expect(lines.filter((line) => /[\r\n]/.test(line))).toEqual([]);
});

describe('parseWorkspace', () => {
  it('finds no mistakes in a good file', () => {
    expect(mistakesOf(GOOD)).toEqual([]);
  });

  it('reads topics, subtopics, queries, seeds and blocked hosts', () => {
    const { topics } = parseWorkspace(
      `topics:
  - name: databases
    good: false
    lockedHosts: [Spam.Example]
    budget: 500
    topics:
      - name: recovery
        query: ARIES recovery
        examples: [HTTP://Example.org:80/a#b]
        seeds: [https://start.example/]
  - name: other
    examples: [https://o.example/]
`,
      'bingo.yaml',
      '/nowhere',
    );
    expect(topics[0]).toMatchObject({
      name: 'databases',
      good: false,
      lockedHosts: ['spam.example'],
      budget: 500,
      topics: [
        {
          name: 'recovery',
          examples: [
            { kind: 'text', text: 'ARIES recovery' },
            { kind: 'url', url: 'http://example.org/a' },
          ],
          seeds: ['https://start.example/'],
        },
      ],
    });
  });

  it('reads names and queries as written, even those that YAML reads as numbers or booleans', () => {
    const named = (name: string, n: number): string => `  - name: ${name}\n    examples: [https://a.example/${n}]\n`;
    const names = ['1.10', '1.1', '007', '1e3', '2026', 'true'];
    const text = `topics:\n${names.map(named).join('')}  - name: Orwell\n    query: 1984\n`;
    expect(mistakesOf(text)).toEqual([]);
    const { topics } = parseWorkspace(text, 'bingo.yaml', '/nowhere');
    expect(topics.map(({ name }) => name)).toEqual([...names, 'Orwell']);
    expect(topics.at(-1)?.examples).toEqual([{ kind: 'text', name: 'query: 1984', text: '1984' }]);
  });

  it('reports every mistake, with its line, in the order of the file', () => {
    const found = mistakesOf(`topics:
  - name: a/b
    examples: [htp://bad]
  - name: empty
  - name: q
    query: the of and
crawl:
  budget: -5
  bugdet: 5
netwrk: {}
`);
    expect(found).toEqual([
      '2 name: "a/b" holds a "/", which separates topics from their subtopics.',
      '3 examples: "htp://bad" is not a web address.',
      '4 examples: The topic empty has no examples to learn from.',
      '6 query: "the of and" holds no word to learn from.',
      '8 crawl.budget: Expected a whole number, 1 or more, got -5.',
      '9 bugdet: crawl has no such key.',
      '10 netwrk: a workspace has no such key.',
    ]);
  });

  it('gives a remedy or an expectation for every mistake', () => {
    const { mistakes } = parseWorkspace('topics:\n  - name: x\n    exmples: []\ncrawl: {learn: many}\n', 'f', '/');
    expect(mistakes.every((m) => m.hint !== undefined || m.message.startsWith('Expected'))).toBe(true);
  });

  it.each([
    ['', 'topics: The file has no topic.'],
    ['topics: []\n', 'topics: The file has no topic.'],
    ['topics:\n', 'topics: The file has no topic.'],
    ['- a list\n', 'undefined: Expected a workspace'],
    ['topics:\n  - just text\n', 'topics: Expected a topic, got "just text".'],
    ['topics:\n  - name: OTHERS\n    query: rain forest\n', 'name: "OTHERS" is what Bingo calls pages of no topic.'],
    ['topics:\n  - examples: [https://a.example/]\n', 'name: A topic has no name.'],
    ['topics:\n  - name: x\n    query: rain forest\n', 'topics: No topic has a page of the web to start from.'],
    ['topics:\n  - name: x\n    examples: [https://a.example/]\n', 'others: A single topic needs counter-examples'],
    ['topics:\n  - name: x\n    examples: [{file: none.pdf}]\n', 'examples: Cannot read the file "none.pdf".'],
    ['topics:\n  - name: x\n    examples: [https://a.example/]\n    good: perhaps\n', 'good: Expected true or false'],
    [
      'topics:\n  - name: x\n    examples: [https://a.example/]\n    budget: 0\n',
      'budget: Expected a whole number, 1 or',
    ],
    [
      'topics:\n  - name: x\n    examples: [https://a.example/]\n    lockedHosts: [http://a/]\n',
      'lockedHosts: "http://a/" is not a host name.',
    ],
  ])('refuses %j', (text, message) => {
    expect(mistakesOf(text).join('\n')).toContain(message);
  });

  it('reports every wrong item of a list with its line and a correction', () => {
    const list = 'crawl:\n  exclude:\n    - a.test\n    - login\n    - "*.pdf"\n';
    expect(mistakesOf(`${GOOD}${list}`)).toEqual([
      '10 crawl.exclude: Expected a host, a path, or both, such as example.org, /login or example.org/*.pdf$, got "login".',
      '11 crawl.exclude: Expected a host, a path, or both, such as example.org, /login or example.org/*.pdf$, got "*.pdf".',
    ]);
  });

  it('explains what an unquoted star means in YAML', () => {
    const found = mistakesOf(`${GOOD}crawl:\n  exclude: [*.a.test]\n  include: *.b.test\n`);
    expect(found).toHaveLength(2);
    expect(found.join()).toContain('YAML reads a leading star as a reference');
  });

  it('rejects two topics of the same name under one parent, and allows them elsewhere', () => {
    const topic = (name: string, inner: string): string =>
      `  - name: ${name}\n    topics:\n      - {name: ${inner}, examples: ['https://${name}.example/']}\n`;
    expect(mistakesOf(`topics:\n${topic('a', 'x')}${topic('b', 'x')}`)).toEqual([]);
    expect(mistakesOf(`topics:\n${topic('a', 'x')}${topic('a', 'y')}`).join()).toContain(
      'Two topics under the same parent',
    );
    expect(mistakesOf(`topics:\n${topic('caf\u00e9', 'x')}${topic('cafe\u0301', 'y')}`).join()).toContain(
      'Two topics under the same parent',
    );
  });

  it('rejects one page as an example of two topics, however it is spelt', () => {
    const found = mistakesOf(GOOD.replace('https://food.example/', 'HTTPS://BIKES.example:443/#top'));
    expect(found).toEqual(['5 examples: https://bikes.example/ is already an example of cycling (line 3).']);
  });

  it('reports YAML that is nested too deeply, without an overflow', () => {
    const deep = `topics:\n  - name: ${'cy: '.repeat(20_000)}`;
    expect(mistakesOf(deep).join()).toMatch(/not valid YAML/);
    expect(mistakesOf(`topics: ${'['.repeat(50_000)}`).join()).toMatch(/not valid YAML/);
  });

  it('reports where the YAML itself is broken', () => {
    expect(mistakesOf('topics:\n  - name: x\n   bad: [').join()).toMatch(/^3 undefined: This is not valid YAML/);
  });

  it('names each duplicate key once, and does not mention indentation', () => {
    const { mistakes } = parseWorkspace(
      `${GOOD}crawl:\n  learn: 5\n  "learn": 6\ncrawl:\n  budget: 9\n`,
      'f',
      '/nowhere',
    );
    const lines = GOOD.split('\n').length;
    expect(mistakes).toMatchObject([
      { line: lines + 2, message: '"learn" stands in one place twice: this is the second.' },
      { line: lines + 3, message: '"crawl" stands in one place twice: this is the second.' },
    ]);
    expect(mistakes.every(({ hint }) => hint?.startsWith('Combine them, or remove one'))).toBe(true);
  });

  it('reports where a second document begins, without terms of a parser', () => {
    const [mistake, ...others] = parseWorkspace(`${GOOD}---\ntopics: []\n`, 'f', '/nowhere').mistakes;
    expect(others).toEqual([]);
    expect(mistake).toMatchObject({ line: GOOD.split('\n').length, message: 'A second document begins here.' });
  });

  it('reports a missing colon once, with its likely line', () => {
    const text = `${GOOD}crawl:\n  # Pages to fetch.\n  budget 1000\n  # A comment.\n  timeMs: 0\n  learn: 50\n`;
    const line = text.split('\n').indexOf('  budget 1000') + 1;
    const [mistake, ...others] = parseWorkspace(text, 'bingo.yaml', '/nowhere').mistakes;
    expect(others).toEqual([]);
    expect(mistake).toMatchObject({ line: line + 2, message: expect.stringContaining('not valid YAML') });
    expect(mistake?.hint).toContain(`It may be line ${line} that is wrong, "budget 1000"`);
    expect(mistake?.hint).toContain('1 more place may be wrong only because of it.');
  });

  it('survives an alias that contains itself', () => {
    expect(mistakesOf('topics: &a\n  - name: x\n    topics: *a\n').join()).toContain('nest deeper');
  });

  it('accepts a bare string for the store', () => {
    const { values } = parseWorkspace(`${GOOD}store: mysql://u@db/bingo\n`, 'f', '/');
    expect(values.get('store.url')).toBe('mysql://u@db/bingo');
  });

  it('reports a wrong address without its password', () => {
    const told = mistakesOf(
      `${GOOD}network: { proxy: "htp://u:hush@h" }\nstore: { url: "mysql://u:hu/sh@db/bingo" }\n`,
    );
    expect(told).toHaveLength(2);
    expect(told[0]).toContain('u:…@h');
    expect(told[1]).toContain('u:…@db/bingo');
    expect(told.join()).not.toMatch(/hu.?sh/);
  });
});

describe('loadWorkspace', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'bingo-workspace-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));
  const write = (text: string): void => writeFileSync(join(dir, 'bingo.yaml'), text);

  it('uses the defaults for missing settings', () => {
    write(GOOD);
    expect(loadWorkspace(dir).config).toEqual(DEFAULTS);
  });

  it('prefers a flag to the environment, the environment to the file, the file to defaults', () => {
    write(`${GOOD}crawl: {budget: 1, learn: 2, seed: 3}\n`);
    const { crawl } = loadWorkspace(dir, {
      env: { BINGO_CRAWL_LEARN: '20', BINGO_CRAWL_SEED: '30' },
      flags: new Map([['crawl.seed', '300']]),
    }).config;
    expect([crawl.budget, crawl.learn, crawl.seed, crawl.maxTries]).toEqual([1, 20, 300, DEFAULTS.crawl.maxTries]);
  });

  it('resolves files relative to the workspace folder', () => {
    mkdirSync(join(dir, 'docs'));
    writeFileSync(join(dir, 'docs', 'a.txt'), 'text');
    write(
      `topics:\n  - name: x\n    examples: [{file: docs/a.txt}, https://a.example/]\nothers: [https://b.example/]\n`,
    );
    expect(loadWorkspace(dir).topics[0]?.examples?.[0]).toEqual({ kind: 'file', path: join(dir, 'docs', 'a.txt') });
  });

  it('reports mistakes of file, environment and flags together', () => {
    write('topics: []\n');
    const overrides = { env: { BINGO_CRAWL_BUGDET: '1' }, flags: new Map([['crawl.budget', 'many']]) };
    expect(() => loadWorkspace(dir, overrides)).toThrow(InputError);
    expect(() => loadWorkspace(dir, overrides)).toThrow(
      /The file has no topic[\s\S]*BINGO_CRAWL_BUGDET[\s\S]*BINGO_CRAWL_BUDGET[\s\S]*"many"/,
    );
  });

  it('accepts store as the address of the store in a flag, and names the place of a setting', () => {
    write(GOOD);
    const withFlag = (key: string, value: string): Workspace => loadWorkspace(dir, { flags: new Map([[key, value]]) });
    expect(withFlag('store', 'mysql://root@127.0.0.1/bingo').config.store.url).toBe('mysql://root@127.0.0.1/bingo');
    expect(() => withFlag('delayMs', '1s')).toThrow(/Unknown setting[\s\S]*: network\.delayMs\./);
    expect(() => withFlag('store', 'here')).toThrow(/mysql:\/\/user/);
    expect(() => withFlag('recheck', '1')).toThrow(/Unknown setting[\s\S]*recheck\.\w+, recheck\./);
  });

  it('ignores other environment variables', () => {
    write(GOOD);
    expect(() => loadWorkspace(dir, { env: { BINGO_TEST_MYSQL: 'x', BINGO_CHILD: '1' } })).not.toThrow();
  });

  it('reports a file that is a folder or not text', () => {
    const folder = join(dir, 'odd');
    mkdirSync(join(folder, 'bingo.yaml'), { recursive: true });
    expect(() => loadWorkspace(folder)).toThrow(/odd\/bingo\.yaml is a folder/);
    write('topics:\0');
    expect(() => loadWorkspace(dir)).toThrow(/is not valid UTF-8/);
  });

  it('reports twenty of many mistakes, and quotes little of each', () => {
    write(`topics:\n${`  - name: ${'x'.repeat(500)}\n    examples: [http://a.test/]\n`.repeat(30)}`);
    const message = (): string => {
      try {
        return String(loadWorkspace(dir));
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(message()).toMatch(/\n {2}… and \d+ more$/);
    for (const line of message().split('\n')) expect(line.length).toBeLessThan(400);
  });

  it('notes addresses with a password, which Bingo does not send', () => {
    write(
      'topics:\n  - name: x\n    seeds: [http://me:secret@a.test/]\n    examples: [http://b.test/]\nothers: everyday\n',
    );
    const { notes, topics } = loadWorkspace(dir);
    expect(notes).toEqual([expect.stringMatching(/bingo\.yaml, line 3: http:\/\/a\.test\/: Remove the user name/)]);
    expect(topics[0]?.seeds).toEqual(['http://a.test/']);
  });

  it('says that a folder is not a workspace, and how to make one', () => {
    expect(() => loadWorkspace(join(dir, 'nothing'))).toThrow(UsageError);
    expect(() => loadWorkspace(join(dir, 'nothing'))).toThrow(/is not a workspace/);
  });
});

describe('withLearnShare', () => {
  const workspace = (overridden: string[]) => ({
    dir: '/w',
    topics: [],
    tree: { nodes: new Map<TopicId, never>() },
    config: { ...DEFAULTS, crawl: { ...DEFAULTS.crawl, budget: 100, learn: 200 } },
    overridden: new Set(overridden),
    lines: new Map(),
  });

  it('learns for at most a tenth of a small budget', () => {
    expect(withLearnShare(workspace([]), undefined).config.crawl.learn).toBe(10);
  });

  it('keeps an explicit value', () => {
    expect(withLearnShare(workspace(['crawl.learn']), undefined).config.crawl.learn).toBe(200);
    expect(withLearnShare(workspace([]), 'learn').config.crawl.learn).toBe(200);
  });
});
