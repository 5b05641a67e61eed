import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { OrderingName } from '../../src/core/index.ts';
import { changeTable, differenceTable, groupTables, labTable, type Result, readResults } from '../../src/lab/index.ts';

interface Given {
  readonly family: string;
  readonly examples?: number;
  readonly draw?: number;
  readonly ordering?: OrderingName;
  readonly nAUC: number;
  /** F1 of the first and the last model. */
  readonly f1?: readonly [number, number];
}

function result({ family, examples = 3, draw = 1, ordering = 'learned', nAUC, f1 = [0.5, 0.5] }: Given): Result {
  const id = `${family}-${examples}-draw${draw}`;
  const quality = (f: number) => ({ precision: f, recall: f, f1: f, averagePrecision: f });
  const at = { 10: nAUC, 25: nAUC, 50: nAUC, 100: nAUC };
  return {
    task: { id, family, web: 'w', kind: 'plain', examples },
    run: {
      ...{ task: id, ordering, fetched: [{ url: 'http://a.test/', topic: null, confidence: 1 }], archetypes: [] },
      measures: {
        ...{ nAUC, area: nAUC, oracleArea: 1, budget: 10, fetches: 10, found: 1, scored: 1, reachable: 10 },
        ...{ recall: at, harvestRate: at, archetypes: { count: 0, judged: 0, onTopic: Number.NaN } },
        classifier: { judged: 1, first: quality(f1[0]), last: quality(f1[1]) },
      },
    },
  };
}

test('several draws of one family count as one value, not as many topics', () => {
  const results = [
    ...[1, 2, 3].map((draw) => result({ family: 'a', draw, nAUC: 0.9 })),
    result({ family: 'b', nAUC: 0.1 }),
  ];
  const [crawling] = groupTables(results, 'all');
  expect(crawling!.rows).toEqual([
    ['all tasks', 'learned', '4', '.500', '.100 to .900', '.500', '.100 to .900', '.500', '–'],
  ]);
});

test('the first and the last model are means of families, and so is their difference', () => {
  const results = [
    ...[1, 2, 3].map((draw) => result({ family: 'a', draw, nAUC: 0.5, f1: [0.25, 0.5] })),
    result({ family: 'b', nAUC: 0.5, f1: [0.75, 0.5] }),
  ];
  const [, classifier] = groupTables(results, 'all');
  expect(classifier!.rows[0]!.slice(3, 5)).toEqual(['.500 → .500', '.000 (-.250 to .250)']);
});

test('two runs are compared task by task, and tasks of one run alone are left out', () => {
  const before = [result({ family: 'a', nAUC: 0.5 }), result({ family: 'b', nAUC: 0.2 })];
  const after = [
    result({ family: 'a', nAUC: 0.6 }),
    result({ family: 'b', nAUC: 0.5 }),
    result({ family: 'c', nAUC: 0.9 }),
  ];
  const { rows } = changeTable(before, after, 'all');
  expect(rows[0]).toEqual(['all tasks', 'learned', 'nAUC', '2', '.350 → .550', '+.200', '.100 to .300', '2', '0']);
  expect(rows.map((row) => row[2])).toContain('AP, last model');
  expect(changeTable(before, [result({ family: 'c', nAUC: 0.9 })], 'all').rows).toEqual([]);
});

test('groups by number of examples are in numeric order', () => {
  const results = [10, 1, 2].map((examples) => result({ family: 'a', examples, nAUC: examples / 10 }));
  const [crawling] = groupTables(results, 'examples');
  expect(crawling!.rows.map((row) => `${row[0]} ${row[3]}`)).toEqual([
    'examples 1 .100',
    'examples 2 .200',
    'examples 10 1.000',
  ]);
});

test('counts the tasks on which the last model is worse, and clearly worse', () => {
  const results = [
    result({ family: 'a', nAUC: 0.5, f1: [0.5, 0.4] }),
    result({ family: 'b', nAUC: 0.5, f1: [0.5, 0.49] }),
    result({ family: 'c', nAUC: 0.5, f1: [0.5, 0.8] }),
  ];
  const [, classifier] = groupTables(results, 'all');
  expect(classifier!.rows[0]![3]).toBe('.500 → .563');
  expect(classifier!.rows[0]![5]).toBe('2; 1 by > .02');
});

test('differences are of the same tasks; the worst lead is over the better simple ordering', () => {
  const results = [
    result({ family: 'a', nAUC: 0.5 }),
    result({ family: 'a', ordering: 'best-first', nAUC: 0.25 }),
    result({ family: 'a', ordering: 'breadth-first', nAUC: 0.125 }),
    result({ family: 'b', nAUC: 0.5 }),
  ];
  const difference = differenceTable(results, 'learned', 'all');
  expect(difference.rows[0]).toEqual(['all tasks', 'learned − best-first', '1', '+.250', '.250 to .250', '1']);
  expect(groupTables(results, 'all')[0]!.rows[0]!.at(-1)).toBe('+.250');
});

test('a task without findable pages does not affect the worst lead of others', () => {
  const results = [
    result({ family: 'a', nAUC: 0.5 }),
    result({ family: 'a', ordering: 'best-first', nAUC: 0.25 }),
    result({ family: 'b', nAUC: Number.NaN }),
    result({ family: 'b', ordering: 'best-first', nAUC: Number.NaN }),
  ];
  expect(groupTables(results, 'all')[0]!.rows[0]!.at(-1)).toBe('+.250');
});

test('results are read back with NaN for missing figures; the later of two runs counts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, { task, run }: Result): string => {
    writeFileSync(join(folder, name), JSON.stringify({ tasks: [task], runs: [run] }));
    return join(folder, name);
  };
  const files = [
    write('1.json', result({ family: 'a', nAUC: 0.1 })),
    write('2.json', result({ family: 'a', nAUC: 0.2 })),
  ];
  const read = await readResults(files);
  expect(read).toEqual([result({ family: 'a', nAUC: 0.2 })]);
  await expect(readResults([join(folder, 'none.json')])).rejects.toMatchObject({ code: 'RESULTS_UNREADABLE' });
  const foreign = join(folder, 'foreign.json');
  writeFileSync(foreign, '{}');
  await expect(readResults([foreign])).rejects.toThrow(`${foreign}: it has no tasks and runs`);
});

test('an ordering without a run is rejected, and the available ones are listed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { task, run } = result({ family: 'a', nAUC: 0.5 });
  writeFileSync(join(folder, 'results.json'), JSON.stringify({ tasks: [task], runs: [run] }));
  const io = { out: () => {}, err: () => {}, signal: new AbortController().signal };
  await expect(labTable({ results: [folder], by: 'all', against: 'random' }, io)).rejects.toMatchObject({
    message: 'These results have no run with random.',
    hint: 'There are runs with: learned.',
  });
});

test('figures and differences are one JSON object, with null for missing ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const all = [result({ family: 'a', nAUC: 0.5 }), result({ family: 'a', ordering: 'random', nAUC: 0.25 })];
  writeFileSync(
    join(folder, 'results.json'),
    JSON.stringify({ tasks: [all[0]!.task], runs: all.map(({ run }) => run) }),
  );
  const told: string[] = [];
  const io = { out: (text: string) => told.push(text), err: () => {}, signal: new AbortController().signal };
  await labTable({ results: [folder], by: 'web', against: 'learned', json: true }, io);
  const { by, figures, differences } = JSON.parse(told.join(''));
  const { web } = all[0]!.task;
  expect([by, figures.length]).toEqual(['web', 2]);
  const nAUC = { mean: 0.5, low: 0.5, high: 0.5, count: 1 };
  expect(figures[0]).toMatchObject({ group: web, ordering: 'learned', tasks: 1, nAUC, worstAgainstSimple: null });
  const lead = { mean: 0.25, low: 0.25, high: 0.25, count: 1 };
  expect(differences).toEqual([
    { group: web, ordering: 'learned', against: 'random', tasks: 1, nAUC: lead, better: 1 },
  ]);
});

const ONE = result({ family: 'a', nAUC: 0.5 });

test.each([
  ['no run', { tasks: [], runs: [] }, 'it has no run'],
  ['a task without a family', { tasks: [{ id: 'a' }], runs: [{}] }, 'task 1, family is missing'],
  ['a run that is null', { tasks: [ONE.task], runs: [null] }, 'run 1 is missing'],
  [
    'a run without figures',
    { tasks: [ONE.task], runs: [{ ...ONE.run, measures: { nAUC: 1 } }] },
    'run 1, measures.recall.25',
  ],
  [
    'an ordering that a terminal would obey',
    { tasks: [ONE.task], runs: [{ ...ONE.run, ordering: '\u001b[2J' }] },
    'run 1, ordering',
  ],
  [
    'a run of another task',
    { tasks: [ONE.task], runs: [{ ...ONE.run, task: 'b\u001b' }] },
    'run 1, task is missing or is not one line of text',
  ],
])('a file of results with %s is refused, with the place', async (_what, content, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'results.json');
  writeFileSync(file, JSON.stringify(content));
  await expect(readResults([file])).rejects.toThrow(`Cannot read the results ${file}: ${message}`);
});
