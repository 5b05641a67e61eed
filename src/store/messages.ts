import type { Kysely } from 'kysely';
import type { CrawlStatus, SteerCommand } from '../core/index.ts';
import { readCommand } from './read/rare-records.ts';
import type { Tables } from './schema.ts';
import type { PublishedStatus } from './store.ts';

type Db = Kysely<Tables>;

/** First schema version with messages between processes. */
const MESSAGES_SINCE = 2;

/** Returns the last status that the crawl published. */
export async function readPublished(db: Db): Promise<PublishedStatus | undefined> {
  const meta = await db.selectFrom('meta').select('value').where('name', '=', 'schema_version').executeTakeFirst();
  if (Number(meta?.value ?? 0) < MESSAGES_SINCE) return undefined;
  const row = await db.selectFrom('live_status').selectAll().executeTakeFirst();
  return row === undefined ? undefined : { at: row.at, status: reviveStatus(JSON.parse(row.status) as CrawlStatus) };
}

/** Returns requests to the crawl, oldest first. `command` is `undefined` if the text is not a command. */
export async function readRequests(db: Db): Promise<readonly { id: number; command: SteerCommand | undefined }[]> {
  const rows = await db.selectFrom('steer_request').selectAll().orderBy('id').execute();
  return rows.map(({ id, command }) => ({ id, command: readCommand(command) }));
}

/** Restores NaN, which JSON stores as null. */
function reviveStatus(status: CrawlStatus): CrawlStatus {
  const number = (x: number | null): number => x ?? Number.NaN;
  const queues = status.queues.map((queue) => ({
    ...queue,
    meanConfidence: number(queue.meanConfidence),
    xiAlphaPrecision: number(queue.xiAlphaPrecision),
  }));
  return { ...status, queues };
}
