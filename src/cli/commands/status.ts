import { type Ending, type HeldPart, linkOrderText, recallText, renderedText, type SiteUse } from '../../core/index.ts';
import { count, counted, percent, safeJson } from '../../kit/index.ts';
import { topicGrade } from '../../meta/index.ts';
import type { MissedPages, StoreStatus } from '../../store/index.ts';
import {
  figure,
  harvestChart,
  quoted,
  type ShardRow,
  sanitizeForTerminal,
  shardRows,
  showAddress,
  showHost,
  table,
  type WorkspaceStatus,
  withStore,
  workspaceStatus,
  writeNamedFile,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { leftPages, REASONS } from '../crawl/crawl-summary.ts';
import { leftOutText } from '../crawl/excluded-links-lines.ts';
import { failureLines } from '../crawl/failure-lines.ts';

export const status: Command = {
  name: 'status',
  summary: 'Show the state of a crawl: pages, topics, failures. Works while a crawl runs.',
  positionals: ['[DIR]'],
  flags: {
    details: { help: 'Also held-out figures, xi-alpha, mean confidence and relevance per topic.' },
    missed: { help: 'Also what was probably missed: pages that relevant pages link to, by site and reason.' },
    svg: { value: 'FILE', help: 'Write the harvest rate over the pages, with phases and rounds, as SVG.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo status bikes', 'The state of the crawl.'],
    ['bingo status bikes --svg harvest.svg', 'The harvest curve, for the browser.'],
    ['bingo status bikes --missed', 'What relevant pages link to and the crawl does not have.'],
    ['bingo status bikes --json | jq .harvestRate', 'One number of it.'],
  ],
  notes: [
    'If crawl.prefer, crawl.defer or marks of sites change the order of links, it counts the preferred, ordinary, deferred and set-aside links ' +
      '(of bad sites). The counts are those of the last report of the crawl; with --json they are in "order".',
  ],
  run: runStatus,
};

async function runStatus(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  return withStore(dir, io, async (store, workspace, tables) => {
    const found = await workspaceStatus(store);
    const svg = args.value('svg');
    if (svg !== undefined) await writeNamedFile(svg, [await harvestChart(store)]);
    const missed = args.has('missed') ? await store.missed(args.has('json') ? MISSED_LISTED : MISSED_SHOWN) : undefined;
    const shards = await shardRows(workspace, tables.store);
    if (args.has('json')) {
      const { firstFetchedAt, lastFetchedAt } = found;
      const times = { firstFetchedAt: moment(firstFetchedAt), lastFetchedAt: moment(lastFetchedAt) };
      await io.out(`${safeJson({ ...found, ...times, ...(missed && { missed }), ...(shards && { shards }) })}\n`);
    } else {
      const shown = { width: io.columns(), withDetails: args.has('details') };
      await io.out(
        `${[...describe(found, shown), ...missedLines(missed, shown.width), ...shardLines(shards, shown.width)].join('\n')}\n`,
      );
    }
    if (found.pages === 0) io.err(`Nothing was crawled yet. Next: bingo crawl ${quoted(dir)}\n`);
    return EXIT.done;
  });
}

/** Rows of what was missed, on screen and with --json. */
const MISSED_SHOWN = 20;
const MISSED_LISTED = 1_000;

const MISSED_WORDS: { readonly [K in MissedPages['kind']]: string } = {
  unfetched: 'not fetched',
  refused: 'refused',
  unreachable: 'unreachable',
  unrendered: 'without text',
};

function missedLines(missed: readonly MissedPages[] | undefined, width: number): string[] {
  if (missed === undefined) return [];
  if (missed.length === 0) return ['', 'Relevant pages link to nothing that the crawl does not have.'];
  const number = { align: 'right' as const };
  const columns = [
    { title: 'missed' },
    { title: 'site' },
    { title: 'pages', ...number },
    { title: 'links', ...number },
    { title: 'example' },
  ];
  const rows = missed.map(({ kind, reason, site, addresses, linking, example }) => [
    `${MISSED_WORDS[kind]}${reason === '' ? '' : `: ${reason}`}`,
    ...[showHost(site), count(addresses), count(linking), showAddress(example)],
  ]);
  return ['', 'Probably missed (links: relevant pages that link to the example):', ...table(columns, rows, width)];
}

/** One line per shard of a spread crawl. */
function shardLines(rows: readonly ShardRow[] | undefined, width: number): string[] {
  if (rows === undefined) return [];
  const number = { align: 'right' as const };
  const titles = ['shard', 'process', 'fetched', 'waiting', 'best', 'behind', 'ungathered'];
  const cells = rows.map(({ shard, pid, fetched, waiting, best, behind, ungathered }) => [
    ...[count(shard), pid === null ? '–' : String(pid), count(fetched), waiting === null ? '–' : count(waiting)],
    ...[best === null ? '–' : best.toFixed(2), count(behind), count(ungathered)],
  ]);
  return [
    '',
    `Spread over ${counted(rows.length, 'shard')} (behind: parcels of links not received yet; ungathered: fetches that the figures above lack):`,
    ...table(
      titles.map((title) => ({ title, ...number })),
      cells,
      width,
    ),
  ];
}

function moment(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** Maximum number of marked sites shown. */
const SITES_SHOWN = 5;

function siteFact(
  name: string,
  marked: WorkspaceStatus['markedSites'],
  use: SiteUse,
): readonly (readonly [string, string])[] {
  const hosts = marked.filter((site) => site.use === use).map(({ host }) => host);
  if (hosts.length === 0) return [];
  const more = hosts.length > SITES_SHOWN ? `, and ${count(hosts.length - SITES_SHOWN)} more` : '';
  return [[name, `${hosts.slice(0, SITES_SHOWN).join(', ')}${more}`]];
}

/** Every run counts the links of all pages again, by its own rules. */
const LEFT_OUT_WHEN = '; in all runs, by the rules of the last run';

function describe(found: WorkspaceStatus, shown: Shown): string[] {
  const { held, leftOut, order, rendered, markedSites: marked, endReason } = found;
  const waiting = found.waiting.reduce((sum, { links }) => sum + links, 0);
  const facts: (readonly [string, string])[] = [
    ['phase', found.phase ?? 'not begun'],
    ...(endReason === null ? [] : [['ended', `${REASONS[endReason]}.`] as const]),
    ['pages', `${pagesFact(found)}, and ${counted(found.trainingPages, 'training page')}`],
    ['relevant', `${count(found.relevant)}, harvest rate ${percent(found.harvestRate)}`],
    ...(found.recall === null ? [] : [['found', `${recallText(found.recall)} of what is relevant`] as const]),
    ...leftFact(found),
    ['hosts', `${count(found.hosts)} on ${counted(found.sites, 'site')}`],
    [
      'URLs',
      `${count(found.visitedUrls)} visited of ${count(found.knownUrls)} known, ${counted(found.overlongUrls, 'address')} too long`,
    ],
    ['links', `${count(found.linksExtracted)} extracted, ${count(waiting)} waiting`],
    ['depth', `${counted(found.maxDepth, 'link')} from a seed at most`],
    ...found.mirrors.map(({ host, original, copies }) => mirrorFact(host, original, copies)),
    ...held.slice(0, PARTS_SHOWN).map(heldFact),
    ...leftOut.map((what, i) => ['left out', `${leftOutText(what)}${i === 0 ? LEFT_OUT_WHEN : ''}`] as const),
    ...siteFact('bad sites', marked, 'bad-site'),
    ...siteFact('good sites', marked, 'good-site'),
    ...(rendered === undefined ? [] : [['rendered', `${renderedText(rendered)}; in the last run`] as const]),
    ...(order === undefined ? [] : [['waiting', linkOrderText(order)] as const]),
    ['rounds', `${count(found.rounds)} of training in ${counted(found.runs, 'run')}`],
    ['fetched', whenFact(found)],
  ];
  return [
    ...facts.map(([name, value]) => `${name.padEnd(12)}${value}`),
    '',
    ...topicLines(found, shown),
    ...failureLines(found),
  ];
}

/** Fetches besides the pages count in the harvest rate and in the budget; seeds count only in the harvest rate. */
function pagesFact({ pages, fetched, seeds }: StoreStatus): string {
  const all = fetched === pages ? count(pages) : `${count(pages)} of ${count(fetched)} fetched`;
  return seeds === 0 ? all : `${all}, ${counted(seeds, 'seed')} among them`;
}

const LEFT: readonly (readonly [Ending, string])[] = [
  ['gone', 'gone'],
  ['moved', 'moved to another page'],
  ['same', 'the same as another'],
  ['noindex', 'not to be listed'],
];

/** Pages that have left their topic count as relevant, because they were; lists and topic counts leave them out. */
function leftFact(found: StoreStatus): readonly (readonly [string, string])[] {
  const { left } = found;
  const ways = LEFT.flatMap(([ending, words]) => (left[ending] > 0 ? [`${count(left[ending])} ${words}`] : []));
  const all = leftPages(found);
  return all === 0 ? [] : [['left', `${counted(all, 'page')} of topics: ${ways.join(', ')}`]];
}

function mirrorFact(host: string, original: string, copies: number): readonly [string, string] {
  return ['mirror', `${showHost(host)} repeats ${showHost(original)}: ${counted(copies, 'copy')}`];
}

const PARTS_SHOWN = 3;

/** Reports the effect of `traps.sectionPages`, if any: see docs/traps.md. */
function heldFact({ part, pages, weight }: HeldPart): readonly [string, string] {
  const had = `${sanitizeForTerminal(part)}: ${counted(pages, 'page')} fetched`;
  return [
    'held back',
    `${had}, its other links have 1/${count(Math.round(1 / weight))} of their priority (traps.sectionPages)`,
  ];
}

function whenFact({ firstFetchedAt: first, lastFetchedAt: last }: StoreStatus): string {
  return first === undefined || last === undefined ? '–' : `${time(first)} to ${time(last)} UTC`;
}

function time(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19);
}

interface Shown {
  readonly width: number;
  readonly withDetails: boolean;
}

/** One line per topic: pages, waiting links, grade; with details, the figures behind the grade. */
function topicLines(found: WorkspaceStatus, { width, withDetails }: Shown): string[] {
  if (found.topics.length === 0) return [];
  const number = { align: 'right' as const };
  const details = ['precision', 'recall', 'xi-alpha', 'mean confidence', 'mean relevance'];
  const columns = [
    { title: 'topic' },
    { title: 'accepted', ...number },
    { title: 'rejected', ...number },
    { title: 'waiting', ...number },
    { title: 'grade', flexible: false },
    ...(withDetails ? details.map((title) => ({ title, ...number })) : []),
  ];
  const rows = found.topics.map(({ topic, accepted, others, meanConfidence, meanRelevance }) => {
    const estimate = found.estimates.find((one) => one.topic === topic);
    const links = found.waiting.find((one) => one.topic === topic)?.links;
    const { heldOutPrecision = Number.NaN, heldOutRecall = Number.NaN, xiAlphaPrecision = Number.NaN } = estimate ?? {};
    const inDetail = [heldOutPrecision, heldOutRecall, xiAlphaPrecision, meanConfidence, meanRelevance].map(figure);
    return [
      sanitizeForTerminal(topic) || '(root)',
      count(accepted),
      count(others),
      links === undefined ? '–' : count(links),
      topic === '' ? '–' : topicGrade(estimate),
      ...(withDetails ? inDetail : []),
    ];
  });
  return table(columns, rows, width);
}
