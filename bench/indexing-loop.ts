/**
 * The bare loop with the two things more that any crawler must do whose pages are classified by their words and searched
 * afterwards, each by the plainest use of a fast library: the stems of a page's text are counted (@orama/stemmers; a
 * stem has a number, a word form is stemmed once), and page, links, text and search index go into SQLite (better-sqlite3,
 * FTS5, a hundred pages a transaction). Nothing is classified.
 */
import { stemmer } from '@orama/stemmers/english';
import Database from 'better-sqlite3';
import type { ContenderTask } from './contender.ts';
import { crawlLoop, type LoopPage } from './loop.ts';

const BATCH = 100;
/** ASCII and, roughly, the letters beyond it: `\p{L}` is exact and takes twice as long. */
const WORDS = /[0-9a-z\u00aa-\u1fff\u3000-\uffff]+/g;

const task: ContenderTask = JSON.parse(process.argv[2] ?? '');
const database = new Database(task.output);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = NORMAL');
database.exec(`create table page (id integer primary key, url text unique, title text, stems int, text text);
  create table link (page int, target text);
  create virtual table word using fts5 (title, text, content = '', tokenize = 'porter unicode61')`);
const insertPage = database.prepare('insert into page (url, title, stems, text) values (?, ?, ?, ?)');
const insertLink = database.prepare('insert into link values (?, ?)');
const insertWords = database.prepare('insert into word (rowid, title, text) values (?, ?, ?)');

const numberOfForm = new Map<string, number>();
const numberOfStem = new Map<string, number>();
const waiting: (LoopPage & { readonly stems: number })[] = [];

const store = database.transaction(() => {
  for (const { url, title, links, text, stems } of waiting) {
    const { lastInsertRowid: id } = insertPage.run(url, title, stems, text);
    for (const link of links) insertLink.run(id, link);
    insertWords.run(id, title, text);
  }
  waiting.length = 0;
});

await crawlLoop(task, true, (page) => {
  waiting.push({ ...page, stems: countStems(page.text).size });
  if (waiting.length === BATCH) store();
});
store();
database.close();

function countStems(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const form of text.toLowerCase().match(WORDS) ?? []) {
    const stem = numberOfForm.get(form) ?? numberForm(form);
    counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return counts;
}

function numberForm(form: string): number {
  const stem = stemmer(form);
  let number = numberOfStem.get(stem);
  if (number === undefined) {
    number = numberOfStem.size;
    numberOfStem.set(stem, number);
  }
  numberOfForm.set(form, number);
  return number;
}
