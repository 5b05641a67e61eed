import { BingoError, StoreError } from '../core/index.ts';

/** An error in the form in which the writer's thread sends it. */
export interface PlainError {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

interface Remedy {
  readonly code: string;
  readonly what: string;
  readonly hint: string;
}

const SAFE = 'Everything reported as stored is safe; run the same command again to continue.';
const FULL: Remedy = { code: 'STORE_FULL', what: 'the disk is full', hint: `Free some space. ${SAFE}` };
/** SQLite reports a full disk with a different code. */
const FULL_OR_LIMITED: Remedy = {
  code: 'STORE_FULL',
  what: 'the disk accepts no more data',
  hint:
    'The disk or your quota is full, or the file is too large ("ulimit -f", 4 GB on FAT32). Free some space, or move the ' +
    `workspace. ${SAFE}`,
};
const UNWRITABLE: Remedy = {
  code: 'STORE_UNWRITABLE',
  what: 'it cannot be written',
  hint:
    'Check that you may write to the folder and the file. Without that right you can still read (search, sql, export, status, ' +
    `why, serve, portal); to crawl or to decide, copy the workspace first. ${SAFE}`,
};
const DAMAGED: Remedy = {
  code: 'STORE_DAMAGED',
  what: 'the file is damaged or is not a database',
  hint: 'Nothing was changed. Restore a copy of it, or move it away and crawl again; "sqlite3 FILE .recover" may save its rows.',
};
const DAMAGED_ON_SERVER: Remedy = {
  code: 'STORE_DAMAGED',
  what: 'its data are damaged',
  hint: 'Nothing was changed. Restore a backup of the database, or crawl into another one (setting store.url).',
};
const BUSY: Remedy = {
  code: 'STORE_BUSY',
  what: 'another program has locked it',
  hint: `Close the program that has it open for writing. ${SAFE}`,
};
const SHARED: Remedy = {
  code: 'STORE_SHARED',
  what: 'another process has written the same records',
  hint: `Two processes work in this workspace: its lock.db was removed, or its disk has no locks. End one of them. ${SAFE}`,
};
const GONE: Remedy = {
  code: 'STORE_GONE',
  what: 'the database, or a table in it, was removed',
  hint: 'Restore a copy of the database. To start from the beginning, drop the rest of it first.',
};
const LOST: Remedy = {
  code: 'STORE_LOST',
  what: 'the database server does not answer',
  hint: `Check that the server runs and that store.url is right. ${SAFE}`,
};
const DENIED: Remedy = {
  code: 'STORE_DENIED',
  what: 'the database server refuses access',
  hint:
    'Check user, password and rights of store.url. To search and export, the user must be able to read that database; for distill and ' +
    'reclassify, to create temporary tables in it, too; to crawl and to decide, all rights to that database.',
};
const TOO_BIG: Remedy = {
  code: 'STORE_TOO_BIG',
  what: 'a record is larger than the server accepts',
  hint: `Raise max_allowed_packet on the server. ${SAFE}`,
};

const FULL_CODES = /^SQLITE_FULL|^ENOSPC$|^EDQUOT$|^ER_DISK_FULL|^ER_RECORD_FILE_FULL/;

/** First match wins. SQLite codes can have suffixes (`SQLITE_IOERR_WRITE`). */
const REMEDIES: readonly (readonly [RegExp, Remedy])[] = [
  [/^SQLITE_(READONLY|CANTOPEN|PERM)|^(EACCES|EROFS|EPERM|EEXIST|ENOTDIR)$|^SQLITE_IOERR_(LOCK|SHMOPEN)/, UNWRITABLE],
  [/^SQLITE_IOERR_(WRITE|SHMSIZE|FSYNC)|^EFBIG$/, FULL_OR_LIMITED],
  [/^SQLITE_(CORRUPT|NOTADB)|^SQLITE_IOERR_SHORT_READ|^Z_|^ZSTD_|^ERR_OUT_OF_RANGE$/, DAMAGED],
  [/^SQLITE_(BUSY|LOCKED)|^ER_LOCK_(DEADLOCK|WAIT_TIMEOUT)$/, BUSY],
  [/^(SQLITE_CONSTRAINT_PRIMARYKEY|ER_DUP_ENTRY)$/, SHARED],
  [/^ER_(NO_SUCH_TABLE|BAD_DB_ERROR)$/, GONE],
  [/^ER_(ACCESS_DENIED|DBACCESS_DENIED|TABLEACCESS_DENIED|SPECIFIC_ACCESS_DENIED)/, DENIED],
  [/^ER_NET_PACKET_TOO_LARGE/, TOO_BIG],
];

/** Turns an error of a database driver into a {@link StoreError} with a hint. */
export function storeError(error: unknown, place: string): BingoError {
  if (error instanceof BingoError) return error;
  const code = codeOf(error);
  const known = isLostConnection(error) ? LOST : isFullDisk(error) ? FULL : REMEDIES.find(([of]) => of.test(code))?.[1];
  const remedy = known === DAMAGED && place.startsWith('mysql:') ? DAMAGED_ON_SERVER : known;
  const detail = error instanceof Error ? error.message : String(error);
  return new StoreError({
    code: remedy?.code ?? 'STORE_FAILED',
    message: `The store ${place} failed: ${remedy === undefined ? detail : `${remedy.what} (${detail})`}.`,
    hint: remedy?.hint ?? SAFE,
    cause: error,
  });
}

/**
 * Returns true if the connection or the server is lost, so that the work may succeed on a new connection. A node that its
 * cluster has excluded answers, but serves nothing until it has joined again.
 */
export function isLostConnection(error: unknown): boolean {
  const lost =
    /^(PROTOCOL_CONNECTION_LOST|PROTOCOL_ENQUEUE_AFTER_(FATAL_ERROR|QUIT)|PROTOCOL_SEQUENCE_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ER_SERVER_SHUTDOWN|ER_CONNECTION_KILLED|ER_CON_COUNT_ERROR|ER_QUERY_INTERRUPTED)$/;
  if (lost.test(codeOf(error))) return true;
  return (
    error instanceof Error &&
    /closed state|Connection lost|connection.*(killed|closed)|WSREP has not yet prepared|Not connected to Primary/i.test(
      error.message,
    )
  );
}

/** Returns true if another program holds a SQLite file locked. */
export function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

/** Returns true if the disk is full. A server's code only names the failed write; its message names the cause. */
export function isFullDisk(error: unknown): boolean {
  return FULL_CODES.test(codeOf(error)) || (error instanceof Error && /Errcode: 28\b/.test(error.message));
}

/** Returns true if the server aborted a transaction that may succeed if repeated. */
export function isPassing(error: unknown): boolean {
  return /^ER_(LOCK_DEADLOCK|LOCK_WAIT_TIMEOUT|CHECKREAD)$/.test(codeOf(error));
}

export function toPlain(error: BingoError): PlainError {
  return { name: error.name, code: error.code, message: error.message, hint: error.hint };
}

export function fromPlain(plain: PlainError): BingoError {
  return new StoreError(plain);
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** The error of a store whose schema is newer than this program supports. */
export function newerStore(
  place: string,
  { found, supported }: { readonly found: number; readonly supported: number },
): StoreError {
  return new StoreError({
    code: 'STORE_TOO_NEW',
    message: `${place} was written by a newer Bingo: its schema has version ${found}, this program reads versions up to ${supported}.`,
    hint: 'Update Bingo (npm install -g bingo-crawler@latest). Nothing was changed.',
  });
}

/** The error of a database that another program made. */
export function foreignStore(place: string, table: string): StoreError {
  return new StoreError({
    code: 'STORE_FOREIGN',
    message: `${place} is not a Bingo store: it has a table "${table}" and no version of Bingo's schema.`,
    hint: `Nothing was changed. ${
      place.startsWith('mysql:')
        ? 'Give Bingo a database of its own (setting store.url).'
        : 'Move the file away; the next crawl creates its own.'
    }`,
  });
}
