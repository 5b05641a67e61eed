import { createConnection, type RowDataPacket } from 'mysql2/promise';

/** An empty database on a server, for one measurement. */
export interface TemporaryDatabase {
  /** The server's own name and version. */
  readonly name: string;
  /** For `openStore`. */
  readonly url: string;
  /** Size of its tables and indexes. */
  bytes(): Promise<number>;
  drop(): Promise<void>;
  /** Drops a database whose name is that of this one and `ending`. */
  dropBeside(ending: string): Promise<void>;
}

/** @param server `mysql://user:password@host:port/`; its database, if it names one, is left alone */
export async function temporaryDatabase(server: string): Promise<TemporaryDatabase> {
  const url = new URL(server);
  const database = `bingo_bench_${process.pid}`;
  url.pathname = '/';
  const connection = await createConnection(url.href);
  await connection.query(`create database ${database}`);
  const [versions] = await connection.query<RowDataPacket[]>('select version() as version');
  const version = String(versions[0]?.version);
  const files = version.includes('MariaDB') ? 'innodb_sys_tablespaces' : 'innodb_tablespaces';
  url.pathname = `/${database}`;
  return {
    name: version.includes('MariaDB') ? `MariaDB ${version.replace(/-.*/, '')}` : `MySQL ${version}`,
    url: url.href,
    async bytes() {
      // The files themselves: what `information_schema.tables` says is an estimate, without the full-text index.
      const size = `select sum(file_size) as bytes from information_schema.${files} where name like ?`;
      const [rows] = await connection.query<RowDataPacket[]>(size, [`${database}/%`]);
      return Number(rows[0]?.bytes);
    },
    async dropBeside(ending) {
      await connection.query(`drop database if exists ${database}${ending}`);
    },
    async drop() {
      await connection.query(`drop database ${database}`);
      await connection.end();
    },
  };
}
