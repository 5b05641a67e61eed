/**
 * `npm run bench:barren`: replays the rule that ends a barren crawl on the crawls of a lab run, and prints which pages it saves and
 * which relevant pages it costs. Lab runs never end so, so they show what the rule misses.
 */
import { join } from 'node:path';
import { readFlags } from '../scripts/script-flags.ts';
import type { CanonicalUrl, TopicId } from '../src/core/index.ts';
import { BarrenRow } from '../src/engine/state/stagnation.ts';
import { isLabelled, readLabels, readResults, readTasks, type Task } from '../src/lab/index.ts';

const HELP = `npm run bench:barren -- --results FILE [options]

  --results FILE  results.json of "bingo lab run" with one ordering
  --webs DIR      folder with NAME.labels.tsv (default ../shared/webs)
  --tasks FILE    task file of that run (default tasks.json in that folder)

One window is kept over all topics of a task. The crawl itself keeps one for each topic, too, and ends no earlier.
`;

const WINDOWS = [100, 150, 200, 300, 400];
/** The window that is built in. */
const BUILT_IN = 200;
const ALL = 'all' as TopicId;

/** A crawl: for each page whether the crawl accepted it, and whether it is relevant by its labels. */
interface Replayed {
  readonly task: string;
  readonly pages: readonly { readonly accepted: boolean; readonly relevant: boolean }[];
}

/** What the rule does to a crawl. */
interface Ending {
  readonly pages: number;
  readonly found: number;
}

const flags = readFlags({
  results: { type: 'string', default: '' },
  webs: { type: 'string', default: new URL('../../shared/webs', import.meta.url).pathname },
  tasks: { type: 'string' },
  help: { type: 'boolean', default: false },
});

if (flags.help || flags.results === '') process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const tasks = new Map(
    (await readTasks(flags.tasks ?? join(flags.webs, 'tasks.json'))).map((task) => [task.id, task]),
  );
  const crawls: Replayed[] = [];
  for (const { run } of await readResults([flags.results])) {
    const task = tasks.get(run.task);
    if (task === undefined) continue;
    const isRelevant = await relevanceOf(task);
    const pages = run.fetched.map(({ url, topic }) => ({
      accepted: topic !== null,
      relevant: isRelevant(url as CanonicalUrl),
    }));
    crawls.push({ task: task.id, pages });
  }
  const lines = [
    '| window | when | crawls ended early | pages saved | relevant pages lost | mean recall lost |',
    '|---|---|---|---|---|---|',
  ];
  for (const when of ['barren', 'alarms'] as const)
    for (const window of WINDOWS) lines.push(windowLine(crawls, window, when));
  lines.push('', '| task | pages | ends after | relevant | of these found |', '|---|---|---|---|---|');
  for (const crawl of crawls) {
    const end = endingOf(crawl, BUILT_IN, 'barren');
    if (end.pages < crawl.pages.length)
      lines.push(`| ${crawl.task} | ${crawl.pages.length} | ${end.pages} | ${foundIn(crawl.pages)} | ${end.found} |`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

function windowLine(crawls: readonly Replayed[], window: number, when: 'barren' | 'alarms'): string {
  const ends = crawls.map((crawl) => ({ crawl, end: endingOf(crawl, window, when) }));
  const sum = (value: (one: (typeof ends)[number]) => number): number => ends.reduce((n, one) => n + value(one), 0);
  const pages = sum(({ crawl }) => crawl.pages.length);
  const relevant = sum(({ crawl }) => foundIn(crawl.pages));
  const saved = sum(({ crawl, end }) => crawl.pages.length - end.pages);
  const lost = sum(({ crawl, end }) => foundIn(crawl.pages) - end.found);
  const recall = sum(({ crawl, end }) => 1 - end.found / Math.max(1, foundIn(crawl.pages))) / crawls.length;
  const early = ends.filter(({ crawl, end }) => end.pages < crawl.pages.length).length;
  const share = (part: number, all: number): string => `${part} (${((100 * part) / all).toFixed(1)} %)`;
  const name = when === 'barren' ? 'at once' : 'after three alarms';
  return `| ${window} | ${name} | ${early} | ${share(saved, pages)} | ${share(lost, relevant)} | ${(100 * recall).toFixed(1)} % |`;
}

function endingOf({ pages }: Replayed, window: number, when: 'barren' | 'alarms'): Ending {
  const row = new BarrenRow(window);
  for (const [i, { accepted }] of pages.entries()) {
    row.note(ALL, accepted);
    if (row.isOver(when)) return { pages: i + 1, found: foundIn(pages.slice(0, i + 1)) };
  }
  return { pages: pages.length, found: foundIn(pages) };
}

function foundIn(pages: Replayed['pages']): number {
  return pages.reduce((n, { relevant }) => n + (relevant ? 1 : 0), 0);
}

async function relevanceOf(task: Task): Promise<(url: CanonicalUrl) => boolean> {
  const labels = await readLabels(join(flags.webs, `${task.web}.labels.tsv`));
  const given = new Set([...task.topics.flatMap(({ examples }) => examples), ...task.seeds, ...task.others]);
  const wanted = task.topics.flatMap((topic) => topic.labels);
  return (url) => !given.has(url) && (labels.get(url) ?? []).some((label) => isLabelled(label, wanted));
}
