import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../core/index.ts';
import { safeJson } from '../kit/index.ts';
import { type OpenSystem, simulateDays } from './adapt/adapt-days.ts';
import { adaptPictures, adaptTables, gainsOf } from './adapt/adapt-report.ts';
import { type Drift, drawQueries } from './adapt/drifting-queries.ts';
import type { LabIo } from './io.ts';
import { renderTables } from './score/table.ts';
import { NO_FAULTS } from './serve/faults.ts';
import { serveFrozenWeb } from './serve/frozen-server.ts';
import { readLabels } from './tasks/labels.ts';
import { readTasks, type Task } from './tasks/task.ts';
import { FrozenWeb } from './web/frozen-web.ts';

/** Options of `bingo lab adapt`. */
export interface LabAdaptOptions extends Drift {
  /** The task file, and the task whose topic the community begins with. */
  readonly tasks: string;
  readonly task: string;
  /** Folder with NAME.warc.gz and NAME.labels.tsv. */
  readonly webs: string;
  /** Pages of a collection, at most. */
  readonly pages: number;
  /** Queries drawn each night to adapt to. */
  readonly sample: number;
  /** Folder for `adapt.json`, `table.txt` and `adapt.svg`. Default: none. */
  readonly out?: string;
  readonly json: boolean;
}

/** Makes workspaces of a task that reach the web through a proxy on this port. */
export type AdaptWorld = (task: Task, port: number) => OpenSystem;

/**
 * `bingo lab adapt`: days of queries that drift from subject to subject, answered with and without adaptation (Pant et al.
 * 2003, §4). Labels score the answers and never reach a crawler. Resolves with the exit code.
 * @throws UsageError if the task, the web or a subject does not exist
 */
export async function labAdapt(options: LabAdaptOptions, world: AdaptWorld, io: LabIo): Promise<number> {
  const task = (await readTasks(options.tasks)).find(({ id }) => id === options.task);
  if (task === undefined)
    throw new UsageError(`${options.tasks} has no task ${options.task}.`, 'Name one of its tasks: --task WEB/NAME');
  const file = join(options.webs, `${task.web}.warc.gz`);
  if (!existsSync(file))
    throw new UsageError(`${file} does not exist.`, 'Name the folder of the frozen webs: --webs DIR');
  const labels = await readLabels(join(options.webs, `${task.web}.labels.tsv`));
  const days = drawQueries(labels, options);
  const web = await FrozenWeb.open(file);
  const server = await serveFrozenWeb({ web, port: 0, faults: NO_FAULTS });
  try {
    const onDay = (day: number): void => io.err(`Day ${day} of ${days.length}\n`);
    const { pages, sample, seed } = options;
    const open = world(task, server.port);
    const figures = await simulateDays({ open, labels, days, pages, sample, seed, signal: io.signal, onDay });
    if (io.signal.aborted) return 130;
    const gains = gainsOf(figures);
    const text = renderTables(adaptTables(figures, gains));
    const data = `${safeJson({ options, days, figures, gains })}\n`;
    io.out(options.json ? data : text);
    if (options.out !== undefined)
      write(options.out, { 'adapt.json': data, 'table.txt': text, 'adapt.svg': adaptPictures(figures) });
    return 0;
  } finally {
    await server.close();
    web.close();
  }
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}
