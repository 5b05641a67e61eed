/**
 * The bare loop that keeps its pages: address, title, links and text, packed by zstd, go into SQLite (better-sqlite3, a hundred pages a
 * transaction). The least that a crawler does which can show afterwards what it found; no word is looked at.
 */
import { constants, zstdCompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import type { ContenderTask } from './contender.ts';
import { crawlLoop, type LoopPage } from './loop.ts';

const BATCH = 100;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const task: ContenderTask = JSON.parse(process.argv[2] ?? '');
const database = new Database(task.output);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = NORMAL');
database.exec('create table page (id integer primary key, url text unique, title text, links text, text blob)');
const insertPage = database.prepare('insert into page (url, title, links, text) values (?, ?, ?, ?)');
const waiting: LoopPage[] = [];

const store = database.transaction(() => {
  for (const { url, title, links, text } of waiting)
    insertPage.run(url, title, links.join('\n'), zstdCompressSync(text, LEVEL));
  waiting.length = 0;
});

await crawlLoop(task, true, (page) => {
  waiting.push(page);
  if (waiting.length === BATCH) store();
});
store();
database.close();
