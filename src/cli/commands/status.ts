import {
  type CrawlStatus,
  type Ending,
  type HeldPart,
  type LinkOrder,
  linkOrderText,
  type SiteUse,
  type StopReason,
  waitingLinks,
} from '../../core/index.ts';
import { count, counted, safeJson } from '../../kit/index.ts';
import { topicGrade } from '../../meta/index.ts';
import type { StoreStatus } from '../../store/index.ts';
import { figure, markedSites, quoted, sanitizeForTerminal, showHost, table, withStore } from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { leftPages, REASONS } from '../crawl/crawl-summary.ts';
import { percent } from '../crawl/crawl-view.ts';
import { failureLines } from '../crawl/failure-lines.ts';
import { leftOutText } from '../crawl/left-out-lines.ts';

export const status: Command = {
  name: 'status',
  summary: 'How far the crawl is: pages, topics, what went wrong. Works while a crawl runs.',
  positionals: ['[DIR]'],
  flags: {
    details: { help: 'Also held-out figures, xi-alpha, mean confidence and mean relevance of each topic.' },
    json: { help: 'One JSON object on stdout.' },
  },
  examples: [
    ['bingo status bikes', 'The state of the crawl.'],
    ['bingo status bikes --json | jq .harvestRate', 'One number of it.'],
  ],
  notes: [
    'Where crawl.prefer, crawl.defer or marks of sites change the order of links, it says how many wait preferred, ordinary, deferred, ' +
      'and aside for bad sites, as the crawl told last; with --json in "order".',
  ],
  run: runStatus,
};

async function runStatus(args: Args, io: Io): Promise<number> {
  const dir = args.positionals[0]!;
  return withStore(dir, io, async (store) => {
    const found = await store.status();
    // From the crawl's last report: it is not in the tables.
    const published = (await store.published())?.status;
    const { held = [], leftOut = [], order } = published ?? {};
    const now = { queues: published?.queues ?? [], endReason: published?.endReason };
    const { sites } = await markedSites(store);
    const marked = [...sites].map(([host, use]) => ({ host, use }));
    if (args.has('json')) {
      const row = {
        ...found,
        firstFetchedAt: moment(found.firstFetchedAt),
        lastFetchedAt: moment(found.lastFetchedAt),
      };
      const told = { held, leftOut, ...(order && { order }), markedSites: marked };
      const grades = found.estimates.map((estimate) => ({ ...estimate, grade: topicGrade(estimate) }));
      const ended = { endReason: now.endReason ?? null, waiting: waitingByTopic(now) };
      const overlong = { overlongUrls: overlongUrls(leftOut) };
      await io.out(`${safeJson({ ...row, ...ended, ...overlong, estimates: grades, ...told })}\n`);
    } else {
      const told = { held, leftOut, order, marked, now, withDetails: args.has('details') };
      await io.out(`${describe(found, told, io.columns()).join('\n')}\n`);
    }
    if (found.pages === 0) io.err(`Nothing was crawled yet. Next: bingo crawl ${quoted(dir)}\n`);
    return EXIT.done;
  });
}

function moment(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** Maximum number of marked sites shown. */
const SITES_SHOWN = 5;

function siteFact(name: string, marked: Told['marked'], use: SiteUse): readonly (readonly [string, string])[] {
  const hosts = marked.filter((site) => site.use === use).map(({ host }) => host);
  if (hosts.length === 0) return [];
  const more = hosts.length > SITES_SHOWN ? `, and ${count(hosts.length - SITES_SHOWN)} more` : '';
  return [[name, `${hosts.slice(0, SITES_SHOWN).join(', ')}${more}`]];
}

/** Every run counts the links of all pages again, by its own rules. */
const LEFT_OUT_WHEN = '; in all runs, by the rules of the last';

type Told = Required<Pick<CrawlStatus, 'held' | 'leftOut'>> & {
  readonly order: LinkOrder | undefined;
  readonly marked: readonly { readonly host: string; readonly use: SiteUse }[];
  readonly now: Now;
  readonly withDetails: boolean;
};

/** The crawl's last report about its queues and its end. */
interface Now {
  readonly queues: CrawlStatus['queues'];
  readonly endReason: StopReason | undefined;
}

function waitingByTopic({ queues }: Now): readonly { readonly topic: string; readonly links: number }[] {
  return queues.map(({ topic, incoming, outgoing }) => ({ topic, links: incoming + outgoing }));
}

function overlongUrls(leftOut: Told['leftOut']): number {
  return leftOut.find(({ rule }) => rule === 'crawl.maxUrlChars')?.addresses ?? 0;
}

function describe(found: StoreStatus, told: Told, width: number): string[] {
  const { held, leftOut, order, marked, now, withDetails } = told;
  const facts: (readonly [string, string])[] = [
    ['phase', found.phase ?? 'not begun'],
    ...(now.endReason === undefined ? [] : [['ended', `${REASONS[now.endReason]}.`] as const]),
    ['pages', `${pagesFact(found)}, and ${counted(found.trainingPages, 'training page')}`],
    ['relevant', `${count(found.relevant)}, harvest rate ${percent(found.harvestRate)}`],
    ...leftFact(found),
    ['hosts', `${count(found.hosts)} on ${counted(found.sites, 'site')}`],
    [
      'URLs',
      `${count(found.visitedUrls)} visited of ${count(found.knownUrls)} known, ${counted(overlongUrls(leftOut), 'address')} too long`,
    ],
    ['links', `${count(found.linksExtracted)} extracted, ${count(waitingLinks(now))} waiting`],
    ['depth', `${counted(found.maxDepth, 'link')} from a seed at most`],
    ...found.mirrors.map(({ host, original, copies }) => mirrorFact(host, original, copies)),
    ...held.slice(0, PARTS_SHOWN).map(heldFact),
    ...leftOut.map((what, i) => ['left out', `${leftOutText(what)}${i === 0 ? LEFT_OUT_WHEN : ''}`] as const),
    ...siteFact('bad sites', marked, 'bad-site'),
    ...siteFact('good sites', marked, 'good-site'),
    ...(order === undefined ? [] : [['waiting', linkOrderText(order)] as const]),
    ['rounds', `${count(found.rounds)} of training in ${counted(found.runs, 'run')}`],
    ['fetched', whenFact(found)],
  ];
  return [
    ...facts.map(([name, value]) => `${name.padEnd(12)}${value}`),
    '',
    ...topicLines(found, now, { width, withDetails }),
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
  const had = `${sanitizeForTerminal(part)} has had its share with ${counted(pages, 'page')}`;
  return ['held back', `${had}: its links count 1/${count(Math.round(1 / weight))} (traps.sectionPages)`];
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
function topicLines(found: StoreStatus, now: Now, { width, withDetails }: Shown): string[] {
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
    const queue = now.queues.find((one) => one.topic === topic);
    const { heldOutPrecision = Number.NaN, heldOutRecall = Number.NaN, xiAlphaPrecision = Number.NaN } = estimate ?? {};
    const inDetail = [heldOutPrecision, heldOutRecall, xiAlphaPrecision, meanConfidence, meanRelevance].map(figure);
    return [
      sanitizeForTerminal(topic) || '(root)',
      count(accepted),
      count(others),
      queue === undefined ? '–' : count(queue.incoming + queue.outgoing),
      topic === '' ? '–' : topicGrade(estimate),
      ...(withDetails ? inDetail : []),
    ];
  });
  return table(columns, rows, width);
}
