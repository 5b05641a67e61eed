import { UsageError } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import {
  carryOutPlan,
  changeRow,
  decisionsIn,
  exportReview,
  type FoundProposal,
  loadWorkspace,
  planDecisions,
  proposalRow,
  quoted,
  ReviewSession,
  type ReviewTable,
  readReviewTable,
  tableFormat,
  withFeedback,
  withFeedbackForReading,
  wrap,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { fitsDashboard, holdingKeys } from '../crawl/dashboard-reporter.ts';
import { describeChange } from '../judging/change-text.ts';
import { leftOver, watchOn } from '../judging/judging.ts';
import { tellNowAndThen } from '../progress-lines.ts';
import { type Reviewed, reviewByLines } from '../review/review-lines.ts';
import { type ReviewStart, reviewOnScreen } from '../review/review-on-screen.ts';

export const review: Command = {
  name: 'review',
  summary: 'Review the training pages of topics: accept, reject, move or trim them.',
  positionals: ['[DIR]'],
  flags: {
    topic: { value: 'TOPIC', help: 'Only this topic; OTHERS names the counter-examples.' },
    export: { value: 'FILE', help: 'Write the candidates to a .csv or .json file, to decide there.' },
    apply: { value: 'FILE', help: 'Apply the decisions of such a file. One wrong line stops all of it.' },
    preview: { help: 'With --apply: only show the changes.' },
    proposals: { help: 'List proposals: pages to add, topics to split or merge.' },
    rejected: { help: 'Begin with the groups of rejected pages.' },
    plain: { help: 'Ask page by page in plain lines; also reads answers from a pipe.' },
    json: { help: 'With --apply or --proposals: JSON on stdout.' },
  },
  examples: [
    ['bingo review bikes', 'Opens a screen; ? lists its keys.'],
    ['bingo review bikes --rejected', 'Make groups of rejected pages topics, counter-examples or locked sites.'],
    ['bingo review bikes --export bikes.csv', 'For a spreadsheet: fill in the column "decision".'],
    ['bingo review bikes --apply bikes.csv', 'Then learn from it.'],
    ['bingo review bikes --proposals', 'Shows proposals of the crawl.'],
  ],
  notes: [
    'Decisions in a file: accept, reject (do not learn from it), others (a counter-example), move (with a topic in "to"), undo. ' +
      'An empty field decides nothing. "without" names paragraphs to leave out, such as 2 5-7.',
    'Bingo shows the changes first and learns only after you confirm. Decisions stay in the journal, so every later ' +
      'bingo crawl uses them.',
  ],
  run: runReview,
};

async function runReview(args: Args, io: Io): Promise<number> {
  checkFlags(args);
  return await (isOnScreen(args, io) ? holdingKeys(io, () => reviewOnScreens(args, io)) : reviewWith(args, io));
}

/** Opens the review again after a change of the topics, or of a running crawl, until the user leaves. */
async function reviewOnScreens(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  let start: ReviewStart = { beginsWithGroups: args.has('rejected') };
  let isChanged = false;
  for (;;) {
    const workspace = loadWorkspace(dir, { env: io.env });
    const reviewed = await withFeedback(workspace, watchOn(io), (session) =>
      reviewOnScreen({ io, dir, review: new ReviewSession(session, { dir, topic: args.value('topic') }) }, start),
    );
    start = { news: reviewed.news, madeTopic: reviewed.madeTopic };
    isChanged ||= reviewed.isChanged;
    if (reviewed.end !== 'applied') return ended({ ...reviewed, isChanged }, dir, io);
  }
}

function ended({ end, isChanged }: Reviewed, dir: string, io: Io): number {
  if (end === 'stopped') return EXIT.stopped;
  io.err(isChanged ? `Next: bingo crawl ${quoted(dir)}\n` : 'Nothing was changed.\n');
  return EXIT.done;
}

function isOnScreen(args: Args, io: Io): boolean {
  const isFile = ['proposals', 'export', 'apply'].some((flag) => args.has(flag));
  return !isFile && !args.has('plain') && fitsDashboard(io);
}

async function reviewWith(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  const workspace = loadWorkspace(dir, { env: io.env });
  const table = args.has('apply') ? readReviewTable(args.value('apply')!) : undefined;
  const isLooking = ['proposals', 'export', 'preview'].some((flag) => args.has(flag));
  return await (isLooking ? withFeedbackForReading : withFeedback)(workspace, watchOn(io), async (session) => {
    const review = new ReviewSession(session, { dir, topic: args.value('topic') });
    const call = { args, io, dir, review };
    if (args.has('proposals')) return await listProposals(call);
    if (table !== undefined) return await applyTable(call, table);
    if (args.has('export')) return await exportFile(call, args.value('export')!);
    return ended(await reviewByLines(call, { beginsWithGroups: args.has('rejected') }), dir, io);
  });
}

interface Call {
  readonly args: Args;
  readonly io: Io;
  readonly dir: string;
  readonly review: ReviewSession;
}

function checkFlags(args: Args): void {
  const ways = ['export', 'apply', 'proposals'].filter((flag) => args.has(flag));
  if (ways.length > 1) throw new UsageError(`--${ways[0]} and --${ways[1]} cannot be combined.`);
  if (args.has('topic') && args.has('apply'))
    throw new UsageError('--topic and --apply cannot be combined.', 'Remove the other topics from the file.');
  if (args.has('rejected') && ways.length > 0)
    throw new UsageError(
      `--rejected and --${ways[0]} cannot be combined.`,
      'List the groups: bingo cluster DIR --rejected',
    );
  if (args.has('preview') && !args.has('apply')) throw new UsageError('--preview requires --apply.');
  if (args.has('json') && !args.has('apply') && !args.has('proposals'))
    throw new UsageError('--json requires --apply or --proposals.', 'For the candidates as JSON: --export FILE.json');
  for (const flag of ['export', 'apply']) if (args.has(flag)) tableFormat(args.value(flag)!);
}

async function exportFile({ io, dir, review }: Call, file: string): Promise<number> {
  const say = tellNowAndThen(io);
  const pages = await exportReview(await review.material(), file, (read, of) =>
    say(`${count(read)} of ${counted(of, 'page')} read`),
  );
  io.err(
    `${counted(pages, 'page')} in ${file}. Fill in "decision", then: bingo review ${quoted(dir)} --apply ${quoted(file)}\n`,
  );
  return EXIT.done;
}

const NOTHING_NEW = ' Nothing was changed.';

async function applyTable({ args, io, dir, review }: Call, table: ReviewTable): Promise<number> {
  const { session } = review;
  const isPreview = args.has('preview');
  const decisions = await decisionsIn(session, table);
  if (decisions.length === 0) io.err(`${table.file} has no decision: the column "decision" is empty.\n`);
  const plan = planDecisions(session, decisions, isPreview || decisions.length === 0);
  const { news, known, isNothingNew } = plan;
  if (known > 0) io.err(`Already decided: ${counted(known, 'page')}.${isNothingNew ? NOTHING_NEW : ''}\n`);
  // A program expects an answer even if there is nothing to apply.
  if (isNothingNew && !args.has('json')) return EXIT.done;
  const change = await carryOutPlan(session, plan);
  const isDone = !isPreview && !session.isCrawlRunning;
  if (args.has('json')) await io.out(`${safeJson(changeRow(change))}\n`);
  else await io.out(`${describeChange(change, io.columns(), isDone).join('\n')}\n`);
  if (isNothingNew) return EXIT.done;
  const left = isDone ? leftOver(change, quoted(dir)) : undefined;
  if (left !== undefined) {
    io.err(`${left}\n`);
    return EXIT.stopped;
  }
  io.err(
    isPreview
      ? 'Nothing was applied. To apply it, leave out --preview.\n'
      : `${appliedText(news.length)} Next: bingo crawl ${quoted(dir)}\n`,
  );
  return EXIT.done;
}

function appliedText(decisions: number): string {
  return decisions === 0 ? 'All stored pages were judged.' : `${counted(decisions, 'decision')} applied.`;
}

async function listProposals({ args, io, review }: Call): Promise<number> {
  const proposals = await review.proposals();
  if (args.has('json')) await io.out(`${safeJson(proposals.map(proposalRow))}\n`);
  else if (proposals.length === 0) io.err('No proposals.\n');
  else await io.out(`${proposals.flatMap((one) => proposalLines(one, io.columns())).join('\n')}\n`);
  return EXIT.done;
}

/** A proposal as lines: first what, then how. */
function proposalLines({ what, how }: Pick<FoundProposal, 'what' | 'how'>, width: number): readonly string[] {
  return [...wrap(`- ${what}`, Math.min(width, 100), '  '), `    ${how}`];
}
