import type { Kysely } from 'kysely';
import type { JudgingProgress } from '../../core/index.ts';
import type { Sink } from '../ports.ts';
import type { Tables } from '../schema.ts';

/** Row of the table `meta`. */
const NAME = 'judging';

/** Replaces the saved progress, within the caller's transaction. */
export async function writeJudgingProgress(sink: Sink, progress: JudgingProgress): Promise<void> {
  await sink.run('delete from meta where name = ?', [NAME]);
  await sink.run('insert into meta (name, value) values (?, ?)', [NAME, JSON.stringify(progress)]);
}

/** Returns the saved progress; `undefined` without one, or if it is damaged. */
export async function readJudgingProgress(db: Kysely<Tables>): Promise<JudgingProgress | undefined> {
  const row = await db.selectFrom('meta').select('value').where('name', '=', NAME).executeTakeFirst();
  return row === undefined ? undefined : parsed(row.value);
}

function parsed(json: string): JudgingProgress | undefined {
  try {
    const { basis, accepted, rejected } = JSON.parse(json) as Partial<JudgingProgress>;
    const isWhole = typeof basis === 'string' && Number.isSafeInteger(accepted) && Number.isSafeInteger(rejected);
    return isWhole ? ({ basis, accepted, rejected } as JudgingProgress) : undefined;
  } catch {
    return undefined;
  }
}
