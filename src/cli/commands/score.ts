import { InputError, UsageError } from '../../core/index.ts';
import { count, counted, percent, safeJson } from '../../kit/index.ts';
import {
  crawlFacts,
  type ListScore,
  parsePageList,
  quoted,
  readTextFile,
  sanitizeForTerminal,
  scoreChart,
  scoreCrawl,
  table,
  withStore,
  writeNamedFile,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';

/** Missing addresses that are shown. */
const SHOWN = 5;

export const score: Command = {
  name: 'score',
  summary: 'Compare a crawl with a list of known addresses: precision and recall of its best pages.',
  positionals: ['[DIR]'],
  flags: {
    against: { value: 'LIST', help: 'File with one address per line, or an export of another crawl.' },
    svg: { value: 'FILE', help: 'Write precision, recall, and recall over time as SVG.' },
    json: { help: 'One JSON object on stdout, with all missing addresses.' },
  },
  examples: [
    ['bingo score bikes --against clubs.txt', 'How many of the clubs does the crawl have, and among its best pages?'],
    ['bingo score bikes --against clubs.txt --json | jq -r ".missing[]"', 'The addresses that it did not find.'],
  ],
  notes: [
    'A page is on the list if its address begins with one of the list, at the end of a name of the path: http://a.example/~ann covers ' +
      'http://a.example/~ann/papers.html, but not http://a.example/~anna. Scheme, www. and index.html are ignored.',
    'The best pages are the accepted ones of highest confidence. Recall counts addresses of the list with a page among them.',
  ],
  run: runScore,
};

async function runScore(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  const file = args.value('against');
  if (file === undefined) throw new UsageError('--against is missing.', 'Name a file with one web address per line.');
  const { urls, mistakes } = parsePageList(readTextFile(file), file, '');
  if (mistakes.length > 0) throw new InputError(`${file} cannot be used`, mistakes);
  const facts = await withStore(dir, io, (store, workspace) => crawlFacts(store, workspace));
  const found = scoreCrawl(facts, urls);
  const svg = args.value('svg');
  if (svg !== undefined) await writeNamedFile(svg, [scoreChart(found)]);
  if (args.has('json')) await io.out(`${safeJson(found)}\n`);
  else await io.out(`${describe(found, io.columns()).join('\n')}\n`);
  if (found.relevant === 0) io.err(`No page was accepted yet. Next: bingo crawl ${quoted(dir)}\n`);
  else if (found.missing.length > 0) io.err(`Next: bingo why ${quoted(dir)} ${quoted(found.missing[0]!)}\n`);
  return EXIT.done;
}

function describe({ listed, relevant, scores, recallOverTime, missing }: ListScore, width: number): string[] {
  const rows = scores.map(({ best, matching, precision, found, recall }) => [
    best === relevant ? `all ${count(best)}` : count(best),
    ...[count(matching), percent(precision), count(found), percent(recall)],
  ]);
  const heads = ['best pages', 'on the list', 'precision', 'addresses found', 'recall'];
  const more = missing.length > SHOWN ? [`  and ${count(missing.length - SHOWN)} more`] : [];
  const [, fetched = 0] = recallOverTime.at(-1) ?? [];
  return [
    `${counted(listed, 'address')} on the list, ${counted(relevant, 'accepted page')}.`,
    '',
    ...table(
      heads.map((title) => ({ title, align: 'right' as const })),
      rows,
      width,
    ),
    '',
    `All pages fetched, with rejected ones, have ${percent(fetched)} of the addresses.`,
    ...(missing.length === 0
      ? []
      : ['Missing:', ...missing.slice(0, SHOWN).map((url) => `  ${sanitizeForTerminal(url)}`), ...more]),
  ];
}
