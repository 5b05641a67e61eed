import { type Config, type Judgement, MAX_JUDGED, type MetaRule, type Steer, type TopicId } from '../../core/index.ts';
import {
  type DeskOptions,
  type Effect,
  EffectSample,
  EffectTally,
  emptyExtent,
  type InlineExample,
  JudgingThreads,
  judgeAgain,
  type PageSource,
  placeName,
  type RejudgedPage,
  TrainerThread,
  TrainingDesk,
  type Trial,
  type Verdicts,
  WholeDocuments,
} from '../../engine/index.ts';
import { hash53 } from '../../kit/index.ts';
import { CheckpointFiles, type Store } from '../../store/index.ts';
import { type TableNames, tableNames } from '../reading/named-store.ts';
import { openInlineExamples } from '../reading/training-documents.ts';
import { readBacklinks } from '../workspace/backlinks.ts';
import { pathsOf } from '../workspace/known-topics.ts';
import { productVersion } from '../workspace/product.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Applies the user's decisions to the training pages of a workspace; `close` ends its thread. */
export interface Feedback {
  readonly desk: TrainingDesk;
  /**
   * Returns what decisions would change; writes nothing. Takes a second or two, mostly for training.
   * @throws BingoError `NOT_POSSIBLE` if they cannot be applied, `NO_MODEL` before the first training
   */
  preview(judgements: readonly Judgement[]): Promise<Change>;
  /**
   * Applies decisions: writes them to the journal with the resulting model, then judges every stored page again. The
   * process must hold the workspace's lock and have the store open for writing, and no crawl may run.
   * @param trial the preview of the same decisions, so that nothing is trained twice
   */
  take(judgements: readonly Judgement[], options?: TakeOptions): Promise<Change>;
  /** Journals another change by the user, then trains and judges every stored page again, under the same conditions. */
  change(command: Steer, options?: TakeOptions): Promise<Change>;
  /**
   * Judges every stored page again by the last model: completes what a kill interrupted, or what a running crawl left
   * to its end. Continues where an interrupted judging by the same model ended.
   */
  catchUp(options?: JudgingOptions): Promise<Effect>;
  /** Reads what judging needs besides the model, and starts its threads. Call it before training, which takes a while. */
  prepare(): void;
  /** True if judging by the last model was interrupted, and nothing changed since that matters to it. */
  isInterrupted(): Promise<boolean>;
  /**
   * Yields every stored page as judged by the last model and the user; writes nothing. Requires a first training
   * round.
   */
  judgedNow(): AsyncIterable<RejudgedPage>;
  close(): Promise<void>;
}

/** Options for judging stored pages again. */
export interface JudgingOptions {
  /** Receives the number of judged pages and the total. */
  readonly onJudged?: (pages: number, of: number) => void | Promise<void>;
  /** Leaves the rest to the next crawl or decision; the effect then covers fewer pages than the store has. */
  readonly signal?: AbortSignal;
}

export interface TakeOptions extends JudgingOptions {
  readonly trial?: Trial;
}

/** What decisions change, or changed. */
export interface Change {
  readonly trial: Trial;
  /** Stored pages that change their topic. */
  readonly effect: Effect;
}

/** Maximum number of pages in a preview; the preview notes if it covers only a sample. */
const PREVIEW_PAGES = 2_000;
/** Verdicts are saved after this number of pages or verdicts; the first pages earlier, so that they are seen soon. */
const PAGES_AT_ONCE = 1_000;
const FIRST_PAGES = 200;
const VERDICTS_AT_ONCE = 400;
/** A journal with fewer records has too few pages for threads. */
const MANY_RECORDS = 1_000;
/** Relevance is shown in per cent. */
const SEEN_RELEVANCE = 0.005;

/** Options for opening the feedback. */
export interface OpenOptions extends Pick<DeskOptions, 'onRead' | 'withLinks'> {
  /** Receives the number of training documents read, and the total. */
  readonly onDocument?: (read: number, total: number) => void;
}

/** Opens the feedback: reads the journal, as a resumed crawl does. */
export async function openFeedback(
  store: Store,
  workspace: Workspace,
  { onRead = () => {}, onDocument = () => {}, withLinks = false }: OpenOptions = {},
): Promise<Feedback> {
  const { dir, tree, known, config } = workspace;
  const topics = known && pathsOf(known);
  const inline: readonly InlineExample[] = await openInlineExamples({ dir, tree, config, onRead: onDocument });
  const trainer = new TrainerThread({ tree, learn: config.learn, seed: config.crawl.seed });
  try {
    const checkpoints = new CheckpointFiles(dir, productVersion());
    const desk = await TrainingDesk.open({
      ...{ tree, topics, config, journal: store, checkpoints, trainer, inline, onRead, withLinks },
      backlinks: readBacklinks({ dir, config }),
    });
    const pages = wholePages(store, workspace);
    const rule = ruleOf(config);
    const { analyze, learn } = config;
    const sample = new EffectSample({ source: pages, limit: PREVIEW_PAGES, spaces: learn.spaces });
    const spare = new SpareThreads(
      () => new JudgingThreads({ config: { analyze, learn }, rule, version: productVersion() }, analyze.threads),
    );
    const start = ({ round }: TrainingDesk): JudgingThreads => spare.take(round!.blob);
    const basis = (): string => judgingBasis(desk, config);
    const taking: Taking = { desk, pages, rule, basis, start };
    return {
      desk,
      preview: (judgements) => preview(desk, sample, rule, judgements),
      take: (judgements, options) => take(taking, judgements, options),
      change: async (command, options) => {
        desk.steer(command);
        return await take(taking, [], options);
      },
      catchUp: (options) => catchUp(taking, options),
      prepare: () => {
        pages.prepare();
        if (desk.sequence >= MANY_RECORDS) spare.start();
      },
      isInterrupted: async () => desk.isReclassificationDue && (await store.judgingProgress())?.basis === basis(),
      judgedNow: () => judgeAgain(pages, verdictsOf(desk, rule), { start: () => start(desk) }),
      close: async () => {
        await Promise.all([trainer.close(), spare.close()]);
      },
    };
  } catch (error) {
    await trainer.close();
    throw error;
  }
}

/** A decision on a stored page, or on a training document that is not a stored page. */
export function judgementOf(
  page: { readonly key: string; readonly sequence: number; readonly title: string },
  use: Judgement['use'],
  topic: TopicId,
  without: readonly number[] = [],
): Judgement {
  const { key, sequence } = page;
  const title = page.title.slice(0, MAX_JUDGED.title).toWellFormed();
  const same = { key, sequence, title, use, topic };
  return without.length === 0 ? same : { ...same, without };
}

/** The parts of a store that judging pages again reads and writes. */
type JudgedStore = PageSource & Pick<Store, 'scoredTopics' | 'judgingProgress' | 'saveVerdicts' | 'saveFeatureBlock'>;

/**
 * Adds all currently configured feature spaces to the pages of a store. Topics have their names of bingo.yaml: a
 * rename is not a move.
 */
function wholePages(store: Store, workspace: Workspace): JudgedStore & { readonly prepare: () => void } {
  const whole = new WholeDocuments(store, workspace.config);
  let names: Promise<TableNames> | undefined;
  const named = async (): Promise<TableNames['named']> => {
    names ??= tableNames(store, workspace);
    return (await names).named;
  };
  let scored: ReturnType<Store['scoredTopics']> | undefined;
  return {
    currentPages: () => store.currentPages(),
    documents: (sequences) => whole.documents(sequences),
    packedPages: async (sequences) => (await store.packedPages(sequences)).map(await named()),
    storedPages: async (sequences) => (await store.storedPages(sequences)).map(await named()),
    featureBlock: (block) => store.featureBlock(block),
    prepare: () => {
      scored = store.scoredTopics();
      // An error is thrown to the reader.
      scored.catch(() => {});
    },
    scoredTopics: async () => {
      const found = scored ?? store.scoredTopics();
      // Verdicts are about to change.
      scored = undefined;
      return await found;
    },
    judgingProgress: () => store.judgingProgress(),
    saveVerdicts: (verdicts, progress) => store.saveVerdicts(verdicts, progress),
    saveFeatureBlock: (block, features) => store.saveFeatureBlock(block, features),
  };
}

/** Threads that start before they are needed. */
class SpareThreads {
  readonly #make: () => JudgingThreads;
  #threads: JudgingThreads | undefined;

  constructor(make: () => JudgingThreads) {
    this.#make = make;
  }

  start(): void {
    this.#threads ??= this.#make();
  }

  /** Returns threads for the caller to close. */
  take(model: Uint8Array): JudgingThreads {
    const threads = this.#threads ?? this.#make();
    this.#threads = undefined;
    threads.use(model);
    return threads;
  }

  async close(): Promise<void> {
    await this.#threads?.close();
    this.#threads = undefined;
  }
}

/** Options of {@link reclassifyStore}. */
export interface ReclassifyOptions extends JudgingOptions {
  /** See `JudgingProgress`. */
  readonly basis?: string;
  /** Starts threads that judge many pages. */
  readonly start?: () => JudgingThreads;
}

/**
 * Judges every stored page by a round's model and writes the verdicts. Continues a judging on the same basis. While
 * verdicts are written, the next pages are judged.
 */
export async function reclassifyStore(
  store: JudgedStore,
  verdicts: Verdicts,
  { onJudged = () => {}, signal, basis = '', start }: ReclassifyOptions = {},
): Promise<Effect> {
  const tally = new EffectTally();
  const extent = emptyExtent();
  const [scored, saved] = [await store.scoredTopics(), await store.judgingProgress()];
  const after = basis !== '' && saved?.basis === basis ? saved : undefined;
  let batch: { readonly sequence: number; readonly assignment: RejudgedPage['assignment'] }[] = [];
  let pages = 0;
  let saving: Promise<void> = Promise.resolve();
  const save = async (): Promise<void> => {
    const [written, judged] = [batch, extent.skipped + tally.pages];
    const { accepted, rejected } = extent;
    [batch, pages] = [[], 0];
    await saving;
    saving = store.saveVerdicts(written, { basis, accepted, rejected }).then(() => onJudged(judged, extent.of));
    // An error is thrown by the next save.
    saving.catch(() => {});
  };
  const onBlock = (block: number, features: Uint8Array): void => {
    // A writer that failed throws at the next save.
    store.saveFeatureBlock(block, features).catch(() => {});
  };
  for await (const judged of judgeAgain(store, verdicts, { extent, after, start, onBlock })) {
    tally.add(judged);
    pages++;
    if (isSeen(judged, scored)) batch.push({ sequence: judged.page.sequence, assignment: judged.assignment });
    const isFirst = pages === FIRST_PAGES && tally.pages < PAGES_AT_ONCE;
    if (isFirst || pages >= PAGES_AT_ONCE || batch.length >= VERDICTS_AT_ONCE) await save();
    if (signal?.aborted === true) break;
  }
  await save();
  await saving;
  const effect = tally.effect();
  return signal?.aborted === true ? { ...effect, pages: extent.skipped + effect.pages, of: extent.of } : effect;
}

/**
 * True if a person can see the new verdict. Otherwise the stored one stays: after a mark, most pages are where they
 * were, and writing them takes longer than judging them.
 * @param scored the topics for which every page has scores
 */
function isSeen({ page, assignment }: RejudgedPage, scored: ReadonlySet<TopicId> | undefined): boolean {
  const { scores, relevance } = assignment;
  if (scored?.size !== scores.length || !scores.every(({ topic }) => scored.has(topic))) return true;
  return Math.abs(page.relevance - relevance) >= SEEN_RELEVANCE || placeName(page) !== placeName(assignment);
}

/** Verdicts on pages; with a trial, the verdicts of its model. Requires a first training round. */
function verdictsOf(desk: TrainingDesk, rule: MetaRule, trial?: Trial): Verdicts {
  const places = desk.places(trial);
  // A model of another process may be older than a topic's new name.
  if (trial === undefined)
    return { blob: desk.round!.blob, rule, places, topicNow: (topic, at) => desk.topicNow(topic, at) };
  const topicNow = (topic: TopicId, at?: number): TopicId | undefined =>
    at === undefined ? topic : desk.topicNow(topic, at);
  return { blob: trial.round.blob, rule, places, topicNow };
}

/** The meta rule by which stored pages are judged again. */
function ruleOf(config: Config): MetaRule {
  return config.learn.metaHarvesting;
}

async function preview(
  desk: TrainingDesk,
  sample: EffectSample,
  rule: MetaRule,
  judgements: readonly Judgement[],
): Promise<Change> {
  const trial = await desk.attempt(judgements);
  if (isUntaught(trial)) return { trial, effect: NO_EFFECT };
  return { trial, effect: await sample.effectOf(verdictsOf(desk, rule, trial), verdictsOf(desk, rule)) };
}

/** Whether decisions leave the training unchanged, for example if they only raise the priority of a site's links. */
export function isUntaught({ before, round }: Trial): boolean {
  return round === before;
}

const NO_EFFECT: Effect = new EffectTally().effect();

interface Taking {
  readonly desk: TrainingDesk;
  readonly pages: JudgedStore;
  readonly rule: MetaRule;
  /** See `JudgingProgress`. */
  readonly basis: () => string;
  /** Starts threads that judge by the last model. */
  readonly start: (desk: TrainingDesk) => JudgingThreads;
}

async function take(
  taking: Taking,
  judgements: readonly Judgement[],
  { trial: tried, ...judging }: TakeOptions = {},
): Promise<Change> {
  const { desk } = taking;
  const trial = tried ?? (await desk.attempt(judgements));
  await desk.keep(trial);
  if (isUntaught(trial)) return { trial, effect: NO_EFFECT };
  return { trial, effect: await catchUp(taking, judging) };
}

async function catchUp({ desk, pages, rule, basis, start }: Taking, options?: JudgingOptions): Promise<Effect> {
  const how = { ...options, basis: basis(), start: () => start(desk) };
  const effect = await reclassifyStore(pages, verdictsOf(desk, rule), how);
  if (effect.pages === effect.of) await desk.noteReclassified();
  return effect;
}

/** Identifies what stored pages are judged by: the journal, with model and decisions, the topics and the settings. */
function judgingBasis({ sequence, round, tree }: TrainingDesk, { analyze, learn }: Config): string {
  const rest = JSON.stringify([productVersion(), [...tree.nodes.values()], analyze, learn]);
  return `${sequence} ${round?.sequence ?? 0} ${hash53(rest)}`;
}
