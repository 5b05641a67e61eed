import { extname } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import { BYTE_ORDER_MARK } from '../../postprocess/index.ts';
import type { ExportFilter } from '../../store/index.ts';
import { didYouMean, PAGE_FIELDS, PageExport, withStore, writeNamedFile } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { inChunks } from '../json-array.ts';
import { PAGE_FILTER_FLAGS, pageFilterOptions } from '../search/search-flags.ts';
import { exitingAtInterrupt } from '../until-interrupt.ts';

/** Formats with their purpose; the file name extension of `--out` selects one. */
const FORMATS = {
  jsonl: { help: 'a JSON object a line', endings: ['.jsonl', '.ndjson', '.json'] },
  csv: { help: 'a table for spreadsheets; files begin with the mark by which Excel knows UTF-8', endings: ['.csv'] },
  urls: { help: 'addresses, one a line', endings: ['.txt'] },
  bookmarks: { help: 'bookmarks for a browser, topics as folders', endings: ['.html', '.htm'] },
  opml: { help: 'the same for outliners', endings: ['.opml'] },
  gexf: { help: 'pages and their links as a graph', endings: ['.gexf'] },
  corpus: { help: 'a folder with a text file a page', endings: [] },
} as const satisfies Readonly<Record<string, { readonly help: string; readonly endings: readonly string[] }>>;
type Format = keyof typeof FORMATS;
const FORMAT_NAMES = Object.keys(FORMATS) as Format[];

export const exportPages: Command = {
  name: 'export',
  summary: 'Write what is stored for other programs: tables, bookmarks, texts, the graph of links.',
  positionals: ['[DIR]'],
  flags: {
    format: { value: 'FORMAT', help: `${FORMAT_NAMES.join(', ')}. Default: by the ending of --out, else jsonl.` },
    out: { value: 'FILE', help: 'File to write; for corpus a folder. Default: stdout.' },
    relevant: { help: 'Only pages of a topic that the crawl found itself: no rejected ones, no training pages.' },
    ...PAGE_FILTER_FLAGS,
    gone: { help: 'For urls, bookmarks and opml: also pages that are gone or moved by now, as rechecks told.' },
    text: { help: 'For jsonl: also the main text of each page, in a field "text".' },
    copies: { help: 'For jsonl and csv: also a line for every other address of a page, with duplicateOf.' },
    force: { help: 'For corpus: also where the folder holds something else; that is kept beside it.' },
    json: { help: 'Tell errors as JSON.' },
  },
  examples: [
    ['bingo export bikes --format csv --out pages.csv', 'For a spreadsheet.'],
    ['bingo export bikes --relevant | jq -r .url', 'Addresses of what was found.'],
    ['bingo export bikes --relevant --text --out pages.jsonl', 'One file with facts and texts, for programs.'],
    ['bingo export bikes --out bikes.html', 'Bookmarks to import in a browser, or for bingo init --bookmarks.'],
    ['bingo export bikes --relevant --since 7d --format csv --out new.csv', 'What was found this week.'],
    ['bingo export bikes --format corpus --out texts', 'A text file a page, in a folder a topic.'],
    ['bingo export bikes --relevant --out links.gexf', 'The link graph, for Gephi.'],
  ],
  notes: [
    ...FORMAT_NAMES.map((name) => `${name}: ${FORMATS[name].help}.`),
    `Fields of jsonl and csv: ${PAGE_FIELDS.join(', ')}. "topic" is empty for OTHERS, ` +
      '"relevance" a grade from 0 to 1 (naive Bayes has a say in it, and no vote in what is accepted: an accepted page may have less than one of OTHERS), ' +
      '"via" is the page it was found on, ' +
      '"sequence" the order of fetching, "duplicateOf" the page that an address is another name of (with --copies), ' +
      '"ending" how a page left: gone, moved, same (as another page), noindex; jsonl with --text has "text", too. Text that a spreadsheet would run as a formula gets an apostrophe in front.',
    'jsonl and csv hold every stored page unless --relevant is given; the other formats hold the pages accepted into a ' +
      'topic and its examples. Pages that are gone are in all of them but urls, bookmarks and opml.',
  ],
  run: (args, io) => exitingAtInterrupt(io, () => runExport(args, io)),
};

async function runExport(args: Args, io: Io): Promise<number> {
  // This file is already open; a socket cannot be opened a second time.
  const out = args.value('out') === '/dev/stdout' ? undefined : args.value('out');
  const format = readFormat(args.value('format'), out);
  checkFlags(args, format);
  return withStore(args.positionals[0]!, io, async (store, workspace) => {
    const [relevant, text, copies, gone] = ['relevant', 'text', 'copies', 'gone'].map(args.has);
    const exported = new PageExport({ store, workspace }, { ...pageFilterOptions(args), relevant, text, copies, gone });
    if (exported.wanted.others === true) checkOthers(format, exported.wanted);
    if (format === 'corpus') {
      const { kept } = await exported.corpus(out!, args.has('force'));
      if (kept !== undefined) io.err(`What was there before: ${kept}\n`);
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

/** Flags that apply only to some formats, with the message for the others. */
const FLAGS_OF_FORMATS: readonly {
  readonly flag: string;
  readonly formats: readonly Format[];
  readonly hint: string;
}[] = [
  { flag: 'text', formats: ['jsonl'], hint: 'A corpus holds the texts in any case: --format corpus --out FOLDER.' },
  { flag: 'copies', formats: ['jsonl', 'csv'], hint: 'The other formats name each page once.' },
  { flag: 'gone', formats: ['urls', 'bookmarks', 'opml'], hint: 'The other formats hold such pages in any case.' },
  { flag: 'force', formats: ['corpus'], hint: 'The other formats are files, and take the place of what is there.' },
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
    throw new UsageError('--relevant and --topic OTHERS do not go together.', 'OTHERS are the pages of no topic.');
  if (format !== 'jsonl' && format !== 'csv' && format !== 'urls')
    throw new UsageError(
      `--topic OTHERS is for jsonl, csv and urls, not for ${format}.`,
      'The other formats hold pages of topics.',
    );
}

function readFormat(text: string | undefined, out: string | undefined): Format {
  const format = text === undefined ? meantBy(out) : FORMAT_NAMES.find((name) => name === text);
  if (format === undefined)
    throw new UsageError(
      `Expected --format ${FORMAT_NAMES.join(', ')}, got "${text}".`,
      text === 'warc' ? RECORDING : didYouMean(text!, FORMAT_NAMES),
    );
  if (format === 'corpus' && out === undefined)
    throw new UsageError('A corpus is a folder of files.', 'Name it with --out FOLDER.');
  return format;
}

/** Hint for users who look for recordings here. */
const RECORDING = 'What goes over the wire is recorded while a crawl runs: bingo crawl DIR --warc FILE.';

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
    /\.warc(\.gz)?$/i.test(out!) ? RECORDING : `Say which: --format ${FORMAT_NAMES.join(', ')}.`,
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
