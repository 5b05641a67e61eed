import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { cpuOf, databaseServers } from './process-cpu.ts';

/** A database server of this machine. */
export interface OwnServer {
  /** `mysql://user@host:port/` */
  readonly url: string;
  /** CPU seconds of its process so far; of all of them, if it is one that was there before. */
  readonly cpu: () => number;
  close(): void;
}

const START_MS = 60_000;

/**
 * Returns a server that was there before, or starts one with default settings in a folder of its own.
 * @param url of the server, or `own`
 */
export async function databaseServer(url: string): Promise<OwnServer> {
  if (url !== 'own') return { url, cpu: () => cpuOf(databaseServers()), close: () => {} };
  const root = mkdtempSync(join(tmpdir(), 'bingo-bench-server-'));
  const dir = join(root, 'data');
  const { username } = userInfo();
  let child: ChildProcess | undefined;
  const close = (): void => {
    child?.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const words = ['--no-defaults', `--user=${username}`, `--datadir=${dir}`];
    execFileSync('mariadb-install-db', [...words, '--auth-root-authentication-method=normal', '--skip-test-db'], {
      stdio: 'ignore',
    });
    const port = await freePort();
    const log = openSync(join(root, 'log'), 'w');
    const options = [`--port=${port}`, `--socket=${join(root, 's')}`, '--bind-address=127.0.0.1'];
    child = spawn('mariadbd', [...words, ...options, '--max-connections=1000'], { stdio: ['ignore', log, log] });
    const { pid } = child;
    const own = `mysql://root@127.0.0.1:${port}/`;
    await isReady(own);
    return { url: own, cpu: () => cpuOf([pid!]), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function isReady(url: string): Promise<void> {
  for (const end = performance.now() + START_MS; ; await sleep(100)) {
    try {
      (await createConnection(url)).destroy();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });
}
