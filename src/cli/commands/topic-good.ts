import { safeJson } from '../../kit/index.ts';
import {
  type Change,
  type GoodResult,
  loadWorkspace,
  quoted,
  sanitizeForTerminal,
  setTopicGood,
  WORKSPACE_FILE,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { describeChange } from '../judging/change-text.ts';
import { leftOver, watchOn } from '../judging/judging.ts';

export const topicGood: Command = {
  name: 'topic good',
  summary: 'Mark a topic good: the crawl also collects its pages.',
  positionals: ['[DIR]', 'TOPIC'],
  flags: {
    off: { help: 'The topic is no longer a target.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo topic good bikes cycling', 'Also collects pages of "cycling" that fit none of its subtopics.'],
    ['bingo topic good bikes cycling --off', 'Collects pages of its subtopics only.'],
  ],
  notes: [
    `Changes ${WORKSPACE_FILE}, trains, and judges every stored page again. The next crawl also follows the links of ` +
      'pages that the topic gains. A running crawl takes the mark at once and judges stored pages again at its end.',
  ],
  run: runTopicGood,
};

async function runTopicGood(args: Args, io: Io): Promise<number> {
  const [dir = '', topic = ''] = args.positionals;
  const workspace = loadWorkspace(dir, { env: io.env });
  let change: Change | undefined;
  const onChange = (made: Change): void => {
    change = made;
  };
  const result = await setTopicGood(workspace, { topic, good: !args.has('off') }, { watch: watchOn(io), onChange });
  if (args.has('json')) await io.out(`${safeJson(result)}\n`);
  else if (change !== undefined) await io.out(`${describeChange(change, io.columns(), true).join('\n')}\n`);
  const left = change === undefined ? undefined : leftOver(change, quoted(dir));
  io.err(`${markedText(result)} ${left ?? nextStep(result, quoted(dir))}\n`);
  return left === undefined ? EXIT.done : EXIT.stopped;
}

function markedText({ topic, good, isNew }: GoodResult): string {
  const name = sanitizeForTerminal(topic);
  if (!isNew) return `"${name}" is ${good ? '' : 'not '}good already. Nothing was changed.`;
  return `"${name}" is ${good ? 'good now' : 'no longer good'}.`;
}

function nextStep({ effect, isNew }: GoodResult, dir: string): string {
  if (effect === 'crawl') return 'The running crawl uses it. It judges stored pages again at its end.';
  return effect === 'later' && isNew
    ? `The next crawl uses it. Next: bingo crawl ${dir}`
    : `Next: bingo crawl ${dir}, or bingo status ${dir}`;
}
