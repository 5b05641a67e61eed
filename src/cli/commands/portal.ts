import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import { halfMade, type PortalSummary, type WrittenFolder } from '../../postprocess/index.ts';
import { logPortalSearch, type PortalSearch } from '../../server/index.ts';
import { collectionsOf } from '../../store/index.ts';
import {
  loadForReading,
  onGrowth,
  portalInto,
  quoted,
  Reader,
  sanitizeForTerminal,
  startCuration,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { servePortal } from '../portal-server.ts';
import { tellNowAndThen } from '../progress-lines.ts';
import { readPort } from '../read-count.ts';
import { exitingAtInterrupt, untilInterrupt } from '../until-interrupt.ts';

export const portal: Command = {
  name: 'portal',
  summary: 'Write a web site of the accepted pages: topics, best pages, search, feeds.',
  positionals: ['[DIR]', '[OUT]'],
  flags: {
    title: { value: 'TEXT', help: 'Name of the site. Default: that of portal.yaml, or the name of the workspace.' },
    curate: { help: 'Write a portal.yaml to edit: title, introduction, colours, pinned and hidden pages.' },
    serve: { help: 'Show it on this machine until Ctrl-C, updated while a crawl runs. OUT is optional.' },
    port: { value: 'PORT', help: 'Port for --serve. Default: any free port.' },
    log: { help: 'With --serve: log queries and opened results in the workspace. See bingo queries.' },
    force: { help: 'Replace OUT even if it has other content; that is kept beside it.' },
    json: { help: 'One JSON object on stdout; with --serve it has the address.' },
  },
  examples: [
    ['bingo portal bikes site', 'A folder for any web server; it also opens from the disk.'],
    ['bingo portal bikes --serve', 'An address to open; no files are kept.'],
    ['bingo portal bikes --serve --log', 'Keeps queries for bingo queries and bingo adapt.'],
    ['bingo portal bikes --curate', 'Then edit bikes/portal.yaml, and run bingo portal again.'],
  ],
  notes: [
    'The site is static: search runs in the page. Run the command again after more crawling. The new ' +
      'site replaces the old one in one step. Your own files beside it, such as .git or CNAME, stay. Rejected pages are left out.',
  ],
  run: runPortal,
};

async function runPortal(args: Args, io: Io): Promise<number> {
  const [dir = '', named] = args.positionals;
  if (args.has('curate')) return await curate(dir, args, io);
  if (args.has('log') && !args.has('serve')) throw new UsageError('--log requires --serve.');
  if (args.has('port') && !args.has('serve')) throw new UsageError('--port requires --serve.');
  const port = readPort('--port', args.value('port'));
  if (named === undefined && !args.has('serve'))
    throw new UsageError('OUT is missing.', 'Name a folder for the site, or view it with --serve.');
  if (named !== undefined && isWithin(resolve(dir), resolve(named)))
    throw new UsageError(`${named} contains the workspace.`, 'Name a folder of its own.');
  const place = named === undefined ? mkdtempSync(join(tmpdir(), 'bingo-portal-')) : undefined;
  const out = named ?? join(place!, 'site');
  const flags = new Map(args.has('log') ? [['search.log', 'true']] : []);
  const reader = new Reader(dir, () => loadForReading(dir, io, flags));
  const work = async (): Promise<number> => {
    const title = sanitizeForTerminal(args.value('title') ?? '') || undefined;
    const make = (onRead?: (pages: number, of: number) => void): Promise<WrittenFolder<PortalSummary>> =>
      reader.use((reading) => portalInto(out, reading, { title, force: args.has('force'), ...(onRead && { onRead }) }));
    const say = tellNowAndThen(io);
    const known = args.has('serve') ? await recordsOf(dir, reader) : '';
    const made = await exitingAtInterrupt(io, () =>
      make((pages, of) => say(`Reading pages: ${count(pages)} of ${count(of)}`)),
    );
    const told = { dir, out: named, json: args.has('json') };
    if (!args.has('serve')) await tell(made, told, io);
    else await serve({ dir, out, port, reader, known, make, tellMade: (url) => tell(made, { ...told, url }, io) }, io);
    return EXIT.done;
  };
  try {
    return await (place === undefined ? work() : halfMade(place, work));
  } finally {
    await reader.forget();
    if (place !== undefined) rmSync(place, { recursive: true, force: true });
  }
}

async function curate(dir: string, args: Args, io: Io): Promise<number> {
  const path = startCuration(loadForReading(dir, io));
  if (args.has('json')) await io.out(`${safeJson({ file: path })}\n`);
  io.err(`${path} has every topic and every choice. Edit it, then: bingo portal ${quoted(dir)} --serve\n`);
  return EXIT.done;
}

/** Whether `path` is `folder` or is inside it. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && resolve(folder, way) === path);
}

interface Told {
  readonly dir: string;
  /** `undefined` if the user named no folder. */
  readonly out: string | undefined;
  /** URL at which it is served. */
  readonly url?: string;
  readonly json: boolean;
}

async function tell(
  { content, kept, files }: WrittenFolder<PortalSummary>,
  { dir, out, url, json }: Told,
  io: Io,
): Promise<void> {
  const folder = out === undefined ? {} : { folder: resolve(out) };
  if (json) await io.out(`${safeJson({ ...folder, ...content, files, ...(kept && { kept }), url })}\n`);
  const where = out === undefined ? '.' : `: open ${quoted(`${out.replace(/\/+$/, '')}/index.html`)}`;
  io.err(`${sizeOf(content)}${where}\n`);
  if (out !== undefined && files.changed < files.all)
    io.err(`${files.changed} of ${counted(files.all, 'file')} changed.\n`);
  if (kept !== undefined) io.err(`Previous content: ${kept}\n`);
  for (const url of content.missing)
    io.err(`Pinned, but not stored: ${url}. Next: bingo add ${quoted(url)} --workspace ${quoted(dir)}\n`);
  if (content.pages === 0) io.err(`No page has been accepted yet. Next: bingo crawl ${quoted(dir)}\n`);
}

function sizeOf({ pages, topics }: PortalSummary): string {
  return `${counted(pages, 'page')} in ${counted(topics, 'topic')}`;
}

interface Served {
  readonly dir: string;
  readonly out: string;
  readonly port: number;
  readonly reader: Reader;
  /** The collection in use and its number of records, before the site was first written. */
  readonly known: string;
  readonly make: () => Promise<WrittenFolder<PortalSummary>>;
  /** Reports the first version of the site. */
  readonly tellMade: (url: string) => Promise<void>;
}

const SERVER_LOST = 'The database server does not answer. The site stays unchanged until the server answers again.\n';

/**
 * Serves the site. Rewrites it each time the store has grown, so that it follows a running crawl, and when an
 * adaptation has replaced the collection.
 */
async function serve({ dir, out, port, reader, known, make, tellMade }: Served, io: Io): Promise<void> {
  const isLogged = await reader.use(async ({ workspace }) => workspace.config.search.log);
  const log = isLogged
    ? (search: PortalSearch) => reader.use((reading) => logPortalSearch(search, reading))
    : undefined;
  const { url, server } = await servePortal(resolve(out), port, log);
  const ended = untilInterrupt(io);
  try {
    await tellMade(url);
    io.err(`Open ${url}   Ctrl-C ends.\n`);
    let collection = collectionOf(known);
    const follow = async (): Promise<void> => {
      const { content } = await make();
      const now = collectionOf(await recordsOf(dir, reader));
      const news = now === collection ? 'The crawl found more' : 'Another collection is in use';
      collection = now;
      io.err(`${news}: ${sizeOf(content)}. Reload the page.\n`);
    };
    const growing = { count: () => recordsOf(dir, reader) };
    const growth = onGrowth(growing, follow, { known, onLost: () => io.err(SERVER_LOST) });
    // Ends by Ctrl-C, or if the store can no longer be read.
    await Promise.race([ended, growth.failed]);
    await growth.stop();
  } finally {
    server.closeAllConnections();
    await new Promise<void>((closed) => server.close(() => closed()));
  }
}

/** Returns the collection in use and its number of records. */
async function recordsOf(dir: string, reader: Reader): Promise<string> {
  const { current } = collectionsOf(dir);
  return `${current} ${await reader.use(({ store }) => store.count())}`;
}

function collectionOf(records: string): string {
  return records.split(' ')[0]!;
}
