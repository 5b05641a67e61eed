import { readFileSync } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import {
  type Config,
  type CrawlEvent,
  canonicalize,
  counted,
  type Example,
  InputError,
  type Mistake,
  NO_HEADERS,
  type PageHistory,
  type TopicId,
  type TopicTree,
  unpackDocument,
} from '../../core/index.ts';
import { HttpFetcher, type Recorder } from '../../crawl/index.ts';
import {
  AnalysisPool,
  type Analyzer,
  analyzerSettings,
  Crawl,
  type InlineExample,
  type Journal,
  PageAnalyzer,
  queryExample,
  TrainerThread,
} from '../../engine/index.ts';
import { wantedWords } from '../../postprocess/index.ts';
import { adviceFor } from '../shell-words.ts';
import { mediaTypeOf } from '../sources/document-folder.ts';
import { shownPath } from '../workspace/workspace.ts';
import { checkProxy } from './check-proxy.ts';
import { leavingIntranet } from './contact.ts';

/** What a crawl is made from. */
export interface SessionOptions {
  readonly dir: string;
  readonly tree: TopicTree;
  readonly config: Config;
  readonly journal: Journal;
  readonly only?: 'learn' | 'harvest';
  /** Stored pages to look at again. */
  readonly recheck?: readonly PageHistory[];
  readonly onlyRecheck?: boolean;
  /** Keeps what goes over the wire; closed by whoever opened it. */
  readonly recorder?: Recorder;
  readonly onEvent: (event: CrawlEvent) => void;
}

/** A crawl with its parts, made together and closed together. */
export interface Session {
  readonly crawl: Crawl;
  close(): Promise<void>;
}

/** Plugs fetcher, analysis threads, trainer and journal together. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { config, tree } = options;
  await checkProxy(config.network);
  const analyzer = new AnalysisPool(analyzerSettings(config), config.analyze.threads);
  const trainer = new TrainerThread({ tree, learn: config.learn, seed: config.crawl.seed });
  let crawl: Crawl | undefined;
  const fetcher = new HttpFetcher(config.network, {
    ...(options.recorder && { recorder: options.recorder }),
    objectionTo: (url) => crawl?.objectionTo(url),
    reserve: (url) => crawl?.reserve(url) ?? 0,
  });
  const close = async (): Promise<void> => {
    await Promise.all([fetcher.close(), analyzer.close(), trainer.close()]);
  };
  try {
    const { inline, unreadable } = await inlineExamples(options, analyzer);
    const only = {
      ...(options.only === undefined ? {} : { only: options.only }),
      ...(options.recheck === undefined ? {} : { recheck: options.recheck }),
      ...(options.onlyRecheck === undefined ? {} : { onlyRecheck: options.onlyRecheck }),
    };
    const { journal, dir } = options;
    const leaving = leavingIntranet(config);
    const tell = (event: CrawlEvent): void =>
      options.onEvent(event.kind === 'alarm' ? { ...event, remedy: adviceFor(shownPath(dir), event.remedy) } : event);
    const onEvent = (event: CrawlEvent): void => {
      tell(event);
      const alarm = leaving(event);
      if (alarm !== undefined) tell(alarm);
    };
    if (unreadable.length > 0) tell(leftOut(unreadable));
    crawl = new Crawl({ tree, config, fetcher, analyzer, trainer, journal, inline, onEvent, ...only });
    return { crawl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The training documents of a workspace that are no web pages, analysed. */
export async function openInlineExamples(
  options: Pick<SessionOptions, 'dir' | 'tree' | 'config'>,
): Promise<readonly InlineExample[]> {
  const nodes = [...options.tree.nodes.values()];
  if (nodes.every(({ examples, others }) => [...examples, ...others].every(({ kind }) => kind === 'url'))) return [];
  const analyzer = new PageAnalyzer(analyzerSettings(options.config));
  try {
    return (await inlineExamples(options, analyzer)).inline;
  } finally {
    await analyzer.close();
  }
}

/** Documents that are told of by name when they are left out; a folder may hold hundreds that are broken. */
const NAMED = 5;

/** A training document from which nothing can be learned. */
interface Unreadable {
  readonly file: string;
  readonly why: string;
}

function leftOut(documents: readonly Unreadable[]): CrawlEvent {
  const left = documents.length - NAMED;
  const named = documents.slice(0, NAMED).map(({ file, why }) => `${file} (${why})`);
  const more = left > 0 ? ` and ${counted(left, 'more document')}` : '';
  return {
    kind: 'alarm',
    code: 'document-left-out',
    message: `${counted(documents.length, 'document')} of bingo.yaml cannot be read and ${documents.length === 1 ? 'is' : 'are'} left out: ${named.join(', ')}${more}.`,
    remedy: documents.length === 1 ? OTHER_FORMAT : 'Take them out of the examples, or save them in another format.',
  };
}

/**
 * Reads and analyses the training documents that are no web pages.
 * @throws InputError when there are files, and none of them can be read
 */
async function inlineExamples(
  { dir, tree, config }: Pick<SessionOptions, 'dir' | 'tree' | 'config'>,
  analyzer: Analyzer,
): Promise<{ readonly inline: readonly InlineExample[]; readonly unreadable: readonly Unreadable[] }> {
  const unreadable: Unreadable[] = [];
  const inline: InlineExample[] = [];
  let files = 0;
  for (const node of tree.nodes.values()) {
    const wanted = [...node.examples.map((e) => [e, false] as const), ...node.others.map((e) => [e, true] as const)];
    for (const [example, others] of wanted) {
      if (example.kind === 'url') continue;
      if (example.kind === 'file') files++;
      const read =
        example.kind === 'text'
          ? queryExample({ key: example.name, topic: node.id, words: wantedWords(example.text) }, config)
          : await fileExample(example, { dir, topic: node.id, others, analyzer });
      if ('document' in read) inline.push({ ...read, others });
      else unreadable.push(read);
    }
  }
  if (files > 0 && unreadable.length === files)
    throw new InputError('These documents cannot be learned from', unreadable.map(asMistake));
  return { inline, unreadable };
}

const OTHER_FORMAT = 'Take it out of the examples, or save it in another format.';

function asMistake({ file, why }: Unreadable): Mistake {
  return { file, message: `Cannot be read: ${why}`, hint: OTHER_FORMAT };
}

interface FileContext {
  readonly dir: string;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly analyzer: Analyzer;
}

async function fileExample(example: Example, context: FileContext): Promise<InlineExample | Unreadable> {
  const path = example.kind === 'file' ? example.path : '';
  // Keys are relative, so that a workspace can be moved.
  const key = relative(context.dir, path).split(sep).join('/');
  // Analysis wants an address for relative links; nothing is ever fetched from this one (RFC 6761).
  const url = canonicalize(`http://local-file.invalid/${encodeURIComponent(basename(path))}`)!;
  const contentType = mediaTypeOf(path) ?? '';
  const headers = { ...NO_HEADERS, contentType };
  const whole = readFileSync(path);
  const body = contentType === 'text/plain' ? withoutFrontMatter(whole) : whole;
  const page = { kind: 'fetched', url, status: 200, headers, body, address: '', fetchedAt: 0, durationMs: 0 } as const;
  const analysis = await context.analyzer.analyze(page, 'learning');
  if (analysis.kind === 'unusable') return { file: key, why: analysis.detail || analysis.reason };
  const { document: thin, packed } = analysis;
  const document = packed === undefined ? thin : unpackDocument(thin, packed.content);
  return { key, topic: context.topic, others: context.others, document };
}

/** Facts above a text, as `bingo export --format corpus` and many note programs write them, are not what it says. */
function withoutFrontMatter(bytes: Buffer): Buffer {
  const head = bytes.toString('latin1', 0, MAX_FRONT_MATTER);
  const end = /^(?:\xef\xbb\xbf)?---\r?\n(?:[\s\S]*?\r?\n)??---\r?(?:\n|$)/.exec(head)?.[0].length ?? 0;
  return bytes.subarray(end);
}

const MAX_FRONT_MATTER = 16_384;
