import { connectMysql } from './database.ts';

/** A connection with a running query. */
interface Asking {
  /** Connection id on the server; `null` before its first answer. */
  readonly threadId: number | null;
  destroy(): void;
}

/**
 * Closes connections and kills their statements on the server. A server notices a lost client only when it has
 * something to send, and might run the statement for hours. Never rejects, even if the server is out of reach.
 */
export async function abandonAll(url: string, askings: Iterable<Asking>): Promise<void> {
  const ids: number[] = [];
  for (const asking of askings) {
    if (asking.threadId !== null) ids.push(asking.threadId);
    asking.destroy();
  }
  if (ids.length === 0) return;
  const connection = await connectMysql(url).catch(() => undefined);
  // Killing a connection that has already ended fails.
  for (const id of ids) await connection?.query(`kill ${id}`).catch(() => {});
  connection?.destroy();
}
