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
    bad: { value: 'URL', greedy: true, help: 'Pages that are not what you want: they become counter-examples.' },
    drop: { value: 'PAGE', greedy: true, help: 'Training pages to learn nothing from any more; they stay dropped.' },
    'bad-site': { value: 'HOST', greedy: true, help: 'Sites not to ask again; their pages leave the topics.' },
    'good-site': { value: 'HOST', greedy: true, help: 'Sites to ask first: links to them go before others.' },
    undo: { value: 'PAGE', greedy: true, help: 'Take earlier marks of these pages or sites back.' },
    topic: { value: 'T', help: 'The topic of good pages; bad ones are not of this one. Default: where they are now.' },
    preview: { help: 'Only show what would change.' },
    json: { help: 'One JSON object on stdout.' },
  },
  elsewhere: {
    seed: 'Marks are for stored pages. Other pages stand in bingo.yaml: "seeds" of a topic to start at, "examples" to learn from as well. The next bingo crawl takes new ones up.',
  },
  examples: [
    ['bingo mark bikes --good https://www.sheldonbrown.com/', 'Learn from a page that bingo search gave.'],
    ['bingo mark bikes --bad URL URL --drop URL', 'Two pages are none of it; one was a poor example.'],
    ['bingo mark bikes --bad-site shop.example.org', 'A host and those below it: not asked again, its pages leave.'],
    ['bingo mark bikes --good URL --topic cycling/touring --preview', 'What it would change, without doing it.'],
  ],
  notes: [
    'Marks are kept in the journal: every later bingo crawl learns with them. Then all stored pages are judged again. A crawl ' +
      'that runs in another terminal learns at once and judges its stored pages again when it ends.',
    'A local file or a query among the examples is dropped by its name, as bingo topic show lists it. bingo.yaml is not changed.',
  ],
  run: runMark,
};

async function runMark(args: Args, io: Io): Promise<number> {
  const marks = ['good', 'bad', 'drop', 'bad-site', 'good-site', 'undo'].flatMap((flag) => args.values(flag));
  if (marks.length === 0)
    throw new UsageError(
      'No page is named.',
      'Say what they are: --good URL, --bad URL, --drop URL, --bad-site HOST, --good-site HOST, --undo URL.',
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
    io.err(`Marked so before: ${what}.${isNothingNew ? ' Nothing was changed.' : ''}\n`);
  }
  if (isNothingNew && !args.has('json')) return EXIT.done;
  const sites = await siteLines(session.store, desk, judgements);
  for (const site of await unknownSites(session.store, judgements))
    io.err(`Warning: no page and no link of ${site} is known. If that is a slip: bingo mark ${dir} --undo ${site}\n`);
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
  if (isPreview) return 'Nothing was changed: the same line without --preview does it.';
  if (isCrawlRunning && !isLearned) return 'The running crawl has taken it.';
  if (isCrawlTraining)
    return 'The running crawl has taken it, and trains on it still; it judges stored pages again when it ends.';
  if (isCrawlRunning) return 'The running crawl has learned from it; it judges stored pages again when it ends.';
  if (!isLearned) return `Next: bingo crawl ${dir} to go on with it.`;
  return `Next: bingo search ${dir} "words", or bingo crawl ${dir} to go on with what was learned.`;
}
