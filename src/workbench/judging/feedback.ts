import { type Config, type Judgement, MAX_JUDGED, type MetaRule, type Steer, type TopicId } from '../../core/index.ts';
import {
  type DeskOptions,
  type Effect,
  EffectSample,
  EffectTally,
  type InlineExample,
  judgeAgain,
  type RejudgedPage,
  TrainerThread,
  TrainingDesk,
  type Trial,
  type Verdicts,
  WholeDocuments,
} from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { namedStore, tableNames } from '../reading/named-store.ts';
import { openInlineExamples } from '../reading/training-documents.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A person's desk over the training pages of a workspace; `close` ends its thread. */
export interface Feedback {
  readonly desk: TrainingDesk;
  /**
   * What some decisions would come to; nothing is written. Takes a second or two, most of it training.
   * @throws BingoError `NOT_POSSIBLE` when they cannot be taken, `NO_MODEL` before the first training
   */
  preview(judgements: readonly Judgement[]): Promise<Change>;
  /**
   * Takes decisions: journals them with the model that they lead to, then judges every stored page again. The store must
   * be open for writing, by the process that holds the workspace's lock, and no crawl may run on it.
   * @param trial what a preview of the same decisions came to, so that nothing is trained twice
   */
  take(judgements: readonly Judgement[], options?: TakeOptions): Promise<Change>;
  /** Journals another change of a person, then trains and judges every stored page again, under the same conditions. */
  change(command: Steer, options?: TakeOptions): Promise<Change>;
  /** Judges every stored page again by the last model: what a kill cut short, or what a running crawl left to its end. */
  catchUp(options?: JudgingOptions): Promise<Effect>;
  /** Every stored page as the last model, and people, have it; nothing is written. Only after the first training. */
  judgedNow(): AsyncIterable<RejudgedPage>;
  close(): Promise<void>;
}

/** How stored pages are judged again. */
export interface JudgingOptions {
  /** Hears how many were judged, and of how many. */
  readonly onJudged?: (pages: number, of: number) => void | Promise<void>;
  /** Leaves the rest to the next crawl, or the next decision: the effect then tells of fewer pages than there are. */
  readonly signal?: AbortSignal;
}

export interface TakeOptions extends JudgingOptions {
  readonly trial?: Trial;
}

/** What decisions change, or changed. */
export interface Change {
  readonly trial: Trial;
  /** Stored pages that go elsewhere. */
  readonly effect: Effect;
}

/** Pages of a preview at the most; it tells when it looked at a sample alone. */
const PREVIEW_PAGES = 2_000;
/** Pages that count in one transaction, and verdicts at the most: those on training pages that stay where they are count for nothing. */
const PAGES_AT_ONCE = 200;
const VERDICTS_AT_ONCE = 2 * PAGES_AT_ONCE;

/** How a desk is opened. */
export interface OpenOptions extends Pick<DeskOptions, 'onRead' | 'withLinks'> {
  /** Hears how many of the documents to learn from were read, and of how many. */
  readonly onDocument?: (read: number, total: number) => void;
}

/** Opens the desk: reads the journal, as a crawl does that resumes. */
export async function openFeedback(
  store: Store,
  workspace: Workspace,
  { onRead = () => {}, onDocument = () => {}, withLinks = false }: OpenOptions = {},
): Promise<Feedback> {
  const { dir, tree, config } = workspace;
  const inline: readonly InlineExample[] = await openInlineExamples({ dir, tree, config, onRead: onDocument });
  const trainer = new TrainerThread({ tree, learn: config.learn, seed: config.crawl.seed });
  try {
    const desk = await TrainingDesk.open({ tree, config, journal: store, trainer, inline, onRead, withLinks });
    const pages = wholePages(store, workspace);
    const sample = new EffectSample(pages, PREVIEW_PAGES);
    const rule = ruleOf(config);
    return {
      desk,
      preview: (judgements) => preview(desk, sample, rule, judgements),
      take: async (judgements, options) => {
        await store.saveTopics(tree);
        return await take({ desk, pages, rule }, judgements, options);
      },
      change: async (command, options) => {
        await store.saveTopics(tree);
        desk.steer(command);
        return await take({ desk, pages, rule }, [], options);
      },
      catchUp: (options) => catchUp({ desk, pages, rule }, options),
      judgedNow: () => judgeAgain(pages, verdictsOf(desk, rule)),
      close: () => trainer.close(),
    };
  } catch (error) {
    await trainer.close();
    throw error;
  }
}

/** A decision on a stored page, or on a training page that is none. */
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

/** What is read and written when stored pages are judged again. */
type JudgedStore = Pick<Store, 'exportPages' | 'documents' | 'saveVerdicts'>;

/** The pages of a store with all feature spaces that the settings name now, in topics as bingo.yaml names them: to be renamed is no move. */
function wholePages(store: Store, workspace: Workspace): JudgedStore {
  const whole = new WholeDocuments(store, workspace.config);
  return {
    exportPages: async function* () {
      yield* namedStore(store, await tableNames(store, workspace)).exportPages();
    },
    documents: (sequences) => whole.documents(sequences),
    saveVerdicts: (verdicts) => store.saveVerdicts(verdicts),
  };
}

/** Judges every stored page by a round's model and writes what it says. */
export async function reclassifyStore(
  store: JudgedStore,
  verdicts: Verdicts,
  { onJudged = () => {}, signal }: JudgingOptions = {},
): Promise<Effect> {
  const tally = new EffectTally();
  const extent = { of: 0 };
  let batch: { sequence: number; assignment: Parameters<EffectTally['add']>[0]['assignment'] }[] = [];
  let saved = 0;
  for await (const judged of judgeAgain(store, verdicts, extent)) {
    tally.add(judged);
    batch.push({ sequence: judged.page.sequence, assignment: judged.assignment });
    if (tally.pages - saved < PAGES_AT_ONCE && batch.length < VERDICTS_AT_ONCE) continue;
    await store.saveVerdicts(batch);
    saved = tally.pages;
    await onJudged(saved, extent.of);
    batch = [];
    if (signal?.aborted === true) break;
  }
  if (batch.length > 0) await store.saveVerdicts(batch);
  const effect = tally.effect();
  return signal?.aborted === true ? { ...effect, of: extent.of } : effect;
}

/** What a desk says of pages; with a trial, what it would say. Only after the first training. */
function verdictsOf(desk: TrainingDesk, rule: MetaRule, trial?: Trial): Verdicts {
  const places = desk.places(trial);
  // What was not trained in this process may be from before a topic was renamed.
  if (trial === undefined) return { blob: desk.round!.blob, rule, places, topicNow: (topic) => desk.topicNow(topic) };
  return { blob: trial.round.blob, rule, places };
}

/** By which rule stored pages are judged again. */
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

/** True when decisions change nothing that is learned, such as that links to a site are to go first. */
export function isUntaught({ before, round }: Trial): boolean {
  return round === before;
}

const NO_EFFECT: Effect = new EffectTally().effect();

interface Taking {
  readonly desk: TrainingDesk;
  readonly pages: JudgedStore;
  readonly rule: MetaRule;
}

async function take(
  { desk, pages, rule }: Taking,
  judgements: readonly Judgement[],
  { trial: tried, ...judging }: TakeOptions = {},
): Promise<Change> {
  const trial = tried ?? (await desk.attempt(judgements));
  await desk.keep(trial);
  if (isUntaught(trial)) return { trial, effect: NO_EFFECT };
  return { trial, effect: await catchUp({ desk, pages, rule }, judging) };
}

async function catchUp({ desk, pages, rule }: Taking, options?: JudgingOptions): Promise<Effect> {
  const effect = await reclassifyStore(pages, verdictsOf(desk, rule), options);
  if (effect.pages === effect.of) await desk.noteReclassified();
  return effect;
}
