import { Worker } from 'node:worker_threads';
import { BingoError } from '../core/index.ts';
import { builtFile } from '../kit/index.ts';
import { openWorkspace } from '../workbench/index.ts';
import { replyOf } from './errors.ts';
import type { SqlReply, SqlRequest } from './sql-in-child.ts';

// A query blocks this thread, so that it does not notice that the server is gone. Without a limit, the watchdog ends only orphans.
const watched = { limit: new Float64Array(new SharedArrayBuffer(8)), parent: process.ppid };
new Worker(builtFile('convert-watchdog'), { workerData: { watched } }).unref();

/** Runs one query for the server and reports its rows. */
process.once('message', (request) => void answer(request as SqlRequest));

async function answer({ dir, query, limit }: SqlRequest): Promise<void> {
  const workspace = await openWorkspace(dir);
  process.once('message', () => {
    void workspace.read(async ({ store }) => await store.abandon?.()).finally(() => process.exit());
  });
  const reply = await workspace.sql(query, { limit }).then(
    (rows): SqlReply => ({ rows }),
    (error: unknown): SqlReply => ({ error: replyOf(error instanceof BingoError ? error : unexpected(error)) }),
  );
  process.send?.(reply);
}

function unexpected(error: unknown): BingoError {
  return new BingoError({ code: 'UNEXPECTED', message: String(error) });
}
