import { connectMysql } from './database.ts';

/** What is asked over one connection. */
interface Asking {
  /** The server's number for it; `null` until it has answered once. */
  readonly threadId: number | null;
  destroy(): void;
}

/**
 * Ends connections together with what the server does for them: it notices that its client went away only when it has something to send,
 * and until then goes on with the statement, which may be for hours. Never rejects; a server that does not answer cannot be told.
 */
export async function abandonAll(url: string, askings: Iterable<Asking>): Promise<void> {
  const ids: number[] = [];
  for (const asking of askings) {
    if (asking.threadId !== null) ids.push(asking.threadId);
    asking.destroy();
  }
  if (ids.length === 0) return;
  const connection = await connectMysql(url).catch(() => undefined);
  // One that has ended by itself is refused.
  for (const id of ids) await connection?.query(`kill ${id}`).catch(() => {});
  connection?.destroy();
}
