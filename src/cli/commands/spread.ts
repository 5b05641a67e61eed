import { count, counted } from '../../kit/index.ts';
import { loadForReading, quoted, spreadWorkspace } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { readCount } from '../read-count.ts';

const SHARDS = 4;

export const spread: Command = {
  name: 'spread',
  summary: 'Spread a crawl that has learned over shards, for several processes or machines.',
  positionals: ['[DIR]'],
  flags: {
    shards: { value: 'N', help: `Number of shards, 2 to 64. It cannot change later. Default: ${SHARDS}.` },
  },
  examples: [
    ['bingo spread bikes --shards 4', 'Then run "bingo work bikes" in two terminals.'],
    ['bingo work bikes --budget 5000', 'Crawls the shards that no other process crawls.'],
    ['bingo gather bikes', 'Makes one store again.'],
  ],
  notes: [
    'Each shard is a copy of the store. From then on it fetches only its part of the sites; all hosts of a registered domain are in one shard. ' +
      'Links to other shards are handed over. With SQLite each shard is a file; on a server it is a database NAME_s0, NAME_s1, …, and processes on other machines can work on it. Training continues in one of the processes; all shards adopt its models.',
  ],
  run: runSpread,
};

async function runSpread(args: Args, io: Io): Promise<number> {
  const [dir = ''] = args.positionals;
  const shards = readCount('--shards', args.value('shards'), SHARDS, { min: 2 });
  const { fetched } = await spreadWorkspace(loadForReading(dir, io), shards);
  io.err(`Spread a crawl of ${counted(fetched, 'page')} over ${count(shards)} shards.\n`);
  io.err(`Next, in as many terminals as you like: bingo work ${quoted(dir)}\n`);
  return EXIT.done;
}
