import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { type CheckpointFiles, type Checkpoints, checkpointName, newestCheckpoint } from '../checkpoint-files.ts';
import { connectMysql } from './database.ts';

/** A row is far below the default limit of a packet, 16 MB. */
const PART_BYTES = 1 << 20;
const DOWNLOAD = 'checkpoint-download';

/** Like `lease`, no part of the crawl: a row for each MB of a file. `data` is a zstd frame. */
const TABLE = `create table if not exists checkpoint_copy (sequence bigint not null, part int not null, parts int not null,
  data longblob not null, primary key (sequence, part)) engine=InnoDB default charset=utf8mb4 collate=utf8mb4_bin`;

const compressed = promisify(zstdCompress);
const decompressed = promisify(zstdDecompress);

/**
 * Checkpoints of a crawl that another machine may continue: files, and a copy of the newest one in the database. Without
 * it, the other machine would have to read the whole journal.
 */
export class CopiedCheckpoints implements Checkpoints {
  readonly #files: CheckpointFiles;
  readonly #dir: string;
  readonly #url: string;

  constructor(files: CheckpointFiles, dir: string, url: string) {
    this.#files = files;
    this.#dir = dir;
    this.#url = url;
  }

  async list(): ReturnType<Checkpoints['list']> {
    await this.#try((connection) => this.#download(connection));
    return await this.#files.list();
  }

  async begin(): ReturnType<Checkpoints['begin']> {
    const draft = await this.#files.begin();
    return {
      add: (piece) => draft.add(piece),
      drop: () => draft.drop(),
      keep: async (header) => {
        await draft.keep(header);
        await this.#try((connection) => this.#upload(connection, header.sequence));
      },
    };
  }

  /** A crawl does not need the copy: if it fails, the next machine reads more of the journal. */
  async #try(work: (connection: Connection) => Promise<void>): Promise<void> {
    let connection: Connection | undefined;
    try {
      connection = await connectMysql(this.#url);
      await connection.query(TABLE);
      await work(connection);
    } catch {
      // See above.
    } finally {
      connection?.destroy();
    }
  }

  async #upload(connection: Connection, sequence: number): Promise<void> {
    const file = await open(join(this.#dir, checkpointName(sequence)), 'r');
    try {
      const { size } = await file.stat();
      const parts = Math.ceil(size / PART_BYTES);
      for (let part = 0; part < parts; part++) {
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PART_BYTES), 0, PART_BYTES, part * PART_BYTES);
        const data = await compressed(buffer.subarray(0, bytesRead));
        await connection.query('replace into checkpoint_copy values (?, ?, ?, ?)', [sequence, part, parts, data]);
      }
      await connection.query('delete from checkpoint_copy where sequence < ?', [sequence]);
    } finally {
      await file.close();
    }
  }

  /** Fetches the copy, if it is newer than the files here. */
  async #download(connection: Connection): Promise<void> {
    const [[newest]] = await connection.query<RowDataPacket[]>(
      `select sequence, max(parts) as parts from checkpoint_copy where sequence > ?
        group by sequence having count(*) = max(parts) order by sequence desc limit 1`,
      [await newestCheckpoint(this.#dir)],
    );
    if (newest === undefined) return;
    const draft = join(this.#dir, DOWNLOAD);
    const file = await open(draft, 'w');
    try {
      for (let part = 0; part < newest.parts; part++) {
        const [[row]] = await connection.query<RowDataPacket[]>(
          'select data from checkpoint_copy where sequence = ? and part = ?',
          [newest.sequence, part],
        );
        if (row === undefined) throw new RangeError('The writer has a newer one meanwhile');
        await file.write(await decompressed(row.data));
      }
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    await rename(draft, join(this.#dir, checkpointName(newest.sequence)));
  }
}

/** Deletes the copy: only this machine continues the crawl. */
export async function dropCheckpointCopy(url: string): Promise<void> {
  const connection = await connectMysql(url);
  try {
    await connection.query('drop table if exists checkpoint_copy');
  } finally {
    connection.destroy();
  }
}
