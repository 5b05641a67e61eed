import { join, resolve } from 'node:path';
import { type Example, InputError, type Mistake, type TopicSpec, UsageError } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import {
  BACKUP_FILE,
  checkFolder,
  checkReplaced,
  type ImportedTopics,
  importTopics,
  loadWorkspace,
  type NewArchive,
  NO_FOLDER,
  newArchive,
  parseOthers,
  quoted,
  readSettings as readAllSettings,
  readFlags,
  readSeeds,
  readTextFile,
  SERVICE_FORMS,
  sanitizeForTerminal,
  serviceResults,
  shippedOthers,
  showAddress,
  splitAssignment,
  type TopicSource,
  topicName,
  WORKSPACE_FILE,
  writeWorkspace,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { checkExplore, explore } from '../crawl/explore.ts';
import { reportNear } from '../crawl/report-near.ts';

/**
 * Sources of a topic tree; exactly one is required. `--topic` may be combined with `--query` and `--urls`, to name
 * the topic.
 */
const SOURCES = ['bookmarks', 'opml', 'urls', 'documents', 'tree', 'query', 'topic'] as const;

export const init: Command = {
  name: 'init',
  summary: 'Make a workspace: a folder with one commented file of topics, examples and settings.',
  positionals: ['DIR'],
  flags: {
    topic: { value: 'NAME', help: 'One topic, learned from the pages given with --seed.' },
    query: { value: 'WORDS', help: 'One topic, learned from these words and the pages of --seed.' },
    seed: { value: 'URL', greedy: true, help: 'Pages to learn from and to start at.' },
    'search-service': {
      value: 'NAME',
      help: `With --query: also learn from the first results of ${SERVICE_FORMS}.`,
    },
    bookmarks: { value: 'FILE', help: 'Exported browser bookmarks; folders become topics.' },
    opml: { value: 'FILE', help: 'An OPML file of an outliner or feed reader; outlines become topics.' },
    urls: {
      value: 'FILE',
      help: 'One URL per line, then a blank and a topic; or JSON lines or CSV of bingo export.',
    },
    documents: {
      value: 'DIR',
      help: 'A folder of local files; its folders become topics. Requires --seed.',
    },
    tree: { value: 'NAME', help: 'A built-in topic tree; "bingo topics" lists them.' },
    others: {
      value: 'FILE',
      help: 'File of unwanted pages, one URL per line. Default: about fifty everyday subjects.',
    },
    archive: {
      value: 'FILE',
      greedy: true,
      help: 'Crawl these WARC or WACZ files, or folders of them, instead of the web.',
    },
    near: {
      help: 'Compare the examples with the built-in subjects, and take near subjects as counter-examples. Fetches web examples.',
    },
    explore: { help: 'Fetch 60 pages near the examples, and answer ten questions per topic about them.' },
    contact: { value: 'MAIL', help: 'Address by which site owners reach you; sent with every request.' },
    set: { value: 'KEY=VALUE', repeats: true, help: 'A setting, such as --set network.delayMs=1s.' },
    force: { help: `Overwrite an existing ${WORKSPACE_FILE}; it is kept as ${BACKUP_FILE}.` },
    json: { help: 'Print the result and errors as JSON.' },
  },
  examples: [
    [
      'bingo init bikes --topic cycling --seed https://en.wikipedia.org/wiki/Cycling https://www.cyclinguk.org/',
      'One topic from two pages.',
    ],
    [
      'bingo init aries --query "ARIES recovery algorithm" --seed https://en.wikipedia.org/wiki/ARIES',
      'One topic from a query and a page.',
    ],
    [
      'bingo init portal --bookmarks bookmarks.html --contact me@example.org',
      'A tree of topics from bookmark folders.',
    ],
    [
      'bingo init bikes --topic cycling --seed https://www.cyclinguk.org/ --explore',
      'Then answer questions about pages nearby: more examples make the first crawl better.',
    ],
    [
      'bingo init aries --query "ARIES recovery algorithm" --search-service openalex',
      'Learn from the words and from seven papers about them.',
    ],
    [
      'bingo init found --query "touring bicycles" --archive old.wacz more.warc.gz',
      'Find pages on a topic in web archives that you have.',
    ],
    [
      'bingo init bikes --topic cycling --seed https://www.cyclinguk.org/ --near',
      'Near subjects become counter-examples.',
    ],
    ['bingo init papers --documents ~/papers --seed https://arxiv.org/', 'Learn from files, start on the web.'],
  ],
  run: runInit,
};

/** A user may mistake so many examples for the pages to crawl: fetching them takes longer than a usual crawl. */
const MANY_EXAMPLES = 1_000;

const ALL_ARE_LEARNED =
  'The first crawl begins with all these examples; its budget does not count them. ' +
  'Ten per topic are a good start.';

async function runInit(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  const mayReplace = args.has('force');
  if (args.has('explore')) checkExplore(io);
  checkReplaced(dir, mayReplace, 'Choose another folder, or overwrite it with --force.');
  checkFolder(dir);
  const archive = await readArchive(args, dir);
  const found = await askedPages(args, io);
  const source = readSource(args, { starts: archive?.starts ?? [], found });
  const others = readOthers(args, source);
  const made = { topics: source.topics, others, values: new Map([...(archive?.values ?? []), ...readSettings(args)]) };
  const { topics, examples, isReplaced } = await writeWorkspace(dir, made, mayReplace).catch((error: unknown) => {
    throw error instanceof InputError ? new InputError(MISTAKEN, error.mistakes.map(asTyped)) : error;
  });
  io.err(`Created ${join(dir, WORKSPACE_FILE)}: ${counted(topics, 'topic')}, ${counted(examples, 'example')}.\n`);
  if (isReplaced) io.err(`Previous file: ${join(dir, BACKUP_FILE)}\n`);
  if (archive !== undefined) io.err(`Indexed ${counted(archive.captures, 'capture')} of the archive.\n`);
  for (const remark of source.remarks) io.err(`${remark}\n`);
  if (examples > MANY_EXAMPLES) io.err(`${ALL_ARE_LEARNED}\n`);
  const near = args.has('near') ? await reportNear(loadWorkspace(dir, { env: io.env }), io) : undefined;
  if (args.has('json'))
    await io.out(`${safeJson({ workspace: resolve(dir), topics, examples, ...(near && { near }) })}\n`);
  if (args.has('explore'))
    await explore(loadWorkspace(dir, { env: io.env }), `bingo init ${quoted(dir)} --explore`, io);
  io.err(`Next: check the file, then run  bingo crawl ${quoted(dir)}\n`);
  return EXIT.done;
}

const MISTAKEN = 'No workspace can be made of these';

/** Describes a mistake in the unwritten file as a mistake in the command line. */
function asTyped(mistake: Mistake): Mistake {
  return { ...mistake, file: 'command line', line: undefined };
}

interface SourceContent {
  readonly topics: readonly TopicSpec[];
  readonly others: readonly Example[];
  readonly remarks: readonly string[];
}

/** Indexes the files of `--archive`. */
async function readArchive(args: Args, dir: string): Promise<NewArchive | undefined> {
  const files = args.values('archive');
  if (!args.has('archive')) return undefined;
  if (files.length === 0) throw new UsageError('--archive needs a file.', 'Name WARC or WACZ files, or folders.');
  return await newArchive(dir, files, args.value('query') ?? args.value('topic') ?? '');
}

/** Asks the search service for pages on the query. */
async function askedPages(args: Args, io: Io): Promise<readonly string[]> {
  const service = args.value('search-service');
  if (service === undefined) return [];
  const query = args.value('query');
  if (query === undefined) throw new UsageError('--search-service needs words to search for.', 'Add --query WORDS.');
  const flags = new Map<string, unknown>([
    ...args.values('set').map(splitAssignment),
    ['network.searchService', service],
  ]);
  const contact = args.value('contact');
  if (contact !== undefined) flags.set('network.contact', contact);
  const results = await serviceResults(readAllSettings({ flags, env: io.env }), query);
  for (const { url, title } of results) io.err(`  ${showAddress(url)}  ${sanitizeForTerminal(title)}\n`);
  return results.map(({ url }) => url);
}

/** Pages that the user did not name. */
interface OtherPages {
  /** Pages of an archive to start at. */
  readonly starts: readonly string[];
  /** Results of a search service to learn from. */
  readonly found: readonly string[];
}

function readSource(args: Args, pages: OtherPages): SourceContent {
  const given = SOURCES.filter((source) => args.has(source));
  const main = given.filter((source) => source !== 'topic' || given.length === 1);
  const [source] = main;
  if (source === undefined) {
    throw new UsageError(
      'Nothing to learn from yet.',
      'Give one of --topic, --query, --bookmarks, --opml, --urls, --documents, --tree; --help has examples.',
    );
  }
  if (main.length > 1 || (args.has('topic') && !['topic', 'query', 'urls'].includes(source))) {
    throw new UsageError(
      `--${given.join(' and --')} cannot be combined.`,
      'Use one of them, and extend the file by hand.',
    );
  }
  if (source === 'topic' || source === 'query') return ownTopic(args, source, pages);
  const seeds = readSeeds(args.values('seed'));
  const { topics, others, ...rest } = importTopics(sourceOf(args, source));
  if (source === 'documents' && seeds.length === 0)
    throw new UsageError(
      'The crawl needs a web page to start from, beside the documents.',
      'Add --seed URL, preferably two or three pages on these topics with links.',
    );
  const seeded = seeds.length === 0 ? topics : topics.map((topic) => ({ ...topic, seeds }));
  return { topics: seeded, others, remarks: remarksOn(rest) };
}

function sourceOf(args: Args, kind: TopicSource['kind']): TopicSource {
  const value = args.value(kind)!;
  if (kind === 'documents') return { kind, folder: value };
  if (kind === 'tree') return { kind, name: value };
  return kind === 'urls' ? { kind, file: value, topic: args.value('topic') } : { kind, file: value };
}

/** A topic of its own, learned from the pages given with --seed. */
function ownTopic(args: Args, source: 'topic' | 'query', { starts, found }: OtherPages): SourceContent {
  const seeds = readSeeds([...args.values('seed'), ...found]);
  const isSeedless = seeds.length === 0;
  if (isSeedless && (source === 'topic' || starts.length === 0))
    throw new UsageError(`--${source} needs a page to start from.`, 'Add --seed URL, preferably two or three.');
  const pages = seeds.map((url): Example => ({ kind: 'url', url }));
  const query = args.value('query')?.trim();
  const topic =
    query === undefined
      ? { name: args.value('topic')!.trim(), examples: pages }
      : {
          name: topicName(args.value('topic') ?? query),
          examples: [{ kind: 'text' as const, name: 'query', text: query }, ...pages],
        };
  // Pages of an archive are places to start at. Whether they are on topic is unknown.
  const remark = `Starts at ${counted(starts.length, 'page')} of the archive; --seed names others.`;
  return isSeedless
    ? { topics: [{ ...topic, seeds: starts }], others: [], remarks: [remark] }
    : { topics: [topic], others: [], remarks: [] };
}

function remarksOn({ leftOut, loose }: Pick<ImportedTopics, 'leftOut' | 'loose'>): readonly string[] {
  const { notWeb, past, otherFormats, repeated } = leftOut;
  return [
    ...(notWeb > 0 ? [`Left out ${notWeb} that are not web pages.`] : []),
    ...(past > 0 ? [`Left out ${past} that are gone, or are other addresses of a page.`] : []),
    ...(otherFormats > 0 ? [`Left out ${otherFormats} in an unknown format.`] : []),
    ...(repeated > 0 ? [`Left out ${repeated} already in the list.`] : []),
    ...(loose > 0 ? [looseText(loose)] : []),
  ];
}

/** Warns about bookmarks outside folders: a topic of unrelated pages leads the crawl to unrelated pages. */
function looseText(pages: number): string {
  const are = pages === 1 ? '1 page outside all folders became' : `${count(pages)} pages outside all folders became`;
  return `${are} the topic "${NO_FOLDER}". A topic needs pages of one subject: move these pages, or remove the topic.`;
}

/** Returns the counter-examples: from the given file, else those of the tree, else the built-in ones. */
function readOthers(args: Args, { others }: SourceContent): readonly Example[] {
  const file = args.value('others');
  if (file !== undefined) return parseOthers(readTextFile(file), file);
  return others.length > 0 ? others : shippedOthers();
}

function readSettings(args: Args): ReadonlyMap<string, unknown> {
  const flags = new Map(args.values('set').map(splitAssignment));
  const contact = args.value('contact');
  if (contact !== undefined) flags.set('network.contact', contact);
  return readFlags(flags);
}
