/**
 * `npm run bench:extraction`: how much of a page's main text Bingo keeps and how much around it, on two public sets of annotated pages:
 * the evaluation of trafilatura (phrases that belong to the text and phrases that do not) and the test pages of Readability (the text as
 * it should be). Author and date are compared with the annotations of the first set, dates also with the evaluation of htmldate.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import { analyze, isUnusable } from '../src/analyze/index.ts';
import { type AnalyzedDocument, BIBLIOGRAPHY_PREFIX, canonicalize, DEFAULTS, mainTextOf } from '../src/core/index.ts';
import { table } from './table.ts';

const HELP = `npm run bench:extraction -- [options]

  --trafilatura DIR  checkout of adbar/trafilatura (reads tests/evaldata.json and the pages beside it)
  --htmldate DIR     checkout of adbar/htmldate (reads tests/eval_*.json and the pages beside them)
  --readability DIR  checkout of mozilla/readability (reads test/test-pages)
  --whole            the whole text of the pages, not the main text
  --beside           also what stands beside the main text: captions, bylines, comments
  --half FRACTION    0 or 1: only this half of the pages, except Readability's, drawn at random
  --misses FILE      write the phrases that are missing or too many
`;

const flags = readFlags({
  trafilatura: { type: 'string', default: '' },
  htmldate: { type: 'string', default: '' },
  readability: { type: 'string', default: '' },
  whole: { type: 'boolean', default: false },
  beside: { type: 'boolean', default: false },
  half: { type: 'string', default: '' },
  misses: { type: 'string', default: '' },
  help: { type: 'boolean', default: false },
});

interface Counts {
  right: number;
  wrong: number;
  missing: number;
  rejected: number;
}

/** An annotated page of trafilatura's evaluation. */
interface Annotated {
  readonly file: string;
  readonly with: readonly string[];
  readonly without: readonly string[];
  readonly author?: string | readonly string[] | null;
  readonly date?: string | null;
}

const misses: string[] = [];

function main(): void {
  const rows: string[][] = [];
  if (flags.trafilatura !== '') rows.push(...phraseRows(join(flags.trafilatura, 'tests')));
  if (flags.htmldate !== '') rows.push(dateRow(join(flags.htmldate, 'tests')));
  if (flags.readability !== '') rows.push(wordRow(join(flags.readability, 'test/test-pages')));
  process.stdout.write(`${table(['pages', 'measure', 'number', 'precision', 'recall', 'F1'], rows)}\n`);
  if (flags.misses !== '') writeFileSync(flags.misses, misses.join('\n'));
}

function phraseRows(folder: string): string[][] {
  const pages = Object.entries(
    JSON.parse(readFileSync(join(folder, 'evaldata.json'), 'utf8')) as Record<string, Annotated>,
  );
  const [phrases, authors, dates] = [counts(), counts(), counts()];
  let number = 0;
  for (const [address, page] of pages) {
    const file = ['cache', 'eval'].map((name) => join(folder, name, page.file)).find((path) => existsSync(path));
    if (file === undefined || !isInHalf(page.file)) continue;
    number++;
    // Some entries have a name in place of an address.
    const document = documentOf(/^https?:/.test(address) ? address : 'http://page.test/', readFileSync(file));
    countPhrases(phrases, page, document);
    const fact = (name: string): string => String(document?.fields?.[`${BIBLIOGRAPHY_PREFIX}${name}`] ?? '');
    const named = page.author ?? [];
    const wanted = (typeof named === 'string' ? named.split(/; /) : named).map(plain).sort().join('; ');
    if (page.author !== undefined)
      countFact(authors, wanted, fact('authors').split(/; |\n/).map(plain).sort().join('; '), page.file);
    if (page.date !== undefined) countFact(dates, page.date ?? '', fact('published').slice(0, 10), page.file);
  }
  return [
    figures('trafilatura', 'phrases', number, phrases),
    figures('trafilatura', 'authors', authors.right + authors.missing, authors),
    figures('trafilatura', 'date', dates.right + dates.missing, dates),
  ];
}

function countPhrases(all: Counts, page: Annotated, document: AnalyzedDocument | undefined): void {
  const text = spaced(measured(document));
  for (const phrase of page.with) {
    if (text.includes(spaced(phrase))) all.right++;
    else {
      all.missing++;
      misses.push(`${page.file}\tmissing\t${phrase}`);
    }
  }
  for (const phrase of page.without) {
    if (!text.includes(spaced(phrase))) all.rejected++;
    else {
      all.wrong++;
      misses.push(`${page.file}\ttoo many\t${phrase}`);
    }
  }
}

/** A value that differs from the annotation is wrong, and the right one is missing. */
function countFact(all: Counts, wanted: string, found: string, file: string): void {
  if (wanted !== '' && found === wanted) all.right++;
  else {
    if (found !== '') all.wrong++;
    if (wanted !== '') all.missing++;
    if (found !== wanted) misses.push(`${file}\tfact\t${wanted}\t${found}`);
  }
}

/** Dates as htmldate counts them: a page with a wrong date counts as wrong, and not as missing. */
function dateRow(folder: string): string[] {
  const all = counts();
  for (const list of ['eval_mediacloud_2020.json', 'eval_default.json']) {
    // Pages without a known date have NaN there, and count as wrong or missing as they do for htmldate.
    const json = readFileSync(join(folder, list), 'utf8').replaceAll('"date": NaN', '"date": "unknown"');
    const pages = JSON.parse(json) as Record<string, { file: string; date: string }>;
    for (const [address, { file, date }] of Object.entries(pages)) {
      const path = ['test_set', 'cache', 'eval'].map((name) => join(folder, name, file)).find((one) => existsSync(one));
      if (path === undefined || !isInHalf(file)) continue;
      const document = documentOf(/^https?:/.test(address) ? address : 'http://page.test/', readFileSync(path));
      const found = String(document?.fields?.[`${BIBLIOGRAPHY_PREFIX}published`] ?? '');
      if (found === date) all.right++;
      else if (found === '') all.missing++;
      else all.wrong++;
      if (found !== date) misses.push(`${file}\tdate\t${date}\t${found}`);
    }
  }
  return figures('htmldate', 'date', all.right + all.wrong + all.missing, all);
}

/** Words of the expected text and of ours, as counted sets. */
function wordRow(folder: string): string[] {
  const all = counts();
  const pages = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'expected.html')));
  for (const name of pages) {
    const wanted = wordsOf(
      documentOf('http://fakehost/expected', readFileSync(join(folder, name, 'expected.html')), true),
    );
    const found = wordsOf(
      documentOf('http://fakehost/test/page.html', readFileSync(join(folder, name, 'source.html'))),
    );
    let shared = 0;
    for (const [word, count] of wanted) shared += Math.min(count, found.get(word) ?? 0);
    // Every page counts alike.
    all.right += 1;
    const [precision, recall] = [shared / Math.max(1, total(found)), shared / Math.max(1, total(wanted))];
    all.wrong += 1 - precision;
    all.missing += 1 - recall;
    misses.push(`${name}\twords\t${precision.toFixed(2)}\t${recall.toFixed(2)}`);
  }
  const [precision, recall] = [1 - all.wrong / all.right, 1 - all.missing / all.right];
  const f1 = (2 * precision * recall) / (precision + recall);
  return [
    'Readability',
    'words, mean of pages',
    String(pages.length),
    ...[precision, recall, f1].map((x) => x.toFixed(3)),
  ];
}

function documentOf(address: string, body: Uint8Array, isWhole = flags.whole): AnalyzedDocument | undefined {
  const url = canonicalize(address);
  if (url === undefined) return undefined;
  const headers = { contentType: 'text/html', charset: '', contentLanguage: '', xRobotsTag: '', refresh: '', link: '' };
  const options = { ...DEFAULTS.analyze, ...DEFAULTS.crawl, spaces: ['terms'] as const, mainText: !isWhole };
  const document = analyze({ url, headers, body }, options);
  return isUnusable(document) ? undefined : document;
}

/** Returns the text that is compared: the main text, or also what stands beside it. */
function measured(document: AnalyzedDocument | undefined): string {
  if (document === undefined) return '';
  return flags.beside ? document.text : mainTextOf(document);
}

/** Draws half of the pages by their names. */
function isInHalf(file: string): boolean {
  return flags.half === '' || hash('sha1', `seed-29-7:${file}`, 'buffer').readUInt8(0) % 2 === Number(flags.half);
}

function wordsOf(document: AnalyzedDocument | undefined): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  for (const word of measured(document)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [])
    words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

function total(words: ReadonlyMap<string, number>): number {
  return [...words.values()].reduce((sum, count) => sum + count, 0);
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function plain(name: string): string {
  return spaced(name).toLowerCase();
}

function counts(): Counts {
  return { right: 0, wrong: 0, missing: 0, rejected: 0 };
}

function figures(pages: string, measure: string, number: number, { right, wrong, missing }: Counts): string[] {
  const [precision, recall] = [right / (right + wrong), right / (right + missing)];
  const f1 = (2 * right) / (2 * right + wrong + missing);
  return [pages, measure, String(number), ...[precision, recall, f1].map((share) => share.toFixed(3))];
}

if (flags.help) process.stdout.write(HELP);
else main();
