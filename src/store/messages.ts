import type { Kysely } from 'kysely';
import type { CrawlStatus, SteerCommand } from '../core/index.ts';
import { readCommand } from './read/reading.ts';
import type { Tables } from './schema.ts';
import type { PublishedStatus } from './store.ts';

type Db = Kysely<Tables>;

/** First version of the schema in which processes talk to each other. */
const MESSAGES_SINCE = 2;

/** What the crawl told last. */
export async function readPublished(db: Db): Promise<PublishedStatus | undefined> {
  const meta = await db.selectFrom('meta').select('value').where('name', '=', 'schema_version').executeTakeFirst();
  if (Number(meta?.value ?? 0) < MESSAGES_SINCE) return undefined;
  const row = await db.selectFrom('live_status').selectAll().executeTakeFirst();
  return row === undefined ? undefined : { at: row.at, status: reviveStatus(JSON.parse(row.status) as CrawlStatus) };
}

/** Requests to the crawl, oldest first; one that is no command has none. */
export async function readRequests(db: Db): Promise<readonly { id: number; command: SteerCommand | undefined }[]> {
  const rows = await db.selectFrom('steer_request').selectAll().orderBy('id').execute();
  return rows.map(({ id, command }) => ({ id, command: readCommand(command) }));
}

/** JSON has no NaN: it wrote null. */
function reviveStatus(status: CrawlStatus): CrawlStatus {
  const number = (x: number | null): number => x ?? Number.NaN;
  const queues = status.queues.map((queue) => ({
    ...queue,
    meanConfidence: number(queue.meanConfidence),
    xiAlphaPrecision: number(queue.xiAlphaPrecision),
  }));
  return { ...status, queues };
}
