import { describe, expect, test } from 'vitest';
import type { OrderingName } from '../../src/core/index.ts';
import { htmlReport } from '../../src/lab/score/report.ts';
import { figure, renderTables, summaryTables, type TableInput } from '../../src/lab/score/table.ts';
import type { ScoredRun } from '../../src/lab/score/task-run.ts';
import { parseTasks, type Task } from '../../src/lab/tasks/task.ts';
import { linePlot } from '../../src/postprocess/index.ts';

const NASTY = '<script>alert("x")</script>&\'';
const at = { 10: 0.1, 25: 0.2, 50: 0.3, 100: 0.5 };
const quality = { precision: 0.5, recall: 0.4, f1: 0.44, averagePrecision: 0.6 };

function task(id: string, web: string, bfs: number): Task {
  const given = { topics: { t: ['A'] }, examples: { t: ['http://x.test/'] }, seeds: ['http://x.test/'], others: [] };
  return parseTasks(JSON.stringify([{ id, web, kind: 'plain', ...given, budget: 20, baseline: { bfs } }]), 'T')[0]!;
}

function scored(id: string, ordering: OrderingName, nAUC: number): ScoredRun {
  const measures = {
    nAUC,
    area: nAUC,
    oracleArea: 1,
    budget: 20,
    fetches: 20,
    found: 5,
    scored: 10,
    reachable: 99,
    recall: at,
    harvestRate: at,
    classifier: { judged: 10, first: quality, last: { ...quality, f1: Number.NaN } },
    archetypes: { count: 3, judged: 2, onTopic: 0.5 },
  };
  const run = { task: id, ordering, fetched: [], archetypes: [], measures };
  return { run, curve: Uint32Array.from({ length: 21 }, (_, i) => Math.floor(i / 4)) };
}

const RUNS = [scored('w/a', 'breadth-first', 0.2), scored('v/b', 'breadth-first', 0.4), scored('w/a', 'random', 0.1)];
const input: TableInput = {
  tasks: [task('w/a', 'w', 0.25), task('v/b', 'v', 0.3)],
  orderings: ['breadth-first', 'random'],
  runs: RUNS.map(({ run }) => run),
  compare: false,
};

describe('the table', () => {
  test('has nAUC by task and ordering, means by web and in total, and dashes for missing runs', () => {
    expect(renderTables(summaryTables(input).slice(0, 1))).toBe(
      [
        'nAUC',
        '',
        'task              kind  budget  relevant  breadth-first     random',
        'w/a              plain      20        10           .200       .100',
        'v/b              plain      20        10           .400          –',
        'mean w                                             .200       .100',
        'mean v                                             .400          –',
        'mean of 2 tasks                                    .300       .100',
        '95 % interval                                 .200–.400  .100–.100',
        '',
      ].join('\n'),
    );
  });

  test('counts the tasks of a mean; a task without a relevant page has no figure', () => {
    const none = scored('v/b', 'breadth-first', Number.NaN);
    const [table] = summaryTables({ ...input, runs: [RUNS[0]!.run, none.run] });
    expect(table?.rows.map(([name]) => name)).toContain('mean of 1 task');
  });

  test('shows the reference beside our figure and the mean difference if asked', () => {
    const [table] = summaryTables({ ...input, compare: true });
    const column = table?.rows.map((row) => [row[0], row[4], row[5]]);

    expect(column).toContainEqual(['w/a', '.200 (.250)', '.100']);
    expect(column).toContainEqual(['mean of 2 tasks', '.300 (.275)', '.100']);
    expect(column?.at(-1)).toEqual(['mean difference', '+.025', '–']);
  });

  test('has the means of the other measures, without unknown figures', () => {
    const rows = Object.fromEntries((summaryTables(input)[1]?.rows ?? []).map(([name, ...cells]) => [name, cells]));

    expect(rows['recall at 25 %']).toEqual(['.200 (.200–.200)', '.200']);
    expect(rows['F1, first model']).toEqual(['.440 (.440–.440)', '.440']);
    expect(rows['F1, last model']).toEqual(['–', '–']);
    expect(rows['archetypes on topic']).toEqual(['.500 (.500–.500)', '.500']);
  });

  test('figures have three decimals and no leading zero', () => {
    expect([0.5234, -0.02, 1, 12.5, Number.NaN].map(figure)).toEqual(['.523', '-.020', '1.000', '12.500', '–']);
    expect([-0.0004, -0.0006].map(figure)).toEqual(['.000', '-.001']);
  });
});

describe('the report', () => {
  const html = htmlReport({ ...input, tasks: [task(NASTY, 'w', 0.1), ...input.tasks] }, [
    scored(NASTY, 'random', 0.3),
    ...RUNS,
  ]);

  test('draws recall and harvest rate of every finished task', () => {
    expect(html.match(/aria-label="Recall: /g)).toHaveLength(3);
    expect(html.match(/aria-label="Harvest rate: /g)).toHaveLength(3);
  });

  test('a curve ends at the last fetch of the crawl, at its recall', () => {
    // 20 of 20 fetches at the right border, recall 5 of 10 at half height.
    expect(html).toMatch(/d="M50\.0 222\.0[^"]*L410\.0 124\.0"/);
  });

  test('names are shown as text', () => {
    expect(html).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;');
    expect(html).not.toContain('<script');
  });

  test('loads no external resource', () => {
    expect(html).not.toMatch(/\b(src|href)=|url\(|@import/);
  });
});

test('figures beside the axis do not overlap its name', () => {
  const plot = { title: 'T', xLabel: 'x', yLabel: 'y', xMax: 1, yMax: 0.248, series: [] };
  const ends = [...linePlot(plot).matchAll(/<text x="(\d+)" [^>]*text-anchor="end">([\d.]+)</g)];
  expect(ends.map(([, , text]) => text)).toContain('0.124');
  // A digit is about six wide; the name, turned by a quarter, ends at 14.
  for (const [, x, text] of ends) expect(Number(x) - 6 * text!.length).toBeGreaterThan(14);
});
