import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { BingoError, type Config, hidePassword } from '../../core/index.ts';
import { findBrowser, loadDriver, Resolver } from '../../fetch/index.ts';
import { collectionFolder, isMysqlUrl, openStore } from '../../store/index.ts';
import { noBrowser } from '../crawl/rendering.ts';
import { loadForReading, placeOf } from '../reading/reading.ts';
import { readSettings, type Workspace } from '../workspace/workspace.ts';

/** Result of a check; `warning` means that something works less well, or does not work yet. */
export type CheckState = 'ok' | 'warning' | 'failed';

/** One requirement of a crawl. */
export interface Check {
  readonly name: string;
  readonly state: CheckState;
  readonly message: string;
  /** What the user can do about it, if anything. */
  readonly hint?: string;
}

export interface DoctorOptions {
  /** Workspace to check; '' checks the machine alone. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the free bytes of the disk that holds a folder. */
  readonly freeBytes?: (dir: string) => Promise<number>;
  /** Resolves if a public host name has an address. */
  readonly resolveName?: (config: Config['network']) => Promise<string>;
}

const NODE = [22, 19] as const;
const GIB = 1024 ** 3;
/** A stored page takes about 20 KB. */
const SCARCE = GIB;
const NAME = 'example.com';

/** Checks one after the other what a crawl needs. Never throws. */
export async function checkMachine(options: DoctorOptions): Promise<readonly Check[]> {
  const { dir, env, freeBytes = freeOn, resolveName = addressOf } = options;
  const workspace = dir === '' ? undefined : await attempt(async () => loadForReading(dir, { env }));
  const found = workspace?.value;
  const config = found?.config ?? (await attempt(async () => readSettings({ env }))).value;
  return [
    nodeCheck(process.versions.node),
    ...(workspace === undefined ? [] : [workspaceCheck(workspace)]),
    ...(found === undefined ? [] : [await storeCheck(found), contactCheck(found.config)]),
    await diskCheck(found?.dir ?? process.cwd(), freeBytes),
    ...(config === undefined ? [] : [await namesCheck(config.network, resolveName)]),
    ...(config === undefined ? [] : [await browserCheck(config.network)]),
  ];
}

interface Attempt<T> {
  readonly value?: T;
  readonly error?: unknown;
}

async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

function failed(name: string, error: unknown, hint?: string): Check {
  const advice = hint ?? (error instanceof BingoError ? error.hint : undefined);
  const message = hidePassword(error instanceof Error ? error.message : String(error));
  return { name, state: 'failed', message, ...(advice === undefined ? {} : { hint: advice }) };
}

/** Checks the Node.js version that runs this program. */
export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1]))
    return { name: 'Node.js', state: 'ok', message: version };
  return {
    ...{ name: 'Node.js', state: 'failed', message: `${version} is too old.` },
    hint: `Install Node.js ${NODE.join('.')} or newer.`,
  };
}

function workspaceCheck({ value, error }: Attempt<Workspace>): Check {
  if (value === undefined) return failed('workspace', error);
  return { name: 'workspace', state: 'ok', message: value.dir };
}

async function storeCheck(workspace: Workspace): Promise<Check> {
  const { url } = workspace.config.store;
  const name = isMysqlUrl(url) ? 'MariaDB' : 'store';
  if (url === 'sqlite' && !existsSync(join(collectionFolder(workspace.dir), 'store.db')))
    return { name, state: 'ok', message: 'No store yet: "bingo crawl" makes it.' };
  const opened = await attempt(async () => {
    const store = await openStore({ ...placeOf(workspace), readOnly: true });
    try {
      return (await store.status()).pages;
    } finally {
      await store.close();
    }
  });
  if (opened.error === undefined)
    return { name, state: 'ok', message: `${hidePassword(url)}, ${opened.value ?? 0} pages` };
  if (opened.error instanceof BingoError && opened.error.code === 'STORE_MISSING')
    return { name, state: 'ok', message: `${hidePassword(url)} answers; "bingo crawl" makes the tables.` };
  return failed(name, opened.error);
}

function contactCheck({ network }: Config): Check {
  if (network.contact !== '') return { name: 'contact', state: 'ok', message: network.contact };
  return {
    ...{ name: 'contact', state: 'warning', message: 'Not set; a crawl of the open web needs it.' },
    hint: 'bingo settings set network.contact you@example.org',
  };
}

async function freeOn(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

async function diskCheck(dir: string, freeBytes: (dir: string) => Promise<number>): Promise<Check> {
  const { value, error } = await attempt(() => freeBytes(dir));
  if (value === undefined) return failed('disk', error);
  const free = `${(value / GIB).toFixed(1)} GiB free`;
  if (value >= SCARCE) return { name: 'disk', state: 'ok', message: free };
  return {
    name: 'disk',
    state: 'warning',
    message: `${free} in ${dir}`,
    hint: 'Free some space: 50,000 pages take about 1 GiB.',
  };
}

async function addressOf(network: Config['network']): Promise<string> {
  const resolver = new Resolver(network);
  try {
    const found = await resolver.resolve(NAME);
    if (found.kind === 'unresolved') throw new BingoError({ code: found.code, message: `${NAME}: ${found.code}` });
    return network.dnsServers.join(', ');
  } finally {
    resolver.close();
  }
}

async function namesCheck(
  network: Config['network'],
  resolveName: (config: Config['network']) => Promise<string>,
): Promise<Check> {
  if (network.proxy !== '') return { name: 'DNS', state: 'ok', message: 'Not needed: the proxy resolves names.' };
  const { error } = await attempt(() => resolveName(network));
  if (error === undefined) return { name: 'DNS', state: 'ok', message: `${NAME} has an address.` };
  const hint =
    network.dnsServers.length > 0
      ? 'Correct network.dnsServers, or start that server.'
      : 'Check the network connection. "bingo demo" works without one.';
  return failed('DNS', error, hint);
}

/** Checks what shows pages that need JavaScript. Without it a crawl works, so that is no failure. */
async function browserCheck({ render, browser }: Config['network']): Promise<Check> {
  const name = 'Chromium';
  if (render === 'never') return { name, state: 'ok', message: 'Not used: network.render is "never".' };
  const path = findBrowser(browser);
  const state = render === 'always' || browser !== '' ? 'warning' : 'ok';
  if (path === undefined) return { name, state, ...told(noBrowser({ why: 'browser', detail: browser })) };
  if ((await loadDriver()) === undefined) return { name, state, ...told(noBrowser({ why: 'driver', detail: '' })) };
  return { name, state: 'ok', message: `${path} shows pages that need JavaScript.` };
}

function told({
  message,
  remedy,
}: {
  readonly message: string;
  readonly remedy: string;
}): Pick<Check, 'message' | 'hint'> {
  return { message, hint: remedy };
}
