import { type Judgement, siteOfKey, UsageError } from '../../core/index.ts';
import { counted, safeJson } from '../../kit/index.ts';
import {
  carryOutPlan,
  changeRow,
  type FeedbackSession,
  isNoAddress,
  isUntaught,
  loadWorkspace,
  type Marks,
  planDecisions,
  quoted,
  readMarks,
  requireModel,
  siteLines,
  unknownSites,
  withFeedback,
  withFeedbackForReading,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { describeChange } from '../judging/change-text.ts';
import { leftOver, watchOn } from '../judging/judging.ts';

export const mark: Command = {
  name: 'mark',
  summary: 'Mark stored pages or sites good or bad, or drop training pages; learn from it at once.',
  positionals: ['[DIR]'],
  flags: {
    good: { value: 'URL', greedy: true, help: 'Pages to learn the topic from.' },
    bad: { value: 'URL', greedy: true, help: 'Unwanted pages; they become counter-examples.' },
    drop: { value: 'PAGE', greedy: true, help: 'Training pages to drop for good.' },
    'bad-site': { value: 'HOST', greedy: true, help: 'Sites to block; their pages are removed from topics.' },
    'good-site': { value: 'HOST', greedy: true, help: 'Sites to prefer: their links are fetched first.' },
    undo: { value: 'PAGE', greedy: true, help: 'Undo earlier marks of these pages or sites.' },
    topic: { value: 'TOPIC', help: 'Topic of the marks. Default: the present topic of each page.' },
    preview: { help: 'Only show what would change.' },
    json: { help: 'One JSON object on stdout.' },
  },
  elsewhere: {
    seed: 'Marks are for stored pages. Add other pages to bingo.yaml: "seeds" to start at, "examples" to also learn from. The next bingo crawl uses them.',
  },
  examples: [
    ['bingo mark bikes --good https://www.sheldonbrown.com/', 'Learn from a page that bingo search found.'],
    ['bingo mark bikes --bad URL URL --drop URL', 'Two pages are off the topic; one was a poor example.'],
    [
      'bingo mark bikes --bad-site shop.example.org',
      'Blocks a host and its subdomains; removes its pages from topics.',
    ],
    ['bingo mark bikes --good URL --topic cycling/touring --preview', 'Shows the change without applying it.'],
  ],
  notes: [
    'Marks are kept in the journal, so later crawls learn from them too. All stored pages are judged again. A crawl ' +
      'in another terminal learns at once and judges its stored pages again at its end.',
    'To drop a local file or a query, use its name from bingo topic show. bingo.yaml is not changed.',
  ],
  run: runMark,
};

async function runMark(args: Args, io: Io): Promise<number> {
  const marks = ['good', 'bad', 'drop', 'bad-site', 'good-site', 'undo'].flatMap((flag) => args.values(flag));
  if (marks.length === 0)
    throw new UsageError(
      'The command names no page.',
      'Use --good URL, --bad URL, --drop URL, --bad-site HOST, --good-site HOST, --undo URL.',
    );
  const workspace = loadWorkspace(args.positionals[0]!, { env: io.env });
  // Counting waiting links takes time: only a preview needs them.
  const hosts = [...args.values('bad-site'), ...args.values('good-site'), ...args.values('undo').filter(isNoAddress)];
  const open: typeof withFeedback = (...given) =>
    args.has('preview') ? withFeedbackForReading(...given, { withLinks: hosts.length > 0 }) : withFeedback(...given);
  return await open(workspace, watchOn(io), (session) => carryOut(args, io, session));
}

async function carryOut(args: Args, io: Io, session: FeedbackSession): Promise<number> {
  const { desk, isCrawlRunning } = session;
  const dir = quoted(args.positionals[0]!);
  const isPreview = args.has('preview');
  requireModel(desk, dir);
  const marked = await readMarks(session, marksOf(args));
  const plan = planDecisions(session, marked, isPreview);
  const { news: judgements, known, isNothingNew } = plan;
  if (known > 0) {
    const what = counted(known, marked.some(isOfSite) ? 'mark' : 'page');
    io.err(`Already marked: ${what}.${isNothingNew ? ' Nothing was changed.' : ''}\n`);
  }
  if (isNothingNew && !args.has('json')) return EXIT.done;
  const sites = await siteLines(session.store, desk, judgements);
  for (const site of await unknownSites(session.store, judgements))
    io.err(
      `Warning: ${site} is unknown, no stored page or link has this site. To undo the mark: bingo mark ${dir} --undo ${site}\n`,
    );
  const change = await carryOutPlan(session, plan);
  const isLearned = !isUntaught(change.trial);
  if (args.has('json')) await io.out(`${safeJson(changeRow(change))}\n`);
  else {
    const effect = isLearned ? describeChange(change, io.columns(), !isPreview && !isCrawlRunning) : [];
    const gap = sites.length > 0 && isLearned ? [''] : [];
    await io.out(`${[...sites, ...gap, ...effect].join('\n')}\n`);
  }
  if (isNothingNew) return EXIT.done;
  const left = isPreview || isCrawlRunning ? undefined : leftOver(change, dir);
  io.err(`${left ?? endOf(session, { isPreview, isLearned, dir })}\n`);
  return left === undefined ? EXIT.done : EXIT.stopped;
}

/** The marks given by flags. */
function marksOf(args: Args): Marks {
  return {
    good: args.values('good'),
    bad: args.values('bad'),
    drop: args.values('drop'),
    badSites: args.values('bad-site'),
    goodSites: args.values('good-site'),
    undo: args.values('undo'),
    topic: args.value('topic'),
  };
}

function isOfSite({ key }: Judgement): boolean {
  return siteOfKey(key) !== undefined;
}

interface Ending {
  readonly isPreview: boolean;
  readonly isLearned: boolean;
  readonly dir: string;
}

function endOf({ isCrawlRunning, isCrawlTraining }: FeedbackSession, { isPreview, isLearned, dir }: Ending): string {
  if (isPreview) return 'Nothing was changed. To apply it, leave out --preview.';
  if (isCrawlRunning && !isLearned) return 'The running crawl has received it.';
  if (isCrawlTraining) return 'The running crawl is still learning from it. It judges stored pages again at its end.';
  if (isCrawlRunning) return 'The running crawl has learned from it. It judges stored pages again at its end.';
  if (!isLearned) return `Next: bingo crawl ${dir}`;
  return `Next: bingo search ${dir} "words", or bingo crawl ${dir}`;
}
