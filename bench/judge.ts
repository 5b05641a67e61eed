/**
 * `npm run bench:judge`: what a mark costs in a large workspace. Stores made-up pages with a model and a checkpoint, marks
 * pages as bad, and measures until the workspace is open, the model is trained, the first pages have their new verdicts,
 * and all have. With `--dir` of any workspace it marks pages there.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { type JournalRecord, ROOT, type RunRecord, type TopicTree } from '../src/core/index.ts';
import { Checkpointing, PACE } from '../src/engine/checkpoints/checkpointing.ts';
import { ModelTrainer, offlineState, recordDigest, type TrainingItem } from '../src/engine/index.ts';
import { Turns } from '../src/kit/index.ts';
import { CheckpointFiles, openStore } from '../src/store/index.ts';
import { loadForReading, openWorkspace, placeOf, productVersion } from '../src/workbench/index.ts';
import type { MarkResult } from '../src/workbench/judging/apply-decisions.ts';
import type { Watch } from '../src/workbench/watch.ts';
import { PageRecords } from './records.ts';
import { machine, table } from './table.ts';

const HELP = `Usage: npm run bench:judge -- [options]
  --pages N          stored pages (default 100000)
  --dir DIR          keeps the workspace there, and uses it again
  --marks N          pages marked as bad, one after the other (default 2)
  --no-checkpoint    makes no checkpoint of the crawl; one of another version of the program is not used
`;

const TOPICS = 5;
const EXAMPLES = 50;
const COUNTER_EXAMPLES = 10;
const MAX_BACKLOG = 1_000;
/** The made-up pages have no other space. */
const SETTINGS = 'learn: {spaces: [terms]}\n';
const RUN: RunRecord = { kind: 'run', sequence: 1, at: 1_700_000_000_000, settings: '{}' };
/** Records before the first page. */
const BEFORE = 2;

await main();

async function main(): Promise<void> {
  const flags = readFlags({
    pages: { type: 'string', default: '100000' },
    dir: { type: 'string', default: '' },
    marks: { type: 'string', default: '2' },
    'no-checkpoint': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (flags.help) {
    process.stdout.write(HELP);
    return;
  }
  const dir = flags.dir === '' ? mkdtempSync(join(tmpdir(), 'bingo-bench-judge-')) : flags.dir;
  try {
    if (!existsSync(join(dir, 'store.db'))) await fill(dir, Number(flags.pages), new PageRecords());
    if (!flags['no-checkpoint']) await writeCheckpoint(dir);
    const rows = await measure(dir, Number(flags.marks));
    const head = ['pages', 'what', 'open, s', 'trained, s', 'first effect, s', 'all judged, s', 'CPU s', 'changed'];
    process.stdout.write(`${machine()}\n\n${table(head, rows)}\n`);
  } finally {
    if (flags.dir === '') rmSync(dir, { recursive: true });
  }
}

/** Journal record of a stored page; the first ones are training pages. */
function pageAt(records: PageRecords, n: number): JournalRecord {
  const page = records.record(n);
  const role = n <= EXAMPLES ? 'example' : n <= EXAMPLES + COUNTER_EXAMPLES ? 'others' : 'crawled';
  const via = role === 'crawled' ? page.origin.via : 'seed';
  return { ...page, sequence: BEFORE + n, role, origin: { ...page.origin, via } };
}

async function fill(dir: string, pages: number, records: PageRecords): Promise<void> {
  mkdirSync(dir, { recursive: true });
  const urls = (topic: number): readonly string[] =>
    Array.from({ length: EXAMPLES }, (_, i) => i + 1)
      .filter((n) => n % TOPICS === topic)
      .map((n) => records.record(n).url);
  const others = Array.from({ length: COUNTER_EXAMPLES }, (_, i) => records.record(EXAMPLES + 1 + i).url);
  const topics = Array.from(
    { length: TOPICS },
    (_, i) => `  - {name: topic ${i + 1}, examples: ${JSON.stringify(urls(i))}}`,
  );
  writeFileSync(
    join(dir, 'bingo.yaml'),
    `topics:\n${topics.join('\n')}\nothers: ${JSON.stringify(others)}\n${SETTINGS}`,
  );
  const workspace = loadForReading(dir, { env: {} });
  const store = await openStore(placeOf(workspace));
  let wake = (): void => {};
  store.onStored(() => wake());
  store.append(RUN);
  store.append({ kind: 'phase', sequence: BEFORE, phase: 'harvesting', reason: '', at: RUN.at });
  for (let n = 1; n <= pages; n++) {
    store.append(pageAt(records, n));
    if (store.backlog < MAX_BACKLOG) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    await promise;
  }
  store.append(trained(workspace, records, BEFORE + pages + 1));
  await store.saveTopics(workspace.tree);
  await store.close();
}

function trained(
  { tree, config }: { tree: TopicTree; config: ReturnType<typeof loadForReading>['config'] },
  records: PageRecords,
  sequence: number,
): JournalRecord {
  const trainer = new ModelTrainer({ tree, learn: config.learn, seed: 1 });
  const items = Array.from({ length: EXAMPLES + COUNTER_EXAMPLES }, (_, i): TrainingItem => {
    const page = records.record(i + 1);
    trainer.add(page.url, page.document.features);
    const others = i >= EXAMPLES;
    const { topic } = page.assignment;
    return { key: page.url, topic: others ? ROOT : topic, others, origin: others ? 'others' : 'user' };
  });
  const { blob, estimates } = trainer.trainNow({ items, background: [], model: 1 });
  const training = items.map(({ key, topic, origin }) => ({ key, title: '', topic, origin, confidence: Number.NaN }));
  const nothing = { admitted: [], dropped: [], links: [], boosted: [], undone: false };
  return { kind: 'round', sequence, model: 1, blob, training, estimates, ...nothing, reason: 'made', at: RUN.at };
}

async function writeCheckpoint(dir: string): Promise<void> {
  const { tree, config, ...workspace } = loadForReading(dir, { env: {} });
  const store = await openStore({ ...placeOf({ config, dir: workspace.dir }), readOnly: true });
  const files = new CheckpointFiles(dir, productVersion());
  const folded = offlineState({
    tree,
    config,
    journal: store,
    checkpoints: files,
    isWanted: () => true,
    onRead: () => {},
  });
  await folded.read();
  const checkpointing = new Checkpointing({
    ...{ store: files, journal: store, turns: new Turns(), pace: PACE, begunWith: folded.restoredTo },
    hold: (work) => work(() => true),
    exchange: (fields) => folded.exchange(fields),
    header: () => folded.checkpoint,
    record: (sequence) => recordDigest(store, sequence),
    onFailed: (error) => {
      throw error;
    },
  });
  await checkpointing.end();
  await store.close();
}

/** The newest accepted pages that the crawl found and the user did not decide on, each of another topic than before. */
async function pagesToMark(
  workspace: Awaited<ReturnType<typeof openWorkspace>>,
  count: number,
): Promise<readonly string[]> {
  const decided = `select json_extract(command, '$.judgement.sequence') from steer where json_extract(command, '$.kind') = 'judge-page'`;
  const newest = `select max(sequence) from page where role = 'crawled' and others = 0 and sequence not in (${decided}) group by topic`;
  const { rows } = await workspace.sql(
    `select url from page where sequence in (${newest}) order by sequence limit ${count}`,
  );
  return rows.map(([url]) => String(url));
}

/** Previews marks, then marks a page as bad, several times. The first mark also corrects made-up verdicts. */
async function measure(dir: string, marks: number): Promise<readonly (readonly string[])[]> {
  const rows: string[][] = [];
  for (let n = 0; n < marks; n++) {
    const workspace = await openWorkspace(dir, { env: {} });
    const pages = Number((await workspace.sql('select count(*) from page')).rows[0]![0]);
    const bad = await pagesToMark(workspace, 1);
    rows.push([
      ...[pages.toLocaleString('en'), 'preview'],
      ...(await timed((options) => workspace.previewMarks({ bad }, options))),
    ]);
    rows.push([
      ...[pages.toLocaleString('en'), `mark ${n + 1}`],
      ...(await timed((options) => workspace.mark({ bad }, options))),
    ]);
    await workspace.close();
  }
  return rows;
}

/** Returns the seconds until each stage has ended. */
async function timed(mark: (options: Watch) => Promise<MarkResult>): Promise<readonly string[]> {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const at = { open: Number.NaN, trained: Number.NaN, first: Number.NaN };
  const now = (): number => (performance.now() - began) / 1000;
  const { change } = await mark({
    onEvent: (event) => {
      if (event.kind === 'begins' && (event.work === 'training' || event.work === 'trial')) at.open = now();
      if (event.kind === 'ends' && event.work === 'training') at.trained = now();
      if (event.kind === 'judged' && Number.isNaN(at.first)) at.first = now();
    },
  });
  const all = now();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = [at.open, at.trained, at.first, all, (user + system) / 1e6];
  return [...seconds.map((value) => (Number.isNaN(value) ? '' : value.toFixed(2))), String(change.changed)];
}
