import { basename, relative, resolve, sep } from 'node:path';
import {
  type Config,
  type Example,
  InputError,
  type Mistake,
  type TopicId,
  type TopicTree,
  unpackDocument,
} from '../../core/index.ts';
import {
  AnalysisPool,
  type Analyzer,
  analysisThreads,
  analyzerSettings,
  type InlineExample,
  PageAnalyzer,
  queryExample,
} from '../../engine/index.ts';
import { readAtMost } from '../../kit/index.ts';
import { wantedWords } from '../../postprocess/index.ts';
import { mediaTypeOf } from '../sources/document-folder.ts';
import { localDocument } from '../sources/local-document.ts';
import { formatSize } from '../words/units.ts';

/** Options for reading training documents. */
export interface DocumentOptions {
  readonly dir: string;
  readonly tree: TopicTree;
  readonly config: Config;
  /** Receives the number of files read, and the total, after each file. */
  readonly onRead?: (read: number, total: number) => void;
}

/** Training documents of a workspace that are not web pages. */
export interface TrainingDocuments {
  readonly inline: readonly InlineExample[];
  readonly unreadable: readonly Unreadable[];
}

/** A training document that cannot be used. */
export interface Unreadable {
  readonly file: string;
  readonly why: string;
}

/** From this number of documents on, own threads save more time than they take to start. */
const MANY = 100;
/** Documents queued per thread, so that a thread never waits for the next one. */
const AHEAD = 2;

/** An example that is not a web page, with its position. */
interface Wanted {
  readonly example: Exclude<Example, { readonly kind: 'url' }>;
  readonly topic: TopicId;
  readonly others: boolean;
}

/**
 * Reads the training documents of a workspace that are not web pages, for callers without an analyzer. Uses threads
 * for many documents.
 */
export async function openInlineExamples(options: DocumentOptions): Promise<readonly InlineExample[]> {
  const { tree, config } = options;
  const wanted = wantedOf(tree);
  if (wanted.length === 0) return [];
  const isWorthThreads = wanted.length >= MANY && analysisThreads(config.analyze.threads) > 1;
  const settings = analyzerSettings(config);
  const analyzer = isWorthThreads ? new AnalysisPool(settings, config.analyze.threads) : new PageAnalyzer(settings);
  try {
    return (await readTrainingDocuments(options, analyzer)).inline;
  } finally {
    await analyzer.close();
  }
}

/**
 * Reads and analyses the training documents that are not web pages, in parallel on the analyzer's threads. Returns
 * them in the order of bingo.yaml.
 * @throws InputError if there are files and none of them can be read
 */
export async function readTrainingDocuments(
  { dir, tree, config, onRead = () => {} }: DocumentOptions,
  analyzer: Pick<Analyzer, 'analyze'>,
): Promise<TrainingDocuments> {
  const wanted = wantedOf(tree);
  const files = wanted.filter(({ example }) => example.kind === 'file').length;
  const atOnce = AHEAD * analysisThreads(config.analyze.threads);
  let done = 0;
  const read = await sideBySide(wanted, atOnce, async ({ example, topic, others }) => {
    if (example.kind === 'text')
      return { ...queryExample({ key: example.name, topic, words: wantedWords(example.text) }, config), others };
    const { maxBodyBytes } = config.network;
    const document = await fileExample(example.path, { dir, topic, others, analyzer, maxBodyBytes });
    onRead(++done, files);
    return document;
  });
  const inline = read.flatMap((one) => ('document' in one ? [one] : []));
  const unreadable = read.flatMap((one) => ('document' in one ? [] : [one]));
  if (files > 0 && unreadable.length === files)
    throw new InputError('These documents cannot be learned from', unreadable.map(asMistake));
  return { inline, unreadable };
}

function wantedOf(tree: TopicTree): readonly Wanted[] {
  return [...tree.nodes.values()].flatMap((node) => {
    const placed = (examples: readonly Example[], others: boolean): readonly Wanted[] =>
      examples.flatMap((example) => (example.kind === 'url' ? [] : [{ example, topic: node.id, others }]));
    return [...placed(node.examples, false), ...placed(node.others, true)];
  });
}

/** Keys are relative, so that a workspace can be moved. */
function keyOf(dir: string, path: string): string {
  return relative(dir, resolve(dir, path)).split(sep).join('/');
}

/**
 * Runs work on all items with limited concurrency; results keep the items' order. Starts nothing more after a
 * failure.
 */
async function sideBySide<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  const left = items.entries();
  let isBroken = false;
  const lane = async (): Promise<void> => {
    for (const [i, item] of left) {
      if (isBroken) return;
      try {
        results[i] = await work(item);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}

/** Hint for a document that cannot be read. */
export const OTHER_FORMAT = 'Remove it from the examples, or save it in another format.';

function asMistake({ file, why }: Unreadable): Mistake {
  return { file, message: `Cannot be read: ${why}`, hint: OTHER_FORMAT };
}

interface FileContext {
  readonly dir: string;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly analyzer: Pick<Analyzer, 'analyze'>;
  /** The size limit for web pages also applies to files. */
  readonly maxBodyBytes: number;
}

async function fileExample(
  path: string,
  { dir, topic, others, analyzer, maxBodyBytes }: FileContext,
): Promise<InlineExample | Unreadable> {
  const key = keyOf(dir, path);
  const contentType = mediaTypeOf(path) ?? '';
  const { bytes, size } = readAtMost(path, maxBodyBytes);
  if (bytes === undefined) {
    const length = size === undefined ? 'more' : formatSize(size);
    return { file: key, why: `it has ${length}; network.maxBodyBytes allows ${formatSize(maxBodyBytes)}` };
  }
  const body = contentType === 'text/plain' ? withoutFrontMatter(bytes) : bytes;
  const analysis = await analyzer.analyze(localDocument(body, basename(path), contentType), 'learning');
  if (analysis.kind === 'unusable') return { file: key, why: analysis.detail || analysis.reason };
  const { document: thin, packed } = analysis;
  const document = packed === undefined ? thin : unpackDocument(thin, packed.content);
  return { key, topic, others, document };
}

/**
 * Removes front matter, which `bingo export --format corpus` and many note programs write: it is not part of the
 * text.
 */
function withoutFrontMatter(bytes: Buffer): Buffer {
  const head = bytes.toString('latin1', 0, MAX_FRONT_MATTER);
  const end = /^(?:\xef\xbb\xbf)?---\r?\n(?:[\s\S]*?\r?\n)??---\r?(?:\n|$)/.exec(head)?.[0].length ?? 0;
  return bytes.subarray(end);
}

const MAX_FRONT_MATTER = 16_384;
