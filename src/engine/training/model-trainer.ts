import {
  baseSpaces,
  type Config,
  type DocumentFeatures,
  goodTopics,
  isGivenExample,
  ROOT,
  type TopicTree,
} from '../../core/index.ts';
import { seededRandom } from '../../kit/index.ts';
import type { TrainingPage } from '../../learn/index.ts';
import {
  chooseStandIns,
  compareModels,
  decodeModels,
  encodeModels,
  linkWeights,
  type OffTopicPage,
  type TopicModels,
  type TrainedTopics,
  trainTopicModels,
} from '../../meta/index.ts';
import type { Trainer, TrainingItem, TrainingRequest, TrainingResult } from '../ports.ts';
import { HeldFeatures, type PackedFeatures } from './held-features.ts';

/** Number of rejected pages outside the training set that two models are compared on; they are in random order. */
const RANKED = 200;

/** What a trainer needs from the start; sent to the training thread. */
export interface TrainerSettings {
  readonly tree: TopicTree;
  readonly learn: Config['learn'];
  readonly seed: number;
}

/** Training in the calling thread. The training worker and the lab use it. */
export class ModelTrainer implements Trainer {
  readonly #settings: TrainerSettings;
  #held: HeldFeatures;

  /** @param packed features of an earlier trainer to continue from */
  constructor(settings: TrainerSettings, packed?: PackedFeatures) {
    this.#settings = settings;
    this.#held = new HeldFeatures(baseSpaces(settings.learn.spaces), packed);
  }

  /** The features it has received and not dropped, in the spaces that it trains. */
  get held(): HeldFeatures {
    return this.#held;
  }

  add(key: string, features: DocumentFeatures): void {
    this.#held.add(key, features);
  }

  forget(key: string): void {
    this.#held.forget(key);
  }

  async train(request: TrainingRequest): Promise<TrainingResult> {
    return this.trainNow(request);
  }

  trainNow(request: TrainingRequest): TrainingResult {
    const { learn, seed } = this.#settings;
    const { items, background, accepted = [], model, tree = this.#settings.tree, votes } = request;
    const given = this.#pagesOf(items);
    const standIns = this.#standIns(given, request.candidates ?? []);
    const taken = new Set(standIns.map(({ key }) => key));
    const kept = (keys: readonly string[]): string[] =>
      keys.filter((key) => !taken.has(key) && this.#held.get(key) !== undefined);
    const held = (keys: readonly string[]): DocumentFeatures[] => keys.map((key) => this.#held.get(key)!);
    const pages = [...given, ...standIns];
    const others = kept(background);
    const trained = (config: Config['learn']): TrainedTopics =>
      trainTopicModels({
        tree,
        pages,
        background: held(others),
        accepted: held(kept(accepted)),
        ...(votes && { votes: [...pages.map(({ key }) => key), ...others].map((key) => votes.get(key)) }),
        config,
        model,
        random: seededRandom(seed + model),
        names: this.#held.names,
      });
    const { models, estimates, heldOut, likeness } = trained(learn);
    const isDoubtful = standIns.length > 0 && (request.leftOut ?? []).length > 0 && String(learn.spaces) !== 'terms';
    const plain = isDoubtful ? { plainEstimates: trained({ ...learn, spaces: ['terms'] }).estimates } : {};
    const words = linkWeights(
      models,
      goodTopics(tree).map(({ id }) => id),
    );
    const ranks = this.#compared(request, [...given, ...standIns], { models, heldOut });
    return {
      blob: encodeModels(models),
      words,
      estimates,
      heldOut,
      likeness,
      standIns: [...taken],
      ...plain,
      ...ranks,
    };
  }

  /** Compares the new model with the one in force, on the user's examples and on off-topic pages. */
  #compared(
    { before, background, leftOut = [] }: TrainingRequest,
    pages: readonly TrainingPage[],
    after: { readonly models: TopicModels; readonly heldOut: ReadonlyMap<string, number> },
  ): Pick<TrainingResult, 'ranks' | 'ownRanks'> {
    if (before === undefined) return {};
    const asOffTopic = ({ key, topic, features }: TrainingPage): OffTopicPage => ({ key, node: topic, features });
    const isOwn = ({ others, origin }: TrainingPage): boolean => others && origin !== 'rejected';
    const own = [...pages.filter(isOwn), ...this.#pagesOf(leftOut)].map(asOffTopic);
    const found = pages.filter(({ origin }) => origin === 'rejected').map(asOffTopic);
    const placed = new Set(pages.map(({ key }) => key));
    const unplaced = background.filter((key) => !placed.has(key)).slice(0, RANKED);
    const ranked = this.#pagesOf(unplaced.map(asRejected)).map(asOffTopic);
    const examples = pages.filter(isGivenExample);
    const compared = { before: { models: decodeModels(before.blob), heldOut: before.heldOut }, after, examples };
    return {
      ranks: compareModels({ ...compared, offTopic: [...own, ...found, ...ranked] }),
      ownRanks: compareModels({ ...compared, offTopic: own }),
    };
  }

  #pagesOf(items: readonly TrainingItem[]): TrainingPage[] {
    return items.flatMap((item) => {
      const features = this.#held.get(item.key);
      return features === undefined ? [] : [{ ...item, features }];
    });
  }

  #standIns(given: readonly TrainingPage[], keys: readonly string[]): TrainingPage[] {
    if (keys.length === 0) return [];
    const candidates = this.#pagesOf(keys.map(asRejected));
    const chosen = new Set(
      chooseStandIns({ pages: given, candidates, spaces: this.#settings.learn.spaces, names: this.#held.names }),
    );
    return candidates.filter(({ key }) => chosen.has(key));
  }

  rest(): void {
    // Apart from the features, it stores little.
  }

  async close(): Promise<void> {
    this.#held = new HeldFeatures([]);
  }
}

function asRejected(key: string): TrainingItem {
  return { key, topic: ROOT, others: true, origin: 'rejected' };
}
