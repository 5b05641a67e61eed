import { relevanceText } from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import {
  type Distillation,
  distillationChart,
  distillTopic,
  loadForReading,
  quoted,
  sanitizeForTerminal,
  table,
  wrap,
  writeNamedFile,
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
    store: {
      former: 'keep',
      help: 'Use all pages of the topic, and store the result for bingo search --rank authority=… (and ib, ir, il).',
    },
    backlinks: {
      value: 'FILE',
      help: 'Links from other pages: two addresses per line, from and to. Fetched or not, they join the base set.',
    },
    svg: { value: 'FILE', help: 'Write the scores of hubs and authorities as SVG.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo distill bikes cycling', 'The best link lists, and the pages that they recommend.'],
    ['bingo distill bikes cycling --store', 'Store authorities of all pages for the ranking of bingo search.'],
    ['bingo distill bikes cycling --backlinks links.tsv', 'Also count pages outside that are known to link in.'],
    ['bingo distill bikes cycling --limit 100 --json', 'For programs.'],
  ],
  notes: [
    'TOPIC may be left out if there is only one. Links are weighted by the relevance of both pages; links within one host are ignored. The settings under ' +
      '"distill" in bingo.yaml apply here too. The store is only read, also while a crawl runs. --store writes to the store and ' +
      'requires that no crawl runs; its result is replaced by the next training round of a crawl.',
    'A page outside the store counts with the mean relevance of the pages it links to. Export such links from a web archive or a search console. The ' +
      'rounds of a crawl do not read them.',
  ],
  run: runDistill,
};

async function runDistill(args: Args, io: Io): Promise<number> {
  const [dir = '', topic] = args.positionals;
  const workspace = loadForReading(dir, io);
  const limit = readCount('--limit', args.value('limit'), LIMIT);
  const found = await distillTopic(workspace, sqlWatchOn(io), {
    topic,
    limit,
    keep: args.has('store'),
    backlinks: args.value('backlinks'),
  });
  const svg = args.value('svg');
  if (svg !== undefined) await writeNamedFile(svg, [distillationChart(found)]);
  if (args.has('json')) await io.out(`${safeJson(found)}\n`);
  else await io.out(`${describe(found, io.columns()).join('\n')}\n`);
  if (found.positives === 0) io.err(`This topic has no stored page. Next: bingo status ${quoted(dir)}\n`);
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
  const rows = pages.map(({ page, score, relevance, title, url }) => [
    score.toFixed(4),
    relevanceText(relevance),
    page === 0 ? '(not stored)' : title,
    url,
  ]);
  return table(columns, rows, width);
}
