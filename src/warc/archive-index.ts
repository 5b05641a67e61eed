import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { UnreadableFileError } from '../core/index.ts';
import { cdxjLine, entryOf, parseCdxjLine, surtOf } from './cdxj.ts';
import { LineSorter } from './line-sorter.ts';
import { writeLines } from './wacz.ts';
import { readWarc } from './warc.ts';
import type { WarcError } from './warc-error.ts';
import type { WarcRecord } from './warc-record.ts';
import { readStored, type ZipPlace, zipPlaces } from './zip-directory.ts';

/** Names of the files of an index: sorted captures, and what they were made from. */
export const ARCHIVE_INDEX = 'archive.cdxj';
const ARCHIVE_FILES = 'archive.files.json';

/** Options for making an index. */
export interface IndexOptions {
  /** Folder for the index. */
  readonly folder: string;
  /** Called with each damaged range; reading continues behind it. Without it, damage throws. */
  readonly onDamage?: (error: WarcError) => void;
  /** Called before each file is read. */
  readonly onFile?: (path: string) => void;
}

/** WARC and WACZ files, and their index. */
export interface IndexedArchive {
  /** Path of the index. */
  readonly index: string;
  readonly captures: number;
}

/**
 * Indexes WARC and WACZ files, and those in folders, unless the index in the folder is still valid. A WACZ file is
 * read in place: its own index is used if it has one. Memory: one run of the sorter.
 * @throws UnreadableFileError `ARCHIVE_MISSING`, `ARCHIVE_EMPTY`, `ARCHIVE_PACKED`, `WACZ_DAMAGED`; WarcError
 */
export async function indexArchive(paths: readonly string[], options: IndexOptions): Promise<IndexedArchive> {
  const files = paths.flatMap((path) => archiveFiles(path));
  const index = join(options.folder, ARCHIVE_INDEX);
  const list = join(options.folder, ARCHIVE_FILES);
  const stamps = files.map((path) => [path, stampOf(path)]);
  const known = knownIndex(list, index);
  if (known !== undefined && JSON.stringify(known.files) === JSON.stringify(stamps))
    return { index, captures: known.captures };
  const sorter = new LineSorter();
  try {
    for (const path of files) {
      options.onFile?.(path);
      await (isWacz(path) ? addWacz(path, sorter, options) : addWarc(path, sorter, options));
    }
    const making = `${index}.making-${process.pid}`;
    rmSync(list, { force: true });
    const captures = writeLines(making, sorter.sorted());
    renameSync(making, index);
    if (captures === 0) throw empty(paths);
    writeFileSync(list, JSON.stringify({ files: stamps, captures }));
    return { index, captures };
  } finally {
    sorter.close();
  }
}

const ARCHIVE_NAME = /\.(?:warc(?:\.gz|\.zst)?|wacz)$/i;

function isWacz(path: string): boolean {
  return /\.wacz$/i.test(path);
}

/** Returns the archive files at a path: itself, or all in the folder and below, sorted. */
function archiveFiles(path: string): readonly string[] {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined)
    throw new UnreadableFileError({
      code: 'ARCHIVE_MISSING',
      message: `The archive ${path} does not exist.`,
      hint: 'Correct archive.files in bingo.yaml. Stored pages are not affected.',
    });
  if (!facts.isDirectory()) return [resolve(path)];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => ARCHIVE_NAME.test(name));
  if (names.length > 0) return names.sort().map((name) => resolve(path, name));
  throw new UnreadableFileError({
    code: 'ARCHIVE_EMPTY',
    message: `The folder ${path} has no WARC or WACZ file.`,
    hint: 'Name a folder with files that end in .warc, .warc.gz, .warc.zst or .wacz.',
  });
}

interface KnownIndex {
  readonly files: unknown;
  readonly captures: number;
}

function knownIndex(list: string, index: string): KnownIndex | undefined {
  try {
    return existsSync(index) ? (JSON.parse(readFileSync(list, 'utf8')) as KnownIndex) : undefined;
  } catch {
    return undefined;
  }
}

function stampOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size}-${Math.round(mtimeMs)}`;
}

async function addWarc(path: string, sorter: LineSorter, options: IndexOptions, range?: ZipPlace): Promise<void> {
  const { onDamage } = options;
  for await (const record of readWarc(path, { ...(onDamage && { onDamage }), ...(range && { range }) })) {
    const entry = entryOf(record, path);
    if (entry === undefined) continue;
    // Of a record that is too long, the page is too large, too.
    if (record.missing > 0) continue;
    if (!record.alone) throw packed(path, record);
    sorter.add(cdxjLine(entry));
  }
}

async function addWacz(path: string, sorter: LineSorter, options: IndexOptions): Promise<void> {
  const places = await zipPlaces(path);
  const warcs = places.filter(({ name }) => /^archive\/.*\.warc(?:\.gz)?$/i.test(name));
  const compressed = warcs.find(({ isCompressed }) => isCompressed);
  if (compressed !== undefined)
    throw new UnreadableFileError({
      code: 'ARCHIVE_PACKED',
      message: `${path}: ${compressed.name} is compressed in the zip file, so that its records cannot be read in place.`,
      hint: 'Unzip the file and name the folder: bingo init DIR --archive FOLDER.',
    });
  const byName = new Map(
    warcs.flatMap((place) => [[place.name, place] as const, [baseName(place.name), place] as const]),
  );
  const indexes = places.filter(({ name }) => /^indexes\/.*\.cdxj?(?:\.gz)?$/i.test(name));
  const lines = indexes.map((place) => indexLines(path, place));
  if (indexes.length === 0 || lines.includes(undefined)) {
    for (const place of warcs) await addWarc(path, sorter, options, place);
    return;
  }
  for (const line of lines.flatMap((each) => each ?? [])) {
    const entry = parseCdxjLine(line);
    const place = entry && byName.get(entry.filename);
    if (entry === undefined || place === undefined || isOtherMethod(line)) continue;
    const digest = entry.digest === '' || entry.digest.includes(':') ? entry.digest : `sha1:${entry.digest}`;
    const here = { key: surtOf(entry.url), offset: place.offset + entry.offset, filename: path, digest };
    if (/^https?:/i.test(entry.url) && entry.offset + entry.length <= place.length)
      sorter.add(cdxjLine({ ...entry, ...here }));
  }
}

/** Larger indexes are made again from the records, which is slower but takes no memory. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const MAX_LINES_BYTES = 512 * 1024 * 1024;

/** Returns the lines of an index in a WACZ file; `undefined` if it cannot be used. */
function indexLines(path: string, place: ZipPlace): readonly string[] | undefined {
  if (place.isCompressed) return undefined;
  const bytes = readStored(path, place, MAX_INDEX_BYTES);
  try {
    const text =
      bytes && (place.name.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: MAX_LINES_BYTES }) : bytes);
    return text?.toString('utf8').split('\n');
  } catch {
    return undefined;
  }
}

/** Answers to forms and scripts are not pages. */
function isOtherMethod(line: string): boolean {
  return /"method":\s*"(?!GET")/.test(line);
}

function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function packed(path: string, { offset }: WarcRecord): UnreadableFileError {
  return new UnreadableFileError({
    code: 'ARCHIVE_PACKED',
    message: `${path}: several records are compressed together at byte ${offset}, so that single ones cannot be read.`,
    hint: 'Decompress the file (gunzip, zstd -d), and name the resulting .warc.',
  });
}

function empty(paths: readonly string[]): UnreadableFileError {
  return new UnreadableFileError({
    code: 'ARCHIVE_EMPTY',
    message: `${paths.join(', ')}: no record is a response with an http(s) address.`,
    hint: 'Name WARC or WACZ files with response records. Crawlers and `wget --warc-file` write such files.',
  });
}
