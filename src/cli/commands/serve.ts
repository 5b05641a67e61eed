import { safeJson } from '../../kit/index.ts';
import { startServer } from '../../server/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readPort } from '../read-count.ts';
import { withWorkspaces } from '../serve-workspaces.ts';
import { untilInterrupt } from '../until-interrupt.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Answer people in the browser and programs by an API, on this machine only.',
  positionals: ['[DIR]', '[DIRS...]'],
  takesList: true,
  flags: {
    port: { value: 'PORT', help: 'Port to listen on. Default: any free port.' },
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
  return await withWorkspaces(args, io, async (workspaces, onError) => {
    const server = await startServer({ workspaces, port, onError });
    if (args.has('json')) await io.out(`${safeJson({ url: server.url })}\n`);
    else io.err(`Search at ${server.url}   Ctrl-C ends.\n`);
    await untilInterrupt(io);
    await server.close();
    return EXIT.done;
  });
}
