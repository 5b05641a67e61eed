import { DEFAULTS, type FetchedPage, relevanceText, UsageError } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import {
  BETWEEN_TERMS,
  type ClassifiedDocument,
  classifyDocument,
  labelled,
  localDocument,
  namedDocument,
  quoted,
  routeDocument,
  sanitizeForTerminal,
  table,
  termList,
  type Workspace,
  withStore,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readCount } from '../read-count.ts';

export const classify: Command = {
  name: 'classify',
  summary: 'Show where a page or document belongs in the topic tree, and why. Stores nothing.',
  positionals: ['[DIR]', 'WHAT'],
  withoutWorkspace: true,
  flags: {
    limit: { value: 'N', help: 'Topics shown. Default: 5.' },
    subjects: { help: 'Use the built-in tree of subjects, by its key words; without a workspace.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo classify bikes https://www.example.org/tours', 'Fetch a page and judge it.'],
    ['bingo classify bikes paper.pdf', 'A document of any format that Bingo reads.'],
    ['bingo classify bikes -', 'Text or HTML from standard input.'],
    ['bingo classify --subjects paper.pdf', 'The nearest of 81 subjects, without a workspace.'],
  ],
  notes: [
    'WHAT is a web address, a file, or - for standard input. The last model of the workspace judges it, without a crawl. A page is fetched by the rules of every ' +
      'crawl: robots.txt, address checks and limits. Words of links to the page are unknown here, so that a crawl with learn.spaces of ' +
      'anchors or neighbours may judge it otherwise.',
    'With --subjects a dozen English key words of each subject are compared with the document; no page of a subject is fetched. That is a first guess, not a verdict.',
  ],
  run: runClassify,
};

async function runClassify(args: Args, io: Io): Promise<number> {
  const [dir = '', what = ''] = args.positionals;
  const limit = args.has('limit') ? readCount('--limit', args.value('limit'), 5) : undefined;
  if (args.has('subjects')) return await runSubjects({ what, limit: limit ?? 5, isJson: args.has('json') }, io);
  if (dir === '')
    throw new UsageError(
      'DIR is missing: this folder is not in a workspace.',
      'Name one, or try: bingo classify --subjects WHAT',
    );
  return await withStore(dir, io, async (_, workspace, tables) => {
    const page = await documentOf(what, workspace, io);
    const found = await classifyDocument(tables, workspace, { page, limit });
    const { forms: _forms, ...plain } = found;
    if (args.has('json')) await io.out(`${safeJson(plain)}\n`);
    else await io.out(`${describe(found, what, io.columns()).join('\n')}\n`);
    if (found.topic === null) io.err(`Next: bingo topics ${quoted(dir)}\n`);
    else if (found.url !== null)
      io.err(`Next: bingo add ${quoted(dir)} ${quoted(found.url)} --topic ${quoted(found.topic)}\n`);
    return EXIT.done;
  });
}

interface SubjectsQuestion {
  readonly what: string;
  readonly limit: number;
  readonly isJson: boolean;
}

async function runSubjects({ what, limit, isJson }: SubjectsQuestion, io: Io): Promise<number> {
  const found = await routeDocument(await documentOf(what, { dir: io.cwd, config: DEFAULTS }, io), { limit });
  if (isJson) {
    await io.out(`${safeJson(found)}\n`);
    return EXIT.done;
  }
  const { title, subject, places } = found;
  const verdict = subject === null ? 'No subject fits clearly.' : `Nearest subject: ${subject}.`;
  const rows = places.map((place) => [place.subject, place.score.toFixed(2), place.words.join(', ')]);
  const columns = [{ title: 'subject' }, { title: 'score', align: 'right' as const }, { title: 'words' }];
  const lines = [sanitizeForTerminal(title) || sanitizeForTerminal(what), verdict];
  const shown = places.length === 0 ? [] : ['', ...table(columns, rows, io.columns())];
  await io.out(`${[...lines, ...shown].join('\n')}\n`);
  io.err('Next: bingo init DIR --topic NAME --seed URL --near\n');
  return EXIT.done;
}

async function documentOf(what: string, workspace: Pick<Workspace, 'dir' | 'config'>, io: Io): Promise<FetchedPage> {
  if (what === '-') return localDocument(await standardInput(io, workspace.config.network.maxBodyBytes), 'stdin', '');
  return await namedDocument(what, workspace);
}

async function standardInput(io: Io, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of io.stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(piece as Buffer);
    length += bytes.length;
    if (length > most)
      throw new UsageError(`Standard input has more than ${most} bytes.`, 'Raise network.maxBodyBytes.');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

function describe(
  { title, topic, places, explanation, forms }: ClassifiedDocument,
  what: string,
  width: number,
): string[] {
  const name = sanitizeForTerminal(title) || sanitizeForTerminal(what);
  const verdict = topic === null ? 'No topic accepts it.' : `Accepted into ${sanitizeForTerminal(topic)}.`;
  const rows = places.map((place) => [
    place.topic,
    relevanceText(place.relevance),
    place.calibrated.toFixed(2),
    place.confidence.toFixed(2),
  ]);
  const numbers = ['relevance', 'calibrated', 'confidence'].map((head) => ({ title: head, align: 'right' as const }));
  const terms = (label: string, list: NonNullable<typeof explanation>['for']): string[] =>
    labelled(label, termList(list, forms, 2), width, BETWEEN_TERMS);
  return [
    name,
    verdict,
    '',
    ...table([{ title: 'topic' }, ...numbers], rows, width),
    ...(explanation === null
      ? []
      : [
          '',
          `Words for and against ${sanitizeForTerminal(explanation.topic)}:`,
          ...terms('  for      ', explanation.for),
          ...terms('  against  ', explanation.against),
        ]),
  ];
}
