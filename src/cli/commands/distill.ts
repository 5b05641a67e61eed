import type { TopicId } from '../../core/index.ts';
import { safeJson } from '../../core/index.ts';
import { distillInSql, openScratch, type RankedPage, type SqlDistillation } from '../../store/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { count } from '../crawl-view.ts';
import { findTopic } from '../find-topic.ts';
import { readCount } from '../read-count.ts';
import { quoted } from '../shell-words.ts';
import { sanitizeForTerminal, table } from '../terminal.ts';
import { loadWorkspace } from '../workspace.ts';

const LIMIT = 10;

export const distill: Command = {
  name: 'distill',
  summary: 'Rank the hubs and authorities of a topic, in SQL over all stored links.',
  positionals: ['DIR', 'TOPIC'],
  flags: {
    limit: { value: 'N', help: `Hubs and authorities shown. Default: ${LIMIT}.` },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo distill bikes cycling', 'The best lists of links, and the pages that they recommend.'],
    ['bingo distill bikes cycling --limit 100 --json', 'For other programs.'],
  ],
  notes: [
    'Links count by the relevance of the pages they join; links within a host recommend nothing. The settings under ' +
      '"distill" in bingo.yaml hold here as in the crawl. The store is only read: it may be used while a crawl runs.',
  ],
  run: runDistill,
};

async function runDistill(args: Args, io: Io): Promise<number> {
  const [dir = '', name = ''] = args.positionals;
  const { dir: folder, tree, config } = loadWorkspace(dir, { env: io.env });
  const topic = findTopic(tree, name);
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  const scratch = await openScratch({ url: config.store.url, workspace: folder, readOnly: true });
  try {
    const found = await distillInSql(scratch, topic, { ...config.distill, limit });
    if (args.has('json')) await io.out(`${safeJson({ topic, ...found })}\n`);
    else await io.out(`${describe(found, topic, io.columns()).join('\n')}\n`);
    if (found.positives === 0)
      io.err(`No page of this topic is stored. bingo status ${quoted(dir)} shows which are.\n`);
    return EXIT.done;
  } finally {
    await scratch.close();
  }
}

function describe(found: SqlDistillation, topic: TopicId, width: number): string[] {
  const { positives, nodes, edges, iterations, converged, hubs, authorities } = found;
  const end = converged ? 'converged' : 'not yet converged';
  return [
    `${sanitizeForTerminal(topic)}: ${count(positives)} pages in a base set of ${count(nodes)}, ` +
      `${count(edges)} links that recommend, ${end} after ${count(iterations)} iterations.`,
    ...(edges === 0 ? [] : ['', ...ranking('hub', hubs, width), '', ...ranking('authority', authorities, width)]),
  ];
}

function ranking(role: string, pages: readonly RankedPage[], width: number): string[] {
  const number = { align: 'right' as const };
  const columns = [
    { title: role, ...number },
    { title: 'relevance', ...number },
    { title: 'title' },
    { title: 'page' },
  ];
  const rows = pages.map(({ score, relevance, title, url }) => [score.toFixed(4), relevance.toFixed(2), title, url]);
  return table(columns, rows, width);
}
