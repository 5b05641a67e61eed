import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { type CanonicalUrl, type Config, type FetchedPage, UsageError } from '../../core/index.ts';
import { readAtMost } from '../../kit/index.ts';
import { checkProxy } from '../crawl/check-proxy.ts';
import { readCredentials } from '../crawl/credentials.ts';
import { isOffline, openFetcher } from '../crawl/open-fetcher.ts';
import { mediaTypeOf } from '../sources/document-folder.ts';
import { localDocument } from '../sources/local-document.ts';
import { formatSize } from '../words/units.ts';
import { addressForms } from '../workspace/typed-address.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Redirects followed from an address. */
const MAX_REDIRECTS = 10;

/** Settings to fetch with, and the folder that their paths are relative to. */
type Place = Pick<Workspace, 'dir' | 'config'>;

/**
 * Reads what a user names: a file, or the page of a web address.
 * @throws UsageError if it is neither, or cannot be read
 */
export async function namedDocument(what: string, workspace: Place): Promise<FetchedPage> {
  if (statSync(what, { throwIfNoEntry: false })?.isFile() === true) return fileDocument(what, workspace.config.network);
  const [url] = addressForms(what);
  if (url !== undefined && !isMissingFile(what)) return await fetchedDocument(url, workspace);
  throw new UsageError(
    `${what} is neither a file nor a web address.`,
    'Name a readable file, or an address that begins with https://.',
  );
}

/** Whether a text reads as the name of a document. Some endings of documents are top-level domains, too. */
function isMissingFile(what: string): boolean {
  return !/[:/]/.test(what) && mediaTypeOf(what) !== undefined;
}

/**
 * Fetches a page as a crawl does: robots.txt, address checks and limits apply, cookies and passwords are sent, archives and the
 * browser are used. Redirects are followed.
 * @throws UsageError if there is no page
 */
export async function fetchedDocument(url: CanonicalUrl, { dir, config }: Place): Promise<FetchedPage> {
  if (!isOffline(config)) await checkProxy(config.network);
  const credentials = readCredentials(dir, config.network);
  const ports = credentials === undefined ? {} : { credentials };
  const { fetcher } = await openFetcher({ dir, config, ports, onEvent: () => {} });
  try {
    let at = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const outcome = await fetcher.fetch(at);
      if (outcome.kind === 'fetched') return outcome;
      if (outcome.kind === 'unchanged') break;
      if (outcome.kind !== 'redirected')
        throw new UsageError(`${at} cannot be fetched: ${outcome.reason}. ${outcome.detail}`.trim());
      at = outcome.target;
    }
    throw new UsageError(`${url} redirects more than ${MAX_REDIRECTS} times.`);
  } finally {
    await fetcher.close();
  }
}

/**
 * Reads a file as a page.
 * @throws UsageError if it is larger than a page may be
 */
function fileDocument(path: string, { maxBodyBytes }: Config['network']): FetchedPage {
  const { bytes, size } = readAtMost(path, maxBodyBytes);
  if (bytes === undefined)
    throw new UsageError(
      `${path} has ${size === undefined ? 'more' : formatSize(size)}; ${formatSize(maxBodyBytes)} are allowed.`,
      'Raise network.maxBodyBytes, or name a smaller file.',
    );
  return localDocument(bytes, basename(path), mediaTypeOf(path) ?? '');
}
