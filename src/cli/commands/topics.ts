import type { TopicSpec } from '../../core/index.ts';
import { readShippedTree, shippedTrees, table } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { writeJsonArray } from '../json-array.ts';

export const topics: Command = {
  name: 'topics',
  summary: 'List the built-in topic trees for a new workspace.',
  positionals: [],
  flags: { json: { help: 'A JSON array on stdout.' } },
  examples: [
    ['bingo topics', 'Lists the trees.'],
    ['bingo init mine --tree cycling', 'Creates a workspace from a tree.'],
  ],
  run: listTopics,
};

async function listTopics(args: Args, io: Io): Promise<number> {
  const trees = shippedTrees().map((name) => ({ name, ...readShippedTree(name) }));
  if (args.has('json')) {
    await writeJsonArray(
      io,
      trees.map(({ name, about, topics }) => ({ name, about, topics })),
    );
    return EXIT.done;
  }
  const columns = [{ title: 'tree' }, { title: 'examples', align: 'right' as const }, { title: 'about' }];
  const rows = trees.map((tree) => [tree.name, String(countExamples(tree.topics)), tree.about]);
  await io.out(`${table(columns, rows, io.columns()).join('\n')}\n`);
  io.err('Next: bingo init DIR --tree NAME\n');
  return EXIT.done;
}

function countExamples(topics: readonly TopicSpec[]): number {
  return topics.reduce((sum, { examples = [], topics: below = [] }) => sum + examples.length + countExamples(below), 0);
}
