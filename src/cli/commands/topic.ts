import { ROOT, type TopicId, type TopicTree, UsageError } from '../../core/index.ts';
import { safeJson } from '../../kit/index.ts';
import {
  paint,
  quoted,
  topicAnswer,
  topicCalled,
  topicMeant,
  topicRow,
  topicsLike,
  withStore,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { topicLines } from '../explain/topic-lines.ts';
import { wantsColour } from '../process-io.ts';

export const topicShow: Command = {
  name: 'topic show',
  summary: 'Show a topic: its grade, terms, classifiers and training pages.',
  positionals: ['[DIR]', '[TOPIC]'],
  flags: {
    details: { help: 'Also held-out figures with their intervals, xi-alpha, classifiers and training rounds.' },
    features: { help: 'Also the terms by mutual information (MI), best first.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo topic show bikes cycling', 'Its grade, strongest terms and training pages.'],
    ['bingo topic show bikes cycling --features', 'Which terms select the topic, with rank and MI.'],
    ['bingo topic show bikes cycling --json | jq .rounds', 'The estimates before and after each round.'],
  ],
  notes: [
    'TOPIC may be left out if there is only one. learn.features features are selected for the topic and as many against it. With auto, the number with the best ranking of ' +
      'held-out pages is used. Other features come from fetched pages.',
    'Held-out figures come from classifiers that had not seen the judged page. Brackets show their ' +
      '95 % confidence interval. xi-alpha, the estimate of the BINGO! paper, is far more pessimistic.',
  ],
  run: showTopic,
};

async function showTopic(args: Args, io: Io): Promise<number> {
  const [dir = '', name] = args.positionals;
  return withStore(dir, io, async (store, workspace, tables) => {
    const { tree } = workspace;
    const topic = name === undefined ? topicMeant(tree, name) : topicNamed(tree, name, dir);
    const answer = await topicAnswer(
      { store, workspace, tables },
      {
        topic,
        isWhole: args.has('json'),
        isRanked: args.has('features'),
      },
    );
    if (answer === undefined) {
      io.err(`Nothing has been learned yet. Next: bingo crawl ${quoted(dir)}\n`);
      if (args.has('json')) await io.out(`${safeJson({ topic, model: 0, rounds: [] })}\n`);
      return EXIT.done;
    }
    if (args.has('json')) await io.out(`${safeJson(topicRow(answer))}\n`);
    else {
      const style = paint(wantsColour(io, io.stdoutIsTerminal));
      const lines = topicLines(answer, { width: io.columns(), style, withDetails: args.has('details') });
      await io.out(`${lines.join('\n')}\n`);
    }
    return EXIT.done;
  });
}

/** @throws UsageError if the tree has no such topic, or it is the root, which has no classifier */
function topicNamed(tree: TopicTree, name: string, dir: string): TopicId {
  const names = [...tree.nodes.keys()].filter((id) => id !== ROOT);
  const found = topicCalled(name, names);
  if (found !== undefined) return found;
  throw new UsageError(`Unknown topic "${name}" in ${quoted(dir)}.`, topicsLike(name, names));
}
