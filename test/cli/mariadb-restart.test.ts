import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, requestSteer } from '../../src/store/index.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { runBingo, startBingo } from './support/bingo-process.ts';
import { type Outcome, run } from './support/captured-io.ts';
import { type FaultyWeb, faultyPage, startFaultyWeb } from './support/faulty-web.ts';

const PROGRAMS = ['mariadbd', 'mariadb-install-db', 'mariadb'];
const hasServer = PROGRAMS.every((name) => spawnSync(name, ['--help']).error === undefined);
const isBuilt = existsSync(join(import.meta.dirname, '../../dist/main.js'));

/** A database server of this test, with its own folder, socket and port. */
class OwnMariadb {
  readonly folder = mkdtempSync(join(tmpdir(), 'bingo-mariadb-'));
  port = 0;
  #process: ChildProcess | undefined;

  get url(): string {
    return `mysql://bingo:bingo@127.0.0.1:${this.port}/bingo`;
  }

  async install(): Promise<void> {
    this.port = await freePort();
    const made = spawnSync('mariadb-install-db', [
      ...['--no-defaults', `--datadir=${join(this.folder, 'data')}`, `--user=${userInfo().username}`],
      ...['--auth-root-authentication-method=normal', '--skip-test-db'],
    ]);
    expect(made.status, String(made.stderr)).toBe(0);
    await this.start();
    const statements = `create database bingo; create user bingo@'127.0.0.1' identified by 'bingo'; grant all on bingo.* to bingo@'127.0.0.1';`;
    this.tell(statements);
  }

  /** Runs statements as its administrator. */
  tell(statements: string): void {
    const socket = `--socket=${join(this.folder, 's.sock')}`;
    const done = spawnSync('mariadb', ['--no-defaults', socket, '-uroot', '-e', statements]);
    expect(done.status, String(done.stderr)).toBe(0);
  }

  async start(): Promise<void> {
    this.#process = spawn(
      'mariadbd',
      [
        ...['--no-defaults', `--datadir=${join(this.folder, 'data')}`, `--socket=${join(this.folder, 's.sock')}`],
        ...[`--port=${this.port}`, '--bind-address=127.0.0.1', `--user=${userInfo().username}`, '--skip-name-resolve'],
        ...[`--pid-file=${join(this.folder, 'pid')}`, '--innodb-buffer-pool-size=32M'],
        // While the server is down, another connection may use its port.
        '--port-open-timeout=60',
      ],
      { stdio: 'ignore' },
    );
    while (!(await answers(this.port))) await sleep(50);
  }

  /** Kills the server without warning, like a power failure. */
  async kill(): Promise<void> {
    const process = this.#process;
    if (process === undefined || process.exitCode !== null) return;
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      // The server sends a greeting first, which shows that it is ready.
      socket.once('data', () => resolve(true));
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.setTimeout(2000, () => socket.destroy());
    socket.once('data', () => socket.destroy());
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

describe.skipIf(!hasServer || !isBuilt)('a MariaDB server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-mariadb-crawl-'));
  const database = new OwnMariadb();
  let web: FaultyWeb;

  beforeAll(async () => {
    web = await startFaultyWeb({ timeouts: 0, errors: 0.03, redirects: 0.1 });
    await database.install();
  }, 120_000);
  afterAll(async () => {
    await web?.close();
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test('that is killed and restarted during a crawl costs the crawl nothing', async () => {
    const dir = join(folder, 'w');
    const seeds = [0, 2, 4].flatMap((n) => ['--seed', faultyPage(n)]);
    const sets = [
      'network.delayMs=0',
      'network.backoffMs=20',
      'store.batch=5',
      'store.flushMs=20',
      `store.url=${database.url}`,
    ];
    const others = join(folder, 'others.txt');
    writeFileSync(others, [1, 5, 7, 9, 11].map(faultyPage).join('\n'));
    const rest = ['--others', others, ...sets.flatMap((set) => ['--set', set])];
    runBingo(['init', dir, '--topic', 'railways', ...seeds, ...rest]);
    const run = startBingo(['crawl', dir, '--budget', '150', '--learn', '10', '--proxy', web.proxy, '--json']);

    for (const pages of [10, 40]) {
      await run.reported('page', pages);
      await database.kill();
      await sleep(300);
      await database.start();
    }
    const { code, err, lines } = await run.ended;

    expect(code, err).toBe(0);
    expect(err).not.toContain('error:');
    const reported = lines.filter(({ kind }) => kind === 'page').map(({ url }) => url);
    const store = await openStore({ url: database.url, workspace: dir, batch: 100, flushMs: 100, readOnly: true });
    const sequences: number[] = [];
    const urls: string[] = [];
    for await (const records of store.read())
      for (const record of records) {
        sequences.push(record.sequence);
        if (record.kind === 'page') urls.push(record.url);
      }
    await store.close();
    expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, i) => i + 1));
    expect(urls).toEqual(expect.arrayContaining(reported));
    expect(new Set(urls).size).toBe(urls.length);
  }, 120_000);

  test('that is down too long ends the crawl, and the same command continues it', async () => {
    const crawl = ['crawl', join(folder, 'w'), '--budget', '200', '--proxy', web.proxy, '--json'];
    const run = startBingo([...crawl, '--set', 'store.reconnectMs=1s']);
    await run.reported('page', 5);
    await database.kill();
    const { code, err } = await run.ended;
    expect(code).toBe(1);
    expect(err).toContain('the database server does not answer');
    expect(err).toContain('run the same command again');

    await database.start();
    const again = await startBingo(crawl).ended;
    expect(again.code, again.err).toBe(0);
    expect(again.lines.at(-1)).toMatchObject({ kind: 'summary', fetched: 200 });
  }, 120_000);

  test('that is down for a moment is retried by writers, and not by readers', async () => {
    const options = { url: database.url, workspace: join(folder, 'w'), batch: 100, flushMs: 100 };
    const writing = await openStore(options);
    const reading = await openStore({ ...options, readOnly: true });
    try {
      const before = await writing.count();
      await database.kill();
      const asked = writing.count();
      await expect(reading.count()).rejects.toMatchObject({ code: 'STORE_LOST' });
      await database.start();
      expect(await asked).toBe(before);
    } finally {
      await reading.close();
      await writing.close();
    }
  }, 120_000);

  test('without autocommit and with read-committed isolation works like any other', async () => {
    database.tell(`create database own; grant all on own.* to bingo@'127.0.0.1'; set global autocommit = 0;
      set global transaction isolation level read committed`);
    const options = { url: database.url.replace(/bingo$/, 'own'), workspace: folder, batch: 100, flushMs: 100 };
    const writing = await openStore(options);
    const reading = await openStore({ ...options, readOnly: true });
    try {
      for (const sequence of [1, 2]) {
        writing.append({ kind: 'phase', sequence, phase: 'learning', reason: '', at: sequence });
        await writing.flush();
        expect(await reading.count()).toBe(sequence);
      }
      await requestSteer(options, { kind: 'set-budget', budget: 7 });
      expect(await writing.takeRequests()).toEqual([{ kind: 'set-budget', budget: 7 }]);
      const { rows } = await reading.sql('select @@tx_isolation', { maxRows: 1 });
      for await (const row of rows) expect(row).toEqual(['REPEATABLE-READ']);
    } finally {
      await reading.close();
      await writing.close();
      database.tell('set global autocommit = 1; set global transaction isolation level repeatable read');
    }
  }, 120_000);

  test('shows its views even if the user who made them was dropped', async () => {
    database.tell(`create user maker@'127.0.0.1' identified by 'bingo'; create database kept;
      grant all on kept.* to maker@'127.0.0.1'; grant all on kept.* to bingo@'127.0.0.1'`);
    const url = database.url.replace(/bingo$/, 'kept');
    const options = { url, workspace: mkdtempSync(join(folder, 'kept-')), batch: 100, flushMs: 100 };
    await (await openStore({ ...options, url: url.replace('//bingo:', '//maker:') })).close();
    database.tell(`drop user maker@'127.0.0.1'`);
    const reading = await openStore({ ...options, readOnly: true });
    try {
      const { rows } = await reading.sql('select count(*) from census', { maxRows: 1 });
      for await (const row of rows) expect(row).toEqual([0]);
    } finally {
      await reading.close();
    }
  }, 120_000);

  describe('that restarts during work with temporary tables lets the work start again', () => {
    const dir = join(folder, 'w');
    const through = async (url: string, ...words: readonly string[]): Promise<Outcome> =>
      await run(words, { env: { BINGO_STORE_URL: url } });
    const disturbed = async (statement: string, ...words: readonly string[]): Promise<Outcome> => {
      const proxy = await TcpProxy.to(database.url);
      const restarted = proxy.onceAt(statement, async () => {
        await database.kill();
        await database.start();
      });
      const outcome = await through(proxy.through(database.url), ...words);
      await restarted;
      await proxy.refuse();
      return outcome;
    };
    const facts = ({ code, out }: Outcome): unknown => {
      // A server adds rows in the order in which it finds them. A restart may change that order and thus the last
      // digits.
      const rounded = (_: string, value: unknown): unknown =>
        typeof value === 'number' ? Number(value.toPrecision(7)) : value;
      const { seconds, ...rest } = JSON.parse(out, rounded) as Record<string, unknown>;
      return { code, ...rest };
    };

    test.each([
      ['insert into bayes_score', ['reclassify', dir, '--json']],
      ['insert into edge', ['distill', dir, 'railways', '--json']],
      ['insert into edge', ['distill', dir, 'railways', '--json', '--keep']],
    ])('at "%s" of bingo %j', async (statement, words) => {
      const found = await disturbed(statement, ...words);
      expect(found.err).toContain('The work starts again when the server answers.\n');
      const undisturbed = await through(database.url, ...words);
      expect(undisturbed).toMatchObject({ code: 0, err: '' });
      expect(facts(found)).toEqual(facts(undisturbed));
    });

    test('that restarts at the end of "distill --keep" receives the scores again', async () => {
      const sums = ['link_score', 'authority'].flatMap((name) => [
        `(select count(*) from ${name})`,
        `(select round(sum(authority), 6) from ${name})`,
      ]);
      const kept = async (): Promise<string> =>
        (await through(database.url, 'sql', dir, '--json', `select ${sums.join()}`)).out;
      const words = ['distill', dir, 'railways', '--keep'];
      expect((await through(database.url, ...words)).code).toBe(0);
      const before = await kept();
      expect(before).toMatch(/[1-9]/);
      expect(await disturbed('insert into authority', ...words)).toMatchObject({ code: 0, err: '' });
      expect(await kept()).toBe(before);
    });

    test('that restarts leaves kept tables intact', async () => {
      const kept = async (): Promise<string> => {
        const tables = ['term', 'document_term', 'document_space', 'bayes_prior', 'bayes_term', 'bayes_score'];
        const counts = tables.map((name) => `(select count(*) from ${name}) as ${name}`);
        return (await through(database.url, 'sql', dir, '--json', `select ${counts.join()}`)).out;
      };
      const words = ['reclassify', dir, '--json', '--keep'];
      const found = await disturbed('insert into document_space', ...words);
      expect(found.err).toContain('The work starts again when the server answers.\n');
      const after = await kept();
      expect((await through(database.url, 'reclassify', dir, '--drop')).code).toBe(0);
      expect(facts(found)).toEqual(facts(await through(database.url, ...words)));
      expect(after).toBe(await kept());
    });
  });
});
