/**
 * `npm run bench:formats -- --folder DIR`: converts real documents and compares their words with what independent readers find. Readers that
 * are not installed are skipped. Debian has them all: poppler-utils, antiword, catdoc, unrtf, pandoc, libreoffice-writer, libreoffice-impress.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { readFlags } from '../scripts/script-flags.ts';
import { analyze, isUnusable } from '../src/analyze/index.ts';
import { Converter } from '../src/convert/index.ts';
import { canonicalize, DEFAULTS } from '../src/core/index.ts';
import { median, table } from './table.ts';

const HELP = `npm run bench:formats -- --folder DIR [options]

  --folder DIR    documents, named by their endings; may be given several times
  --losses FILE   write the documents of which a reader finds more, with the words that are missing
  --only FORMAT   documents with this ending alone
`;

/** A program that prints the text of a document. */
interface Reader {
  readonly name: string;
  readonly formats: readonly string[];
  readonly command: (file: string) => readonly string[];
}

const PDF_TO_TEXT = ['pdftotext', '-enc', 'UTF-8', '-nopgbrk'];
const WORD = ['doc', 'dot'];
const SLIDES = ['ppt', 'pps', 'pptx', 'ppsx', 'odp'];
const OFFICE = [...WORD, 'docx', 'docm', 'dotx', 'odt', 'rtf', ...SLIDES];
const READERS: readonly Reader[] = [
  { name: 'pdftotext', formats: ['pdf'], command: (file) => [...PDF_TO_TEXT, file, '-'] },
  { name: 'antiword', formats: WORD, command: (file) => ['antiword', '-m', 'UTF-8.txt', '-w', '0', file] },
  { name: 'catdoc', formats: WORD, command: (file) => ['catdoc', '-d', 'utf-8', '-w', file] },
  { name: 'catppt', formats: ['ppt', 'pps'], command: (file) => ['catppt', '-d', 'utf-8', file] },
  { name: 'unrtf', formats: ['rtf'], command: (file) => ['unrtf', '--text', '--quiet', '--nopict', file] },
  {
    name: 'pandoc',
    formats: ['docx', 'docm', 'dotx', 'odt', 'rtf', 'epub'],
    command: (file) => {
      const format = { docm: 'docx', dotx: 'docx' }[formatOf(file)] ?? formatOf(file);
      return ['pandoc', '--from', format, '--to', 'plain', '--wrap=none', file];
    },
  },
  {
    name: 'Python email',
    formats: ['eml'],
    command: (file) => [
      'python3',
      '-c',
      `import sys, email, email.policy
body = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default).get_body(('html', 'plain'))
text = body.get_content() if body else ''
if body and body.get_content_subtype() == 'html':
    import html, re
    text = html.unescape(re.sub(r'<(style|script)\\b.*?</\\1>|<!--.*?-->|<[^>]*>', ' ', text, flags=re.S | re.I))
sys.stdout.buffer.write(text.encode('utf8', 'replace'))`,
      file,
    ],
  },
];
const READER_TIMEOUT_MS = 60_000;
/** LibreOffice starts slowly: it reads so many documents at once. One that ends it costs the texts of its group. */
const OFFICE_GROUP = 10;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Below this share of a reader's words a document counts as a loss. */
const LOSS = 0.9;
/** Texts with fewer words say little about a format. */
const MIN_WORDS = 5;
const SHOWN_WORDS = 12;

const flags = readFlags({
  folder: { type: 'string', multiple: true, default: [] },
  losses: { type: 'string', default: '' },
  only: { type: 'string', default: '' },
  help: { type: 'boolean', default: false },
});
const run = promisify(execFile);

interface Comparison {
  readonly file: string;
  readonly reader: string;
  /** Of the reader's words, those that Bingo has, and the reverse. */
  readonly found: number;
  readonly backed: number;
  readonly words: number;
  readonly missing: readonly string[];
  /** Why Bingo has no text. */
  readonly failure: string;
}

async function main(): Promise<void> {
  const files = flags.folder.flatMap(documentsIn).filter((file) => flags.only === '' || formatOf(file) === flags.only);
  const converter = new Converter(DEFAULTS.analyze);
  const comparisons: Comparison[] = [];
  const failures = new Map<string, string[]>();
  let done = 0;
  for (const group of groupsOf(files)) {
    const office = OFFICE.includes(formatOf(group[0] ?? '')) ? await officeTexts(group) : new Map<string, string>();
    for (const file of group) {
      const own = await textOf(converter, file);
      if (typeof own !== 'string') failures.set(formatOf(file), [...(failures.get(formatOf(file)) ?? []), own.failure]);
      const texts = new Map([['LibreOffice', office.get(file)]]);
      const readers = READERS.filter(({ formats }) => formats.includes(formatOf(file)));
      for (const reader of readers) texts.set(reader.name, await readWith(reader, file));
      for (const [reader, text] of texts) if (text !== undefined) comparisons.push(compare(file, reader, own, text));
    }
    done += group.length;
    process.stderr.write(`${done} of ${files.length} documents\n`);
  }
  await converter.close();
  report(files, comparisons, failures);
}

/** Neighbours of one format. */
function groupsOf(files: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  for (const file of files) {
    const last = groups.at(-1);
    const fits = last !== undefined && last.length < OFFICE_GROUP && formatOf(last[0] ?? '') === formatOf(file);
    if (fits) last.push(file);
    else groups.push([file]);
  }
  return groups;
}

function documentsIn(folder: string): readonly string[] {
  const known = new Set([...OFFICE, ...READERS.flatMap(({ formats }) => formats)]);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names
    .map((name) => join(folder, name))
    .filter((file) => known.has(formatOf(file)) && statSync(file).isFile());
  return files.sort((a, b) => (formatOf(a) < formatOf(b) ? -1 : formatOf(a) > formatOf(b) ? 1 : 0));
}

function formatOf(file: string): string {
  return extname(file).slice(1).toLowerCase();
}

/** The text that a crawl would store, or why it stores no text. */
async function textOf(converter: Converter, file: string): Promise<string | { readonly failure: string }> {
  const url = canonicalize(`http://documents.test/${encodeURIComponent(basename(file))}`);
  if (url === undefined) return { failure: 'its name is too long for an address' };
  const converted = await converter.convert(readFileSync(file), formatOf(file) === 'eml' ? 'message/rfc822' : '', url);
  if (isUnusable(converted)) return { failure: `${converted.reason}: ${converted.detail}` };
  const headers = { contentType: 'text/html', charset: 'utf-8', contentLanguage: '', xRobotsTag: '' };
  const page = { url, headers: { ...headers, refresh: '', link: '' }, body: Buffer.from(converted.html) };
  const document = analyze(page, { ...DEFAULTS.analyze, ...DEFAULTS.crawl, spaces: ['terms'] });
  if (isUnusable(document)) return { failure: `${document.reason}: ${document.detail}` };
  return `${document.title}\n${document.text}`;
}

/** Undefined if the reader is not installed or cannot read the document. */
function readWith(reader: Reader, file: string): Promise<string | undefined> {
  return textFrom(reader.command(file)).catch(() => undefined);
}

/** What LibreOffice reads in documents of one folder: files and their texts. Slides are printed first. */
async function officeTexts(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const areSlides = SLIDES.includes(formatOf(files[0] ?? ''));
  const [format, ending] = areSlides ? ['pdf', 'pdf'] : ['txt:Text (encoded):UTF8', 'txt'];
  const folder = mkdtempSync(join(tmpdir(), 'bingo-formats-'));
  await textFrom(['soffice', '--headless', '--convert-to', format, '--outdir', folder, ...files]).catch(() => '');
  for (const file of files) {
    const output = join(folder, `${basename(file, extname(file))}.${ending}`);
    if (!existsSync(output)) continue;
    texts.set(file, areSlides ? await textFrom([...PDF_TO_TEXT, output, '-']) : readFileSync(output, 'utf8'));
  }
  rmSync(folder, { recursive: true });
  return texts;
}

async function textFrom([program = '', ...args]: readonly string[]): Promise<string> {
  const { stdout } = await run(program, args, { timeout: READER_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES });
  return stdout;
}

function compare(file: string, reader: string, own: string | { readonly failure: string }, text: string): Comparison {
  const theirs = wordCounts(text);
  const ours = wordCounts(typeof own === 'string' ? own : '');
  const words = sum(theirs.values());
  const shared = sum([...theirs].map(([word, count]) => Math.min(count, ours.get(word) ?? 0)));
  const missing = [...theirs].filter(([word, count]) => (ours.get(word) ?? 0) < count).map(([word]) => word);
  const failure = typeof own === 'string' ? '' : own.failure;
  return {
    file,
    reader,
    found: words === 0 ? 1 : shared / words,
    backed: ours.size === 0 ? 1 : shared / sum(ours.values()),
    words,
    missing,
    failure,
  };
}

/**
 * Words in lower case with their counts, without addresses, which Bingo keeps as links. Chinese and Japanese letters count one by one: no
 * reader marks their words.
 */
function wordCounts(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const folded = text
    .normalize('NFKC')
    .replaceAll(/\u00ad|(?:https?:\/\/|www\.)\S+/gi, '')
    .toLowerCase();
  const words = folded.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+/gu) ?? [];
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function report(
  files: readonly string[],
  comparisons: readonly Comparison[],
  failures: ReadonlyMap<string, readonly string[]>,
): void {
  const pairs = new Map<string, Comparison[]>();
  for (const one of comparisons.filter(({ words }) => words >= MIN_WORDS)) {
    const key = `${formatOf(one.file)}\t${one.reader}`;
    pairs.set(key, [...(pairs.get(key) ?? []), one]);
  }
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const rows = [...pairs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, group]) => {
      const [format = '', reader = ''] = key.split('\t');
      const words = sum(group.map((one) => one.words));
      return [
        format,
        reader,
        String(group.length),
        percent(sum(group.map((one) => one.found * one.words)) / words),
        percent(median(group.map(({ found }) => found))),
        percent(median(group.map(({ backed }) => backed))),
        String(group.filter(({ found }) => found < LOSS).length),
      ];
    });
  const head = ['format', 'reader', 'documents', 'words found', 'median', 'also in the reader', 'below 90 %'];
  process.stdout.write(`${files.length} documents\n\n${table(head, rows)}\n`);
  for (const [format, reasons] of failures) {
    process.stdout.write(
      `\nno text from ${reasons.length} ${format}: ${[...new Set(reasons)].slice(0, SHOWN_WORDS).join('; ')}\n`,
    );
  }
  if (flags.losses !== '') writeFileSync(flags.losses, lossLines(comparisons).join('\n'));
}

function lossLines(comparisons: readonly Comparison[]): readonly string[] {
  return comparisons
    .filter(({ found, words }) => found < LOSS && words >= MIN_WORDS)
    .sort((a, b) => (1 - b.found) * b.words - (1 - a.found) * a.words)
    .map(({ file, reader, found, words, missing, failure }) =>
      [file, reader, found.toFixed(2), words, failure, missing.slice(0, SHOWN_WORDS).join(' ')].join('\t'),
    );
}

if (flags.help) process.stdout.write(HELP);
else await main();
