import { UsageError } from '../../core/index.ts';
import { counted, safeJson } from '../../kit/index.ts';
import { findBacklinks, quoted, sanitizeForTerminal, withStore } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readCount } from '../read-count.ts';

const LIMIT = 100;
/** Failures that are listed. */
const SHOWN = 3;

export const backlinks: Command = {
  name: 'backlinks',
  summary: 'Ask a service which pages link to the relevant pages.',
  positionals: ['[DIR]'],
  flags: {
    service: { value: 'URL', help: 'Address of the service; {url} in it becomes the address of a page.' },
    limit: { value: 'N', help: `Maximum requests. Default: ${LIMIT}.` },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo backlinks bikes --service https://links.example/api', 'Sends the address of each page as url=.'],
    ["bingo backlinks bikes --service 'https://links.example/to?page={url}&n=50'", 'Replaces {url} by the address.'],
  ],
  notes: [
    'The service answers with JSON: {"results": [{"url": "https://…"}]}. Asks about examples and relevant pages, best first, one at a time with network.delayMs between, ' +
      'and about no page twice. Adds the links to the file of crawl.backlinks, or to backlinks.tsv. Stops after three failures in a row.',
  ],
  run: runBacklinks,
};

async function runBacklinks(args: Args, io: Io): Promise<number> {
  const [dir = ''] = args.positionals;
  const service = args.value('service');
  if (service === undefined)
    throw new UsageError('Which service is to be asked?', 'For example: --service https://links.example/api');
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  let isSet = true;
  const found = await withStore(dir, io, async (store, workspace) => {
    isSet = workspace.config.crawl.backlinks !== '';
    return await findBacklinks({ store, workspace }, { service, limit });
  });
  if (args.has('json')) await io.out(`${safeJson(found)}\n`);
  for (const { url, message } of found.failures.slice(0, SHOWN))
    io.err(`${sanitizeForTerminal(`No answer for ${url}: ${message}`)}\n`);
  const { asked, links, file, left } = found;
  io.err(`Asked about ${counted(asked, 'page')}: ${counted(links, 'link')} added to ${sanitizeForTerminal(file)}. `);
  io.err(left === 0 ? 'No page remains.\n' : `${counted(left, 'page')} left.\n`);
  const next = isSet
    ? `bingo crawl ${quoted(dir)}`
    : `bingo settings set ${quoted(dir)} crawl.backlinks ${quoted(file)}`;
  io.err(`Next: ${next}\n`);
  return EXIT.done;
}
