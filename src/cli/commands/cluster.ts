import { join } from 'node:path';
import { ROOT, type TopicId, UsageError } from '../../core/index.ts';
import { count, counted, percent, safeJson } from '../../kit/index.ts';
import { clusterSign, svgPicture, textPicture } from '../../postprocess/index.ts';
import {
  ALL_ALIKE,
  adoptSubtopics,
  BACKUP_FILE,
  type Change,
  carryOutPlan,
  changeRow,
  clustersOf,
  isAllAlike,
  loadWorkspace,
  type Marks,
  marksAgainst,
  marksBlocking,
  type NamedClusters,
  namesShown,
  type Paint,
  paint,
  planDecisions,
  quoted,
  readMarks,
  requireModel,
  sanitizeForTerminal,
  subtopicOfCluster,
  truncate,
  WORKSPACE_FILE,
  type Workspace,
  whyBadTopicName,
  withFeedback,
  withStore,
  wrap,
  writeNamedFile,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { describeChange, lostPages } from '../judging/change-text.ts';
import { leftOver, watchOn } from '../judging/judging.ts';
import { wantsColour } from '../process-io.ts';
import { tellNowAndThen } from '../progress-lines.ts';
import { readCount } from '../read-count.ts';

const MAX_CLUSTERS = 35;
const SHOWN_PAGES = 3;
const PICTURE_ROWS = 16;
const MAX_COLUMNS = 100;

export const cluster: Command = {
  name: 'cluster',
  summary: 'Group the pages of a topic by content; make a group a subtopic.',
  positionals: ['[DIR]', '[TOPIC]'],
  flags: {
    groups: { value: 'N', former: 'k', help: 'Number of groups. Default: the number with the least impurity.' },
    rejected: { help: 'Group the rejected pages: of TOPIC, or all without TOPIC.' },
    accept: { value: 'N', help: 'Make group N a subtopic: its most typical pages become its examples.' },
    bad: { value: 'N', help: 'With --rejected: the most typical pages of group N become counter-examples.' },
    lock: { value: 'N', help: 'With --rejected: block the hosts of group N that have no accepted page.' },
    name: { value: 'NAME', help: 'Name of that subtopic. Default: its two most characteristic words.' },
    svg: { value: 'FILE', help: 'Write the picture as SVG: one dot per page, with its title.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo cluster bikes cycling', 'Show the groups as a table and a picture.'],
    ['bingo cluster bikes cycling --groups 4 --svg groups.svg', 'Four groups, and a picture for the browser.'],
    ['bingo cluster bikes cycling --accept 2 --name touring', 'Group 2 becomes the topic cycling/touring.'],
    ['bingo cluster bikes --rejected', 'What is in the rejected heap.'],
    ['bingo cluster bikes --rejected --accept 1 --name racing', 'Group 1 of the rejected pages becomes a topic.'],
    ['bingo cluster bikes --rejected --lock 3', 'The crawl no longer visits the sites of group 3.'],
  ],
  notes: [
    'The same pages give the same groups, so --accept takes the group that was shown. After more crawling, look ' +
      `again first. ${WORKSPACE_FILE} keeps its comments; the previous file is kept as ${BACKUP_FILE}. Bingo learns the new topic ` +
      'at once and judges every stored page again. While a crawl runs, the next bingo crawl does so. TOPIC also learns from ' +
      'the new examples. It may then reject pages that it had barely accepted; the command prints their number.',
    'TOPIC may be left out if there is only one. Pages in topics below TOPIC are left out. Impurity is what it costs to describe a page if its group is known, the ' +
      'groups themselves included, in nats.',
  ],
  run: runCluster,
};

async function runCluster(args: Args, io: Io): Promise<number> {
  const [dir = '', named] = args.positionals;
  const k = args.has('groups') ? readCount('--groups', args.value('groups'), 1, { max: MAX_CLUSTERS }) : undefined;
  const accepted = args.has('accept') ? readCount('--accept', args.value('accept'), 1) : undefined;
  if (args.has('name') && accepted === undefined)
    throw new UsageError('--name names the group that --accept takes.', 'Add --accept N.');
  checkName(args.value('name')?.trim());
  const say = tellNowAndThen(io);
  const onRead = (pages: number, of: number): void => say(`Reading pages: ${count(pages)} of ${count(of)}`);
  const rejected = args.has('rejected');
  const against = rejectedFlag(args);
  const found = await withStore(dir, io, (store, workspace) =>
    clustersOf(store, workspace, { topic: named, clusters: k, rejected, onRead }),
  );
  const name = rejected && named === undefined ? 'OTHERS' : found.topic;
  if (found.clusters.length === 0) {
    io.err(`${name} has no pages that could be compared: ${count(found.pages)} stored.\n`);
    if (args.has('json')) await io.out(`${safeJson(rowOf(found))}\n`);
    if (found.below.length > 0) io.err(`Topics below it are grouped one by one: ${namesShown(found.below)}.\n`);
    return EXIT.failed;
  }
  const svg = args.value('svg');
  if (svg !== undefined) await writeNamedFile(svg, [svgPicture(found.picture, found.clusters.map(labelOf))]);
  if (against !== undefined) return await markAgainst(args, io, against(found));
  if (accepted !== undefined)
    return await accept({ args, io, workspace: loadWorkspace(dir, { env: io.env }) }, found, accepted);
  if (args.has('json')) await io.out(`${safeJson(rowOf(found))}\n`);
  else await io.out(`${describe(found, io).join('\n')}\n`);
  const which = named === undefined && rejected ? '' : ` ${quoted(name)}`;
  if (!isAllAlike(found)) io.err(`Next: bingo cluster ${quoted(dir)}${which}${nextFlags(found)}\n`);
  return EXIT.done;
}

/** Accepting a group trains its topic at once: it requires a name from the user. */
function checkName(name: string | undefined): void {
  if (name === '') throw new UsageError('--name is empty.', 'Leave it out to name the topic after its words.');
  const wrong = name === undefined ? undefined : whyBadTopicName(name);
  if (wrong !== undefined) throw new UsageError(`--name: ${wrong.message}`, wrong.hint);
}

/** A single group would equal the topic: it must be split first. */
function nextFlags({ clusters, requested: k, rejected }: NamedClusters): string {
  if (rejected) return ` --rejected${k === undefined ? '' : ` --groups ${k}`} --accept N, --bad N or --lock N`;
  if (clusters.length === 1) return ' --groups 2';
  return `${k === undefined ? '' : ` --groups ${k}`} --accept N`;
}

/** Returns what --bad or --lock does to a group of rejected pages; `undefined` without either. */
function rejectedFlag(args: Args): ((found: NamedClusters) => Marks) | undefined {
  const flags = ['bad', 'lock', 'accept'].filter((flag) => args.has(flag));
  const [flag] = flags;
  if (flags.length > 1) throw new UsageError('--accept, --bad and --lock exclude each other.', 'Use one at a time.');
  if (flag !== 'bad' && flag !== 'lock') return undefined;
  if (!args.has('rejected')) throw new UsageError(`--${flag} needs --rejected.`, `Add --rejected, or use bingo mark.`);
  const number = readCount(`--${flag}`, args.value(flag), 1);
  return (found) => (flag === 'bad' ? marksAgainst(found, number) : marksBlocking(found, number));
}

/** Applies marks, as `bingo mark` does. */
async function markAgainst(args: Args, io: Io, marks: Marks): Promise<number> {
  const [dir = ''] = args.positionals;
  const workspace = loadWorkspace(dir, { env: io.env });
  const { bad = [], badSites = [] } = marks;
  return await withFeedback(workspace, watchOn(io), async (session) => {
    requireModel(session.desk, dir);
    const change = await carryOutPlan(session, planDecisions(session, await readMarks(session, marks), false));
    if (args.has('json')) await io.out(`${safeJson({ bad, badSites, change: changeRow(change) })}\n`);
    else await io.out(`${describeChange(change, io.columns(), !session.isCrawlRunning).join('\n')}\n`);
    const names = [...bad, ...badSites].map((name) => `  ${sanitizeForTerminal(name)}`).join('\n');
    const left = session.isCrawlRunning ? undefined : leftOver(change, quoted(dir));
    io.err(`${bad.length > 0 ? 'Now counter-examples' : 'Blocked'}:\n${names}\n`);
    io.err(`To undo: bingo mark ${quoted(dir)} --undo NAME. ${left ?? `Next: bingo crawl ${quoted(dir)}`}\n`);
    return left === undefined ? EXIT.done : EXIT.stopped;
  });
}

interface Call {
  readonly args: Args;
  readonly io: Io;
  readonly workspace: Workspace;
}

async function accept({ args, io, workspace }: Call, found: NamedClusters, number: number): Promise<number> {
  const [dir = ''] = args.positionals;
  const subtopic = subtopicOfCluster(found, workspace, { number, name: args.value('name'), dir });
  const { parent, examples } = subtopic;
  const topic = parent === ROOT ? subtopic.name : `${parent}/${subtopic.name}`;
  const change = await adoptSubtopics(workspace, watchOn(io), [subtopic]);
  if (args.has('json')) await io.out(`${safeJson({ topic, examples, change: change ? changeRow(change) : null })}\n`);
  else if (change !== undefined) await io.out(`${describeChange(change, io.columns(), true).join('\n')}\n`);
  const left = change === undefined ? undefined : leftOver(change, quoted(dir));
  io.err(
    `${sanitizeForTerminal(topic)} is now a topic with ${counted(examples.length, 'example')}: check it in ` +
      `${join(dir, WORKSPACE_FILE)}. The previous file: ${join(dir, BACKUP_FILE)}\n${leftOfParent(change, parent, dir)}${left ?? nextStep(dir, change)}\n`,
  );
  return left === undefined ? EXIT.done : EXIT.stopped;
}

/** Reports the pages that the parent lost, and how to restore them. */
function leftOfParent(change: Change | undefined, parent: TopicId, dir: string): string {
  const left = change === undefined ? undefined : lostPages(change.effect, parent);
  if (left === undefined) return '';
  const [file, backup] = [quoted(join(dir, WORKSPACE_FILE)), quoted(join(dir, BACKUP_FILE))];
  const lines = [
    left,
    `  bingo mark ${quoted(dir)} --good URL`,
    '      brings one back',
    `  mv ${backup} ${file} && bingo crawl ${quoted(dir)}`,
    '      takes the subtopic out again, and judges all pages by what is learned without it',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function nextStep(dir: string, change: Change | undefined): string {
  const next = `bingo crawl ${quoted(dir)}`;
  return change === undefined ? `The next ${next} learns it, and judges stored pages again.` : `Next: ${next}`;
}

function labelOf({ words }: { readonly words: readonly string[] }): string {
  return words.slice(0, 5).join(', ');
}

function rowOf({ topic, pages, sampled, unplaced, clusters, impurities }: NamedClusters): object {
  return {
    topic,
    ...{ pages, sampled, unplaced, impurities },
    clusters: clusters.map(({ pages, terms, words, typical, hosts }, i) => ({
      ...{ cluster: i + 1, pages, terms, words, hosts },
      typical: typical.map(({ url, title, sequence, closeness }) => ({ url, title, sequence, closeness })),
    })),
  };
}

function describe(found: NamedClusters, io: Io): string[] {
  const style = paint(wantsColour(io, io.stdoutIsTerminal));
  const width = Math.min(MAX_COLUMNS, io.columns());
  const picture = textPicture(found.picture, { width: width - 2, height: PICTURE_ROWS });
  return [
    ...found.clusters.flatMap((_, i) => describeCluster(found, i, { style, width })),
    ...picture.map((line) => `  ${line}`),
    '',
    ...wrap(describeChoice(found), width - 2).map((line) => style.dim(`  ${line}`)),
  ];
}

function describeCluster(
  { clusters, pages, rejected }: NamedClusters,
  i: number,
  { style, width }: { readonly style: Paint; readonly width: number },
): string[] {
  const one = clusters[i]!;
  const size = `${counted(one.pages, 'page')}, ${percent(one.pages / pages)}`;
  const words = truncate(sanitizeForTerminal(one.words.join(' ')), width - size.length - 7);
  const hosts = one.hosts.map(({ host, pages: n }) => `${sanitizeForTerminal(host)} (${count(n)})`).join(', ');
  const titles = one.typical.slice(0, SHOWN_PAGES).map((page) => sanitizeForTerminal(page.title) || page.url);
  return [
    `  ${style.bold(clusterSign(i))}  ${style.accent(words)}  ${style.dim(size)}`,
    ...titles.map((title) => `     ${truncate(title, width - 5)}`),
    ...(rejected && hosts !== '' ? [style.dim(`     ${truncate(`only rejected: ${hosts}`, width - 5)}`)] : []),
    '',
  ];
}

function describeChoice(found: NamedClusters): string {
  const { clusters, impurities, unplaced, pages, sampled } = found;
  const near = impurities.filter((one) => Math.abs(one.clusters - clusters.length) <= 2);
  const told = near.map((one) => `${one.clusters}: ${one.impurity.toFixed(2)}`).join(', ');
  const rest = [
    ...(sampled < pages ? [`groups made from ${counted(sampled, 'page')}`] : []),
    ...(unplaced > 0 ? [`${counted(unplaced, 'page')} could not be compared`] : []),
  ];
  const one = isAllAlike(found) ? ` ${ALL_ALIKE}` : ' The pages are much alike; --groups 2 splits them anyway.';
  const alone = clusters.length === 1 ? one : '';
  return `${[`Impurity by number of groups: ${told}`, ...rest].join('; ')}.${alone}`;
}
