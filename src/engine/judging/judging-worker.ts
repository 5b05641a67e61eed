import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  type Assignment,
  type BlockPage,
  type Config,
  type DocumentFeatures,
  FeatureBlock,
  type MetaRule,
  packFeatureBlock,
  unpackHashes,
  unpackText,
} from '../../core/index.ts';
import { freeBytes, hash53 } from '../../kit/index.ts';
import { blockClassifier, type Classifier, classify, decodeModels, prepareClassifier } from '../../meta/index.ts';
import { lacksOwnSpaces, lacksSurroundings, withOwnSpaces } from '../training/rebuild-features.ts';
import { type PackedAssignments, packAssignments } from './packed-assignments.ts';

/** Start data of a thread that judges stored pages again. */
export interface JudgingStart {
  readonly role: 'judging';
  readonly config: Pick<Config, 'analyze' | 'learn'>;
  readonly rule: MetaRule;
  /** Version of the program: another one may compute missing features in another way. */
  readonly version: string;
}

/** The model by which later pages are judged: the first message. */
export interface JudgingModel {
  readonly model: Uint8Array;
}

/** A stored page whose packed document is read. */
export interface ContentToJudge {
  readonly sequence: number;
  readonly title: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Pages to judge by their documents. */
export interface ContentRequest {
  readonly id: number;
  readonly pages: readonly ContentToJudge[];
  /** Also pack the features of all these pages, and judge only the wanted ones. */
  readonly wanted?: readonly number[];
}

/** Pages to judge by the features of their block. */
export interface BlockRequest {
  readonly id: number;
  readonly block: Uint8Array<ArrayBuffer>;
  readonly wanted: readonly number[];
}

/** The answer to a request. */
export interface JudgingReply {
  readonly id: number;
  /**
   * The verdict on each wanted page; missing if a feature space needs the pages around it. `undefined` if the block
   * does not fit the pages or the settings.
   */
  readonly judged: PackedAssignments | undefined;
  /** The packed features, if they were asked for. */
  readonly block?: Uint8Array<ArrayBuffer>;
}

if (parentPort !== null && (workerData as Partial<JudgingStart> | null)?.role === 'judging')
  serve(parentPort, workerData as JudgingStart);

function serve(port: MessagePort, start: JudgingStart): void {
  let judge: StoredPages;
  port.on('message', (message: JudgingModel | ContentRequest | BlockRequest) => {
    if ('model' in message) {
      judge = new StoredPages(start, prepareClassifier(decodeModels(message.model)));
      return;
    }
    const { id } = message;
    const reply = 'block' in message ? { judged: judge.inBlock(message) } : judge.byContent(message);
    const moved = [reply.judged?.numbers.buffer, 'block' in reply ? reply.block?.buffer : undefined];
    port.postMessage(
      { id, ...reply } satisfies JudgingReply,
      moved.filter((buffer) => buffer !== undefined),
    );
  });
}

/** Judges stored pages by one model. */
class StoredPages {
  readonly #start: JudgingStart;
  readonly #classifier: Classifier;
  readonly #basis: number;

  constructor(start: JudgingStart, classifier: Classifier) {
    this.#start = start;
    this.#classifier = classifier;
    const { version, config } = start;
    this.#basis = hash53(JSON.stringify([version, config.analyze, config.learn.spaces]));
  }

  byContent({ pages, wanted }: ContentRequest): Pick<JudgingReply, 'judged' | 'block'> {
    let isStored = true;
    const read = pages.map(({ sequence, title, content }): BlockPage => {
      const stored = unpackHashes(content);
      const features = this.#whole(stored, title, content);
      isStored &&= features === stored;
      freeBytes(content);
      return { sequence, features };
    });
    if (wanted === undefined) return { judged: this.#judged(read) };
    const features = new Map(read.map((page) => [page.sequence, page]));
    const judged = this.#judged(wanted.map((sequence) => features.get(sequence)));
    return { judged, block: packFeatureBlock(read, isStored ? 0 : this.#basis) };
  }

  /** Returns `undefined` if the block is damaged, or a page or a wanted space is missing or was computed in another way. */
  inBlock({ block: packed, wanted }: BlockRequest): PackedAssignments | undefined {
    const block = readBlock(packed);
    freeBytes(packed);
    const judged = block && this.#inBlock(block, wanted);
    block?.free();
    return judged;
  }

  #inBlock(block: FeatureBlock, wanted: readonly number[]): PackedAssignments | undefined {
    const { spaces } = this.#start.config.learn;
    if (block.basis !== 0 && block.basis !== this.#basis) return undefined;
    const classifyAt = blockClassifier(this.#classifier, block, this.#start.rule);
    const assignments: (Assignment | undefined)[] = [];
    for (const sequence of wanted) {
      const index = block.indexOf(sequence);
      const built = index === undefined ? {} : block.bagsOf(index);
      if (index === undefined || lacksOwnSpaces(built, spaces)) return undefined;
      assignments.push(lacksSurroundings(built, spaces) ? undefined : classifyAt(index));
    }
    return packAssignments(assignments);
  }

  #judged(pages: readonly (BlockPage | undefined)[]): PackedAssignments {
    const { config, rule } = this.#start;
    return packAssignments(
      pages.map((page) =>
        page === undefined || lacksSurroundings(page.features, config.learn.spaces)
          ? undefined
          : classify(this.#classifier, page.features, rule),
      ),
    );
  }

  /** Returns the features with the spaces of the page's own words. */
  #whole(features: DocumentFeatures, title: string, content: Uint8Array): DocumentFeatures {
    const { config } = this.#start;
    if (!lacksOwnSpaces(features, config.learn.spaces)) return features;
    return withOwnSpaces({ title, text: unpackText(content), features }, config).features;
  }
}

function readBlock(packed: Uint8Array): FeatureBlock | undefined {
  try {
    return new FeatureBlock(packed);
  } catch {
    return undefined;
  }
}
