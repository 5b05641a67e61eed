import { BingoError } from '../core/index.ts';
import { openWorkspace } from '../workbench/index.ts';
import type { SqlReply, SqlRequest } from './sql-in-child.ts';

/** Runs one query for the server and reports its rows. */
process.once('message', (request) => void answer(request as SqlRequest));

async function answer({ dir, query, limit }: SqlRequest): Promise<void> {
  const workspace = await openWorkspace(dir);
  process.once('message', () => {
    void workspace.read(async ({ store }) => await store.abandon?.()).finally(() => process.exit());
  });
  const reply = await workspace.sql(query, { limit }).then(
    (rows): SqlReply => ({ rows }),
    (error: unknown): SqlReply => ({ error: factsOf(error) }),
  );
  process.send?.(reply);
}

function factsOf(error: unknown): { code: string; message: string; hint?: string | undefined } {
  if (error instanceof BingoError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'UNEXPECTED', message: String(error) };
}
