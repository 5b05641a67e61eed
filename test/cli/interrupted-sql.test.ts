import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mysql, type Place, sqlite } from '../contracts/store-databases.ts';
import { typicalPage } from '../contracts/store-records.ts';
import { BINGO, startBingo } from './support/bingo-process.ts';

const isBuilt = existsSync(join(import.meta.dirname, '../../dist/main.js'));
const hasTmux = spawnSync('tmux', ['-V']).error === undefined;
const WAIT_MS = 60_000;
const SOCKET = `bingo-interrupted-${process.pid}`;

/** Makes a workspace with one page in a place. */
async function workspaceOver({ options, open }: Place): Promise<string> {
  writeFileSync(
    join(options.workspace, 'bingo.yaml'),
    `topics: [{name: databases, examples: ["https://a.example/"]}]\nothers: ["https://b.example/"]\nstore: {url: "${options.url}"}\n`,
  );
  const store = await open();
  store.append(typicalPage(1));
  await store.close();
  return options.workspace;
}

async function until(what: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + WAIT_MS; !(await what()); await sleep(50))
    if (Date.now() > end) throw new Error(`Expected within ${WAIT_MS} ms: ${what}`);
}

describe.skipIf(mysql.missing !== undefined || !isBuilt)('Ctrl-C during a query on a MySQL server', () => {
  let place: Place;
  let dir: string;

  beforeEach(async () => {
    place = await mysql.place();
    dir = await workspaceOver(place);
  });
  afterEach(async () => await place.drop());

  /** Starts a command, interrupts it during a statement, and expects that nothing of it continues. */
  async function interrupt(words: readonly string[], statement: RegExp): Promise<void> {
    const admin = await createConnection(place.options.url);
    const working = async (): Promise<boolean> => {
      const [rows] = await admin.query<RowDataPacket[]>(
        'select info as text from information_schema.processlist where db = database() and id <> connection_id()',
      );
      return rows.some(({ text }) => statement.test(text ?? ''));
    };
    try {
      if (words[0] === 'distill') await admin.query('lock tables link write');
      const { child, ended } = startBingo(words);
      await until(working);
      child.kill('SIGINT');
      expect((await ended).code).toBe(130);
      await until(async () => !(await working()));
    } finally {
      await admin.end();
    }
  }

  test('ends the query of bingo sql on the server, too', async () => {
    await interrupt(['sql', dir, 'select sleep(3600)'], /sleep/);
  });

  test('ends a statement of bingo distill on the server, too', async () => {
    await interrupt(['distill', dir, 'databases'], /\blink\b/);
  });
});

test.skipIf(!isBuilt || !hasTmux)('Ctrl-C ends a query in the console, even one that blocks the thread', async () => {
  const place = await sqlite.place();
  const dir = await workspaceOver(place);
  const tmux = (...words: string[]): string => spawnSync('tmux', ['-L', SOCKET, ...words], { encoding: 'utf8' }).stdout;
  const shows = (what: RegExp): boolean => what.test(tmux('capture-pane', '-p'));
  const endless = `with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n`;
  try {
    const command = `trap : INT; '${process.execPath}' '${BINGO}' sql '${dir}'; echo "ended with $?"; cat`;
    tmux('new-session', '-d', '-x', '100', '-y', '30', command);
    await until(() => shows(/bingo>/));
    // tmux reads an unescaped final semicolon as its own.
    tmux('send-keys', '-l', `select 'be' || 'gun'; ${endless}\\;`);
    tmux('send-keys', 'Enter');
    await until(() => shows(/begun/));
    tmux('send-keys', 'C-c');
    await until(() => shows(/ended with 130/));
  } finally {
    tmux('kill-server');
    await place.drop();
  }
});
