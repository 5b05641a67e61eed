import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CanonicalUrl, DEFAULTS } from '../../src/core/index.ts';
import { analyzerSettings } from '../../src/engine/index.ts';
import {
  type AnalyzedWeb,
  FrozenWeb,
  type Labels,
  linkGraph,
  type PageAnalysis,
  readLabels,
  readTasks,
  runTask,
  type Task,
  truthOf,
  WebAnalyst,
} from '../../src/lab/index.ts';
import { oracleArea } from '../../src/lab/score/oracle.ts';

const FOLDER = resolve('../shared/webs');

/** Skipped where ../shared/webs is missing. */
describe.skipIf(!existsSync(FOLDER))('the archwiki of ../shared/webs', () => {
  let web: AnalyzedWeb;
  let labels: Labels;
  let tasks: readonly Task[];
  beforeAll(async () => {
    const frozen = await FrozenWeb.open(`${FOLDER}/archwiki.warc.gz`);
    const analyst = new WebAnalyst(frozen, analyzerSettings(DEFAULTS));
    const analyses = new Map<CanonicalUrl, PageAnalysis>();
    for (const url of frozen.urls()) analyses.set(url, (await analyst.analysisOf(url))!);
    web = { web: frozen, analyses };
    labels = await readLabels(`${FOLDER}/archwiki.labels.tsv`);
    tasks = (await readTasks(`${FOLDER}/tasks.json`)).filter((task) => task.web === 'archwiki');
  });

  test('has as many reachable and relevant pages in our analysis as the tasks state', () => {
    const counts = tasks.map((task) => truthOf(task, labels, linkGraph(web)));

    expect(counts.map((truth) => truth.reachable)).toEqual(tasks.map((task) => task.reachable));
    expect(counts.map((truth) => truth.relevant.size)).toEqual(tasks.map((task) => task.scored));
  });

  test('has the oracle areas that the tasks state', () => {
    const links = linkGraph(web);

    for (const task of tasks) {
      const { relevant } = truthOf(task, labels, links);
      expect(Math.abs(oracleArea({ ...task, relevant, links }) - (task.oracleArea ?? 0))).toBeLessThan(0.006);
    }
  });

  test('gives breadth-first the nAUC of the reference, and soft focus much more', async () => {
    const task = tasks.find(({ id }) => id === 'archwiki/networking-near')!;
    const truth = truthOf(task, labels, linkGraph(web));
    const nAUC = async (ordering: 'breadth-first' | 'soft-focus'): Promise<number> =>
      (await runTask(task, ordering, web, truth, { seed: 1, settings: {} })).run.measures.nAUC;

    expect(await nAUC('breadth-first')).toBeCloseTo(task.baseline.bfs ?? 0, 1.5);
    expect(await nAUC('soft-focus')).toBeGreaterThan(0.45);
  });
});
