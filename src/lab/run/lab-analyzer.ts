import { baseSpaces, type Config, type FeatureSpace, type FetchedPage } from '../../core/index.ts';
import {
  type Analysis,
  type Analyzer,
  type DecisionMode,
  type PageContext,
  surroundedFeatures,
} from '../../engine/index.ts';
import { type Classifier, classify, decodeModels, prepareClassifier } from '../../meta/index.ts';
import type { AnalyzedWeb } from './analyzed-web.ts';

/** Classifies previously analysed pages in the calling thread, so that each page is analysed only once for all runs. */
export class LabAnalyzer implements Analyzer {
  readonly #web: AnalyzedWeb;
  readonly #learn: Config['learn'];
  readonly #spaces: readonly FeatureSpace[];
  #classifier: Classifier | undefined;

  constructor(web: AnalyzedWeb, learn: Config['learn']) {
    this.#web = web;
    this.#learn = learn;
    this.#spaces = baseSpaces(learn.spaces);
  }

  setModel(blob: Uint8Array): void {
    this.#classifier = prepareClassifier(decodeModels(blob));
  }

  async analyze(page: FetchedPage, mode: DecisionMode, context?: PageContext): Promise<Analysis> {
    const analysis = this.#web.analyses.get(page.url);
    if (analysis === undefined) return { kind: 'unusable', reason: 'analysis', detail: 'not among the analysed pages' };
    if (analysis.kind === 'unusable') return analysis;
    const features = surroundedFeatures(analysis.document.features, context, this.#spaces);
    const document = { ...analysis.document, features };
    if (this.#classifier === undefined) return { kind: 'analyzed', document, assignment: undefined };
    const rule = mode === 'learning' ? this.#learn.metaLearning : this.#learn.metaHarvesting;
    return { kind: 'analyzed', document, assignment: classify(this.#classifier, document.features, rule) };
  }

  async close(): Promise<void> {}
}
