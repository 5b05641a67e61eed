import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lostPages } from '../../src/cli/judging/change-text.ts';
import type { CanonicalUrl, TopicId } from '../../src/core/index.ts';
import { hash32 } from '../../src/kit/index.ts';
import { adoptSubtopics } from '../../src/workbench/judging/adopt-subtopics.ts';
import { loadWorkspace } from '../../src/workbench/workspace/workspace.ts';
import { page, stems, visit } from '../contracts/store-records.ts';
import { bikeWorkspace, startBikeWeb } from './support/bike-web.ts';
import { run } from './support/captured-io.ts';
import { type MadeWorkspace, makeWorkspace } from './support/made-workspace.ts';

const YAML = `# My bicycles
topics:
  - name: cycling # the topic
    examples:
      - https://example.org/start
    # more to come
others:
  - https://example.org/other
crawl:
  budget: 50 # enough
`;

const WORDS = {
  touring: ['panniers', 'campsite', 'route', 'map', 'mountains', 'ferry', 'tent', 'journey'],
  repair: ['wrench', 'spokes', 'bearing', 'grease', 'cable', 'derailleur', 'chain', 'torque'],
};

const STEMS: Readonly<Record<string, string>> = {
  ...{ panniers: 'pannier', campsite: 'campsit', route: 'rout', mountains: 'mountain', ferry: 'ferri' },
  ...{ journey: 'journei', spokes: 'spoke', bearing: 'bear', grease: 'greas', cable: 'cabl', torque: 'torqu' },
};

function clusterPage(n: number, more: Parameters<typeof page>[2] = {}) {
  const group = n % 3 === 0 ? 'repair' : 'touring';
  const words = WORDS[group].filter((_, i) => hash32(`${n}/${i}`) % 10 < 6);
  const stems = Object.fromEntries(words.map((word) => [STEMS[word] ?? word, 2]));
  return (sequence: number) =>
    page(sequence, `https://${group}.example/${n}`, {
      topic: 'cycling',
      stems: { ...stems, bicycl: 1 },
      document: { title: `${group} ${n}`, text: words.join(' ') },
      ...more,
    });
}

let made: MadeWorkspace;

beforeEach(async () => {
  const pages = Array.from({ length: 60 }, (_, n) => clusterPage(n));
  made = await makeWorkspace(YAML, [
    ...pages,
    clusterPage(61, { others: true }),
    (sequence) => page(sequence, 'https://bad.example/', { topic: 'cycling', document: { title: '\u001b[2Jbad' } }),
  ]);
});

afterEach(() => made.drop());

describe('bingo cluster', () => {
  test('shows the groups of a topic with readable words, titles and a picture', async () => {
    const { code, out, err } = await run(['cluster', made.dir, 'cycling']);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}1 {2}.*\b(panniers|route|journey)\b.* 40 pages, 66 %/m);
    expect(out).toMatch(/^ {2}2 {2}.*\b(spokes|grease|wrench)\b.* 20 pages, 33 %/m);
    expect(out).toMatch(/^ {5}touring \d+$/m);
    expect(out).toMatch(/^ +[12 ]+$/m);
    expect(out).toContain('Impurity by number of groups: 1: ');
    expect(out).toContain('1 page could not be compared');
    expect(err).toContain('--accept N');
  });

  test('proposes to split the pages if they form one group, not to accept that group', async () => {
    const { err } = await run(['cluster', made.dir, 'cycling', '-k', '1']);
    expect(err).toMatch(/^Next: bingo cluster \S+ cycling --groups 2$/m);
    const refused = await run(['cluster', made.dir, 'cycling', '-k', '1', '--accept', '1']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/one group.*\n.* cycling --groups 2\n/) });
    expect(readFileSync(join(made.dir, 'bingo.yaml'), 'utf8')).toBe(YAML);
  });

  test('says that pages that are all alike cannot be split, and does not propose it again', async () => {
    const alike = await makeWorkspace(
      YAML,
      Array.from({ length: 6 }, (_, n) => (sequence: number) => {
        return stems(sequence, n < 4 ? { wheel: 2, saddle: 1 } : {}, { topic: 'cycling' });
      }),
    );
    const { code, out, err } = await run(['cluster', alike.dir, 'cycling', '-k', '2'], { columns: () => 300 });
    expect([code, err]).toEqual([0, '']);
    expect(out.replace(/\s+/g, ' ')).toContain('They are too similar to be split.');
    const refused = await run(['cluster', alike.dir, 'cycling', '-k', '2', '--accept', '1']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/one group.*\nThey are too similar/) });
    alike.drop();
  });

  test('needs no topic name if there is only one topic, and otherwise lists the topics', async () => {
    expect((await run(['cluster', made.dir])).out).toBe((await run(['cluster', made.dir, 'cycling'])).out);
    writeFileSync(
      join(made.dir, 'bingo.yaml'),
      YAML.replace('others:', '  - name: running\n    query: marathon\nothers:'),
    );
    const { code, err } = await run(['cluster', made.dir]);
    expect([code, err]).toEqual([2, expect.stringContaining('TOPIC is missing.\nThere are: cycling, running.')]);
  });

  test('fits a narrow terminal', async () => {
    const { out } = await run(['cluster', made.dir, 'cycling'], { columns: () => 60 });
    expect(out).toContain('could not be compared');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });

  test('prints the same as JSON', async () => {
    const { out } = await run(['cluster', made.dir, 'cycling', '-k', '3', '--json']);
    const found = JSON.parse(out);
    expect(found).toMatchObject({ topic: 'cycling', pages: 61, sampled: 61, unplaced: 1 });
    expect(found.clusters).toHaveLength(3);
    expect(found.clusters[0].typical[0]).toMatchObject({ url: expect.stringContaining('https://') });
  });

  test('leaves out pages that are gone', async () => {
    const origin = {
      via: 'recheck',
      from: '',
      topic: 'cycling' as TopicId,
      depth: 1,
      tunnelDepth: 0,
      priority: 1,
    } as const;
    const gone = visit(4, 'https://touring.example/2', {
      result: 'gone',
      reason: 'http',
      status: 410,
      page: 3,
      origin,
    });
    const pages = Array.from({ length: 20 }, (_, n) => clusterPage(n));
    const other = await makeWorkspace(YAML, [...pages, (sequence) => ({ ...gone, sequence })]);
    const { out } = await run(['cluster', other.dir, 'cycling', '-k', '2', '--json']);
    expect(JSON.parse(out).pages).toBe(19);
    expect(out).not.toContain('https://touring.example/2"');
    other.drop();
  });

  test('writes a picture for the browser', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'bingo-svg-')), 'groups.svg');
    await run(['cluster', made.dir, 'cycling', '--svg', file]);
    expect(readFileSync(file, 'utf8').match(/<circle /g)).toHaveLength(60 + 2);
  });

  test('makes a group a subtopic with its typical pages as examples, and keeps comments', async () => {
    const { code, err } = await run(['cluster', made.dir, 'cycling', '--accept', '2', '--name', 'repair']);
    expect(code).toBe(0);
    expect(err).toContain('cycling/repair is now a topic with 8 examples');
    const yaml = readFileSync(join(made.dir, 'bingo.yaml'), 'utf8');
    for (const comment of ['# My bicycles', '# the topic', '# enough', '# more to come'])
      expect(yaml).toContain(comment);
    expect(yaml.match(/- https:\/\/repair\.example\/\d+/g)).toHaveLength(8);
    expect(yaml).not.toContain('touring.example');
    expect(readFileSync(join(made.dir, 'bingo.yaml.bak'), 'utf8')).toBe(YAML);
    expect(readdirSync(made.dir).filter((name) => name.endsWith('.new'))).toEqual([]);
    expect((await run(['status', made.dir])).code).toBe(0);
  });

  test('adds a second subtopic, from pages that are not examples yet', async () => {
    await run(['cluster', made.dir, 'cycling', '--accept', '1', '--name', 'touring']);
    await run(['cluster', made.dir, 'cycling', '--accept', '1', '--name', 'more touring']);
    const yaml = readFileSync(join(made.dir, 'bingo.yaml'), 'utf8');
    const urls = yaml.match(/https:\/\/touring\.example\/\d+/g)!;
    expect(new Set(urls).size).toBe(16);
    const taken = await run(['cluster', made.dir, 'cycling', '--accept', '2', '--name', 'touring']);
    expect(taken.code).toBe(2);
    expect(taken.err).toContain('Two topics under the same parent are called "touring"');
    expect(readFileSync(join(made.dir, 'bingo.yaml'), 'utf8')).toBe(yaml);
  });

  test('keeps lists in brackets unchanged', async () => {
    const yaml = readFileSync(join(made.dir, 'bingo.yaml'), 'utf8');
    writeFileSync(join(made.dir, 'bingo.yaml'), yaml.replace('crawl:', 'learn:\n  spaces: [terms, pairs]\ncrawl:'));
    await run(['cluster', made.dir, 'cycling', '--accept', '2']);
    expect(readFileSync(join(made.dir, 'bingo.yaml'), 'utf8')).toContain('spaces: [terms, pairs]');
  });

  test('says that the next crawl learns the topic if no model exists yet', async () => {
    const { err } = await run(['cluster', made.dir, 'cycling', '--accept', '2']);
    expect(err).toContain('The next bingo crawl ');
  });

  test.each([
    [['cycling', '--accept', '9'], 'No group 9'],
    [['cycling', '--name', 'x'], 'Add --accept N.'],
    [['cycling', '--accept', '2', '--name', ' '], '--name is empty.'],
    [['cycling', '--accept', '2', '--name', 'repair/parts'], '--name: "repair/parts" holds a "/"'],
    [['cycling', '--accept', '2', '--name', 'others'], '--name: "others" is what Bingo calls pages of no topic.'],
    [['cyclin'], 'Unknown topic "cyclin"'],
    [['cycling', '-k', '0'], '--groups takes'],
  ])('reports what is wrong with %j', async (words, message) => {
    const { code, err } = await run(['cluster', made.dir, ...words]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('says if there is nothing to compare', async () => {
    const empty = await makeWorkspace(YAML, [(sequence) => page(sequence, 'https://a.example/', { topic: 'cycling' })]);
    const { code, err } = await run(['cluster', empty.dir, 'cycling']);
    expect([code, err]).toEqual([1, 'cycling has no pages that could be compared: 1 stored.\n']);
    const told = await run(['cluster', empty.dir, 'cycling', '--json']);
    expect([told.code, JSON.parse(told.out)]).toEqual([
      1,
      { topic: 'cycling', pages: 1, sampled: 1, unplaced: 1, impurities: [], clusters: [] },
    ]);
    empty.drop();
  });

  test('names the subtopics of a topic that has no pages of its own', async () => {
    const tree = YAML.replace(/^(\s*)- name: cycling/m, '$&\n$1  topics:\n$1    - { name: touring, query: panniers }');
    const above = await makeWorkspace(tree, [
      (sequence) => page(sequence, 'https://a.example/', { topic: 'cycling/touring' }),
    ]);
    const { code, err } = await run(['cluster', above.dir, 'cycling']);
    expect(code).toBe(1);
    expect(err).toBe(
      'cycling has no pages that could be compared: 0 stored.\nTopics below it are grouped one by one: cycling/touring.\n',
    );
    above.drop();
  });
});

test('says how many pages the parent topic lost after learning from the new examples', () => {
  const moves = [
    { from: 'cycling', to: 'cycling/parts', pages: 26 },
    { from: 'cycling', to: 'OTHERS', pages: 18 },
    { from: 'OTHERS', to: 'cycling', pages: 3 },
  ];
  expect(lostPages({ moves }, 'cycling' as TopicId)).toMatch(
    /^18 pages of cycling were rejected: the topic learned from the new/,
  );
  expect(lostPages({ moves: moves.slice(0, 1) }, 'cycling' as TopicId)).toBeUndefined();
});

test('an earlier decision on a page is replaced if it becomes an example of a new topic', async () => {
  const web = await startBikeWeb();
  const dir = mkdtempSync(join(tmpdir(), 'bingo-adopt-'));
  try {
    writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web));
    await run(['crawl', dir, '--budget', '20', '--plain']);
    const [three, eight] = ['/3', '/8'].map((path) => `${web.origin('bikes.test')}${path}` as CanonicalUrl);
    expect((await run(['mark', dir, '--good', three!])).code).toBe(0);
    const subtopic = { parent: 'cycling' as TopicId, name: 'parts', examples: [three!, eight!] };
    await adoptSubtopics(loadWorkspace(dir, { env: {} }), {}, [subtopic]);
    const { out } = await run(['topic', 'show', dir, 'cycling/parts']);
    for (const url of subtopic.examples) expect(out).toMatch(new RegExp(`${url} .* user `));
  } finally {
    await web.close();
    rmSync(dir, { recursive: true, force: true });
  }
});

test('accepting a group updates tree, training pages and verdicts without fetching', async () => {
  const web = await startBikeWeb();
  const dir = mkdtempSync(join(tmpdir(), 'bingo-adopt-'));
  try {
    // Puts two subjects into one topic, so that pages of both are grouped.
    const food = [0, 3].map((n) => `${web.origin('food.test')}/${n}`).join(', ');
    const stars = [1, 2, 5, 7].map((n) => `${web.origin('stars.test')}/${n}`).join(', ');
    const yaml = bikeWorkspace(web)
      .replace(/examples: \[/, `$&${food}, `)
      .replace(/others: .*/, `others: [${stars}]`);
    writeFileSync(join(dir, 'bingo.yaml'), yaml);
    await run(['crawl', dir, '--budget', '20', '--plain']);
    const { code, out, err } = await run([
      ...['cluster', dir, 'cycling', '-k', '2'],
      ...['--accept', '2', '--name', 'parts'],
    ]);
    expect(code, err).toBe(0);
    expect(out).toMatch(/^cycling\/parts +– → [2-8]/m);
    expect(out).toMatch(/pages? .*went to another topic/);
    const ask = async (query: string) => JSON.parse((await run(['sql', dir, '--json', query])).out);
    const [census] = await ask("select accepted from census where topic = 'cycling/parts'");
    expect(census.accepted).toBeGreaterThan(0);
    const trained = await ask("select count(*) as n from training where topic = 'cycling/parts' and origin = 'user'");
    expect(trained[0].n).toBeGreaterThan(1);
    const before = await ask('select count(*) as n from page');
    const again = await run(['crawl', dir, '--budget', '20', '--plain']);
    expect(again.code, again.err).toBe(0);
    expect(again.err).toMatch(/^cycling\/parts +[1-9]/m);
    expect(await ask('select count(*) as n from page')).toEqual(before);
  } finally {
    await web.close();
    rmSync(dir, { recursive: true, force: true });
  }
});

describe('rejected pages', () => {
  test('are grouped, and a group becomes a topic, counter-examples, or blocked hosts', async () => {
    const web = await startBikeWeb();
    const dir = mkdtempSync(join(tmpdir(), 'bingo-rejected-'));
    try {
      writeFileSync(join(dir, 'bingo.yaml'), bikeWorkspace(web, 'crawl: {tunnelDistance: 5}\n'));
      await run(['crawl', dir, '--budget', '30', '--plain']);
      const { code, out, err } = await run(['cluster', dir, '--rejected', '--groups', '2', '--json']);
      expect(code, err).toBe(0);
      const groups = JSON.parse(out) as Groups;
      const ask = async (query: string) => JSON.parse((await run(['sql', dir, '--json', query])).out);
      const rejected = "select count(*) as n from page where role = 'crawled' and others = 1";
      expect(await ask(rejected)).toEqual([{ n: groups.pages }]);
      expect(groups.clusters).toHaveLength(2);
      const hosts = groups.clusters.map((group) => group.hosts.map(({ host }) => host));
      expect(hosts.flat().some((host) => host.startsWith('bikes.test'))).toBe(false);
      expect(err).toContain(`Next: bingo cluster ${dir} --rejected --groups 2 --accept N, --bad N or --lock N`);
      const asked = ['cluster', dir, '--rejected', '--groups', '2'];
      const against = JSON.parse((await run([...asked, '--bad', '1', '--json'])).out);
      expect(against.bad.length).toBeGreaterThan(0);
      const marked = "select count(*) as n from training where origin = 'feedback-others'";
      expect((await ask(marked))[0].n).toBeGreaterThan(0);
      const at = hosts.findIndex((each) => each.length > 0) + 1;
      const locked = await run([...asked, '--lock', String(at)]);
      expect(locked.code, locked.err).toBe(0);
      expect(locked.err).toContain(`Blocked:\n  ${hosts[at - 1]![0]}`);
      expect((await run(['status', dir])).out).toContain('bad sites');
      const topic = await run([...asked, '--accept', '2', '--name', 'heap']);
      expect(topic.err).toContain('heap is now a topic');
      expect(readFileSync(join(dir, 'bingo.yaml'), 'utf8')).toContain('name: heap');
    } finally {
      await web.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  test.each([
    [['--bad', '1'], '--bad needs --rejected.'],
    [['--rejected', '--bad', '1', '--lock', '2'], '--accept, --bad and --lock exclude each other.'],
  ])('refuses %s', async (flags, message) => {
    const { code, err } = await run(['cluster', made.dir, ...flags]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

interface Groups {
  readonly pages: number;
  readonly clusters: readonly { readonly hosts: readonly { readonly host: string }[] }[];
}
