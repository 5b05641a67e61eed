import { isAbsolute, join } from 'node:path';
import { type Config, type CrawlEvent, UsageError } from '../../core/index.ts';
import type { Fetcher } from '../../engine/index.ts';
import {
  CommonCrawlSource,
  FileSource,
  HttpFetcher,
  openRendering,
  type PageSource,
  SourceFetcher,
  WaybackSource,
} from '../../fetch/index.ts';
import { counted } from '../../kit/index.ts';
import { WarcArchive, type WarcError } from '../../warc/index.ts';
import { parseArchiveSource } from '../workspace/archive-source.ts';
import { noBrowser, withRendering } from './rendering.ts';

/** What a crawl fetches with. */
export interface OpenedFetcher {
  readonly fetcher: Fetcher;
  /** The settings of the crawl: without pauses if no server of a page is asked. */
  readonly config: Config;
}

/** Options of {@link openFetcher}. */
export interface OpenFetcherOptions {
  /** Folder of the workspace: has the index of archive files, and paths are relative to it. */
  readonly dir: string;
  readonly config: Config;
  readonly ports: ConstructorParameters<typeof HttpFetcher>[1];
  readonly onEvent: (event: CrawlEvent) => void;
}

/** Maximum time of a request to an archive service: its index may be slow. */
const SERVICE_TIMEOUT_MS = 60_000;

/**
 * Opens the network, an archive, or an archive before the network.
 * @throws UsageError if `archive.source` is `archive` and no file is named; errors of {@link WarcArchive}
 */
export async function openFetcher({ dir, config, ports, onEvent }: OpenFetcherOptions): Promise<OpenedFetcher> {
  const { archive, network } = config;
  if (!usesArchive(config)) return { fetcher: openNetwork(network, ports, onEvent), config };
  const source = await openSource(dir, config, { onEvent, isWanted: ports?.isWanted });
  const isLive = archive.missing === 'live';
  const live = isLive ? new HttpFetcher(network, ports) : undefined;
  const fetcher = new SourceFetcher(source, { maxBodyBytes: network.maxBodyBytes, live });
  return { fetcher, config: isLive ? config : withoutPauses(config) };
}

/** Opens the network, and the browser for pages that need one. */
function openNetwork(
  network: Config['network'],
  ports: OpenFetcherOptions['ports'],
  onEvent: OpenFetcherOptions['onEvent'],
): Fetcher {
  const fetcher = new HttpFetcher(network, ports);
  const rendering = openRendering(fetcher, network, {
    onMissing: (missing) => onEvent({ kind: 'alarm', ...noBrowser(missing) }),
    isWanted: ports?.isWanted ?? (() => true),
    isWithinSite: ports?.credentials !== undefined,
    recorder: ports?.recorder,
  });
  return rendering === undefined ? fetcher : withRendering(fetcher, rendering);
}

/** Returns true if pages are read from an archive. */
export function usesArchive({ archive }: Config): boolean {
  return archive.source !== 'live';
}

/** Returns true if the crawl sends no request to any server. */
export function isOffline(config: Config): boolean {
  return parseArchiveSource(config.archive.source)?.kind === 'files' && config.archive.missing === 'skip';
}

interface SourceOptions {
  readonly onEvent: OpenFetcherOptions['onEvent'];
  readonly isWanted: (() => boolean) | undefined;
}

async function openSource(
  dir: string,
  config: Config,
  { onEvent, isWanted = () => true }: SourceOptions,
): Promise<PageSource> {
  const { archive, network } = config;
  const source = parseArchiveSource(archive.source);
  if (source === undefined || source.kind === 'live' || source.kind === 'files')
    return new FileSource(await openArchive(dir, archive.files, onEvent));
  const delayMs = archive.pauseMs;
  const userAgent = network.contact === '' ? network.userAgent : `${network.userAgent} (+${network.contact})`;
  const limits = { userAgent, timeoutMs: SERVICE_TIMEOUT_MS, maxBytes: network.maxBodyBytes, network };
  const options = { ...limits, delayMs, archive, isWanted };
  return source.kind === 'wayback'
    ? new WaybackSource(source.at, options)
    : new CommonCrawlSource(source.crawl, options);
}

/** Opens the archive files of a workspace; indexes them if they are new or have changed. */
export async function openArchive(
  dir: string,
  files: readonly string[],
  onEvent: (event: CrawlEvent) => void,
): Promise<WarcArchive> {
  if (files.length === 0)
    throw new UsageError(
      'archive.source is "archive", but archive.files names no file.',
      'Name WARC or WACZ files, or folders, in bingo.yaml: archive: { source: archive, files: [my.wacz] }',
    );
  const paths = files.map((file) => (isAbsolute(file) ? file : join(dir, file)));
  const read: string[] = [];
  const onDamage = (error: WarcError): void => onEvent(damageAlarm(error));
  const archive = await WarcArchive.open(paths, { folder: dir, onDamage, onFile: (file) => read.push(file) });
  if (read.length > 0)
    onEvent({
      kind: 'alarm',
      code: 'archive-indexed',
      message: `Indexed ${counted(archive.captures, 'capture')} in ${counted(read.length, 'file')} of the archive.`,
      remedy: 'Later crawls use this index.',
    });
  return archive;
}

function damageAlarm({ message }: WarcError): CrawlEvent {
  return {
    kind: 'alarm',
    code: 'archive-damaged',
    message: `Skipped a damaged part of the archive. ${message}`,
    remedy: 'The other records are used. Fetch the file again to have them all.',
  };
}

/** Pages of an archive come from no server that needs to be spared. */
function withoutPauses(config: Config): Config {
  const none = { delayMs: 0, domainDelayMs: 0, addressDelayMs: 0 };
  const { concurrency } = config.network;
  const parallel = { perHost: concurrency, perDomain: concurrency, perAddress: 0 };
  return { ...config, network: { ...config.network, ...none, ...parallel } };
}
