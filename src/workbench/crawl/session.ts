import { relative } from 'node:path';
import type {
  AnalyzedDocument,
  CanonicalUrl,
  Config,
  CrawlEvent,
  LoadedExtension,
  PageHistory,
  Passage,
  TopicTree,
} from '../../core/index.ts';
import {
  AnalysisPool,
  type AskOptions,
  analyzerSettings,
  Crawl,
  extensionTopics,
  type Journal,
  type PageReader,
  runExtensions,
  TrainerThread,
} from '../../engine/index.ts';
import { counted } from '../../kit/index.ts';
import { shortened, snippet } from '../../postprocess/index.ts';
import { CheckpointFiles, type Checkpoints, collectionFolder, type Store } from '../../store/index.ts';
import type { Recorder } from '../../warc/index.ts';
import { OTHER_FORMAT, readTrainingDocuments, type Unreadable } from '../reading/training-documents.ts';
import { adviceFor } from '../words/shell-words.ts';
import { readBacklinks } from '../workspace/backlinks.ts';
import { type KnownTopics, pathsOf } from '../workspace/known-topics.ts';
import { productVersion } from '../workspace/product.ts';
import { shownPath } from '../workspace/workspace.ts';
import { checkMeaning } from './check-meaning.ts';
import { checkNameServers } from './check-name-servers.ts';
import { checkProxy } from './check-proxy.ts';
import { leavingIntranet } from './contact.ts';
import { readCredentials } from './credentials.ts';
import { isOffline, openFetcher } from './open-fetcher.ts';
import { openReader } from './page-reader.ts';

/** Inputs of a crawl session. */
export interface SessionOptions {
  readonly dir: string;
  readonly tree: TopicTree;
  /** The topics that the workspace has, or had. */
  readonly known?: KnownTopics | undefined;
  readonly config: Config;
  readonly journal: Journal & Partial<Pick<Store, 'noteStems' | 'lastRun'>>;
  readonly only?: 'learn' | 'harvest' | undefined;
  /** Default: files in the folder of the collection in use. */
  readonly checkpoints?: Checkpoints | undefined;
  /** Stored pages to visit again. */
  readonly recheck?: readonly PageHistory[] | undefined;
  readonly onlyRecheck?: boolean | undefined;
  /** Ends the crawl if it finds nothing more: at once, or after three alarms. Default: never. */
  readonly endWhen?: 'barren' | 'alarms' | undefined;
  /** Part of a spread crawl. Default: none. */
  readonly part?: 'home' | 'shard' | undefined;
  /** Number of crawls that request hosts of the same addresses. Default: 1. */
  readonly sharers?: number | undefined;
  /** Maximum number of questions to the user per topic while crawling. Default: 0. */
  readonly ask?: number | undefined;
  /** True: the questions come once the budget is spent, and the crawl ends when they are over. */
  readonly isExploring?: boolean | undefined;
  /** Records requests and responses. The caller that opened it closes it. */
  readonly recorder?: Recorder | undefined;
  readonly extensions?: readonly LoadedExtension[] | undefined;
  /** Threads that other crawls of this process use, too. The caller closes them. Default: threads of its own. */
  readonly pool?: AnalysisPool | undefined;
  readonly onEvent: (event: CrawlEvent) => void;
}

/**
 * Starts threads that analyse pages, for one crawl or for all that a process crawls.
 * @param onStems receives the stems that a thread met for the first time
 */
export function openPool(
  {
    dir,
    tree,
    config,
    extensions = [],
    onEvent,
  }: Pick<SessionOptions, 'dir' | 'tree' | 'config' | 'extensions' | 'onEvent'>,
  onStems: (stems: Uint8Array<ArrayBuffer>) => void,
  credentials: ReturnType<typeof readCredentials> = readCredentials(dir, config.network),
): AnalysisPool {
  return new AnalysisPool(analyzerSettings(config, credentials?.access), config.analyze.threads, onStems, {
    ...{ loaded: inForce(extensions, config), topics: extensionTopics(tree) },
    report: (notice) => onEvent({ kind: 'alarm', ...notice }),
  });
}

/** A crawl with its parts, which are opened and closed together. */
export interface Session {
  readonly crawl: Crawl;
  close(): Promise<void>;
}

/** Connects fetcher, analysis threads, trainer and journal. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { tree, known, journal } = options;
  const topics = known && pathsOf(known);
  if (!isOffline(options.config)) {
    await checkProxy(options.config.network);
    await checkNameServers(options.config.network, tree, journal);
  }
  const credentials = readCredentials(options.dir, options.config.network);
  await checkMeaning(options.config, credentials);
  let crawl: Crawl | undefined;
  const ports = {
    ...(options.recorder && { recorder: options.recorder }),
    ...(credentials && { credentials }),
    objectionTo: (url: CanonicalUrl) => crawl?.objectionTo(url),
    reserve: (url: CanonicalUrl) => crawl?.reserve(url) ?? 0,
    onSend: (url: CanonicalUrl) => crawl?.sent(url),
    isWanted: () => crawl?.mayAsk ?? true,
  };
  const { fetcher, config } = await openFetcher({ ...options, ports });
  const analyzer =
    options.pool?.branch() ?? openPool({ ...options, config }, (stems) => journal.noteStems?.(stems), credentials);
  const trainer = new TrainerThread({ tree, learn: config.learn, seed: config.crawl.seed });
  const reader = options.isExploring === true ? undefined : openReader({ dir: options.dir, config, credentials });
  const asking = askingOf(options.ask ?? 0, reader);
  const close = async (): Promise<void> => {
    await Promise.all([fetcher.close(), analyzer.close(), trainer.close(), reader?.close()]);
  };
  try {
    const onRead = (read: number, total: number): void => options.onEvent({ kind: 'documents', read, total });
    const { inline, unreadable } = await readTrainingDocuments({ ...options, onRead }, analyzer);
    const { dir, only, recheck, onlyRecheck, endWhen, part, sharers } = options;
    const leaving = leavingIntranet(config);
    const tell = (event: CrawlEvent): void =>
      options.onEvent(event.kind === 'alarm' ? { ...event, remedy: adviceFor(shownPath(dir), event.remedy) } : event);
    const onEvent = (event: CrawlEvent): void => {
      tell(event);
      const alarm = leaving(event);
      if (alarm !== undefined) tell(alarm);
    };
    if (unreadable.length > 0) tell(leftOut(unreadable));
    const checkpoints = options.checkpoints ?? new CheckpointFiles(collectionFolder(dir), productVersion());
    crawl = new Crawl({
      ...{
        tree,
        topics,
        config,
        fetcher,
        analyzer,
        trainer,
        journal,
        inline,
        checkpoints,
        onEvent,
      },
      ...{ only, recheck, onlyRecheck, endWhen, part, sharers },
      backlinks: readBacklinks({ dir, config }),
      extensions: runExtensions(options.extensions ?? [], (file) => relative(dir, file)),
      ask: { ...asking, atEnd: options.isExploring, passageOf },
    });
    return { crawl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Number of questions per topic that a reader answers, if the user names none. */
const READER_ANSWERS = 8;

function askingOf(ask: number, reader: PageReader | undefined): Omit<AskOptions, 'atEnd'> {
  if (reader === undefined) return { answers: ask };
  return { reader, answers: ask > 0 ? ask : READER_ANSWERS, isAttended: ask > 0 };
}

/** Maximum number of characters of a passage: three lines of a terminal. */
const PASSAGE_CHARS = 220;

/** Returns the passage of a page with most of these terms, as far as the page allows it. */
function passageOf({ text, language, maxSnippet }: AnalyzedDocument, terms: readonly string[]): Passage {
  return shortened(snippet(text, { stems: new Set(terms), languages: [language] }, PASSAGE_CHARS), maxSnippet);
}

/** Returns the extensions without orderings that the settings do not name. */
function inForce(extensions: readonly LoadedExtension[], { crawl }: Config): readonly LoadedExtension[] {
  return extensions.filter(({ extension: { kind, name } }) => kind !== 'ordering' || name === crawl.ordering);
}

/** Maximum number of skipped documents that are reported by name; a folder may hold hundreds of broken ones. */
const NAMED = 5;

function leftOut(documents: readonly Unreadable[]): CrawlEvent {
  const left = documents.length - NAMED;
  const named = documents.slice(0, NAMED).map(({ file, why }) => `${file} (${why})`);
  const more = left > 0 ? ` and ${counted(left, 'more document')}` : '';
  return {
    kind: 'alarm',
    code: 'document-left-out',
    message: `${counted(documents.length, 'document')} of bingo.yaml cannot be read and ${documents.length === 1 ? 'is' : 'are'} left out: ${named.join(', ')}${more}.`,
    remedy: documents.length === 1 ? OTHER_FORMAT : 'Remove them from the examples, or save them in another format.',
  };
}
