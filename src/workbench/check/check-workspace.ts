import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BingoError, type Config, hidePassword, InputError } from '../../core/index.ts';
import { offlineState, recordDigest } from '../../engine/index.ts';
import { decodeModels } from '../../meta/index.ts';
import {
  CheckpointFiles,
  collectionFolder,
  isMysqlUrl,
  openStore,
  type Store,
  type StoreProblem,
} from '../../store/index.ts';
import { loadForReading, placeOf } from '../reading/reading.ts';
import type { Watch } from '../watch.ts';
import { pathsOf, TOPICS_FILE } from '../workspace/known-topics.ts';
import { productVersion } from '../workspace/product.ts';
import { readSettings, readWorkspaceFile, shownPath, WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';
import { type CheckedPart, Findings, type WorkspaceProblem } from './findings.ts';

/** Result of a check of a workspace. */
export interface WorkspaceCheck {
  /** True if nothing is wrong. */
  readonly ok: boolean;
  readonly dir: string;
  /** Location of the store. */
  readonly store: string;
  readonly records: number;
  readonly parts: readonly { readonly part: CheckedPart; readonly problems: number; readonly isChecked: boolean }[];
  /** The first problems of each part. */
  readonly problems: readonly WorkspaceProblem[];
}

export interface CheckOptions extends Watch {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Checks the files of a workspace and everything that its store holds more than once. Writes nothing; a crawl may run.
 * @throws UsageError if the folder is not a workspace
 * @throws BingoError if the store cannot be reached, or it does not exist yet
 */
export async function checkWorkspace(dir: string, options: CheckOptions): Promise<WorkspaceCheck> {
  readWorkspaceFile(dir, dir);
  const findings = new Findings();
  const { workspace, config } = load(dir, options, findings);
  const place = { dir: workspace?.dir ?? dir, config };
  let records = 0;
  try {
    const store = await openStore({ ...placeOf(place), readOnly: true });
    try {
      records = await store.count();
      await checkTables(store, findings, { place, watch: options });
      await checkModels(store, findings);
      if (workspace !== undefined) await checkFold(store, findings, { workspace, watch: options });
      await checkCheckpoints(store, findings, place.dir);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof BingoError) || !DAMAGE.has(error.code)) throw error;
    const { message, hint = '' } = error;
    findings.add({ part: 'database', where: '', message, hint });
  }
  const { parts, problems } = findings;
  return { ok: problems.length === 0, dir: place.dir, store: storePlace(place), records, parts, problems };
}

/** Errors that are the answer of a check, not its failure. */
const DAMAGE = new Set(['STORE_DAMAGED', 'STORE_FOREIGN', 'STORE_NO_FILE', 'STORE_GONE']);

interface Loaded {
  /** Missing if bingo.yaml has mistakes. */
  readonly workspace?: Workspace;
  readonly config: Config;
}

/** Loads the workspace. With mistakes in its files, the store is checked by the settings of the environment. */
function load(dir: string, { env }: CheckOptions, findings: Findings): Loaded {
  findings.begin(WORKSPACE_FILE);
  findings.begin(TOPICS_FILE);
  try {
    const workspace = loadForReading(dir, { env });
    return { workspace, config: workspace.config };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    for (const { file, line, key, message, hint = '' } of error.mistakes) {
      const where = [line === undefined ? '' : `line ${line}`, key ?? ''].filter((part) => part !== '').join(', ');
      findings.add({ part: file === TOPICS_FILE ? TOPICS_FILE : WORKSPACE_FILE, where, message, hint });
    }
    return { config: readSettings({ env }) };
  }
}

function storePlace({ dir, config: { store } }: Place): string {
  return isMysqlUrl(store.url) ? hidePassword(store.url) : shownPath(join(collectionFolder(dir), 'store.db'));
}

type Place = Pick<Workspace, 'dir' | 'config'>;

interface Checking {
  readonly watch: Watch;
}

async function checkTables(
  store: Store,
  findings: Findings,
  { place, watch }: Checking & { readonly place: Place },
): Promise<void> {
  const hints = hintsOf(place);
  for (const part of ['database', 'journal', 'pages', 'index', 'sums'] as const) findings.begin(part);
  for await (const event of store.check()) {
    watch.signal?.throwIfAborted();
    if (event.kind === 'checked') watch.onEvent?.(event);
    else findings.add({ ...problemOf(event.problem), hint: hints[event.problem.part] });
  }
}

function problemOf({ part, sequence, url, message }: StoreProblem): Omit<WorkspaceProblem, 'hint'> {
  const where = sequence === 0 ? '' : `record ${sequence}${url === '' ? '' : ` (${url})`}`;
  return { part, where, message };
}

function hintsOf(place: Place): Record<StoreProblem['part'], string> {
  const isOnServer = isMysqlUrl(place.config.store.url);
  const copy = isOnServer ? 'Restore a backup of the database.' : `Restore a copy of ${storePlace(place)}.`;
  return {
    database: isOnServer ? copy : `${copy} Without one, "sqlite3 store.db .recover" may save its rows.`,
    journal: `${copy} A crawl resumes only from a whole journal.`,
    pages: `${copy} Without one, only these pages are wrong.`,
    index: `${copy} Without one, searches miss these pages; crawls and exports are not affected.`,
    sums: `${copy} Without one, only totals are wrong, such as those of "bingo status"; pages and links are not affected.`,
  };
}

/** Checks that the model of each training round can be read. */
async function checkModels(store: Store, findings: Findings): Promise<void> {
  for await (const { sequence, model, blob } of store.rounds())
    try {
      decodeModels(blob);
    } catch (error) {
      findings.add({
        part: 'journal',
        where: `record ${sequence}`,
        message: `Model ${model} cannot be read: ${(error as Error).message}.`,
        hint: 'Restore a copy of the store.',
      });
    }
}

/** Folds the whole journal into a state, as a crawl without checkpoints does. */
async function checkFold(
  store: Store,
  findings: Findings,
  { workspace, watch }: Checking & { readonly workspace: Workspace },
): Promise<void> {
  const { tree, known, config } = workspace;
  findings.begin('resuming');
  let at = 0;
  try {
    const topics = known && pathsOf(known);
    const state = offlineState({
      ...{ tree, topics, config, journal: store },
      isWanted: () => watch.signal?.aborted !== true,
      onRead: (done, of) => {
        at = done;
        watch.onEvent?.({ kind: 'checked', part: 'fold', done, of });
      },
    });
    if (!(await state.read())) watch.signal?.throwIfAborted();
  } catch (error) {
    watch.signal?.throwIfAborted();
    findings.add({
      part: 'resuming',
      where: `after record ${at}`,
      message: `A crawl cannot resume: ${(error as Error).message}`,
      hint: 'Restore a copy of the store.',
    });
  }
}

async function checkCheckpoints(store: Store, findings: Findings, dir: string): Promise<void> {
  findings.begin('checkpoints');
  const add = (where: string, message: string): void => {
    const hint = 'Delete the file. The next crawl does not need it: it reads more of the journal.';
    findings.add({ part: 'checkpoints', where, message, hint });
  };
  if (!existsSync(dir)) return;
  for await (const file of new CheckpointFiles(collectionFolder(dir), productVersion()).check()) {
    if (file.damage !== undefined) add(file.name, `It is damaged: ${file.damage}.`);
    else if (file.isOfThisProgram && file.header.record !== (await recordDigest(store, file.header.sequence)))
      add(file.name, 'It belongs to another journal.');
  }
}
