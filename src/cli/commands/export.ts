import { extname } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { count, counted } from '../../kit/index.ts';
import { BYTE_ORDER_MARK, CHUNKS } from '../../postprocess/index.ts';
import type { ExportFilter } from '../../store/index.ts';
import { Consumer, didYouMean, PAGE_FIELDS, PageExport, withStore, writeNamedFile } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { inChunks } from '../json-array.ts';
import { readCount } from '../read-count.ts';
import { PAGE_FILTER_FLAGS, pageFilterOptions } from '../search/search-flags.ts';
import { exitingAtInterrupt } from '../until-interrupt.ts';

/** Formats with their purpose; the file name extension of `--out` selects one. */
const FORMATS = {
  jsonl: { help: 'one JSON object per line', endings: ['.jsonl', '.ndjson', '.json'] },
  csv: { help: 'a table for spreadsheets; files begin with a UTF-8 mark for Excel', endings: ['.csv'] },
  urls: { help: 'one address per line', endings: ['.txt'] },
  bookmarks: { help: 'bookmarks for a browser, topics as folders', endings: ['.html', '.htm'] },
  opml: { help: 'the same for outliners', endings: ['.opml'] },
  gexf: { help: 'pages and their links as a graph', endings: ['.gexf'] },
  bibtex: { help: 'references for LaTeX, from what pages say about themselves', endings: ['.bib'] },
  ris: { help: 'the same for reference managers', endings: ['.ris'] },
  'csl-json': { help: 'the same for pandoc and Zotero', endings: [] },
  chunks: { help: 'passages of pages in Markdown, one JSON object per line, with ids and citations', endings: [] },
  markdown: { help: 'a folder with one Markdown file per page: headings, lists, tables, code, links', endings: [] },
  dataset: { help: 'a folder with a Parquet file and a dataset card', endings: [] },
  corpus: { help: 'a folder with one text file per page', endings: [] },
  wacz: { help: 'the recorded pages themselves as a web archive, from --archive', endings: ['.wacz'] },
} as const satisfies Readonly<Record<string, { readonly help: string; readonly endings: readonly string[] }>>;
type Format = keyof typeof FORMATS;
const FORMAT_NAMES = Object.keys(FORMATS) as Format[];
const FOLDERS = ['corpus', 'markdown', 'dataset'] as const;

function isFolder(format: Format): format is (typeof FOLDERS)[number] {
  return FOLDERS.some((name) => name === format);
}

export const exportPages: Command = {
  name: 'export',
  summary: 'Write stored pages for other programs: tables, bookmarks, texts, the link graph.',
  positionals: ['[DIR]'],
  flags: {
    format: {
      value: 'FORMAT',
      help: `${FORMAT_NAMES.join(', ')}. Default: from the ending of --out, otherwise jsonl.`,
    },
    out: { value: 'FILE', help: 'File to write; for corpus, markdown and dataset a folder. Default: stdout.' },
    relevant: { help: 'Only accepted pages that the crawl found: no rejected pages, no training pages.' },
    unreserved: { help: 'Only pages that reserve no rights against text mining or training (noai, tdm-reservation).' },
    ...PAGE_FILTER_FLAGS,
    gone: { help: 'For urls, bookmarks and opml: also pages that a recheck found gone or moved.' },
    text: { help: 'For jsonl: also the main text of each page, in a field "text".' },
    copies: { help: 'For jsonl and csv: one more line per other address of a page, with duplicateOf.' },
    archive: {
      value: 'FILE',
      greedy: true,
      help: 'For wacz: recordings (.warc, .warc.gz, .wacz, folders). Default: archive.files.',
    },
    size: { value: 'CHARS', help: `For chunks: greatest length in characters. Default: ${CHUNKS.size}.` },
    overlap: {
      value: 'CHARS',
      help: 'For chunks: characters that the next chunk repeats, in whole paragraphs. Default: 0.',
    },
    force: { help: 'For corpus, markdown and dataset: replace a folder with other content; that is kept beside it.' },
    'new-since-last': {
      value: 'NAME',
      help: 'For jsonl and chunks: only what the consumer NAME has not received; "deleted" marks what went away.',
    },
    json: { help: 'Print errors as JSON.' },
  },
  examples: [
    ['bingo export bikes --format csv --out pages.csv', 'For a spreadsheet.'],
    ['bingo export bikes --relevant | jq -r .url', 'Addresses of accepted pages.'],
    ['bingo export bikes --relevant --text --out pages.jsonl', 'One file with facts and texts, for programs.'],
    ['bingo export bikes --out bikes.html', 'Bookmarks to import in a browser, or for bingo init --bookmarks.'],
    ['bingo export bikes --relevant --since 7d --format csv --out new.csv', 'Pages found this week.'],
    ['bingo export bikes --format corpus --out texts', 'One text file per page, one folder per topic.'],
    [
      'bingo export bikes --relevant --format markdown --out notes',
      'Markdown files that keep headings, tables and links.',
    ],
    ['bingo export bikes --relevant --unreserved --format dataset --out bikes-data', 'Parquet with a dataset card.'],
    ['bingo export bikes --relevant --format chunks --new-since-last index', 'Passages that "index" lacks.'],
    ['bingo export bikes --relevant --format chunks --size 1500 --out chunks.jsonl', 'Passages for an index.'],
    [
      'bingo export bikes --relevant --archive bikes.wacz --out best.wacz',
      'A web archive of the accepted pages alone, from a recording of the crawl.',
    ],
    ['bingo export bikes --relevant --out links.gexf', 'The link graph, for Gephi.'],
    ['bingo export bikes --relevant --published 2024.. --out bikes.bib', 'References of pages since 2024.'],
  ],
  notes: [
    ...FORMAT_NAMES.map((name) => `${name}: ${FORMATS[name].help}.`),
    `Fields of jsonl and csv: ${PAGE_FIELDS.join(', ')}. "topic" is empty for rejected pages. ` +
      '"relevance" is from 0 to 1 (an accepted page may have less than a rejected one, because naive Bayes contributes only to relevance). ' +
      '"via" is the page with the link to it. ' +
      '"sequence" is the order of fetching, "duplicateOf" the stored page of another address (with --copies). ' +
      '"ending" says why a page left: gone, moved, same (as another page), noindex. jsonl with --text adds "text". ' +
      'jsonl has "bibliography": what the page says about itself (authors, published, doi, …) and the source of each field; csv has it in columns such as bib.authors. Text that a spreadsheet would run as a formula gets an apostrophe in front.',
    'jsonl and csv contain every stored page, or only accepted ones with --relevant. The other formats contain the accepted pages of a ' +
      'topic and its examples. All formats except urls, bookmarks and opml include pages that are gone.',
  ],
  run: (args, io) => exitingAtInterrupt(io, () => runExport(args, io)),
};

async function runExport(args: Args, io: Io): Promise<number> {
  // This file is already open; a socket cannot be opened a second time.
  const out = args.value('out') === '/dev/stdout' ? undefined : args.value('out');
  const format = readFormat(args.value('format'), out);
  checkFlags(args, format);
  return withStore(args.positionals[0]!, io, async (store, workspace) => {
    const [relevant, text, copies, gone, unreserved] = [
      ...['relevant', 'text', 'copies', 'gone', 'unreserved'].map(args.has),
    ];
    const size = readCount('--size', args.value('size'), CHUNKS.size, { min: 200 });
    const overlap = readCount('--overlap', args.value('overlap'), CHUNKS.overlap, { min: 0 });
    const exported = new PageExport(
      { store, workspace },
      { ...pageFilterOptions(args), relevant, text, copies, gone, unreserved, size, overlap },
    );
    if (exported.wanted.others === true) checkOthers(format, exported.wanted);
    if (format === 'wacz') return await writeArchive(exported, out!, args.values('archive'), io);
    if (isFolder(format)) {
      const { kept } = await exported[format](out!, args.has('force'));
      if (kept !== undefined) io.err(`Previous content: ${kept}\n`);
    } else if (args.value('new-since-last') !== undefined) {
      return await writeNews(exported, { args, io, out, dir: workspace.dir, format });
    } else {
      const lines = exported.lines(format);
      await (out === undefined
        ? toStdout(inChunks(lines), io)
        : toFile(inChunks(format === 'csv' ? marked(lines) : lines), out, io));
    }
    io.err(`${counted(exported.count, 'page')} written${out === undefined ? '' : ` to ${out}`}.\n`);
    return EXIT.done;
  });
}

async function writeArchive(exported: PageExport, out: string, files: readonly string[], io: Io): Promise<number> {
  const { pages, captures, missing } = await exported.wacz(out, files);
  const without = missing === 0 ? '' : ` ${counted(missing, 'page')} left out: not in the recordings.`;
  io.err(`${counted(pages, 'page')} and ${counted(captures, 'record')} written to ${out}.${without}\n`);
  return EXIT.done;
}

interface NewsTarget {
  readonly args: Args;
  readonly io: Io;
  readonly out: string | undefined;
  readonly dir: string;
  readonly format: Format;
}

/** Writes what a consumer lacks. It counts as received once the file is whole, or stdout has taken everything. */
async function writeNews(exported: PageExport, { args, io, out, dir, format }: NewsTarget): Promise<number> {
  const name = args.value('new-since-last')!;
  if (format !== 'jsonl' && format !== 'chunks')
    throw new UsageError(`--new-since-last is for jsonl and chunks, not for ${format}.`, 'Add --format chunks.');
  const { topics, since, until, ...filter } = exported.wanted;
  if (since !== undefined || until !== undefined)
    throw new UsageError('--new-since-last already selects by time.', 'Leave out --since and --until.');
  const selection = JSON.stringify([
    format,
    args.has('text'),
    args.value('size'),
    args.value('overlap'),
    topics,
    filter,
  ]);
  const consumer = new Consumer(dir, name, selection);
  const lines = inChunks(exported.news(format, consumer));
  await (out === undefined ? toStdout(lines, io) : toFile(lines, out, io));
  consumer.commit();
  const what = format === 'jsonl' ? 'page' : 'passage';
  const removed = exported.deleted === 0 ? '' : `, ${count(exported.deleted)} marked as deleted`;
  io.err(`${counted(exported.written, what)} written for ${name}${removed}${out === undefined ? '' : ` to ${out}`}.\n`);
  return EXIT.done;
}

/** Flags that apply only to some formats, with the message for the others. */
const FLAGS_OF_FORMATS: readonly {
  readonly flag: string;
  readonly formats: readonly Format[];
  readonly hint: string;
}[] = [
  { flag: 'text', formats: ['jsonl'], hint: 'A corpus always contains the texts: --format corpus --out FOLDER.' },
  { flag: 'copies', formats: ['jsonl', 'csv'], hint: 'The other formats name each page once.' },
  { flag: 'gone', formats: ['urls', 'bookmarks', 'opml'], hint: 'The other formats always contain such pages.' },
  { flag: 'size', formats: ['chunks'], hint: 'Only chunks have a size: --format chunks.' },
  { flag: 'overlap', formats: ['chunks'], hint: 'Only chunks overlap: --format chunks.' },
  { flag: 'archive', formats: ['wacz'], hint: 'Only a WACZ file is made from recordings: --format wacz.' },
  { flag: 'force', formats: ['corpus', 'markdown', 'dataset'], hint: 'The other formats overwrite their file.' },
];

/** @throws UsageError for a flag without effect */
function checkFlags(args: Args, format: Format): void {
  const idle = FLAGS_OF_FORMATS.find(({ flag, formats }) => args.has(flag) && !formats.includes(format));
  if (idle === undefined) return;
  const { flag, formats, hint } = idle;
  const named = new Intl.ListFormat('en').format(formats).replace(', and', ' and');
  throw new UsageError(`--${flag} is for ${named}, not for ${format}.`, hint);
}

/** @throws UsageError if rejected pages are requested in a format without a place for them */
function checkOthers(format: Format, { relevant }: ExportFilter): void {
  if (relevant === true)
    throw new UsageError('--relevant and --topic OTHERS cannot be combined.', 'OTHERS are the rejected pages.');
  if (format !== 'jsonl' && format !== 'csv' && format !== 'urls')
    throw new UsageError(
      `--topic OTHERS is for jsonl, csv and urls, not for ${format}.`,
      'The other formats contain accepted pages.',
    );
}

function readFormat(text: string | undefined, out: string | undefined): Format {
  const format = text === undefined ? meantBy(out) : FORMAT_NAMES.find((name) => name === text);
  if (format === undefined)
    throw new UsageError(
      `Expected --format ${FORMAT_NAMES.join(', ')}, got "${text}".`,
      text === 'warc' ? RECORDING : didYouMean(text!, FORMAT_NAMES),
    );
  if (format === 'wacz' && out === undefined)
    throw new UsageError('wacz writes a file that is not text.', 'Name it with --out FILE.wacz.');
  if (isFolder(format) && out === undefined)
    throw new UsageError(`${format} writes a folder of files.`, 'Name it with --out FOLDER.');
  return format;
}

/** Hint for users who look for recordings here. */
const RECORDING = 'Record the traffic while a crawl runs: bingo crawl DIR --warc FILE.';

/**
 * Returns the format for a file name; JSON lines without an extension.
 * @throws UsageError if the extension belongs to another kind of file
 */
function meantBy(out: string | undefined): Format {
  const meant = FORMAT_NAMES.find((name) =>
    FORMATS[name].endings.some((ending) => out?.toLowerCase().endsWith(ending)),
  );
  const ending = out === undefined ? '' : extname(out);
  if (meant !== undefined || ending === '') return meant ?? 'jsonl';
  throw new UsageError(
    `"${out}" does not name a known format: ${ending} is unknown.`,
    /\.warc(\.gz)?$/i.test(out!) ? RECORDING : `Name the format: --format ${FORMAT_NAMES.join(', ')}.`,
  );
}

async function toStdout(texts: AsyncIterable<string>, io: Io): Promise<void> {
  for await (const text of texts) await io.out(text);
}

async function toFile(texts: AsyncIterable<string>, out: string, io: Io): Promise<void> {
  try {
    await writeNamedFile(out, texts);
  } catch (error) {
    // It was a pipe whose reader has closed it: handled as for stdout.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') io.exit(EXIT.done);
    throw error;
  }
}

/** Adds the byte order mark for files, which spreadsheets open. Programs read pipes and cannot handle the mark. */
async function* marked(lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK;
  yield* lines;
}
