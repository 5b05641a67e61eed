import { UsageError } from '../../core/index.ts';
import {
  BASE_ORDERINGS,
  labOrder,
  ORDER_MEASURES,
  ORDER_MODELS,
  type OrderWeights,
  QUEUE_RULES,
  readOrdering,
  type VirtualOrdering,
} from '../../lab/index.ts';
import { didYouMean } from '../../workbench/index.ts';
import type { Args, Command } from '../command.ts';
import { readCount } from '../read-count.ts';
import { oneOf, withSignal } from './lab.ts';

const DEFAULT_ORDERINGS = 'breadth-first,backlink,pagerank,random';

export const labOrderCommand: Command = {
  name: 'lab order',
  summary: 'Crawl a frozen web virtually and measure how soon each ordering fetches important pages.',
  positionals: ['FILE'],
  flags: {
    importance: {
      value: 'WEIGHTS',
      help: `What makes a page important: ${ORDER_MEASURES.join(', ')}, or a sum such as ib=0.5,is=0.5. Default: ib.`,
    },
    orderings: {
      value: 'A,B,…',
      help: `${BASE_ORDERINGS.join(', ')}; each also with ${QUEUE_RULES.map((rule) => `+${rule}`).join(' or ')}. Default: ${DEFAULT_ORDERINGS}.`,
    },
    model: { value: 'MODEL', help: `${ORDER_MODELS.join(', ')}. Default: ${ORDER_MODELS[0]}.` },
    rank: { value: 'K', help: 'For threshold: the K most important pages are hot. Default: 1 % of the pages.' },
    value: { value: 'G', help: 'For threshold: pages of importance G or more are hot.' },
    words: { value: 'N', help: 'Pages with a word of --query in the title, or N times in the text, are hot.' },
    query: { value: 'WORDS', help: 'The query of is, of --words, and of orderings with +hot or +near.' },
    buffer: { value: 'B', help: 'For buffer: pages that the crawler can keep. Default: a tenth of the pages.' },
    interval: { value: 'N', help: 'Compute PageRank again after every N pages. Default: 1.' },
    start: { value: 'URL', help: 'Start page. Default: one with a short address that reaches the most pages.' },
    paper: { help: 'The graphs of the paper; 6 and 7 need --query.' },
    out: { value: 'DIR', help: 'Folder for order.json, table.txt, order.svg and report.html.' },
    seed: { value: 'N', help: 'Random seed. Default: 1.' },
    json: { help: 'One JSON object on stdout, with every curve.' },
  },
  examples: [
    ['bingo lab order foldoc.warc.gz', 'Backlinks as importance, crawl and stop.'],
    [
      'bingo lab order foldoc.warc.gz --importance ir --model threshold --rank 100',
      'The 100 pages of highest PageRank.',
    ],
    [
      'bingo lab order foldoc.warc.gz --query computer --words 10 --model threshold --orderings breadth-first+hot,pagerank+near',
      'Pages about a word, links with the word first.',
    ],
    ['bingo lab order foldoc.warc.gz --paper --query computer --out graphs', 'The graphs of the paper as a report.'],
  ],
  notes: [
    'Importance: is (similarity to the query), ib (backlinks), ir (PageRank), il (location). An ordering knows only the links of pages that it has fetched. ' +
      'The rule +hot fetches links with a word of the query in the anchor or address first; +near also those fewer than three links from a hot page.',
    'crawl-stop: of K fetched pages, how many are among the K most important ones. threshold: how many of the hot pages are fetched. ' +
      'buffer: how many pages of a limited buffer are hot, if the page held for least important is dropped.',
  ],
  run: (args, io) => withSignal(io, (lab) => labOrder(orderOptions(args), lab)),
};

function orderOptions(args: Args): Parameters<typeof labOrder>[0] {
  const [start, out, buffer] = [args.value('start'), args.value('out'), args.value('buffer')];
  const query = args.value('query') ?? '';
  const words = args.value('words');
  const options = {
    ...{ file: args.positionals[0]!, query, paper: args.has('paper'), json: args.has('json') },
    weights: readImportance(args.value('importance') ?? 'ib'),
    model: oneOf('model', args.value('model') ?? ORDER_MODELS[0], ORDER_MODELS),
    orderings: readOrderings(args.value('orderings') ?? DEFAULT_ORDERINGS),
    hot: {
      ...(args.has('rank') && { rank: readCount('--rank', args.value('rank'), 1) }),
      ...(args.has('value') && { value: readValue('--value', args.value('value') ?? '') }),
      ...(words === undefined ? {} : { words: readCount('--words', words, 10) }),
    },
    rankInterval: readCount('--interval', args.value('interval'), 1),
    seed: readCount('--seed', args.value('seed'), 1, { min: 0 }),
    ...(buffer === undefined ? {} : { buffer: readCount('--buffer', buffer, 1) }),
    ...(start === undefined ? {} : { start }),
    ...(out === undefined ? {} : { out }),
  };
  const needsQuery =
    (options.weights.is ?? 0) > 0 || words !== undefined || options.orderings.some((name) => name.includes('+'));
  if (needsQuery && query === '')
    throw new UsageError('--query is missing.', 'Importance is, --words, and orderings with +hot or +near need it.');
  return options;
}

function readImportance(text: string): OrderWeights {
  const weights: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [name = '', value = '1'] = part.split('=').map((word) => word.trim());
    weights[oneOf('importance', name, ORDER_MEASURES)] = readValue(`--importance ${name}`, value);
  }
  if (Object.values(weights).every((weight) => weight === 0))
    throw new UsageError('--importance: every weight is 0, so that no page is important.', 'Give at least one weight.');
  return weights;
}

function readValue(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0) || !Number.isFinite(value))
    throw new UsageError(`${flag} takes a number from 0, got "${text}".`);
  return value;
}

function readOrderings(text: string): readonly VirtualOrdering[] {
  const names = text.split(',').map((part) => part.trim());
  return [...new Set(names)].map((name) => {
    const known = readOrdering(name);
    if (known !== undefined) return known;
    const hint =
      didYouMean(name, BASE_ORDERINGS) ??
      `Known are: ${BASE_ORDERINGS.join(', ')}, with +${QUEUE_RULES.join(' or +')}.`;
    throw new UsageError(`Unknown ordering: "${name}".`, hint);
  });
}
