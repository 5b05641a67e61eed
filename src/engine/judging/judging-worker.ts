import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  type Assignment,
  type Config,
  type DocumentFeatures,
  type MetaRule,
  unpackHashes,
  unpackText,
} from '../../core/index.ts';
import { freeBytes } from '../../kit/index.ts';
import { type Classifier, classify, decodeModels, prepareClassifier } from '../../meta/index.ts';
import { lacksOwnSpaces, lacksSurroundings, withOwnSpaces } from '../training/rebuild-features.ts';

/** Start data of a thread that judges stored pages again. */
export interface JudgingStart {
  readonly role: 'judging';
  readonly config: Pick<Config, 'analyze' | 'learn'>;
  readonly rule: MetaRule;
}

/** The model by which later pages are judged: the first message. */
export interface JudgingModel {
  readonly model: Uint8Array;
}

/** Stored pages to judge. */
export interface JudgingRequest {
  readonly id: number;
  readonly pages: readonly { readonly title: string; readonly content: Uint8Array<ArrayBuffer> }[];
}

/** The verdict on each page of a request; missing if a feature space needs the pages around it. */
export interface JudgingReply {
  readonly id: number;
  readonly assignments: readonly (Assignment | undefined)[];
}

if (parentPort !== null && (workerData as Partial<JudgingStart> | null)?.role === 'judging')
  serve(parentPort, workerData as JudgingStart);

function serve(port: MessagePort, { config, rule }: JudgingStart): void {
  let classifier: Classifier;
  port.on('message', (message: JudgingModel | JudgingRequest) => {
    if ('model' in message) {
      classifier = prepareClassifier(decodeModels(message.model));
      return;
    }
    const { id, pages } = message;
    const assignments = pages.map(({ title, content }) => {
      const features = featuresOf(title, content, config);
      freeBytes(content);
      return lacksSurroundings(features, config.learn.spaces) ? undefined : classify(classifier, features, rule);
    });
    port.postMessage({ id, assignments } satisfies JudgingReply);
  });
}

function featuresOf(title: string, content: Uint8Array, config: JudgingStart['config']): DocumentFeatures {
  const features = unpackHashes(content);
  if (!lacksOwnSpaces(features, config.learn.spaces)) return features;
  return withOwnSpaces({ title, text: unpackText(content), features }, config).features;
}
