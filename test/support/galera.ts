import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

const PROVIDER = '/usr/lib/galera/libgalera_smm.so';
const NODES = 3;
/** The user mysql may not enter the folder that the tests use for temporary files. */
const FOLDER = '/tmp';
const env = { ...process.env, TMPDIR: FOLDER };
/** Time for all nodes to join: each copies the first one's files. */
const JOIN_MS = 120_000;

/** A Galera cluster of three nodes on this machine. */
export interface Cluster {
  /** `mysql://user@host:port` of each node, without a database. */
  readonly nodes: readonly string[];
  /** Stops a node for good, as a loss of power would. */
  kill(node: number): void;
  /** Stops a node until it is woken. The others exclude it after some seconds. */
  hang(node: number): void;
  /** Resolves once the node is part of the cluster again. */
  wake(node: number): Promise<void>;
  close(): void;
}

/** Why no cluster can be started, or `undefined` if one can. */
export function whyNoGalera(): string | undefined {
  if (!existsSync(PROVIDER)) return 'the package galera-4 is missing';
  if (process.getuid?.() !== 0) return 'only root can start nodes as the user mysql';
  for (const program of ['mariadbd', 'mariadb-install-db', 'rsync', 'setpriv'])
    try {
      execFileSync('which', [program], { stdio: 'ignore' });
    } catch {
      return `the program ${program} is missing`;
    }
  return undefined;
}

/** Starts a cluster in folders of its own. Nothing of it stays after `close`. */
export async function startGalera(): Promise<Cluster> {
  const root = mkdtempSync(join(FOLDER, 'bingo-galera-'));
  chmodSync(root, 0o755);
  const ports = await freePorts(NODES * 4);
  const children: ChildProcess[] = [];
  const close = (): void => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };
  const first = ports[1]!;
  const start = (node: number): void => {
    const dir = join(root, `n${node}`);
    const [port, group, transfer, increments] = ports.slice(4 * node, 4 * node + 4);
    const log = openSync(join(root, `n${node}.log`), 'w');
    const options = {
      ...{ datadir: dir, port, socket: join(dir, 's'), 'bind-address': '127.0.0.1', 'max-connections': 500 },
      ...{ 'innodb-buffer-pool-size': '32M', 'innodb-log-file-size': '16M', 'innodb-flush-log-at-trx-commit': 0 },
      ...{ 'binlog-format': 'ROW', 'innodb-autoinc-lock-mode': 2, 'wsrep-on': 'ON', 'wsrep-provider': PROVIDER },
      ...{ 'wsrep-cluster-address': node === 0 ? 'gcomm://' : `gcomm://127.0.0.1:${first}` },
      ...{ 'wsrep-node-address': `127.0.0.1:${group}`, 'wsrep-sst-method': 'rsync' },
      ...{ 'wsrep-sst-receive-address': `127.0.0.1:${transfer}` },
      'wsrep-provider-options': [
        `gmcast.listen_addr=tcp://127.0.0.1:${group}`,
        `ist.recv_addr=127.0.0.1:${increments}`,
        'evs.keepalive_period=PT0.5S',
        'evs.suspect_timeout=PT5S',
        'gcache.size=16M',
      ].join(';'),
    };
    const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const more = node === 0 ? ['--wsrep-new-cluster'] : [];
    // Copying the files to a node fails as root.
    const words = ['--reuid=mysql', '--regid=mysql', '--clear-groups', 'mariadbd', '--no-defaults', ...flags, ...more];
    children.push(spawn('setpriv', words, { env, stdio: ['ignore', log, log] }));
  };
  const nodes = Array.from({ length: NODES }, (_, node) => `mysql://root@127.0.0.1:${ports[4 * node]}`);
  try {
    const words = ['--no-defaults', '--user=mysql', `--datadir=${join(root, 'n0')}`];
    execFileSync('mariadb-install-db', [...words, '--auth-root-authentication-method=normal', '--skip-test-db'], {
      env,
      stdio: 'ignore',
    });
    for (let node = 1; node < NODES; node++) mkdirSync(join(root, `n${node}`));
    execFileSync('chown', ['-R', 'mysql:mysql', root]);
    for (let node = 0; node < NODES; node++) {
      start(node);
      await isReady(nodes[node]!);
    }
    return {
      nodes,
      kill: (node) => children[node]!.kill('SIGKILL'),
      hang: (node) => children[node]!.kill('SIGSTOP'),
      wake: (node) => {
        children[node]!.kill('SIGCONT');
        // The node itself does not know yet that it was excluded.
        return isReady(nodes[(node + 1) % NODES]!, NODES);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Resolves once a node serves, as one of so many nodes at least. */
async function isReady(node: string, size = 1): Promise<void> {
  for (const end = performance.now() + JOIN_MS; ; await sleep(250)) {
    try {
      const connection = await createConnection(node);
      try {
        const [rows] = await connection.query<RowDataPacket[]>(
          `show status where variable_name in ('wsrep_ready', 'wsrep_cluster_size')`,
        );
        const status = new Map(rows.map(({ Variable_name: name, Value: value }) => [name, value]));
        if (status.get('wsrep_ready') === 'ON' && Number(status.get('wsrep_cluster_size')) >= size) return;
      } finally {
        connection.destroy();
      }
    } catch {
      // It does not listen yet.
    }
    if (performance.now() > end) throw new Error(`The node ${node} did not join the cluster.`);
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
