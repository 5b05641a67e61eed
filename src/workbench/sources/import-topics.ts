import { existsSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { type Example, InputError, type TopicSpec, UsageError } from '../../core/index.ts';
import { topicName } from '../workspace/topic-draft.ts';
import { type Bookmarks, NO_FOLDER, parseBookmarks } from './bookmarks.ts';
import { readDocumentFolder } from './document-folder.ts';
import { readTextFile } from './local-file.ts';
import { parseOpml } from './opml.ts';
import { parsePageList } from './page-list.ts';
import { readShippedTree } from './shipped.ts';

/** Where the topics of a new workspace come from. */
export type TopicSource =
  /** A browser's exported bookmarks, or an OPML file: folders become topics. */
  | { readonly kind: 'bookmarks' | 'opml'; readonly file: string }
  /** One URL per line, with a topic behind a tab; or JSON lines or CSV of an export. */
  | {
      readonly kind: 'urls';
      readonly file: string;
      /** The topic of pages that name none. Default: the name of the file. */
      readonly topic?: string | undefined;
    }
  /** A folder of local documents: its folders become topics. */
  | { readonly kind: 'documents'; readonly folder: string }
  /** A topic tree that is part of Bingo. */
  | { readonly kind: 'tree'; readonly name: string };

/** Topics of a source, and what it had besides. */
export interface ImportedTopics {
  readonly topics: readonly TopicSpec[];
  /** Counter-examples of a tree; empty for other sources. */
  readonly others: readonly Example[];
  readonly leftOut: {
    /** Bookmarks that are not web pages. */
    readonly notWeb: number;
    /** Listed pages that were gone, and other URLs of a page. */
    readonly past: number;
    /** Files in unsupported formats. */
    readonly otherFormats: number;
    /** Pages that another topic already has. */
    readonly repeated: number;
  };
  /** Pages outside any folder, beside other topics. */
  readonly loose: number;
}

const NOTHING_LEFT_OUT: ImportedTopics['leftOut'] = { notWeb: 0, past: 0, otherFormats: 0, repeated: 0 };

/**
 * Reads the topics of a source.
 * @throws UsageError if it is missing, has another format, or holds no page to learn from
 * @throws InputError that lists every mistake in a file
 */
export function importTopics(source: TopicSource): ImportedTopics {
  const imported = IMPORTS[source.kind](source as never);
  if (imported.topics.length > 0) return imported;
  const name = source.kind === 'tree' ? source.name : source.kind === 'documents' ? source.folder : source.file;
  throw new UsageError(
    `--${source.kind} ${name} has no page to learn from.`,
    'Check that it has http(s) links or readable files.',
  );
}

/** A topic of a list, below no other: `Science – Physics` for a folder in a folder. */
export interface ListedTopic {
  readonly name: string;
  /** URLs of its pages. */
  readonly examples: readonly string[];
}

/**
 * Reads the topics and pages of a list as text: bookmarks, OPML, an export as CSV or JSON lines, or URLs.
 * @param name of its file, for messages and for pages without a topic
 * @throws UsageError if it has no page
 * @throws InputError that lists every mistake
 */
export function topicsInText(name: string, text: string): readonly ListedTopic[] {
  const form = FORMS.find(([, , pattern]) => pattern.test(text.slice(0, 10_000)))?.[0];
  const own = topicName(basename(name, extname(name)));
  const { topics } = form === undefined ? fromPageList(text, name, own) : fromBookmarks(PARSERS[form](text));
  const listed = listedTopics(topics, '').filter(({ examples }) => examples.length > 0);
  if (listed.length > 0) return listed;
  throw new UsageError(`${name} has no page to learn from.`, 'Check that it has http(s) links.');
}

const PARSERS = { bookmarks: parseBookmarks, opml: parseOpml };

function listedTopics(topics: readonly TopicSpec[], above: string): readonly ListedTopic[] {
  return topics.flatMap(({ name, examples = [], topics: below = [] }) => {
    const path = above === '' ? name : `${above} – ${name}`;
    const urls = examples.flatMap((example) => (example.kind === 'url' ? [example.url] : []));
    return [{ name: path, examples: urls }, ...listedTopics(below, path)];
  });
}

type Kind = TopicSource['kind'];
type OfKind<K extends Kind> = Extract<TopicSource, { readonly kind: K }> & TopicSource;

const IMPORTS: { readonly [K in Kind]: (source: OfKind<K>) => ImportedTopics } = {
  bookmarks: ({ file }) => fromBookmarks(parseBookmarks(readList(file, 'bookmarks'))),
  opml: ({ file }) => fromBookmarks(parseOpml(readList(file, 'opml'))),
  urls: ({ file, topic = basename(file, extname(file)) }: OfKind<'urls'>) =>
    fromPageList(readList(file, 'urls'), file, topicName(topic)),
  documents: ({ folder }) => {
    const path = resolve(folder);
    if (!existsSync(path) || !statSync(path).isDirectory())
      throw new UsageError(`The folder ${folder} does not exist.`, 'Name the folder of the documents.');
    const { topics, otherFormats } = readDocumentFolder(path);
    return imported(topics, { otherFormats });
  },
  tree: ({ name }) => ({ ...imported([], {}), ...readShippedTree(name) }),
};

function imported(topics: readonly TopicSpec[], leftOut: Partial<ImportedTopics['leftOut']>): ImportedTopics {
  return { topics, others: [], leftOut: { ...NOTHING_LEFT_OUT, ...leftOut }, loose: 0 };
}

function fromPageList(text: string, file: string, topic: string): ImportedTopics {
  const { topics, mistakes, past, repeated } = parsePageList(text, file, topic);
  if (mistakes.length > 0) throw new InputError('The list of URLs has errors', mistakes);
  return imported(topics, { past, repeated });
}

function fromBookmarks({ topics, notWeb, repeated }: Bookmarks): ImportedTopics {
  const loose = topics.length > 1 ? (topics.find(({ name }) => name === NO_FOLDER)?.examples?.length ?? 0) : 0;
  return { ...imported(topics, { notWeb, repeated }), loose };
}

/** Recognises the format of a list by its beginning. */
const FORMS: readonly (readonly [kind: 'bookmarks' | 'opml', form: string, pattern: RegExp])[] = [
  ['bookmarks', 'bookmarks', /^\s*<!doctype netscape-bookmark-file/i],
  ['opml', 'OPML', /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<opml[\s>]/i],
];

/** @throws UsageError that names the right kind for a file in another format */
function readList(file: string, kind: 'bookmarks' | 'opml' | 'urls'): string {
  const text = readTextFile(file);
  const form = FORMS.find(([, , pattern]) => pattern.test(text.slice(0, 10_000)));
  if (form === undefined || form[0] === kind) return text;
  throw new UsageError(`${file} contains ${form[1]}.`, `Give it with --${form[0]} instead of --${kind}.`);
}
