import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CanonicalUrl, canonicalize, UsageError } from '../../core/index.ts';
import type { ExportRow } from '../../store/index.ts';
import {
  type CdxjEntry,
  headerValue,
  parseHttpResponse,
  WarcArchive,
  WarcSelection,
  type WrittenWacz,
  writeWacz,
} from '../../warc/index.ts';
import { openArchive } from '../crawl/open-fetcher.ts';
import { productVersion, SOFTWARE } from '../workspace/product.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';
import { embeddedIn, embeddedInCss } from './embedded.ts';

/** A WACZ file with chosen pages. */
export interface ChosenPages extends WrittenWacz {
  /** Pages that the recordings lack. */
  readonly missing: number;
}

/** Maximum redirects followed from a page's address. */
const MAX_HOPS = 10;

/**
 * Writes pages with what they need, redirects and embedded parts, from recordings into a WACZ file.
 * @param files WARC and WACZ files, or folders. Default: `archive.files`
 * @throws UsageError without files, or if they lack all pages
 */
export async function writeChosenPages(
  path: string,
  pages: AsyncIterable<ExportRow>,
  { workspace, files }: { readonly workspace: Workspace; readonly files: readonly string[] },
): Promise<ChosenPages> {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-pages-'));
  try {
    const archive = await openRecordings(workspace, files, folder);
    try {
      const warc = join(folder, 'data.warc.gz');
      const chosen = await choose(archive, warc, pages);
      if (chosen.listed.length === 0)
        throw new UsageError(
          'The recordings lack all of these pages.',
          'Name the recording of this crawl: --archive FILE.',
        );
      const about = {
        title: workspaceTitle(workspace),
        software: `${SOFTWARE}/${productVersion()}`,
        createdAt: Date.now(),
      };
      const written = await writeWacz(path, { warc, ...about, pages: chosen.listed });
      return { ...written, missing: chosen.missing };
    } finally {
      archive.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The index of the workspace's own archive is kept; that of other files is made for this export. */
async function openRecordings(
  { dir, config }: Workspace,
  files: readonly string[],
  folder: string,
): Promise<WarcArchive> {
  if (files.length > 0)
    return await WarcArchive.open(
      files.map((file) => resolve(file)),
      { folder },
    );
  if (config.archive.files.length > 0) return await openArchive(dir, config.archive.files, () => {});
  throw new UsageError(
    'A WACZ file has the recorded pages themselves, and no recording is named.',
    'Add --archive FILE: what "bingo crawl --warc FILE" or --wacz wrote.',
  );
}

interface Chosen {
  readonly listed: readonly { readonly url: string; readonly title: string }[];
  readonly missing: number;
}

async function choose(archive: WarcArchive, to: string, pages: AsyncIterable<ExportRow>): Promise<Chosen> {
  const listed: { url: string; title: string }[] = [];
  let missing = 0;
  const selection = new WarcSelection(archive, to, `${SOFTWARE}/${productVersion()}`);
  try {
    for await (const { url, finalUrl, title, fetchedAt } of pages) {
      const last =
        addPage(selection, url as CanonicalUrl, fetchedAt) ?? addPage(selection, finalUrl as CanonicalUrl, fetchedAt);
      if (last === undefined) missing++;
      else listed.push({ url: last, title });
    }
  } finally {
    selection.close();
  }
  return { listed, missing };
}

/** Adds a page with its redirects and parts. Returns the archived address of the page; `undefined` if it is missing. */
function addPage(selection: WarcSelection, start: CanonicalUrl, at: number): string | undefined {
  let url = start;
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    const found = selection.add(url, at);
    if (found === undefined) return undefined;
    const { block, capture } = found;
    const target = targetOf(block, url);
    if (target === undefined) {
      for (const part of partsOf(block, capture, url)) addPart(selection, part, at);
      return capture.url;
    }
    url = target;
  }
  return undefined;
}

function addPart(selection: WarcSelection, url: CanonicalUrl, at: number): void {
  const found = selection.add(url, at);
  if (found?.capture.mime !== 'text/css') return;
  for (const part of embeddedInCss(textOf(found.block), url)) selection.add(part, at);
}

function targetOf(block: Uint8Array, url: CanonicalUrl): CanonicalUrl | undefined {
  const response = parseHttpResponse(block);
  if (response === undefined || response.status < 300 || response.status >= 400) return undefined;
  const location = headerValue(response.headers, 'location');
  const target = location === '' ? undefined : canonicalize(location, url);
  return target === url ? undefined : target;
}

function partsOf(block: Uint8Array, { mime }: CdxjEntry, url: CanonicalUrl): readonly CanonicalUrl[] {
  return /html|warc\/revisit/.test(mime) ? embeddedIn(textOf(block), url) : [];
}

/** Addresses are ASCII in nearly all encodings. */
function textOf(block: Uint8Array): string {
  return Buffer.from(parseHttpResponse(block)?.body ?? block).toString('latin1');
}
