import {
  type AnalyzedDocument,
  type Assignment,
  type CanonicalUrl,
  type Config,
  type CrawlEvent,
  DEFAULTS,
  type Judgement,
  type OrderingName,
  type RecallEstimate,
  ROOT,
  type RoundRecord,
  type SteerCommand,
  type TopicTree,
} from '../../core/index.ts';
import {
  type AskOptions,
  analyzerSettings,
  Crawl,
  type CrawlOptions,
  type InlineExample,
  ModelTrainer,
  queryExample,
} from '../../engine/index.ts';
import { wantedWords } from '../../postprocess/index.ts';
import { CHECKPOINTS, type Checkpoint, fetchesAt, foundCurve } from '../score/measures.ts';
import { type Found, measureRun, type RunArchetype, relevantHits } from '../score/run-measures.ts';
import type { SpreadFigures, SpreadOptions } from '../score/spread-figures.ts';
import type { RunPage, ScoredRun, TaskRun } from '../score/task-run.ts';
import { type AnswerOptions, type ExploreOptions, SimulatedReader, SimulatedUser } from '../tasks/answerer.ts';
import type { Truth } from '../tasks/relevance.ts';
import { Reviewer, type ReviewOptions } from '../tasks/reviewer.ts';
import { type Task, taskTree } from '../tasks/task.ts';
import { ArchiveFetcher } from '../web/archive-fetcher.ts';
import { type AnalyzedWeb, linkGraph } from './analyzed-web.ts';
import { LabAnalyzer } from './lab-analyzer.ts';
import { MemoryJournal } from './memory-journal.ts';
import { simulateSpread } from './simulated-spread.ts';

/** Changes by a lab run to a crawl's configuration, by group. */
export type LabSettings = { readonly [Group in keyof Config]?: Partial<Config[Group]> };

export interface RunOptions {
  /** Seed of the crawl's random generator. */
  readonly seed: number;
  readonly settings: LabSettings;
  /** Simulates a user who reviews pages. Default: no review. */
  readonly review?: ReviewOptions;
  /** Simulates a user who answers the crawl's questions. Default: no questions. */
  readonly answers?: AnswerOptions;
  /** Simulates a user who answers questions before the crawl. Default: none. */
  readonly explore?: ExploreOptions;
  /** Simulates a spread crawl. Default: one crawl in one process. */
  readonly spread?: SpreadOptions;
}

/**
 * Crawls a frozen web with the product's engine, using the archive as the network, and scores the fetched pages. The
 * crawl receives examples, seeds and counter-examples. It never sees the labels in `truth`, except through a {@link
 * Reviewer} if requested. Equal arguments give equal results.
 * @param strangers counter-examples from another web
 * @throws any error of the crawl: no training page available, a defect
 */
export async function runTask(
  task: Task,
  ordering: OrderingName,
  web: AnalyzedWeb,
  truth: Truth,
  options: RunOptions,
  strangers: readonly AnalyzedDocument[] = [],
): Promise<ScoredRun> {
  const config = taskConfig(task, ordering, options);
  const log = new RunLog();
  const tree = taskTree(task);
  const reviewer = options.review === undefined ? undefined : new Reviewer(options.review, tree, truth);
  const journal = new MemoryJournal();
  const now = countingClock();
  const open = ({ crawl: { budget }, ask, user }: Part, more: Partial<CrawlOptions> = {}): Crawl => {
    const steer = (command: SteerCommand): boolean => crawl.steer(command);
    const answering = user === undefined ? undefined : new SimulatedUser(user, truth, steer);
    const crawl: Crawl = new Crawl({
      ...{ tree, journal, now, ask },
      config: { ...config, crawl: { ...config.crawl, budget } },
      fetcher: new ArchiveFetcher(web.web),
      analyzer: new LabAnalyzer(web, config.learn),
      trainer: new ModelTrainer({ tree, learn: config.learn, seed: config.crawl.seed }),
      inline: [...queriesOf(tree, config), ...othersOf(strangers)],
      onEvent: (event) => {
        log.note(event);
        log.noteEstimates(event, { budget: task.budget, extra: extraOf(options) }, () => crawl.status().recall);
        answering?.note(event);
        const judgements = reviewer?.decide(event) ?? [];
        if (judgements.length > 0) queueMicrotask(() => decide(crawl, judgements));
      },
      ...more,
    });
    return crawl;
  };
  let spread: SpreadFigures | undefined;
  if (options.spread === undefined) for (const part of partsOf(config, options, truth)) await open(part).run();
  else
    spread = await simulateSpread({
      ...{ options: options.spread, budget: task.budget, hosts: web.web.hosts() },
      open: (budget, more) => open({ crawl: { budget }, ask: undefined, user: undefined }, more),
    });
  const spelled = (url: string): string => web.web.spelling(url as CanonicalUrl);
  const archetypes = log.archetypes();
  const { found } = log;
  const extra = extraOf(options);
  const run: TaskRun = {
    task: task.id,
    ordering,
    fetched: found.map(({ url, assignment }) => ({ url: spelled(url), ...verdict(assignment) })),
    archetypes: archetypes.map((archetype) => ({ ...archetype, url: spelled(archetype.url) })),
    measures: measureRun(task, truth, {
      ...{ found, extra, archetypes, rounds: log.rounds },
      ...{ links: linkGraph(web), rule: config.learn.metaHarvesting },
      estimated: Object.fromEntries(log.estimated),
    }),
    ...(spread && { spread }),
  };
  return { run, curve: foundCurve(relevantHits(task, truth, { found, extra })) };
}

/** One run of the crawl of a task. */
interface Part {
  readonly crawl: Pick<Config['crawl'], 'budget'>;
  readonly ask: AskOptions | undefined;
  readonly user: AnswerOptions | undefined;
}

/** Returns the runs of a crawl: after an exploration it is resumed, as `bingo crawl` does. */
function partsOf({ crawl }: Config, options: RunOptions, truth: Truth): readonly Part[] {
  const { answers, explore } = options;
  const reader = answers?.isReader === true ? new SimulatedReader(answers, truth) : undefined;
  const ask = answers && { answers: answers.answers, order: answers.order, reader, isAttended: reader === undefined };
  const user = reader === undefined ? answers : undefined;
  const main: Part = { crawl: { budget: crawl.budget + extraOf(options) }, ask, user };
  if (explore === undefined) return [main];
  const exploring = { answers: explore.answers, order: explore.order, atEnd: true };
  return [{ crawl: { budget: explore.pages }, ask: exploring, user: { ...explore, lag: 0, errors: 0 } }, main];
}

/** Returns the number of fetches on top of the budget. */
function extraOf({ explore }: RunOptions): number {
  return explore?.isExtra === true ? explore.pages : 0;
}

function decide(crawl: Crawl, judgements: readonly Judgement[]): void {
  for (const judgement of judgements) crawl.steer({ kind: 'judge-page', judgement });
}

function queriesOf(tree: TopicTree, config: Config): InlineExample[] {
  return [...tree.nodes.values()].flatMap(({ id: topic, examples }) =>
    examples.flatMap((example) => {
      if (example.kind !== 'text') return [];
      return [queryExample({ key: example.name, topic, words: wantedWords(example.text) }, config)];
    }),
  );
}

function othersOf(documents: readonly AnalyzedDocument[]): InlineExample[] {
  return documents.map((document, i) => ({ key: `OTHERS ${i + 1}`, topic: ROOT, others: true, document }));
}

/**
 * Returns the configuration of a task's crawl: defaults, its budget, one fetch at a time without waiting, so that
 * runs are repeatable. Orderings from the literature have neither phases nor archetypes: they harvest from the start.
 */
export function taskConfig(task: Task, ordering: OrderingName, { seed, settings }: RunOptions): Config {
  const phased = PHASED.includes(ordering);
  const learn = phased ? Math.min(DEFAULTS.crawl.learn, Math.floor(task.budget / 20)) : 0;
  const base: Config = {
    ...DEFAULTS,
    crawl: { ...DEFAULTS.crawl, ordering, seed, budget: task.budget, learn },
    learn: { ...DEFAULTS.learn, maxArchetypes: phased ? DEFAULTS.learn.maxArchetypes : 0 },
    network: { ...DEFAULTS.network, concurrency: 1, delayMs: 0, robots: false },
  };
  const groups = Object.entries(settings).map(([group, values]) => [
    group,
    { ...base[group as keyof Config], ...values },
  ]);
  return { ...base, ...Object.fromEntries(groups) };
}

const PHASED: readonly OrderingName[] = ['bingo', 'hub-boosted', 'learned'];

/** Returns the analysis settings of a task's crawl. */
export function taskAnalysis(options: RunOptions): ReturnType<typeof analyzerSettings> {
  const { analyze, learn, crawl } = options.settings;
  return analyzerSettings({
    ...DEFAULTS,
    analyze: { ...DEFAULTS.analyze, ...analyze },
    learn: { ...DEFAULTS.learn, ...learn },
    crawl: { ...DEFAULTS.crawl, ...crawl },
  });
}

/** Simulated clock: each call is a millisecond later, so that time only shows the order. */
function countingClock(): () => number {
  let now = Date.UTC(2026, 0, 1);
  return () => now++;
}

function verdict({ topic, others, confidence }: Assignment): Pick<RunPage, 'topic' | 'confidence'> {
  return { topic: others ? null : topic, confidence };
}

/** The budget, and the first fetches that came on top of it. */
interface Spent {
  readonly budget: number;
  readonly extra: number;
}

/** Collects measurements from a crawl's events. */
class RunLog {
  /** Fetches that count against the budget. */
  readonly found: Found[] = [];
  readonly rounds: RoundRecord[] = [];
  /** Estimates of recall by checkpoint. */
  readonly estimated = new Map<Checkpoint, RecallEstimate>();
  /** Verdicts and features by sequence, for duplicates. */
  readonly #verdicts = new Map<number, Omit<Found, 'url'>>();

  note(event: CrawlEvent): void {
    if (event.kind === 'round') this.rounds.push(event.record);
    if (event.kind === 'page') {
      const { sequence, finalUrl, assignment, role, origin, document } = event.record;
      const { features } = document;
      this.#verdicts.set(sequence, { assignment, features });
      if (role === 'crawled' && origin.via !== 'seed') this.found.push({ url: finalUrl, assignment, features });
    }
    if (event.kind === 'visit' && event.record.result === 'duplicate' && event.record.origin.via !== 'seed') {
      const same = this.#verdicts.get(event.record.page);
      if (same !== undefined) this.found.push({ url: event.record.url, ...same });
    }
  }

  /** Notes the crawl's estimate of recall when a checkpoint of its budget is reached, and at its end. */
  noteEstimates({ kind }: CrawlEvent, { budget, extra }: Spent, estimate: () => RecallEstimate | undefined): void {
    if (kind !== 'page' && kind !== 'visit') return;
    for (const percent of CHECKPOINTS) {
      if (this.found.length - extra !== fetchesAt(budget, percent) || this.estimated.has(percent)) continue;
      const now = estimate();
      if (now !== undefined) this.estimated.set(percent, now);
    }
  }

  /** Returns pages that rounds kept as archetypes, without duplicates. */
  archetypes(): RunArchetype[] {
    const first = new Map<string, RunArchetype>();
    for (const round of this.rounds) {
      if (round.undone) continue;
      for (const { key, topic } of round.admitted)
        if (!first.has(key)) first.set(key, { url: key, topic, round: round.model });
    }
    return [...first.values()];
  }
}
