import { safeJson } from '../../kit/index.ts';
import { withStore } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readPort } from '../read-count.ts';
import { serveSearch } from '../search/search-server.ts';
import { untilInterrupt } from '../until-interrupt.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Answer searches in the browser and for programs, on this machine only.',
  positionals: ['[DIR]'],
  flags: {
    port: { value: 'P', help: 'Port to listen on. Default: any free port.' },
    json: { help: 'Print the address and errors as JSON.' },
  },
  examples: [
    ['bingo serve bikes', 'Prints the address to open in the browser; Ctrl-C ends.'],
    ['bingo serve bikes --port 8080', 'Then, for programs: curl "http://127.0.0.1:8080/search.json?q=saddle&limit=5"'],
  ],
  notes: [
    'Works while a crawl runs, with the pages stored so far. It has the parameters of bingo search: q, topic, ' +
      'accepted, all, rank, site, since, until, type, alike, gone, limit. Web pages are shown only as text.',
  ],
  run: runServe,
};

async function runServe(args: Args, io: Io): Promise<number> {
  const port = readPort('--port', args.value('port'));
  return await withStore(args.positionals[0]!, io, async (store, workspace) => {
    const server = await serveSearch(store, workspace, port);
    if (args.has('json')) await io.out(`${safeJson({ url: server.url })}\n`);
    else io.err(`Search at ${server.url}   Ctrl-C ends.\n`);
    await untilInterrupt(io);
    await server.close();
    return EXIT.done;
  });
}
