import {
  closeSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contentHash } from '../../src/core/index.ts';
import { encodeModels } from '../../src/meta/index.ts';
import { openStore } from '../../src/store/index.ts';
import { page, round } from '../contracts/store-records.ts';
import { DATABASES, EVERYDAY, train } from '../meta/topics.ts';
import { run } from './support/captured-io.ts';

const TOPICS = 'topics:\n  - {name: databases, examples: ["https://a.example/"]}\nothers: ["https://b.example/"]\n';

let root: string;
let whole: string;
let dir: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bingo-check-'));
  whole = join(root, 'whole');
  mkdirSync(whole);
  writeFileSync(join(whole, 'bingo.yaml'), TOPICS);
  const store = await openStore({ url: 'sqlite', workspace: whole, batch: 100, flushMs: 1 });
  for (let n = 1; n <= 40; n++) {
    const text = `Page ${n}`;
    const document = { text, contentHash: contentHash(Buffer.from(text)) };
    store.append(page(n, `https://p${n}.example/`, { document }));
  }
  store.append(
    round(41, { model: 1, blob: encodeModels(train([{ name: 'databases' }], [...DATABASES, ...EVERYDAY]).models) }),
  );
  await store.close();
});
beforeEach(() => {
  dir = join(root, 'copy');
  rmSync(dir, { recursive: true, force: true });
  cpSync(whole, dir, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true }));

function tamper(statement: string): void {
  const db = new BetterSqlite3(join(dir, 'store.db'));
  db.exec(statement);
  db.close();
}

it('says that nothing is wrong, with exit code 0', async () => {
  const { code, out } = await run(['check', dir]);
  expect(out).toContain('41 records');
  expect(out).toContain('Nothing is wrong.');
  for (const part of [
    'bingo.yaml',
    'topics.json',
    'database',
    'journal',
    'pages',
    'index',
    'sums',
    'resuming',
    'checkpoints',
  ])
    expect(out).toContain(`ok    ${part}\n`);
  expect(code).toBe(0);
  expect(JSON.parse((await run(['check', dir, '--json'])).out)).toMatchObject({ ok: true, records: 41, problems: [] });
});

describe('says what is wrong, where and what to do, with exit code 1,', () => {
  it('of a page whose text is of another page', async () => {
    tamper('update page_content set page = -page; update page_content set page = 41 + page');
    const { code, out, err } = await run(['check', dir]);
    expect(out).toContain('record 3 (https://p3.example/): Its text does not match its digest');
    expect(out).toContain('… and 30 more');
    expect(out).toContain('Restore a copy of');
    expect(err).toContain('Next, after the repair: ');
    expect(code).toBe(1);
    const { ok, problems } = JSON.parse((await run(['check', dir, '--json'])).out);
    expect([ok, problems.length, problems[0].part]).toEqual([false, 40, 'pages']);
  });

  it('of a missing record, which stops resuming, too', async () => {
    tamper('delete from journal where sequence = 7');
    const { code, out } = await run(['check', dir]);
    expect(out).toContain('record 7: The record is missing.');
    expect(out).toMatch(/FAIL {2}resuming/);
    expect(code).toBe(1);
  });

  it('of a model that cannot be read', async () => {
    const other = join(root, 'models');
    rmSync(other, { recursive: true, force: true });
    mkdirSync(other);
    writeFileSync(join(other, 'bingo.yaml'), TOPICS);
    const store = await openStore({ url: 'sqlite', workspace: other, batch: 100, flushMs: 1 });
    store.append(round(1));
    await store.close();
    expect((await run(['check', other])).out).toContain('record 1: Model 1 cannot be read');
  });

  it('of damaged bytes of the file', async () => {
    const file = openSync(join(dir, 'store.db'), 'r+');
    for (let at = 5 * 4096; at < statSync(join(dir, 'store.db')).size; at += 4096)
      writeSync(file, Buffer.alloc(200, 7), 0, 200, at);
    closeSync(file);
    const { code, out } = await run(['check', dir]);
    expect(out).toMatch(/FAIL {2}database/);
    expect(code).toBe(1);
  });

  it('of a store that is not a database', async () => {
    writeFileSync(join(dir, 'store.db'), 'not a database at all, but long enough to be read as one'.repeat(50));
    const { code, out } = await run(['check', dir]);
    expect(out).toMatch(/FAIL {2}database/);
    expect(out).toContain('-     pages       not checked');
    expect(code).toBe(1);
  });

  it('of damaged and foreign checkpoints', async () => {
    writeFileSync(join(dir, 'checkpoint-000000000040'), 'not a checkpoint');
    const { code, out } = await run(['check', dir]);
    expect(out).toContain('checkpoint-000000000040: It is damaged');
    expect(out).toContain('Delete the file.');
    expect(code).toBe(1);
  });

  it('of mistakes in bingo.yaml and topics.json, and still checks the store', async () => {
    writeFileSync(join(dir, 'bingo.yaml'), `${TOPICS}network: { delayMs: soon }\n`);
    const yaml = await run(['check', dir]);
    expect(yaml.out).toMatch(/FAIL {2}bingo.yaml +1 problem\n +line 4, network.delayMs: /);
    expect(yaml.out).toContain('ok    pages\n');
    expect(yaml.code).toBe(1);
    copyFileSync(join(whole, 'bingo.yaml'), join(dir, 'bingo.yaml'));
    writeFileSync(join(dir, 'topics.json'), '[');
    const topics = await run(['check', dir]);
    expect(topics.out).toMatch(/FAIL {2}topics.json/);
    expect(topics.out).toContain('delete it');
    expect(topics.code).toBe(1);
  });
});

it('refuses a folder without a workspace, and one without a store', async () => {
  expect(await run(['check', root])).toMatchObject({ code: 2, err: expect.stringContaining('bingo.yaml') });
  rmSync(join(dir, 'store.db'));
  expect(await run(['check', dir])).toMatchObject({ code: 1, err: expect.stringContaining('Crawl first') });
});
