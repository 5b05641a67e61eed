import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LabRunOptions, labRun, type TaskRun } from '../../src/lab/index.ts';
import { railPage, writeTwoTopics } from './support/two-topics.ts';

let dir = '';
let given: { readonly tasks: string; readonly webs: string };
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-lab-test-'));
  given = writeTwoTopics(join(dir, 'webs'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly json: string;
  readonly runs: readonly TaskRun[];
  readonly html: string;
}

async function run(options: Partial<LabRunOptions> = {}, stop?: AbortController): Promise<Ended> {
  const out = mkdtempSync(join(dir, 'out-'));
  const texts = { out: '', err: '' };
  const code = await labRun(
    { ...given, out, orderings: ['breadth-first', 'best-first', 'bingo'], jobs: 1, ...options },
    {
      out: (text) => {
        texts.out += text;
      },
      err: (text) => {
        texts.err += text;
        if (text.startsWith('[2/')) stop?.abort();
      },
      signal: (stop ?? new AbortController()).signal,
    },
  );
  const json = readFileSync(join(out, 'results.json'), 'utf8');
  const { runs } = JSON.parse(json) as { runs: readonly TaskRun[] };
  return { code, ...texts, json, runs, html: readFileSync(join(out, 'report.html'), 'utf8') };
}

describe('bingo lab run', () => {
  let first: Ended;
  beforeAll(async () => {
    first = await run();
  });

  test('an unknown key in the task file is reported', async () => {
    const [task] = JSON.parse(readFileSync(given.tasks, 'utf8'));
    const tasks = join(dir, 'unread.json');
    writeFileSync(tasks, JSON.stringify([{ ...task, othersweb: 'two' }]));

    const { code, err } = await run({ tasks, orderings: ['breadth-first'] });
    expect(code).toBe(0);
    expect(err).toContain('Ignoring unknown key "othersweb" in the task file.\n');
    expect(first.err).not.toContain('says nothing');
  });

  test('a topic may have only a query, and OTHERS may be pages of another web', async () => {
    const folder = join(dir, 'two-webs');
    const { webs } = writeTwoTopics(folder);
    for (const ending of ['warc.gz', 'labels.tsv'])
      copyFileSync(join(folder, `two.${ending}`), join(folder, `elsewhere.${ending}`));
    const { examples: _, ...task } = JSON.parse(readFileSync(given.tasks, 'utf8'))[0];
    const query = { ...task, queries: { railways: 'locomotive railway' } };
    const tasks = join(folder, 'queries.json');
    writeFileSync(
      tasks,
      JSON.stringify([
        { ...query, id: 'here' },
        { ...query, id: 'there', othersWeb: 'elsewhere' },
        { ...query, id: 'nowhere', othersWeb: 'elsewhere', others: ['http://food.two.test/none'] },
      ]),
    );

    const ended = await run({ tasks, webs, orderings: ['best-first'] });

    expect(ended.runs.map((r) => r.task)).toEqual(['here', 'there']);
    for (const { fetched, measures } of ended.runs) {
      expect(measures.classifier.first.averagePrecision).toBeGreaterThan(0.8);
      expect(fetched.map(({ url }) => url)).not.toContain(railPage(0));
    }
    // The same pages; only those of this web can be fetched as OTHERS.
    expect(ended.runs[0]!.measures.classifier.first).toEqual(ended.runs[1]!.measures.classifier.first);
    expect(ended.err).toMatch(/Task "nowhere" names pages that are not in .*elsewhere\.warc\.gz:\n {2}others: http:/);
  });

  test('gives the crawls the requested number of OTHERS', async () => {
    const confidences = ({ runs }: Ended): unknown =>
      runs.map(({ fetched }) => fetched.map(({ confidence }) => confidence));
    const [all, none] = [await run({ others: 1000 }), await run({ others: 0 })];
    expect(confidences(all)).toEqual(confidences(first));
    expect(confidences(none)).not.toEqual(confidences(first));
  });

  test('continues a crawl after an exploration, within its budget or with its pages on top', async () => {
    const explore = { pages: 10, answers: 3, order: 'benefit', isExtra: false } as const;
    const within = await run({ orderings: ['learned'], explore });
    const onTop = await run({ orderings: ['learned'], explore: { ...explore, isExtra: true } });
    const [[short], [long]] = [within.runs, onTop.runs];
    const urls = (all: TaskRun | undefined): readonly string[] => all?.fetched.map(({ url }) => url) ?? [];

    expect(urls(short)).toHaveLength(30);
    expect(new Set(urls(long)).size).toBe(40);
    expect(urls(long).slice(0, 30)).toEqual(urls(short));
    expect(long!.measures.fetches).toBe(30);
    expect(long!.measures.nAUC).toBeGreaterThan(short!.measures.nAUC);
    expect(within.out).toContain('First, 10 pages were fetched; then the labels answered 3 questions per topic');
  });

  test('crawls every task under every ordering, in the requested order', () => {
    expect(first.code).toBe(0);
    expect(first.runs.map((r) => `${r.task} ${r.ordering}`)).toEqual([
      'two/rail breadth-first',
      'two/rail best-first',
      'two/rail bingo',
      'two/near breadth-first',
      'two/near best-first',
      'two/near bingo',
    ]);
  });

  test('results.json has the pages in fetch order with topic, confidence and all measures', () => {
    const bingo = first.runs[2]!;

    expect(Object.keys(bingo)).toEqual(['task', 'ordering', 'fetched', 'archetypes', 'measures']);
    expect(bingo.fetched).toHaveLength(30);
    for (const page of bingo.fetched)
      expect(page).toEqual({
        url: expect.stringMatching(/^http:\/\/(rail|food)\d\.two\.test\//),
        topic: page.topic === null ? null : 'railways',
        confidence: expect.any(Number),
      });
    expect(bingo.measures).toMatchObject({
      budget: 30,
      fetches: 30,
      scored: 33,
      recall: { 10: expect.any(Number), 100: expect.any(Number) },
      classifier: { first: { f1: expect.any(Number) }, last: { averagePrecision: expect.any(Number) } },
    });
  });

  test('given pages do not use the budget, and no page is fetched twice', () => {
    const urls = first.runs[0]!.fetched.map((page) => page.url);

    expect(new Set(urls).size).toBe(urls.length);
    expect(urls).not.toContain(railPage(0));
  });

  test('a near task starts at its seeds, not at its examples', () => {
    const near = first.runs[3]!.fetched.map((page) => page.url);

    expect(near).not.toEqual(first.runs[0]!.fetched.map((page) => page.url));
    expect(first.runs[3]!.measures.reachable).toBeGreaterThan(70);
  });

  test('best-first finds more of the topic than breadth-first, and the classifier separates topics', () => {
    const [breadthFirst, bestFirst] = first.runs.slice(3).map((r) => r.measures);

    expect(bestFirst!.nAUC).toBeGreaterThan(breadthFirst!.nAUC);
    expect(bestFirst!.classifier.first.averagePrecision).toBeGreaterThan(0.9);
  });

  test('results are identical with more threads and in a second run', async () => {
    expect((await run({ jobs: 2 })).json).toBe(first.json);
    expect((await run({ jobs: 2 })).html).toBe(first.html);
  });

  test('another seed changes the random ordering', async () => {
    const [one, two] = [await run({ orderings: ['random'], seed: 1 }), await run({ orderings: ['random'], seed: 2 })];

    expect(one.json).not.toBe(two.json);
  });

  test('the labels change only the measures', async () => {
    const other = writeTwoTopics(join(dir, 'other'));
    writeFileSync(join(dir, 'other', 'two.labels.tsv'), `${railPage(5)}\tHome\n${railPage(6)}\tTransport\n`);

    const relabelled = await run(other);

    expect(relabelled.runs.map((r) => r.fetched)).toEqual(first.runs.map((r) => r.fetched));
    expect(relabelled.runs[0]!.measures.scored).toBe(1);
  });

  test('prints the table on stdout and progress on stderr', () => {
    expect(first.out).toMatch(/^nAUC\n\ntask +kind +budget +relevant +breadth-first +best-first +bingo\n/);
    expect(first.err).toMatch(/\[6\/6\] two\/near bingo nAUC /);
  });

  test('settings change the crawls', async () => {
    const { runs } = await run({ orderings: ['bingo'], settings: { crawl: { budget: 10 } } });

    expect(runs[0]!.measures.fetches).toBe(10);
  });

  test('rejects network settings, and an ordering among the settings', async () => {
    await expect(run({ settings: { network: { delayMs: 1000 } } })).rejects.toThrow('network.delayMs has no effect');
    await expect(run({ settings: { crawl: { ordering: 'random' } } })).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('if stopped, writes the finished crawls and says that the results are partial', async () => {
    const stopped = await run({}, new AbortController());

    expect(stopped.code).toBe(130);
    expect(stopped.runs).toHaveLength(2);
    expect(stopped.err).toMatch(/\n2 of 6 crawls were finished; these figures leave out the others\.\n$/);
    expect(first.err).not.toContain('were finished');
  });

  test('if stopped before a crawl is finished, keeps the results of an earlier run', async () => {
    const out = mkdtempSync(join(dir, 'earlier-'));
    writeFileSync(join(out, 'results.json'), 'earlier');
    const told: string[] = [];
    const io = { out: () => {}, err: (text: string) => void told.push(text), signal: AbortSignal.abort() };

    expect(await labRun({ ...given, out, orderings: ['bingo'], jobs: 1 }, io)).toBe(130);
    expect(told.at(-1)).toBe('No crawl was finished; nothing was written.\n');
    expect(readFileSync(join(out, 'results.json'), 'utf8')).toBe('earlier');
  });

  test('tasks can be selected by name', async () => {
    expect((await run({ only: ['two/n*'], orderings: ['breadth-first'] })).runs.map((r) => r.task)).toEqual([
      'two/near',
    ]);
    await expect(run({ only: ['none'] })).rejects.toThrow('The task file has no task "none"');
  });

  test.each([
    { only: ['two/rail,two/near'], chosen: ['two/rail', 'two/near'] },
    { only: ['two/near, two/r*'], chosen: ['two/rail', 'two/near'] },
    { only: ['two/near', 'two/a,b'], chosen: ['two/near', 'two/a,b'] },
  ])('names of tasks may be listed with commas, as of orderings: $only', async ({ only, chosen }) => {
    const tasks = join(dir, 'comma.json');
    const [rail, near] = JSON.parse(readFileSync(given.tasks, 'utf8')) as object[];
    writeFileSync(tasks, JSON.stringify([rail, near, { ...rail, id: 'two/a,b' }]));
    expect((await run({ tasks, only, orderings: ['breadth-first'] })).runs.map((r) => r.task)).toEqual(chosen);
    await expect(run({ tasks, only: ['two/near,none,two/x'] })).rejects.toThrow('has no task "none", "two/x".');
  });

  test('a missing web is reported before any crawl', async () => {
    await expect(run({ webs: dir })).rejects.toThrow(/two\.warc\.gz: The file does not exist.*\n.*two\.labels\.tsv/);
  });

  test('a truncated web is reported once for all threads, and its good records are crawled if asked', async () => {
    const webs = join(dir, 'cut');
    const { tasks } = writeTwoTopics(webs);
    const whole = readFileSync(join(webs, 'two.warc.gz'));
    writeFileSync(join(webs, 'two.warc.gz'), whole.subarray(0, whole.length - 40));
    const told: string[] = [];
    const io = { out: () => {}, err: (text: string) => void told.push(text), signal: new AbortController().signal };

    expect(await labRun({ tasks, webs, out: join(dir, 'cut-out'), orderings: ['bingo'], jobs: 2 }, io)).toBe(1);
    expect(told.filter((text) => text.includes('ends within'))).toHaveLength(1);
    expect(told.join('')).toContain('--skip-damaged');

    told.length = 0;
    const skipping = { tasks, webs, out: join(dir, 'cut-out'), orderings: ['bingo'] as const, skipDamaged: true };
    expect(await labRun({ ...skipping, jobs: 2 }, io)).toBe(0);
    expect(told.filter((text) => text.includes('ends within'))).toHaveLength(1);
  });

  test('a task without relevant pages is named', async () => {
    const tasks = join(dir, 'mistyped.json');
    const [rail, near] = JSON.parse(readFileSync(given.tasks, 'utf8')) as object[];
    writeFileSync(tasks, JSON.stringify([{ ...rail, topics: { railways: ['transport'] } }, near]));

    const { err } = await run({ tasks, orderings: ['breadth-first'] });

    expect(err).toContain('two/rail: nothing can be found: no counted page is labelled transport or below it.');
    expect(err).not.toContain('two/near: nothing');
  });

  test('only the task with pages missing from the web fails, and the pages are named', async () => {
    const [good, near] = JSON.parse(readFileSync(given.tasks, 'utf8')) as object[];
    const tasks = join(dir, 'mixed.json');
    writeFileSync(tasks, JSON.stringify([{ ...near, seeds: ['http://nowhere.test/'] }, good]));

    const mixed = await run({ tasks, orderings: ['breadth-first'] });

    expect(mixed.code).toBe(1);
    expect(mixed.err).toMatch(/two\/near, breadth-first: .* are not in .*:\n {2}seeds: http:\/\/nowhere\.test\//);
    expect(mixed.runs.map((r) => r.task)).toEqual(['two/rail']);
  });

  test('a reviewer may mark pages of the crawls, and the results say so', async () => {
    const review = { pages: 2, after: 6, order: 'unsure' } as const;
    const reviewed = await run({ orderings: ['bingo'], review });
    expect(reviewed.out).toMatch(
      /^Reviewed after 6 pages: the labels marked 2 accepted pages of each topic with the lowest confidence/,
    );
    expect(JSON.parse(reviewed.json)).toMatchObject({ review });
    expect(first.json).not.toContain('review');
    const before = first.runs.find(({ ordering }) => ordering === 'bingo')!;
    expect(reviewed.runs[0]!.fetched.slice(0, 6)).toEqual(before.fetched.slice(0, 6));
    expect(reviewed.runs[0]!.fetched.map(({ confidence }) => confidence)).not.toEqual(
      before.fetched.map(({ confidence }) => confidence),
    );
    expect(reviewed.err).not.toContain('nobody');
  });

  test('a crawl that ends before the review is named', async () => {
    const { runs, err } = await run({ orderings: ['bingo'], review: { pages: 2, after: 500, order: 'unsure' } });
    expect(runs[0]!.measures.fetches).toBeLessThan(500);
    expect(err).toContain(`two/rail bingo: not reviewed. It ended after ${runs[0]!.measures.fetches} fe`);
  });
});
