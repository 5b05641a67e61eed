import { safeJson } from '../../kit/index.ts';
import { type RunningServer, startServer } from '../../server/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readPort } from '../read-count.ts';
import { withWorkspaces } from '../serve-workspaces.ts';
import { untilInterrupt } from '../until-interrupt.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Answer people in the browser, programs by an API, and agents by MCP.',
  positionals: ['[DIR]', '[DIRS]...'],
  takesList: true,
  flags: {
    port: { value: 'PORT', help: 'Port to listen on. Default: any free port.' },
    host: {
      value: 'HOST',
      repeats: true,
      help: 'Listen on this address, and demand a token. Repeat it for further names.',
    },
    origin: { value: 'URL', repeats: true, help: 'Web pages of this origin may send requests.' },
    log: { help: 'Log queries and opened results in the workspace. bingo queries lists them.' },
    json: { help: 'Print the address and errors as JSON.' },
  },
  examples: [
    ['bingo serve bikes', 'Prints the address to open in the browser; Ctrl-C ends.'],
    ['bingo serve bikes --port 8080', 'Then, for programs: curl "http://127.0.0.1:8080/search.json?q=saddle&limit=5"'],
    ['bingo serve bikes --host 0.0.0.0 --host search.example.org', 'For other machines; prints tokens once.'],
    [
      'bingo serve bikes --log',
      'Keeps queries for bingo queries and bingo adapt. search.log: true in bingo.yaml is the same.',
    ],
    ['bingo serve bikes trains', 'Serves two workspaces; the API names each by its folder.'],
  ],
  notes: [
    'Works while a crawl runs, with the pages stored so far. The search page and search.json have the parameters of ' +
      'bingo search: q, topic, accepted, all, rank, site, since, until, type, alike, gone, like, limit. Web pages are shown ' +
      'only as text.',
    'With --host, every request needs a token: to read, to judge, or to steer. They are printed once; ' +
      'server-tokens.json of the first workspace has their hashes. Delete it to make new ones.',
    'The API is below /api/v1; /api/v1/openapi.json describes it. See bingo help api.',
  ],
  run: runServe,
};

async function runServe(args: Args, io: Io): Promise<number> {
  const port = readPort('--port', args.value('port'));
  return await withWorkspaces(args, io, async (workspaces, onError) => {
    const [hosts, origins] = [args.values('host'), args.values('origin')];
    const server = await startServer({ workspaces, port, hosts, origins, onError });
    const { url, tokens } = server;
    if (args.has('json')) await io.out(`${safeJson({ url, ...(tokens && { tokens }) })}\n`);
    else
      io.err(
        `${hosts.length === 0 ? '' : tokenLines(tokens)}Search at ${url}   Studio at ${url}studio   Ctrl-C ends.\n`,
      );
    await untilInterrupt(io);
    await server.close();
    return EXIT.done;
  });
}

function tokenLines(tokens: RunningServer['tokens']): string {
  if (tokens === undefined)
    return 'The tokens that were shown before apply. Lost them? Delete server-tokens.json in the first workspace, and start again.\n';
  const lines = Object.entries(tokens).map(([scope, token]) => `  ${scope.padEnd(6)} ${token}\n`);
  return `Tokens, shown only now. Each also allows what the ones above allow.\n${lines.join('')}`;
}
