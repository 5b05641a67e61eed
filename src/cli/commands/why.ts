import { safeJson } from '../../kit/index.ts';
import { explainUrl, paint, urlRow, withStore } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { answerLines } from '../explain/url-answer.ts';
import { wantsColour } from '../process-io.ts';

export const why: Command = {
  name: 'why',
  summary: 'Explain how a page was found and judged, or why it was not fetched.',
  positionals: ['[DIR]', 'URL'],
  flags: {
    topic: { value: 'TOPIC', help: 'Also show the scores of this topic, and the terms for and against it.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    [
      'bingo why bikes https://www.sheldonbrown.com/',
      'Shows the path from a seed, the verdict and the decisive terms.',
    ],
    ['bingo why bikes https://www.sheldonbrown.com/ --topic cycling/touring', 'Why not that topic?'],
  ],
  run: runWhy,
};

async function runWhy(args: Args, io: Io): Promise<number> {
  const [dir = '', text = ''] = args.positionals;
  return withStore(dir, io, async (store, workspace, tables) => {
    const answer = await explainUrl(store, text, { workspace, tables, topic: args.value('topic') });
    const lines = answerLines(answer, paint(wantsColour(io, io.stdoutIsTerminal)), io.columns());
    await io.out(args.has('json') ? `${safeJson(urlRow(answer))}\n` : `${lines.join('\n')}\n`);
    return EXIT.done;
  });
}
