import { relative, resolve } from 'node:path';
import { UsageError } from '../../core/index.ts';
import { type PortalSummary, type WrittenFolder, writeFolder, writePortal } from '../../postprocess/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { count } from '../crawl-view.ts';
import { servePortal } from '../portal-server.ts';
import { readCount } from '../read-count.ts';
import { withStore } from '../reading.ts';
import { quoted } from '../shell-words.ts';
import { sanitizeForTerminal } from '../terminal.ts';
import { workspaceTitle } from '../workspace-title.ts';

const MAX_PORT = 65_535;

export const portal: Command = {
  name: 'portal',
  summary: 'Make a web site of what was found: topics, best pages, search, feeds.',
  positionals: ['DIR', 'OUT'],
  flags: {
    title: { value: 'TEXT', help: 'Name of the site. Default: the name of the workspace.' },
    serve: { help: 'Show it on this machine afterwards, until Ctrl-C.' },
    port: { value: 'P', help: 'Port for --serve. Default: one that is free.' },
    force: { help: 'Also where OUT holds something else; that is kept beside it.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo portal bikes site', 'A folder that any web server can publish, and that opens from the disk.'],
    ['bingo portal bikes site --serve', 'The same, and an address to look at.'],
  ],
  notes: [
    'The site needs no server of its own: search runs in the page. Run the command again after more crawling: the new ' +
      'site takes the place of the old one in one step. Pages of OTHERS are left out.',
  ],
  run: runPortal,
};

async function runPortal(args: Args, io: Io): Promise<number> {
  const [dir = '', out = ''] = args.positionals;
  if (args.has('port') && !args.has('serve')) throw new UsageError('--port goes with --serve.');
  const port = readCount('--port', args.value('port'), 0, { min: 0, max: MAX_PORT });
  if (isWithin(resolve(dir), resolve(out)))
    throw new UsageError(`${out} holds the workspace.`, 'Name a folder of its own.');
  const written = await withStore(dir, io, (store, workspace) => {
    const title = sanitizeForTerminal(args.value('title') ?? '') || workspaceTitle(workspace);
    return writeFolder(out, { kind: 'portal', force: args.has('force') }, (folder) =>
      writePortal(store, { tree: workspace.tree, title }, folder),
    );
  });
  await tell(written, args, io);
  return args.has('serve') ? serve(out, port, io) : EXIT.done;
}

/** True when `path` is `folder` or lies below it. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && resolve(folder, way) === path);
}

async function tell({ content, kept }: WrittenFolder<PortalSummary>, args: Args, io: Io): Promise<void> {
  const [dir = '', out = ''] = args.positionals;
  if (args.has('json'))
    await io.out(`${JSON.stringify({ folder: resolve(out), ...content, ...(kept && { kept }) })}\n`);
  const pages = `${count(content.pages)} ${content.pages === 1 ? 'page' : 'pages'}`;
  io.err(`${pages} in ${count(content.topics)} topics: open ${quoted(`${out.replace(/\/+$/, '')}/index.html`)}\n`);
  if (kept !== undefined) io.err(`What was there before: ${kept}\n`);
  if (content.pages === 0) io.err(`Nothing was accepted yet. Next: bingo crawl ${quoted(dir)}\n`);
}

async function serve(out: string, port: number, io: Io): Promise<number> {
  const { url, server } = await servePortal(resolve(out), port);
  io.err(`Look at ${url}   Ctrl-C ends.\n`);
  await new Promise<void>((done) => {
    const handBack = io.onInterrupt(() => {
      handBack();
      server.closeAllConnections();
      server.close(() => done());
    });
  });
  return EXIT.done;
}
