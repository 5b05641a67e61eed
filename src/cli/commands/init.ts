import { existsSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { canonicalize, type Example, InputError, type Mistake, type TopicSpec, UsageError } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import {
  BACKUP_FILE,
  type Bookmarks,
  checkFolder,
  examplePages,
  inFolder,
  NO_FOLDER,
  parseBookmarks,
  parseOpml,
  parseOthers,
  parsePageList,
  parseWorkspace,
  quoted,
  readDocumentFolder,
  readFlags,
  readSeeds,
  readShippedTree,
  readTextFile,
  renderWorkspace,
  replaceFile,
  shippedOthers,
  splitAssignment,
  topicName,
  WORKSPACE_FILE,
  writeOutFile,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';

/**
 * Sources of a topic tree; exactly one is required. `--topic` may be combined with `--query` and `--urls`, to name
 * the topic.
 */
const SOURCES = ['bookmarks', 'opml', 'urls', 'documents', 'tree', 'query', 'topic'] as const;
type Source = (typeof SOURCES)[number];

export const init: Command = {
  name: 'init',
  summary: 'Make a workspace: a folder with one commented file of topics, examples and settings.',
  positionals: ['DIR'],
  flags: {
    topic: { value: 'NAME', help: 'One topic, learned from the pages given with --seed.' },
    query: { value: 'WORDS', help: 'One topic; the words are an example, --seed gives pages to learn and start from.' },
    seed: { value: 'URL', greedy: true, help: 'Pages to learn from and to start at.' },
    bookmarks: { value: 'FILE', help: "A browser's exported bookmarks; folders become topics." },
    opml: { value: 'FILE', help: 'An OPML file of an outliner or feed reader; outlines become topics.' },
    urls: {
      value: 'FILE',
      help: 'A list of URLs, one a line, a topic behind a tab or blanks; or JSON lines or CSV as bingo export writes them.',
    },
    documents: {
      value: 'DIR',
      help: 'A folder of local files; its folders become topics. Needs --seed: files link to nothing.',
    },
    tree: { value: 'NAME', help: 'A topic tree that comes with Bingo; "bingo topics" lists them.' },
    others: {
      value: 'FILE',
      help: 'Pages that are not wanted, one URL a line. Default: about fifty everyday subjects.',
    },
    contact: { value: 'MAIL', help: 'How site owners reach you; sent with every request.' },
    set: { value: 'KEY=VALUE', repeats: true, help: 'A setting, such as --set network.delayMs=1s.' },
    force: { help: `Overwrite a ${WORKSPACE_FILE} that is there; it is kept as ${BACKUP_FILE}.` },
    json: { help: 'Tell the result, and errors, as JSON.' },
  },
  examples: [
    [
      'bingo init bikes --topic cycling --seed https://en.wikipedia.org/wiki/Cycling https://www.cyclinguk.org/',
      'One topic from two pages.',
    ],
    [
      'bingo init aries --query "ARIES recovery algorithm" --seed https://en.wikipedia.org/wiki/ARIES',
      'A needle in a haystack: a query and a page.',
    ],
    [
      'bingo init portal --bookmarks bookmarks.html --contact me@example.org',
      'A tree of topics from bookmark folders.',
    ],
    ['bingo init papers --documents ~/papers --seed https://arxiv.org/', 'Learn from files, start on the web.'],
  ],
  run: runInit,
};

/** A user may mistake so many examples for the pages to crawl: fetching them takes longer than a usual crawl. */
const MANY_EXAMPLES = 1_000;

const ALL_ARE_LEARNED =
  'The first crawl fetches and learns from all these examples before anything else, and its budget does not count them. ' +
  'Ten a topic are a good beginning.';

async function runInit(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  const folder = resolve(dir);
  const path = join(folder, WORKSPACE_FILE);
  const isThere = existsSync(path);
  if (isThere && !args.has('force')) {
    throw new UsageError(
      `${join(dir, WORKSPACE_FILE)} is there already.`,
      'Choose another folder, or overwrite it with --force.',
    );
  }
  checkFolder(dir);
  const source = readSource(args);
  const others = readOthers(args, source);
  const content = renderWorkspace({ topics: source.topics, others, values: readSettings(args) }, folder);
  const { mistakes, topics } = parseWorkspace(content, join(dir, WORKSPACE_FILE), folder);
  if (mistakes.length > 0) throw new InputError('These cannot make a workspace', mistakes.map(asTyped));
  if (isThere) replaceFile(path, content, join(folder, BACKUP_FILE));
  else await inFolder(folder, () => writeOutFile(path, [content]));
  const examples = countExamples(topics);
  if (args.has('json')) await io.out(`${safeJson({ workspace: folder, topics: countTopics(topics), examples })}\n`);
  io.err(
    `Made ${join(dir, WORKSPACE_FILE)}: ${counted(countTopics(topics), 'topic')}, ${counted(examples, 'example')}.\n`,
  );
  if (isThere) io.err(`The file as it was: ${join(dir, BACKUP_FILE)}\n`);
  for (const remark of source.remarks) io.err(`${remark}\n`);
  if (examples > MANY_EXAMPLES) io.err(`${ALL_ARE_LEARNED}\n`);
  io.err(`Next: look it over, then  bingo crawl ${quoted(dir)}\n`);
  return EXIT.done;
}

/** Describes a mistake in the unwritten file as a mistake in the command line. */
function asTyped(mistake: Mistake): Mistake {
  return { ...mistake, file: 'command line', line: undefined };
}

interface SourceContent {
  readonly topics: readonly TopicSpec[];
  readonly others?: readonly Example[];
  readonly remarks: readonly string[];
}

function readSource(args: Args): SourceContent {
  const given = SOURCES.filter((source) => args.has(source));
  const main = given.filter((source) => source !== 'topic' || given.length === 1);
  const [source] = main;
  if (source === undefined) {
    throw new UsageError(
      'What shall it learn?',
      'Give one of --topic, --query, --bookmarks, --opml, --urls, --documents, --tree; --help has examples.',
    );
  }
  if (main.length > 1 || (args.has('topic') && !['topic', 'query', 'urls'].includes(source))) {
    throw new UsageError(
      `--${given.join(' and --')} do not go together.`,
      'Give one of them; the file can be extended by hand.',
    );
  }
  const content = READERS[source](args);
  if (content.topics.length === 0) {
    throw new UsageError(
      `--${source} ${args.value(source)} holds no page to learn from.`,
      'Look into it: are there http(s) links, or readable files?',
    );
  }
  const seeds = ['documents', 'bookmarks', 'opml', 'urls', 'tree'].includes(source)
    ? readSeeds(args.values('seed'))
    : [];
  const topics = seeds.length === 0 ? content.topics : content.topics.map((topic) => ({ ...topic, seeds }));
  return { ...content, topics };
}

/** Recognises the format of a list by its beginning. */
const FORMS: readonly (readonly [flag: 'bookmarks' | 'opml', form: string, pattern: RegExp])[] = [
  ['bookmarks', 'bookmarks', /^\s*<!doctype netscape-bookmark-file/i],
  ['opml', 'OPML', /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<opml[\s>]/i],
];

/** @throws UsageError that names the right flag for a file in another format */
function readList(args: Args, flag: 'bookmarks' | 'opml' | 'urls'): string {
  const file = args.value(flag)!;
  const text = readTextFile(file);
  const form = FORMS.find(([, , pattern]) => pattern.test(text.slice(0, 10_000)));
  if (form === undefined || form[0] === flag) return text;
  throw new UsageError(`${file} holds ${form[1]}.`, `Give it with --${form[0]} instead of --${flag}.`);
}

const READERS: { readonly [S in Source]: (args: Args) => SourceContent } = {
  bookmarks: (args) => fromBookmarks(parseBookmarks(readList(args, 'bookmarks'))),
  opml: (args) => fromBookmarks(parseOpml(readList(args, 'opml'))),
  urls: (args) => {
    const file = args.value('urls')!;
    const topic = topicName(args.value('topic') ?? basename(file, extname(file)));
    const found = parsePageList(readList(args, 'urls'), file, topic);
    if (found.mistakes.length > 0) throw new InputError('The list of URLs has mistakes', found.mistakes);
    return {
      topics: found.topics,
      remarks: leftOut(found.past, 'that left, or are other addresses of a page', found.repeated),
    };
  },
  documents: (args) => {
    const folder = resolve(args.value('documents')!);
    if (!existsSync(folder) || !statSync(folder).isDirectory()) {
      throw new UsageError(
        `There is no folder ${args.value('documents')}.`,
        'Name the folder that holds the documents.',
      );
    }
    const found = readDocumentFolder(folder);
    if (found.topics.length > 0 && readSeeds(args.values('seed')).length === 0) {
      throw new UsageError(
        'Documents teach the topics, but the crawl needs a page of the web to start from.',
        'Add --seed URL, better two or three: pages on these topics that link to others.',
      );
    }
    return { topics: found.topics, remarks: leftOut(found.otherFormats, 'in a format that is not read', 0) };
  },
  tree: (args) => ({ ...readShippedTree(args.value('tree')!), remarks: [] }),
  query: (args) => {
    const query = args.value('query')!.trim();
    const examples: Example[] = [{ kind: 'text', name: 'query', text: query }, ...seedExamples(args, '--query')];
    return { topics: [{ name: topicName(args.value('topic') ?? query), examples }], remarks: [] };
  },
  topic: (args) => ({
    topics: [{ name: args.value('topic')!.trim(), examples: seedExamples(args, '--topic') }],
    remarks: [],
  }),
};

function fromBookmarks({ topics, notWeb, repeated }: Bookmarks): SourceContent {
  const loose = topics.find(({ name }) => name === NO_FOLDER)?.examples?.length ?? 0;
  return {
    topics,
    remarks: [
      ...leftOut(notWeb, 'that are no pages of the web', repeated),
      ...(loose > 0 && topics.length > 1 ? [looseText(loose)] : []),
    ],
  };
}

/** Warns about bookmarks outside folders: a topic of unrelated pages leads the crawl to unrelated pages. */
function looseText(pages: number): string {
  const are = pages === 1 ? '1 page lies in no folder and is' : `${count(pages)} pages lie in no folder and are`;
  return `${are} the topic "${NO_FOLDER}". A topic is learned from pages of one subject: put them where they belong, or take it out.`;
}

function seedExamples(args: Args, flag: string): readonly Example[] {
  const seeds = readSeeds(args.values('seed'));
  if (seeds.length === 0)
    throw new UsageError(`${flag} needs a page to start from.`, 'Add --seed URL, better two or three.');
  return seeds.map((url) => ({ kind: 'url', url }));
}

/**
 * Returns the counter-examples: from the given file, else those of the tree, else the built-in ones; without pages
 * that are examples.
 */
function readOthers(args: Args, source: SourceContent): readonly Example[] {
  const file = args.value('others');
  const own = source.others ?? [];
  const others = file === undefined ? (own.length > 0 ? own : shippedOthers()) : parseOthers(readTextFile(file), file);
  const examples = new Set(source.topics.flatMap(examplePages));
  return others.filter((other) => other.kind !== 'url' || !examples.has(canonicalize(other.url) ?? ''));
}

function readSettings(args: Args): ReadonlyMap<string, unknown> {
  const flags = new Map(args.values('set').map(splitAssignment));
  const contact = args.value('contact');
  if (contact !== undefined) flags.set('network.contact', contact);
  return readFlags(flags);
}

function leftOut(pages: number, why: string, repeated: number): readonly string[] {
  return [
    ...(pages > 0 ? [`Left out ${pages} ${why}.`] : []),
    ...(repeated > 0 ? [`Left out ${repeated} that were there already.`] : []),
  ];
}

function countTopics(topics: readonly TopicSpec[]): number {
  return topics.reduce((sum, topic) => sum + 1 + countTopics(topic.topics ?? []), 0);
}

function countExamples(topics: readonly TopicSpec[]): number {
  return topics.reduce((sum, topic) => sum + (topic.examples ?? []).length + countExamples(topic.topics ?? []), 0);
}
