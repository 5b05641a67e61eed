import { isAbsolute, relative, resolve, sep } from 'node:path';
import { type CanonicalUrl, canonicalize, UsageError } from '../../core/index.ts';
import type { WarcArchive } from '../../warc/index.ts';
import { openArchive } from '../crawl/open-fetcher.ts';
import { inFolder } from './local-file.ts';

/** Archive files of a new workspace. */
export interface NewArchive {
  /** Settings by key. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly captures: number;
  /** Pages to start at, best first. */
  readonly starts: readonly CanonicalUrl[];
}

/** Maximum number of start pages. */
const MAX_STARTS = 10;

/**
 * Indexes archive files for a new workspace, and chooses pages to start at.
 * @param files paths as the user typed them
 * @param words prefer pages with these words in their address
 * @throws UsageError, UnreadableFileError if the files cannot be used
 */
export async function newArchive(dir: string, files: readonly string[], words: string): Promise<NewArchive> {
  const folder = resolve(dir);
  const paths = files.map((file) => {
    const path = resolve(file);
    const near = relative(folder, path);
    return near.startsWith(`..${sep}..`) || isAbsolute(near) ? path : near.split(sep).join('/');
  });
  let made: NewArchive | undefined;
  await inFolder(dir, async () => {
    made = await indexed(folder, paths, words);
  });
  if (made !== undefined) return made;
  throw new RangeError('Expected an index of the archive');
}

async function indexed(folder: string, paths: readonly string[], words: string): Promise<NewArchive> {
  const archive = await openArchive(folder, paths, () => {});
  try {
    const starts = startPages(archive, words);
    if (starts.length === 0)
      throw new UsageError(`${paths.join(', ')}: no page with HTML was found.`, 'Name an archive of web pages.');
    const values = new Map<string, unknown>([
      ['archive.source', 'archive'],
      ['archive.files', paths],
    ]);
    return { values, captures: archive.captures, starts };
  } finally {
    archive.close();
  }
}

/** Returns the pages with most words of a query in their address; of equal ones those nearest to a home page. */
function startPages(archive: WarcArchive, words: string): readonly CanonicalUrl[] {
  const wanted = words.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  let best: { readonly url: CanonicalUrl; readonly rank: number }[] = [];
  const seen = new Set<CanonicalUrl>();
  for (const { url: address, mime, status } of archive.all()) {
    const url = status === '200' && mime === 'text/html' ? canonicalize(address) : undefined;
    if (url === undefined || seen.has(url)) continue;
    const text = url.toLowerCase();
    const matches = wanted.filter((word) => text.includes(encodeURIComponent(word).toLowerCase())).length;
    const depth = url.split('/').length - 3 + (url.endsWith('/') ? 0 : 1) + (url.includes('?') ? 2 : 0);
    const rank = matches * 100 - depth;
    if (best.length === MAX_STARTS && rank <= (best.at(-1)?.rank ?? 0)) continue;
    seen.add(url);
    best = [...best, { url, rank }].sort((a, b) => b.rank - a.rank).slice(0, MAX_STARTS);
  }
  return best.map(({ url }) => url);
}
