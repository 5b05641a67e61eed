import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { StoreError } from '../../core/index.ts';
import { ID_FILE } from '../orphaned-store.ts';

const ID = /^[\w-]{8,64}$/;

/** A database on a server, and the workspace that wants to use it. */
export interface Claim {
  readonly db: Kysely<unknown>;
  /** Folder of the workspace. */
  readonly workspace: string;
  /** Location of the database, for messages. */
  readonly place: string;
}

/** Owner of a database, as stored in it. */
interface Owner {
  readonly id: string;
  /** Folder and machine from which it was last written. */
  readonly folder: string;
  readonly host: string;
}

/**
 * Rejects a database that belongs to another workspace. Two workspaces that name the same database would mix their
 * pages. A database without an owner is accepted: it is new, or an older version wrote it.
 * @throws StoreError `STORE_TAKEN` if the database belongs to another workspace
 */
export async function checkOwner({ db, workspace, place }: Claim): Promise<void> {
  const owner = await readOwner(db);
  if (owner !== undefined && owner.id !== readId(workspace)) throw takenStore(owner, workspace, place);
}

/**
 * Makes the workspace the owner of a database without one; updates the folder of a workspace that was moved.
 * @throws StoreError `STORE_TAKEN` also if the workspace is a copy of the owner, because both would continue the same
 * crawl
 */
export async function claimDatabase(claim: Claim): Promise<void> {
  await checkOwner(claim);
  const { db, workspace, place } = claim;
  const owner = await readOwner(db);
  const folder = realpathSync(workspace);
  if (owner?.folder === folder && owner.host === hostname()) return;
  if (owner !== undefined && isCopy(folder, owner)) throw copiedWorkspace(owner, workspace, place);
  const id = owner?.id ?? readId(workspace) ?? writeId(workspace);
  await sql`replace into meta (name, value) values
    ('workspace', ${id}), ('workspace_folder', ${folder}), ('workspace_host', ${hostname()})`.execute(db);
}

async function readOwner(db: Kysely<unknown>): Promise<Owner | undefined> {
  const found = await sql<{ readonly name: string; readonly value: string }>`select name, value from meta
    where name in ('workspace', 'workspace_folder', 'workspace_host')`.execute(db);
  const { workspace: id, ...rest } = Object.fromEntries(found.rows.map(({ name, value }) => [name, value]));
  if (id === undefined) return undefined;
  return { id, folder: rest.workspace_folder ?? '', host: rest.workspace_host ?? '' };
}

/** Returns `undefined` if the id is missing or was truncated by a full disk. */
function readId(workspace: string): string | undefined {
  try {
    const id = readFileSync(join(workspace, ID_FILE), 'utf8').trim();
    return ID.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

function writeId(workspace: string): string {
  const id = randomUUID();
  writeFileSync(join(workspace, ID_FILE), `${id}\n`);
  return id;
}

/** Returns true if the folder stored in the database still exists and is a different folder. */
function isCopy(folder: string, owner: Owner): boolean {
  if (readId(owner.folder) !== owner.id) return false;
  const [here, there] = [folder, owner.folder].map((dir) => statSync(dir, { bigint: true }));
  return here!.ino !== there!.ino || here!.dev !== there!.dev;
}

function takenStore({ id, folder, host }: Owner, workspace: string, place: string): StoreError {
  const other =
    folder === realpathSync(workspace)
      ? 'another workspace, formerly in this folder'
      : `another workspace: ${folder} on ${host}`;
  return new StoreError({
    code: 'STORE_TAKEN',
    message: `The store ${place} belongs to ${other}.`,
    hint: [
      'Give this one a database of its own (setting store.url). Nothing was changed.',
      `If it replaces the other one and continues with its pages, put this line into ${join(workspace, ID_FILE)}:`,
      `  ${id}`,
    ].join('\n'),
  });
}

function copiedWorkspace({ folder }: Owner, workspace: string, place: string): StoreError {
  return new StoreError({
    code: 'STORE_TAKEN',
    message: `The store ${place} belongs to ${folder}. ${workspace} is a copy of that folder: both would continue the same crawl.`,
    hint: [
      'Give the copy a database of its own (setting store.url). Nothing was changed.',
      `If it replaces the other one, remove ${join(folder, ID_FILE)}.`,
    ].join('\n'),
  });
}
