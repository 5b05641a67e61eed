import { safeJson, sanitizeLines } from '../../kit/index.ts';
import {
  type Delivery,
  loadForReading,
  newsSubject,
  newsText,
  notifyWorkspace,
  quoted,
  sanitizeForTerminal,
  testChannels,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';

export const notify: Command = {
  name: 'notify',
  summary: 'Send what is new: as an Atom file, to webhooks, by mail.',
  positionals: ['[DIR]'],
  flags: {
    'dry-run': { help: 'Print what would be sent; send and keep nothing.' },
    test: { help: 'Send a test message on every channel.' },
    json: { help: 'One JSON object on stdout: the message and its deliveries.' },
  },
  examples: [
    ['bingo notify bikes --test', 'Checks every channel.'],
    ['bingo notify bikes --dry-run', 'Shows the news since the last message.'],
    ['bingo notify bikes', 'Sends them. "bingo watch bikes" does so after each job.'],
    ['bingo settings set bikes notify.atom news.xml', 'Names a channel; see "notify:" in docs/settings.md.'],
  ],
  notes: [
    'News are new, changed and gone pages, findings of standing queries, and alarms (notify.about). Nothing is sent if nothing happened. ' +
      'A channel that does not take a message gets it later; the code is then 1. A message that is sent twice after a crash has the same id.',
  ],
  run: runNotify,
};

async function runNotify(args: Args, io: Io): Promise<number> {
  const [dir = ''] = args.positionals;
  const workspace = loadForReading(dir, io);
  const isDry = args.has('dry-run');
  if (args.has('test')) {
    const deliveries = await testChannels(workspace, io);
    return await report({ deliveries }, args, io);
  }
  const { message, isFirst, deliveries } = await notifyWorkspace(workspace, { env: io.env, dryRun: isDry });
  if (!args.has('json')) {
    if (isFirst)
      io.err(
        isDry
          ? `Nothing was sent before. Next: bingo notify ${quoted(dir)}\n`
          : 'From now on, what is new will be sent.\n',
      );
    else if (message === undefined) io.err('Nothing is new.\n');
    else if (isDry) await io.out(sanitizeLines(`${newsSubject(message)}\n\n${newsText(message)}`));
    else io.err(`${sanitizeForTerminal(newsSubject(message))}\n`);
  }
  return await report({ message: message ?? null, deliveries }, args, io);
}

async function report(
  answer: { readonly message?: unknown; readonly deliveries: readonly Delivery[] },
  args: Args,
  io: Io,
): Promise<number> {
  if (args.has('json')) await io.out(`${safeJson(answer)}\n`);
  else for (const delivery of answer.deliveries) io.err(`${sanitizeForTerminal(deliveryLine(delivery))}\n`);
  return answer.deliveries.some(({ problem }) => problem !== undefined) ? EXIT.failed : EXIT.done;
}

function deliveryLine({ channel, sent, waiting, dropped, problem }: Delivery): string {
  const parts = [
    `sent ${sent}`,
    ...(waiting > 0 ? [`${waiting} wait`] : []),
    ...(dropped > 0 ? [`${dropped} given up`] : []),
  ];
  return `${channel}: ${parts.join(', ')}${problem === undefined ? '' : `. ${problem}`}`;
}
