import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CanonicalUrl, canonicalize, ROOT, safeJson, type TopicTree, UsageError } from '../../core/index.ts';
import { clusterSign, svgPicture, textPicture } from '../../postprocess/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { count, percent } from '../crawl-view.ts';
import { topicName } from '../draft.ts';
import { addSubtopic, BACKUP_FILE } from '../edit-workspace.ts';
import { findTopic } from '../find-topic.ts';
import { wantsColour } from '../process-io.ts';
import { readCount } from '../read-count.ts';
import { withStore } from '../reading.ts';
import { quoted } from '../shell-words.ts';
import { type Paint, paint, sanitizeForTerminal, truncate } from '../terminal.ts';
import { clusterTopic, type PlacedPage, type TopicClusters } from '../topic-clusters.ts';
import { WORKSPACE_FILE, type Workspace } from '../workspace.ts';

const MAX_CLUSTERS = 35;
const SHOWN_PAGES = 3;
/** Pages that become examples of an accepted cluster: as many as a person would name with some care. */
const EXAMPLES = 8;
const PICTURE_ROWS = 16;
const MAX_COLUMNS = 100;

export const cluster: Command = {
  name: 'cluster',
  summary: 'Group the pages of a topic by what they say; make a group a subtopic.',
  positionals: ['DIR', 'TOPIC'],
  flags: {
    k: { value: 'N', help: 'Number of groups. Default: the number of least impurity.' },
    accept: { value: 'N', help: 'Make group N a subtopic: its most typical pages become its examples.' },
    name: { value: 'NAME', help: 'Name of that subtopic. Default: its two most characteristic words.' },
    svg: { value: 'FILE', help: 'Write the picture as SVG: a dot a page, with its title.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo cluster bikes cycling', 'What the pages of a topic are about, as a table and a picture.'],
    ['bingo cluster bikes cycling -k 4 --svg groups.svg', 'Four groups, and a picture for the browser.'],
    ['bingo cluster bikes cycling --accept 2 --name touring', 'Group 2 becomes the topic cycling/touring.'],
  ],
  notes: [
    'The same pages give the same groups, so that --accept means the group that was shown; after more crawling look ' +
      `again first. ${WORKSPACE_FILE} keeps its comments, and lies beside the new one as ${BACKUP_FILE}. The next ` +
      'bingo crawl learns the new topic.',
    'Pages in topics below TOPIC are left out. Impurity: what it costs to describe a page when its group is known, the ' +
      'groups themselves included, in nats.',
  ],
  run: runCluster,
};

async function runCluster(args: Args, io: Io): Promise<number> {
  const [dir = '', name = ''] = args.positionals;
  const k = args.has('k') ? readCount('-k', args.value('k'), 1, { max: MAX_CLUSTERS }) : undefined;
  const accepted = args.has('accept') ? readCount('--accept', args.value('accept'), 1) : undefined;
  if (args.has('name') && accepted === undefined)
    throw new UsageError('--name names the group that --accept takes.', 'Add --accept N.');
  return withStore(dir, io, async (store, workspace) => {
    const topic = findTopic(workspace.tree, name);
    if (topic === ROOT) throw new UsageError('TOPIC is empty.', 'Name a topic of bingo.yaml.');
    const found = await clusterTopic(store, topic, k);
    if (found.clusters.length === 0) {
      io.err(`${name} has no pages that could be compared: ${count(found.pages)} stored.\n`);
      return EXIT.failed;
    }
    const svg = args.value('svg');
    if (svg !== undefined) writeFileSync(svg, svgPicture(found.picture, found.clusters.map(labelOf)));
    if (accepted !== undefined) return accept({ args, io, workspace }, found, accepted);
    if (args.has('json')) await io.out(`${safeJson(rowOf(name, found))}\n`);
    else await io.out(`${describe(found, io).join('\n')}\n`);
    io.err(`Next: bingo cluster ${quoted(dir)} ${quoted(name)}${k === undefined ? '' : ` -k ${k}`} --accept N\n`);
    return EXIT.done;
  });
}

interface Call {
  readonly args: Args;
  readonly io: Io;
  readonly workspace: Workspace;
}

async function accept({ args, io, workspace }: Call, found: TopicClusters, number: number): Promise<number> {
  const [dir = '', parent = ''] = args.positionals;
  const chosen = found.clusters[number - 1];
  if (chosen === undefined)
    throw new UsageError(
      `There is no group ${number}, there are ${found.clusters.length}.`,
      'Look first, without --accept.',
    );
  const name = topicName(args.value('name') ?? chosen.words.slice(0, 2).join(' '));
  const topic = findTopic(workspace.tree, parent);
  const examples = examplesFrom(chosen.typical, workspace.tree);
  if (examples.length === 0)
    throw new UsageError(`All typical pages of group ${number} are examples in ${WORKSPACE_FILE} already.`);
  addSubtopic(workspace.dir, { parent: topic, name, examples });
  if (args.has('json')) await io.out(`${safeJson({ topic: `${topic}/${name}`, examples })}\n`);
  io.err(
    `${sanitizeForTerminal(`${topic}/${name}`)} is a topic now, with ${examples.length} examples: look it over in ` +
      `${join(dir, WORKSPACE_FILE)}. The file as it was: ${join(dir, BACKUP_FILE)}\nNext: bingo crawl ${quoted(dir)}\n`,
  );
  return EXIT.done;
}

/** The most typical pages that teach nothing else yet. */
function examplesFrom(typical: readonly PlacedPage[], tree: TopicTree): readonly CanonicalUrl[] {
  const named = new Set(
    [...tree.nodes.values()].flatMap(({ examples, others }) =>
      [...examples, ...others].flatMap((one) => (one.kind === 'url' ? (canonicalize(one.url) ?? []) : [])),
    ),
  );
  const free = typical.flatMap((page) => canonicalize(page.finalUrl) ?? []).filter((url) => !named.has(url));
  return [...new Set(free)].slice(0, EXAMPLES);
}

function labelOf({ words }: { readonly words: readonly string[] }): string {
  return words.slice(0, 5).join(', ');
}

function rowOf(topic: string, { picture: _, clusters, ...sums }: TopicClusters): object {
  return {
    topic,
    ...sums,
    clusters: clusters.map(({ pages, terms, words, typical }, i) => ({
      ...{ cluster: i + 1, pages, terms, words },
      typical: typical.map(({ url, title, sequence, closeness }) => ({ url, title, sequence, closeness })),
    })),
  };
}

function describe(found: TopicClusters, io: Io): string[] {
  const style = paint(wantsColour(io, io.stdoutIsTerminal));
  const width = Math.min(MAX_COLUMNS, io.columns());
  const picture = textPicture(found.picture, { width: width - 2, height: PICTURE_ROWS });
  return [
    ...found.clusters.flatMap((_, i) => describeCluster(found, i, { style, width })),
    ...picture.map((line) => `  ${line}`),
    '',
    style.dim(`  ${describeChoice(found)}`),
  ];
}

function describeCluster(
  { clusters, pages }: TopicClusters,
  i: number,
  { style, width }: { readonly style: Paint; readonly width: number },
): string[] {
  const one = clusters[i]!;
  const size = `${count(one.pages)} ${one.pages === 1 ? 'page' : 'pages'}, ${percent(one.pages / pages)}`;
  const titles = one.typical.slice(0, SHOWN_PAGES).map((page) => sanitizeForTerminal(page.title) || page.url);
  return [
    `  ${style.bold(clusterSign(i))}  ${style.accent(sanitizeForTerminal(one.words.join(' ')))}  ${style.dim(size)}`,
    ...titles.map((title) => `     ${truncate(title, width - 5)}`),
    '',
  ];
}

function describeChoice({ clusters, impurities, unplaced, pages, sampled }: TopicClusters): string {
  const near = impurities.filter((one) => Math.abs(one.clusters - clusters.length) <= 2);
  const told = near.map((one) => `${one.clusters}: ${one.impurity.toFixed(2)}`).join(', ');
  const rest = [
    ...(sampled < pages ? [`groups made from ${count(sampled)} pages`] : []),
    ...(unplaced > 0 ? [`${count(unplaced)} pages could not be compared`] : []),
  ];
  const alone = clusters.length === 1 ? ' These pages look like one thing; -k 2 parts them all the same.' : '';
  return `${[`Impurity by number of groups: ${told}`, ...rest].join('; ')}.${alone}`;
}
