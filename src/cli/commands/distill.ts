import { relevanceText } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import {
  type Distillation,
  distillTopic,
  loadForReading,
  quoted,
  sanitizeForTerminal,
  table,
  wrap,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { sqlWatchOn } from '../judging/judging.ts';
import { readCount } from '../read-count.ts';

const LIMIT = 10;

export const distill: Command = {
  name: 'distill',
  summary: 'Rank the hubs and authorities of a topic, in SQL over all stored links.',
  positionals: ['[DIR]', '[TOPIC]'],
  flags: {
    limit: { value: 'N', help: `Hubs and authorities shown. Default: ${LIMIT}.` },
    keep: {
      help: 'Over all pages of the topic, however many, and kept: bingo search --rank authority=… goes by it until the next round of a crawl.',
    },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo distill bikes cycling', 'The best lists of links, and the pages that they recommend.'],
    ['bingo distill bikes cycling --keep', 'Authorities of all pages, for the rankings of bingo search.'],
    ['bingo distill bikes cycling --limit 100 --json', 'For other programs.'],
  ],
  notes: [
    'Where there is one topic alone, TOPIC may be left out. Links count by the relevance of the pages they join; links within a host recommend nothing. The settings under ' +
      '"distill" in bingo.yaml hold here as in the crawl. The store is only read, and may be used while a crawl runs; with ' +
      '--keep it is written, when no crawl runs.',
  ],
  run: runDistill,
};

async function runDistill(args: Args, io: Io): Promise<number> {
  const [dir = '', topic] = args.positionals;
  const workspace = loadForReading(dir, io);
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  const found = await distillTopic(workspace, sqlWatchOn(io), { topic, limit, keep: args.has('keep') });
  if (args.has('json')) await io.out(`${safeJson(found)}\n`);
  else await io.out(`${describe(found, io.columns()).join('\n')}\n`);
  if (found.positives === 0) io.err(`No page of this topic is stored. bingo status ${quoted(dir)} shows which are.\n`);
  return EXIT.done;
}

function describe(found: Distillation, width: number): string[] {
  const { topic, positives, nodes, edges, iterations, converged, hubs, authorities } = found;
  const end = converged ? 'converged' : 'not yet converged';
  return [
    ...wrap(
      `${sanitizeForTerminal(topic)}: ${counted(positives, 'page')} in a base set of ${count(nodes)}, ` +
        `${counted(edges, 'link')} that recommend, ${end} after ${counted(iterations, 'iteration')}.`,
      width,
    ),
    ...(edges === 0 ? [] : ['', ...ranking('hub', hubs, width), '', ...ranking('authority', authorities, width)]),
  ];
}

function ranking(role: string, pages: Distillation['hubs'], width: number): string[] {
  const number = { align: 'right' as const };
  const columns = [
    { title: role, ...number },
    { title: 'relevance', ...number },
    { title: 'title' },
    { title: 'page' },
  ];
  const rows = pages.map(({ score, relevance, title, url }) => [
    score.toFixed(4),
    relevanceText(relevance),
    title,
    url,
  ]);
  return table(columns, rows, width);
}
