import { safeJson } from '../../kit/index.ts';
import { startServer } from '../../server/index.ts';
import { openWorkspace, paint } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readPort } from '../read-count.ts';
import { describeError } from '../report-error.ts';
import { untilInterrupt } from '../until-interrupt.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Answer people in the browser and programs by an API, on this machine only.',
  positionals: ['[DIR]', '[DIRS...]'],
  takesList: true,
  flags: {
    port: { value: 'P', help: 'Port to listen on. Default: any free port.' },
    json: { help: 'Print the address and errors as JSON.' },
  },
  examples: [
    ['bingo serve bikes', 'Prints the address to open in the browser; Ctrl-C ends.'],
    ['bingo serve bikes --port 8080', 'Then, for programs: curl "http://127.0.0.1:8080/search.json?q=saddle&limit=5"'],
    ['bingo serve bikes trains', 'Serves two workspaces; the API names each by its folder.'],
  ],
  notes: [
    'Works while a crawl runs, with the pages stored so far. The search page and search.json have the parameters of ' +
      'bingo search: q, topic, accepted, all, rank, site, since, until, type, alike, gone, limit. Web pages are shown ' +
      'only as text.',
    'The API is below /api/v1; /api/v1/openapi.json describes it. See bingo help api.',
  ],
  run: runServe,
};

async function runServe(args: Args, io: Io): Promise<number> {
  const port = readPort('--port', args.value('port'));
  const workspaces = await Promise.all(args.positionals.map((dir) => openWorkspace(dir, { env: io.env })));
  try {
    // A missing store is reported before the server listens.
    for (const workspace of workspaces) await workspace.status();
    const onError = (error: unknown): void =>
      io.err(describeError(error, { json: args.has('json'), debug: args.has('debug'), paint: paint(false) }));
    const server = await startServer({ workspaces, port, onError });
    if (args.has('json')) await io.out(`${safeJson({ url: server.url })}\n`);
    else io.err(`Search at ${server.url}   Ctrl-C ends.\n`);
    await untilInterrupt(io);
    await server.close();
    return EXIT.done;
  } finally {
    await Promise.all(workspaces.map((workspace) => workspace.close()));
  }
}
