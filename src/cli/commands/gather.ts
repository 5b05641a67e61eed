import { counted } from '../../kit/index.ts';
import { gatherWorkspace, loadForReading, quoted } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { tellNowAndThen } from '../progress-lines.ts';

export const gather: Command = {
  name: 'gather',
  summary: 'Make one store of a spread crawl again.',
  positionals: ['[DIR]'],
  flags: {},
  examples: [['bingo gather bikes', 'Then search, export and bingo crawl work as before.']],
  notes: ['No process may work on the crawl. An interrupted command leaves the shards as they are; run it again.'],
  run: runGather,
};

async function runGather(args: Args, io: Io): Promise<number> {
  const [dir = ''] = args.positionals;
  const tell = tellNowAndThen(io);
  const done = await gatherWorkspace(loadForReading(dir, io), (records) =>
    tell(`${counted(records, 'fetch')} gathered`),
  );
  io.err(`Gathered ${counted(done.records, 'fetch')} of ${counted(done.shards, 'shard')} into one store.\n`);
  io.err(`Next: bingo status ${quoted(dir)}, or bingo crawl ${quoted(dir)}\n`);
  return EXIT.done;
}
