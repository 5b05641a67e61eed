import { createHash } from 'node:crypto';
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type CdxjEntry, cdxjLine, entryOf, REVISIT_MIME, surtOf, timeOf } from './cdxj.ts';
import { CdxjFile } from './cdxj-file.ts';
import { LineSorter, pieces, writeAll } from './line-sorter.ts';
import { type ReadWarcOptions, readWarc } from './warc.ts';
import { type ZipMember, ZipWriter } from './zip-writer.ts';

/** A page in the list of a WACZ file. */
export interface WaczPage {
  readonly url: string;
  readonly title: string;
}

/** Content of a WACZ file. */
export interface WaczContent {
  /** A WARC file with one gzip member per record. */
  readonly warc: string;
  readonly title: string;
  /** Program that made it. */
  readonly software: string;
  /** ms since 1970. */
  readonly createdAt: number;
  /** Pages to list; those without a capture in the file are left out. */
  readonly pages: AsyncIterable<WaczPage> | Iterable<WaczPage>;
}

/** What a WACZ file has. */
export interface WrittenWacz {
  readonly captures: number;
  readonly pages: number;
  readonly bytes: number;
}

/** Lines per compressed block of an index. */
const BLOCK_LINES = 3_000;
const FORMAT = 'cdxj-gzip-1.0';
const INDEX = 'index.cdx.gz';

/**
 * Indexes WARC files: writes a sorted CDXJ file.
 * @param names name of each file in the index. Default: its base name
 * @returns the number of captures
 * @throws WarcError for a damaged file, if `onDamage` is missing
 */
export async function writeCdxj(
  to: string,
  files: readonly { readonly path: string; readonly name?: string }[],
  options: ReadWarcOptions = {},
): Promise<number> {
  const sorter = new LineSorter();
  try {
    for (const { path, name = basename(path) } of files)
      for await (const record of readWarc(path, options)) {
        const entry = entryOf(record, name);
        if (entry !== undefined) sorter.add(cdxjLine(entry));
      }
    return writeLines(to, sorter.sorted());
  } finally {
    sorter.close();
  }
}

/** Writes lines into a new file. Returns their number. */
export function writeLines(to: string, lines: Iterable<string>): number {
  const file = openSync(to, 'w');
  let count = 0;
  function* counted(): Generator<string> {
    for (const line of lines) {
      count++;
      yield line;
    }
  }
  try {
    for (const piece of pieces(counted())) writeAll(file, piece);
    return count;
  } finally {
    closeSync(file);
  }
}

/**
 * Packs a WARC file with index and list of pages (WACZ 1.1.1).
 * @throws BingoError `WACZ_UNWRITABLE`; WarcError if the WARC file is damaged
 */
export async function writeWacz(path: string, content: WaczContent): Promise<WrittenWacz> {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-wacz-'));
  const zip = await ZipWriter.open(path);
  try {
    const cdxj = join(folder, 'index.cdxj');
    const captures = await writeCdxj(cdxj, [{ path: content.warc, name: 'data.warc.gz' }]);
    const index = new CdxjFile(cdxj);
    try {
      const members = [
        await zip.add('archive/data.warc.gz', createReadStream(content.warc), statSync(content.warc).size),
      ];
      const blocks: Block[] = [];
      members.push(await zip.add(`indexes/${INDEX}`, indexBlocks(index, blocks)));
      members.push(await zip.add('indexes/index.idx', [Buffer.from(blockIndex(blocks))]));
      const listed: Listed = { count: 0 };
      members.push(await zip.add('pages/pages.jsonl', pageList(index, content, listed)));
      const description = Buffer.from(dataPackage(content, members, listed.first));
      await zip.add('datapackage.json', [description]);
      await zip.add('datapackage-digest.json', [Buffer.from(digestFile(description))]);
      await zip.finish();
      return { captures, pages: listed.count, bytes: zip.bytes };
    } finally {
      index.close();
    }
  } catch (error) {
    await zip.drop();
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Block {
  readonly first: string;
  readonly offset: number;
  readonly length: number;
  readonly sha256: string;
}

function* indexBlocks(index: CdxjFile, blocks: Block[]): Generator<Buffer> {
  let lines: string[] = [];
  let offset = 0;
  const packed = (): Buffer => {
    const bytes = gzipSync(lines.map((line) => `${line}\n`).join(''));
    const first = (lines[0] ?? '').split(' ', 2).join(' ');
    blocks.push({ first, offset, length: bytes.length, sha256: sha256(bytes) });
    offset += bytes.length;
    lines = [];
    return bytes;
  };
  for (const entry of index.all()) {
    lines.push(cdxjLine(entry));
    if (lines.length === BLOCK_LINES) yield packed();
  }
  if (lines.length > 0) yield packed();
}

/** Formats the second level of the index: the first key of each block, and where the block is. */
function blockIndex(blocks: readonly Block[]): string {
  const head = `!meta 0 ${JSON.stringify({ format: FORMAT, filename: INDEX })}`;
  const lines = blocks.map(({ first, offset, length, sha256: hash }) => {
    const place = { offset, length, digest: `sha256:${hash}`, filename: INDEX };
    return `${first} ${JSON.stringify(place)}`;
  });
  return `${[head, ...lines].join('\n')}\n`;
}

interface ListedPage {
  readonly url: string;
  readonly ts: string;
}

/** Number of listed pages, and the first one. */
interface Listed {
  count: number;
  first?: ListedPage;
}

async function* pageList(index: CdxjFile, { pages }: WaczContent, listed: Listed): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'Pages' })}\n`);
  for await (const { url, title } of pages) {
    const capture = captureOf(index, url);
    if (capture === undefined) continue;
    const ts = new Date(timeOf(capture.timestamp)).toISOString();
    listed.count++;
    listed.first ??= { url, ts };
    const id = sha256(Buffer.from(`${url} ${ts}`)).slice(0, 20);
    yield Buffer.from(`${JSON.stringify({ id, url, title, ts })}\n`);
  }
}

function captureOf(index: CdxjFile, url: string): CdxjEntry | undefined {
  const all = index.entries(surtOf(url)).filter((entry) => entry.url === url);
  return all.findLast(({ mime, status }) => mime === REVISIT_MIME || status.startsWith('2'));
}

function dataPackage(content: WaczContent, members: readonly ZipMember[], main: ListedPage | undefined): string {
  const description = {
    ...{ profile: 'data-package', wacz_version: '1.1.1', title: content.title, software: content.software },
    created: new Date(content.createdAt).toISOString(),
    ...(main && { mainPageUrl: main.url, mainPageDate: main.ts }),
    resources: members.map(({ name, bytes, sha256: hash }) => ({
      ...{ name: basename(name), path: name, hash: `sha256:${hash}`, bytes },
    })),
  };
  return `${JSON.stringify(description, null, 2)}\n`;
}

function digestFile(description: Buffer): string {
  return `${JSON.stringify({ path: 'datapackage.json', hash: `sha256:${sha256(description)}` }, null, 2)}\n`;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
