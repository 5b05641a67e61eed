import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, canonicalize, hostOf } from '../../core/index.ts';
import { HttpFetcher } from '../../fetch/index.ts';
import type { Thumbnail } from '../../postprocess/index.ts';
import { readCredentials } from '../crawl/credentials.ts';
import { usesArchive } from '../crawl/open-fetcher.ts';
import { readBounded } from '../workspace/bounded-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Folder in the workspace that keeps pictures: each is fetched once. */
const FOLDER = 'thumbnails';
/** Pictures fetched for one portal; the next portal fetches further ones. */
const MOST_AT_ONCE = 60;
/** Largest picture, in bytes: it is shown small, and published as it is. */
const MAX_BYTES = 300 * 1024;
const TIMEOUT_MS = 20_000;
const HOSTS_AT_ONCE = 6;
/** Suffix of an empty file: this picture cannot be shown. It is tried again after a week. */
const NONE = 'none';
const RETRY_MS = 7 * 24 * 3_600_000;

/**
 * Returns the pictures of these addresses: those kept in the workspace, and further ones from the web, under the
 * rules of a crawl (robots.txt, address rules, pause between requests to a host). Missing pictures are left out. With
 * an archive as the web, nothing is fetched.
 */
export async function thumbnails(
  { dir, config }: Pick<Workspace, 'dir' | 'config'>,
  urls: readonly string[],
): Promise<ReadonlyMap<string, Thumbnail>> {
  const folder = join(dir, FOLDER);
  mkdirSync(folder, { recursive: true });
  const kept = new Set(readdirSync(folder).filter((name) => !isStale(join(folder, name))));
  const isWanted = (url: string): boolean => canonicalize(url) !== undefined && fileOf(url, kept) === undefined;
  if (!usesArchive(config)) {
    const missing = [...new Set(urls)].filter(isWanted).slice(0, MOST_AT_ONCE);
    for (const name of await fetchAll(missing, { dir, config, folder })) kept.add(name);
  }
  return new Map(
    urls.flatMap((url) => {
      const name = fileOf(url, kept);
      if (name === undefined || name.endsWith(`.${NONE}`)) return [];
      return [[url, { name, bytes: readBounded(join(folder, name), MAX_BYTES, name) }] as const];
    }),
  );
}

function isStale(path: string): boolean {
  return path.endsWith(`.${NONE}`) && Date.now() - statSync(path).mtimeMs > RETRY_MS;
}

function nameOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 20);
}

function fileOf(url: string, kept: ReadonlySet<string>): string | undefined {
  const name = nameOf(url);
  return [...Object.keys(MAGIC), NONE].map((type) => `${name}.${type}`).find((file) => kept.has(file));
}

interface Place {
  readonly dir: string;
  readonly config: Config;
  readonly folder: string;
}

/** Fetches pictures, several hosts at a time, and returns the names of their files. */
async function fetchAll(urls: readonly string[], { dir, config, folder }: Place): Promise<readonly string[]> {
  if (urls.length === 0) return [];
  const credentials = readCredentials(dir, config.network);
  const fetcher = new HttpFetcher(config.network, credentials === undefined ? {} : { credentials });
  const hosts = [...Map.groupBy(urls, (url) => hostOf(canonicalize(url)!)).values()];
  const names: string[] = [];
  const work = async (): Promise<void> => {
    for (let own = hosts.pop(); own !== undefined; own = hosts.pop())
      for (const [i, url] of own.entries()) {
        if (i > 0) await sleep(Math.max(config.network.delayMs, fetcher.crawlDelayMs(hostOf(canonicalize(url)!))));
        names.push(await fetchOne(url, { fetcher, folder }));
      }
  };
  try {
    await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, work));
  } finally {
    await fetcher.close();
  }
  return names;
}

async function fetchOne(
  url: string,
  { fetcher, folder }: { readonly fetcher: HttpFetcher; readonly folder: string },
): Promise<string> {
  const answer = await fetcher.resource(canonicalize(url)!, AbortSignal.timeout(TIMEOUT_MS));
  const body = answer?.status === 200 && answer.body.length <= MAX_BYTES ? answer.body : Buffer.alloc(0);
  const type = typeOf(body) ?? NONE;
  const name = `${nameOf(url)}.${type}`;
  writeFileSync(join(folder, name), type === NONE ? '' : body);
  return name;
}

/** How pictures begin, at a byte; others, such as SVG with its scripts, are not shown. */
const MAGIC: Readonly<Record<string, readonly [at: number, text: string]>> = {
  jpg: [0, '\u00ff\u00d8\u00ff'],
  png: [0, '\u0089PNG'],
  gif: [0, 'GIF8'],
  webp: [8, 'WEBP'],
  avif: [4, 'ftypavif'],
};

function typeOf(body: Buffer): string | undefined {
  return Object.entries(MAGIC).find(
    ([, [at, text]]) => body.subarray(at, at + text.length).toString('latin1') === text,
  )?.[0];
}
