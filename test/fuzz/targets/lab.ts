import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differenceTable, groupTables, readResults } from '../../../src/lab/index.ts';
import { renderTables } from '../../../src/lab/score/table.ts';
import { parseLabels } from '../../../src/lab/tasks/labels.ts';
import { parseTasks, taskTree } from '../../../src/lab/tasks/task.ts';
import type { FuzzTarget } from '../fuzz.ts';
import { answered, answeredLater, must, samples, UNSHOWABLE, words } from './checks.ts';

const TASK = {
  ...{ id: 'a', family: 'f', web: 'w', kind: 'plain', budget: 10, topics: { t: ['Science/Physics'] } },
  ...{ examples: { t: ['http://a.test/'] }, seeds: ['http://a.test/'], others: [], oracleArea: 0.5 },
};
const QUALITY = { f1: 0.5, averagePrecision: 0.5 };
const MEASURES = {
  ...{ nAUC: 0.5, recall: { 10: 0, 25: 0.1, 50: 0.2, 100: null }, archetypes: { count: 1, onTopic: null } },
  classifier: { judged: 1, first: QUALITY, last: QUALITY },
};
const RESULTS = {
  tasks: [{ id: 'a', family: 'f', web: 'w', kind: 'plain', examples: 1 }],
  runs: [
    { task: 'a', ordering: 'learned', measures: MEASURES },
    { task: 'a', ordering: 'best-first', measures: MEASURES },
  ],
};
const JSON_WORDS =
  '{ } [ ] , : " null 1e999 -1 "__proto__": "constructor" "id": "task": "ordering": "topics": \\u001b[2J true ""';

/** Parsers of lab files. */
export const LAB: readonly FuzzTarget[] = [
  {
    name: 'tasks',
    samples: samples(JSON.stringify([TASK])),
    words: words(JSON_WORDS),
    check: (input) => {
      for (const task of answered(() => parseTasks(input.toString('utf8'), 'tasks.json')) ?? []) {
        must(!UNSHOWABLE.test(task.id) && task.budget >= 1 && task.topics.length > 0, 'a task that cannot be run');
        must(taskTree(task).nodes.size > 1, 'a tree without topics');
      }
    },
  },
  {
    name: 'labels',
    samples: samples('http://a.test/\tScience/Physics\nhttp://a.test/\tArts\n'),
    words: words('http:// \t ␤ / \u001b'),
    check: (input) => void answered(() => parseLabels(input.toString('utf8'), 'w.labels.tsv')),
  },
  {
    name: 'results',
    share: 0.3,
    samples: samples(JSON.stringify(RESULTS)),
    words: words(JSON_WORDS),
    check: async (input) => {
      const path = join(tmpdir(), `bingo-fuzz-${process.pid}-results.json`);
      writeFileSync(path, input);
      try {
        const results = await answeredLater(readResults([path]));
        if (results === undefined) return;
        const shown = renderTables([...groupTables(results, 'web'), differenceTable(results, 'learned', 'all')]);
        must(!UNSHOWABLE.test(shown.replaceAll('\n', ' ')), 'a table that a terminal would obey');
      } finally {
        rmSync(path, { force: true });
      }
    },
  },
];
