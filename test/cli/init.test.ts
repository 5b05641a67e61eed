import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULTS, ROOT } from '../../src/core/index.ts';
import { readShippedTree, shippedOthers, shippedTrees } from '../../src/workbench/sources/shipped.ts';
import { everydayPages } from '../../src/workbench/workspace/default-counter-examples.ts';
import { loadWorkspace } from '../../src/workbench/workspace/workspace.ts';
import { run } from './support/captured-io.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bingo-init-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const file = (name: string, text: string): string => {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
  return join(root, name);
};
const target = (): string => join(root, 'mine');
const topics = () => loadWorkspace(target()).topics;

describe('bingo init', () => {
  it('makes a workspace with one topic and its seeds, OTHERS and all defaults', async () => {
    const { code, err } = await run([
      'init',
      target(),
      '--topic',
      'cycling',
      '--seed',
      'https://a.example/',
      'https://b.example/',
    ]);
    expect(code).toBe(0);
    expect(err).toContain('1 topic, 2 examples');
    expect(err).toContain(`bingo crawl ${target()}`);
    const { config, tree } = loadWorkspace(target());
    expect(config).toEqual(DEFAULTS);
    expect([...tree.nodes.values()][0]?.others.length).toBeGreaterThanOrEqual(45);
  });

  it('writes a file that fits one screen: topics, counter-examples, budget and contact', async () => {
    await run(['init', target(), '--topic', 'cycling', '--seed', 'https://a.example/', '--set', 'network.delayMs=1s']);
    const text = readFileSync(join(target(), 'bingo.yaml'), 'utf8');
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(22);
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
    expect(lines).toEqual(
      expect.arrayContaining([
        'others: everyday',
        '  budget: 1000 # Pages to fetch in all; seeds and training pages do not count.',
        '  contact: "" # Address by which site owners reach you. Set it before you crawl the open web.',
        '  delayMs: 1000 # Minimum time between two requests to one host; robots.txt may ask for more.',
      ]),
    );
  });

  it('leaves an example of a topic out of the general pages', async () => {
    const [first, second] = everydayPages();
    await run(['init', target(), '--topic', 'sport', '--seed', first!]);
    const { tree } = loadWorkspace(target());
    const others = tree.nodes.get(ROOT)?.others.flatMap((page) => (page.kind === 'url' ? [page.url] : []));
    expect([others?.includes(first!), others?.includes(second!)]).toEqual([false, true]);
  });

  it('says that a crawl begins with all the examples, if there are thousands', async () => {
    const list = (n: number): string => Array.from({ length: n }, (_, i) => `https://a.example/${i}\n`).join('');
    expect((await run(['init', target(), '--urls', file('many.txt', list(1_001))])).err).toMatch(
      /1,001 examples\.\nThe first crawl begins with all these examples; /,
    );
    const few = await run(['init', target(), '--force', '--urls', file('few.txt', list(20))]);
    expect(few.err).not.toContain('The first crawl begins');
  });

  it('turns a query into a virtual example', async () => {
    await run([
      'init',
      target(),
      '--query',
      'ARIES recovery: "open" source',
      '--seed',
      'https://a.example/',
      '--topic',
      'aries',
    ]);
    expect(topics()).toMatchObject([
      { name: 'aries', examples: [{ kind: 'text', text: 'ARIES recovery: "open" source' }, { kind: 'url' }] },
    ]);
  });

  it('turns bookmark folders into topics', async () => {
    const html =
      '<DL><DT><H3>a / b: #1</H3><DL><DT><A HREF="https://x.example/">x</A><DT><A HREF="place:">p</A></DL></DL>';
    const { err } = await run(['init', target(), '--bookmarks', file('b.html', html)]);
    expect(topics()).toMatchObject([{ name: 'a-b: #1' }]);
    expect(err).toContain('Left out 1 that are not web pages');
  });

  it('ignores bookmarks outside of folders and says so, unless all are', async () => {
    const loose = '<DT><A HREF="https://x.example/">x</A><DT><A HREF="https://y.example/">y</A>';
    const folder = '<DT><H3>Trains</H3><DL><DT><A HREF="https://rail.example/">x</A></DL>';
    const { err } = await run(['init', target(), '--bookmarks', file('b.html', `<DL>${folder}${loose}</DL>`)]);
    expect(err).toContain(
      '2 pages outside all folders became the topic "unsorted". A topic needs pages of one subject',
    );
    const alone = await run(['init', target(), '--force', '--bookmarks', file('b.html', `<DL>${loose}</DL>`)]);
    expect(alone.err).not.toContain('no folder');
  });

  it('turns a list of URLs into a topic with the name of the file', async () => {
    await run(['init', target(), '--urls', file('bikes.txt', 'https://x.example/\n')]);
    expect(topics()).toMatchObject([{ name: 'bikes' }]);
  });

  it('reports a page that is listed twice: only one topic can have it', async () => {
    const list = file('list.txt', 'https://x.example/ bikes\nhttps://y.example/ books\nhttps://x.example/ books\n');
    const { err } = await run(['init', target(), '--urls', list]);
    expect(err).toContain('Left out 1 already in the list');
  });

  it('turns folders of documents into topics, with paths relative to the workspace', async () => {
    file('docs/recovery/a.txt', 'text');
    file('docs/recovery/.hidden.txt', 'text');
    file('docs/recovery/song.mp3', 'la');
    file('docs/indexing/deep/b.html', '<p>text');
    symlinkSync('/etc/hostname', join(root, 'docs', 'link.txt'));
    const { err } = await run(['init', target(), '--documents', join(root, 'docs'), '--seed', 'https://x.example/']);
    expect(err).toContain('Left out 1 in an unknown format');
    expect(topics()).toMatchObject([
      {
        name: 'indexing',
        topics: [{ name: 'deep', examples: [{ kind: 'file', path: join(root, 'docs/indexing/deep/b.html') }] }],
      },
      { name: 'recovery', examples: [{ kind: 'file' }], seeds: ['https://x.example/'] },
    ]);
    expect(readFileSync(join(target(), 'bingo.yaml'), 'utf8')).toContain('- file: ../docs/recovery/a.txt');
  });

  it('starts from a topic tree that is part of Bingo', async () => {
    await run(['init', target(), '--tree', 'cycling']);
    expect(topics()).toMatchObject([{ name: 'cycling' }]);
  });

  it('reads OTHERS from a file, and leaves out examples', async () => {
    const others = file('others.txt', 'https://x.example/\nhttps://y.example/\n');
    await run(['init', target(), '--topic', 't', '--seed', 'https://x.example/', '--others', others]);
    expect([...loadWorkspace(target()).tree.nodes.values()][0]?.others).toEqual([
      { kind: 'url', url: 'https://y.example/' },
    ]);
  });

  it('writes the settings that it is given', async () => {
    await run([
      'init',
      target(),
      '--topic',
      't',
      '--seed',
      'https://x.example/',
      '--contact',
      'me@x.example',
      '--set',
      'network.delayMs=2s',
    ]);
    expect(loadWorkspace(target()).config.network).toMatchObject({ contact: 'me@x.example', delayMs: 2000 });
  });

  it('overwrites nothing unless forced', async () => {
    const words = ['init', target(), '--topic', 't', '--seed', 'https://x.example/'];
    await run(words);
    expect(await run(words)).toMatchObject({ code: 2, err: expect.stringContaining('--force') });
    expect(await run([...words, '--force'])).toMatchObject({ code: 0, err: expect.stringContaining('bingo.yaml.bak') });
  });

  it('reports a folder with the name of a file that it writes', async () => {
    const words = ['init', target(), '--topic', 't', '--seed', 'https://x.example/', '--force'];
    await run(words);
    const backup = join(target(), 'bingo.yaml.bak');
    mkdirSync(backup);
    const { code, err } = await run(words);
    expect([code, err]).toEqual([2, expect.stringContaining(`${backup} is a folder; it should be a file.`)]);
    expect(readdirSync(target()).sort()).toEqual(['bingo.yaml', 'bingo.yaml.bak']);
  });

  it.each([
    [[], 'Nothing to learn from yet.'],
    [['--topic', 't'], 'needs a page to start from'],
    [['--topic', 'a/b', '--seed', 'https://x.example/'], 'separates topics'],
    [['--topic', 't', '--seed', 'x.example', 'ftp://y.example/'], 'https://x.example'],
    [['--query', 'of the', '--seed', 'https://x.example/'], '"of the" holds no word to learn from'],
    [['--query', 'der die das und', '--seed', 'https://x.example/'], '"der die das und" holds no word to learn from'],
    [['--query', 'и в не на', '--seed', 'https://x.example/'], '"и в не на" holds no word to learn from'],
    [['--query', 'the -car', '--seed', 'https://x.example/'], '"the -car" holds no word to learn from'],
    [['--query', '!!!', '--seed', 'https://x.example/'], '"!!!" holds no word to learn from'],
    [['--query', 'x'.repeat(5000), '--seed', 'https://x.example/'], `"${'x'.repeat(80)}…" holds no word to learn from`],
    [['--urls', '/nowhere.txt'], 'Cannot read the file /nowhere.txt'],
    [['--documents', '/nowhere'], 'The folder /nowhere does not exist'],
    [['--tree', 'cyclng'], 'Did you mean "cycling"?'],
    [['--tree', 'cycling', '--query', 'x'], 'cannot be combined'],
    [['--tree', 'cycling', '--set', 'crawl.budget=none'], 'Expected a whole number'],
    [['--tree', 'cycling', '--set', 'budget'], 'Expected --set KEY=VALUE'],
  ])('refuses %j with a remedy, and writes nothing', async (flags, message) => {
    const { code, err } = await run(['init', target(), ...flags]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(() => readFileSync(join(target(), 'bingo.yaml'))).toThrow();
  });

  it.skipIf(process.platform === 'win32')('reads the output of a command, as in --urls <(sort list.txt)', async () => {
    const pipe = join(root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    spawn('sh', ['-c', 'echo https://a.example/ > "$0"', pipe], { stdio: 'ignore' });
    expect((await run(['init', target(), '--urls', pipe])).code).toBe(0);
    expect(readFileSync(join(target(), 'bingo.yaml'), 'utf8')).toContain('- https://a.example/\n');
  });

  it.each([
    ['--bookmarks', '<?xml version="1.0"?>\n<opml version="2.0"><body/></opml>', '--opml'],
    ['--opml', '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL></DL>', '--bookmarks'],
    ['--urls', '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL></DL>', '--bookmarks'],
  ])('names the right flag for what %s was given', async (flag, text, right) => {
    const { code, err } = await run(['init', target(), flag, file('list', text)]);
    expect([code, err]).toEqual([2, expect.stringContaining(`Give it with ${right} instead of ${flag}.`)]);
  });

  it('reports every bad line of a list at once', async () => {
    const { err } = await run([
      'init',
      target(),
      '--urls',
      file('l.txt', 'x.example\nhttps://ok.example/\nmailto:a@b.example\n'),
    ]);
    expect(err).toMatch(/l\.txt:1:[\s\S]*l\.txt:3:/);
  });
});

describe('the topic trees that are part of Bingo', () => {
  it.each(shippedTrees())('%s is sound and says what it is about', (name) => {
    const { about, topics } = readShippedTree(name);
    expect(about.length).toBeGreaterThan(20);
    expect(topics.length).toBeGreaterThan(0);
  });

  it('include the topics of the papers', () => {
    expect(shippedTrees()).toEqual([
      'aries-recovery',
      'cycling',
      'database-research',
      'hiv-aids',
      'subjects',
      'terminal-interfaces',
    ]);
  });

  it('have about fifty pages of OTHERS, none of them an example of a tree', () => {
    const others = shippedOthers().map((other) => (other.kind === 'url' ? other.url : ''));
    // A tree of all subjects overlaps. A workspace made of it leaves those pages out.
    const trees = shippedTrees().filter((name) => name !== 'subjects');
    const examples = trees.flatMap((name) => JSON.stringify(readShippedTree(name).topics));
    expect(others.length).toBeGreaterThanOrEqual(45);
    expect(others.filter((url) => examples.some((text) => text.includes(`"${url}"`)))).toEqual([]);
  });

  it('are listed', async () => {
    const { out } = await run(['topics', '--json']);
    expect((JSON.parse(out) as { name: string }[]).map((tree) => tree.name)).toEqual(shippedTrees());
  });
});
