import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type AnalyzedDocument,
  BingoError,
  type Config,
  relevanceText,
  type TopicTree,
  UsageError,
} from '../../core/index.ts';
import type { CrawlSummary, Journal } from '../../engine/index.ts';
import { counted, percent, safeJson } from '../../kit/index.ts';
import {
  buildPackageWeb,
  hostOfPackage,
  MemoryJournal,
  type PackageWebServer,
  servePackageWeb,
} from '../../lab/index.ts';
import { type Classifier, classify, decodeModels, prepareClassifier } from '../../meta/index.ts';
import type { Store } from '../../store/index.ts';
import {
  loadWorkspace,
  openSession,
  PACKAGE_ROOT,
  paint,
  quoted,
  sanitizeForTerminal,
  storedModel,
  truncate,
  WORKSPACE_FILE,
  type Workspace,
  withCrawlStore,
  wrap,
  writeWorkspace,
} from '../../workbench/index.ts';
import { type Args, type Command, EXIT, type Io } from '../command.ts';
import { makeReporter, SILENT } from '../crawl/crawl-reporter.ts';
import { elapsed } from '../crawl/crawl-view.ts';
import { runSession } from '../crawl/run-crawl.ts';
import { type DemoPlan, nodeModulesFolders, planDemo, tooFewPackages } from '../demo/demo-plan.ts';
import { serveDemo } from '../demo/serve-demo.ts';
import { wantsColour } from '../process-io.ts';
import { readCount } from '../read-count.ts';

const BUDGET = 60;
const BEST = 10;

export const demo: Command = {
  name: 'demo',
  summary: 'See it work in a minute, without the network: crawls the documentation of installed packages.',
  positionals: [],
  flags: {
    keep: { value: 'DIR', help: 'Keep the workspace in this folder, to search and query it.' },
    serve: {
      help: 'Only serve the web until Ctrl-C, to try other commands on it. --keep names the folder of their files.',
    },
    later: { help: 'With --serve: a later state of the web, with changed, moved, removed and new pages.' },
    port: { value: 'PORT', help: 'With --serve: port to listen on. Default: any free port.' },
    budget: { value: 'N', help: `Pages to fetch. Default: ${BUDGET}.` },
    details: { help: 'Also report training rounds that were rolled back.' },
    json: { help: 'One JSON object on stdout: the figures and the best pages.' },
  },
  examples: [
    ['bingo demo', 'Learn a topic from two pages, harvest, compare with breadth-first.'],
    ['bingo demo --keep playground', 'The same; keeps the workspace.'],
    [
      'bingo demo --serve --keep playground',
      'A web to try "bingo find" and other commands on; see docs/tutorial-needle.md.',
    ],
  ],
  notes: [
    'Each installed package becomes a host of a small web on loopback. Its README, changelog, docs and type declarations are the ' +
      'pages, with the links of these texts and of the dependency lists. Bingo crawls it over HTTP, with its own name server.',
  ],
  run: runDemo,
};

async function runDemo(args: Args, io: Io): Promise<number> {
  if (args.has('serve')) return await serveDemo(args, io);
  for (const flag of ['port', 'later']) if (args.has(flag)) throw new UsageError(`--${flag} requires --serve.`);
  const keep = args.value('keep');
  const budget = readCount('--budget', args.value('budget'), BUDGET, { min: 10 });
  if (keep !== undefined && existsSync(join(resolve(keep), WORKSPACE_FILE))) {
    throw new UsageError(`${join(keep, WORKSPACE_FILE)} already exists.`, 'Name another folder.');
  }
  const dir = keep === undefined ? mkdtempSync(join(tmpdir(), 'bingo-demo-')) : resolve(keep);
  const web = buildPackageWeb(nodeModulesFolders(), [PACKAGE_ROOT]);
  const server = await servePackageWeb(web);
  try {
    const plan = planDemo(web, server.url);
    if (plan === undefined) throw tooFewPackages(web.packages.length);
    const pages = web.packages.reduce((sum, { files }) => sum + files.size + 1, 0);
    if (!args.has('json')) introduce({ packages: web.packages.length, pages, plan, budget }, io);
    await makeWorkspace(dir, plan, server, budget);
    const style = { json: args.has('json'), details: args.has('details') };
    const result = await crawlTwice(dir, plan, io, style);
    if (result === undefined) return EXIT.stopped;
    if (args.has('json')) await io.out(`${safeJson(result)}\n`);
    else await io.out(describeResult(result, keep, io));
    return EXIT.done;
  } finally {
    await server.close();
    if (keep === undefined) rmSync(dir, { recursive: true, force: true });
  }
}

interface Introduction {
  readonly packages: number;
  readonly pages: number;
  readonly plan: DemoPlan;
  readonly budget: number;
}

function introduce({ packages, pages, plan, budget }: Introduction, io: Io): void {
  const examples = (plan.topic.examples ?? []).flatMap((example) => (example.kind === 'url' ? [example.url] : []));
  const indented = (urls: readonly string[]): string[] => urls.map((url) => `  ${url}`);
  io.err(
    [
      `A small web on loopback: ${counted(packages, 'package')}, ${counted(pages, 'page')} of documentation.`,
      `Topic: ${plan.topic.name}, learned from ${counted(examples.length, 'page')}`,
      ...indented(examples),
      `against ${counted(plan.others.length, 'page')} of other subjects (counter-examples). The crawl of ${counted(budget, 'page')} starts at`,
      ...indented(plan.topic.seeds ?? []),
      '',
      '',
    ].join('\n'),
  );
}

async function makeWorkspace(
  dir: string,
  { topic, others }: DemoPlan,
  server: PackageWebServer,
  budget: number,
): Promise<void> {
  const values = new Map<string, unknown>([
    ['crawl.budget', budget],
    ['crawl.learn', Math.floor(budget / 3)],
    ['network.contact', 'demo@bingo.example'],
    ['network.allowPrivate', true],
    ['network.dnsServers', [server.dnsServer]],
    ['network.delayMs', 0],
    // One request at a time, so that the demo gives the same result each time with the same packages.
    ['network.concurrency', 1],
  ]);
  await writeWorkspace(dir, { topics: [topic], others, values });
}

/** A page of one of the two crawls, as judged by the final classifier. */
interface DemoPage {
  readonly url: string;
  readonly title: string;
  readonly accepted: boolean;
  readonly relevance: number;
  readonly confidence: number;
  /** Its package names the topic in its keywords or description. */
  readonly onTopic: boolean;
}

interface CrawlFigures {
  readonly pages: number;
  readonly accepted: number;
  readonly onTopic: number;
  readonly elapsedMs: number;
}

interface DemoResult {
  readonly topic: string;
  readonly focused: CrawlFigures;
  readonly breadthFirst: CrawlFigures;
  readonly best: readonly DemoPage[];
}

interface CrawlStyle {
  readonly json: boolean;
  readonly details: boolean;
}

/** Runs the focused crawl into the workspace, then a breadth-first crawl with the same budget into memory. */
async function crawlTwice(dir: string, plan: DemoPlan, io: Io, style: CrawlStyle): Promise<DemoResult | undefined> {
  return await withCrawlStore(loadWorkspace(dir), { warn: () => {} }, async ({ store, workspace }) => {
    const { tree, known, config } = workspace;
    const focused = await crawlOnce({ dir, tree, known, config, journal: store }, io, style);
    // A dashboard that opens the workspace later shows the final state.
    await store.publish({ ...focused.status, phase: 'done' });
    if (focused.reason === 'stopped') return undefined;
    if (!style.json) io.err('\nFor comparison, the same budget breadth-first:\n');
    const plain = plainConfig(config, focused.status.fetched);
    const memory = new MemoryJournal();
    const breadthFirst = await crawlOnce({ dir, tree, config: plain, journal: memory }, io, style);
    if (breadthFirst.reason === 'stopped') return undefined;
    const classifier = await finalClassifier(store);
    const found = await judge(store, classifier, config, plan);
    const compared = await judge(memory, classifier, config, plan);
    const best = [...found].sort((a, b) => b.relevance - a.relevance || b.confidence - a.confidence).slice(0, BEST);
    const topic = plan.topic.name;
    return { topic, focused: figures(found, focused), breadthFirst: figures(compared, breadthFirst), best };
  });
}

function plainConfig(config: Config, budget: number): Config {
  return { ...config, crawl: { ...config.crawl, budget, ordering: 'breadth-first', learn: 0 } };
}

interface OnceOptions {
  readonly dir: string;
  readonly tree: TopicTree;
  readonly known?: Workspace['known'];
  readonly config: Config;
  readonly journal: Journal;
}

async function crawlOnce(options: OnceOptions, io: Io, { json, details }: CrawlStyle): Promise<CrawlSummary> {
  const reporter = json ? SILENT : makeReporter(io, false, { details });
  const session = await openSession({ ...options, onEvent: reporter.onEvent });
  return runSession(session, reporter, io);
}

async function finalClassifier(store: Store): Promise<Classifier> {
  const blob = await storedModel(store, undefined);
  if (blob === undefined)
    throw new BingoError({ code: 'NO_MODEL', message: 'The crawl ended before a model was trained.' });
  return prepareClassifier(decodeModels(blob));
}

/**
 * Judges the pages of a crawl (without training pages) by one classifier, regardless of the verdicts during the
 * crawl.
 */
async function judge(
  journal: Journal,
  classifier: Classifier,
  config: Config,
  plan: DemoPlan,
): Promise<readonly DemoPage[]> {
  const hosts = new Set([...plan.onTopic].map(hostOfPackage));
  const pages: DemoPage[] = [];
  for await (const records of journal.read()) {
    const crawled = records.filter((record) => record.kind === 'page' && record.role === 'crawled');
    const documents = await journal.documents(crawled.map((record) => record.sequence));
    for (const record of crawled) {
      const document = documents.get(record.sequence);
      if (record.kind !== 'page' || document === undefined) continue;
      const { others, relevance, confidence } = classifyPage(classifier, document, config);
      const onTopic = hosts.has(new URL(record.finalUrl).hostname);
      pages.push({ url: record.finalUrl, title: document.title, accepted: !others, relevance, confidence, onTopic });
    }
  }
  return pages;
}

function classifyPage(
  classifier: Classifier,
  document: AnalyzedDocument,
  { learn }: Config,
): ReturnType<typeof classify> {
  return classify(classifier, document.features, learn.metaHarvesting);
}

function figures(pages: readonly DemoPage[], summary: CrawlSummary): CrawlFigures {
  return {
    pages: pages.length,
    accepted: pages.filter((page) => page.accepted).length,
    onTopic: pages.filter((page) => page.onTopic).length,
    elapsedMs: summary.status.elapsedMs,
  };
}

const CAVEAT =
  "Harvest rate counts pages that the focused crawl's final classifier accepts, in both crawls: it judges its own work. " +
  '"Named in docs" does not depend on it: pages of packages whose own keywords or description name the topic.';

function describeResult({ topic, focused, breadthFirst, best }: DemoResult, keep: string | undefined, io: Io): string {
  const style = paint(wantsColour(io, io.stdoutIsTerminal));
  const width = Math.min(100, io.columns());
  const row = (name: string, { pages, accepted, onTopic, elapsedMs }: CrawlFigures): string =>
    `  ${name.padEnd(15)}${String(pages).padStart(5)}   ${percent(accepted / pages).padStart(12)}   ${percent(onTopic / pages).padStart(14)}   ${elapsed(elapsedMs).padStart(6)}`;
  const place = keep === undefined ? undefined : quoted(keep);
  return [
    '',
    style.bold(`The ten best pages about ${topic}:`),
    ...best.map((page, i) => bestLine(page, i, width)),
    '',
    style.bold('Harvest rate, same seeds and budget:'),
    `  ${''.padEnd(15)}pages   harvest rate   named in docs    time`,
    row('focused', focused),
    row('breadth-first', breadthFirst),
    '',
    ...wrap(CAVEAT, width),
    '',
    style.bold('What to try next:'),
    ...nextLines(place, best[0]?.url),
    '',
  ].join('\n');
}

function bestLine(page: DemoPage, index: number, width: number): string {
  const title = sanitizeForTerminal(page.title) || '(no title)';
  const url = sanitizeForTerminal(page.url);
  return truncate(
    `  ${String(index + 1).padStart(2)}  ${relevanceText(page.relevance).padStart(4)}  ${title.padEnd(34)}  ${url}`,
    width,
  );
}

/** Commands for the finished crawl: its web is offline, so none of them fetches. */
function nextLines(place: string | undefined, best: string | undefined): readonly string[] {
  const mine = '  bingo init mine --topic NAME --seed URL URL       a workspace of your own';
  if (place === undefined)
    return ['  bingo demo --keep playground                      keep the workspace to try more', mine];
  return [
    `  bingo search ${place} "cursor colours"`,
    `  bingo status ${place}`,
    ...(best === undefined ? [] : [`  bingo why ${place} ${quoted(best)}`]),
    `  bingo sql ${place} "select * from census"`,
    `  bingo dashboard ${place}`,
    mine,
  ];
}
