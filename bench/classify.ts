import { analyze, type PageOptions } from '../src/analyze/index.ts';
import {
  type AnalyzedDocument,
  type CanonicalUrl,
  canonicalize,
  DEFAULTS,
  type FeatureSpace,
  type TopicId,
  type TopicTree,
  topicTree,
} from '../src/core/index.ts';
import { ModelTrainer, type TrainingItem } from '../src/engine/index.ts';
import { classify, decodeModels, prepareClassifier } from '../src/meta/index.ts';
import { GeneratedWeb } from './generated-web.ts';
import { table } from './table.ts';
import { HTML_HEADERS } from './web.ts';

/** What analysis and classification of one page of 25 KB take. */
export interface ClassificationRow {
  readonly topics: number;
  readonly spaces: readonly FeatureSpace[];
  readonly trainingMs: number;
  readonly modelKb: number;
  readonly analysisMs: number;
  readonly classificationMs: number;
  /** Share of pages that were put into their topic, or into OTHERS, rightly. */
  readonly right: number;
}

const PAGES = 600;
const EXAMPLES = 10;
const OTHERS = 50;
const CASES: readonly (readonly [number, readonly FeatureSpace[]])[] = [
  [1, ['terms']],
  [3, ['terms']],
  [12, ['terms']],
  [3, ['terms', 'pairs']],
];

/** Trains on generated pages and classifies others, with the product's own analysis, trainer and classifier. */
export function classificationRows(): { rows: readonly ClassificationRow[]; text: string } {
  const rows = CASES.map(([topics, spaces]) => measure(topics, spaces));
  const head = ['topics', 'spaces', 'training ms', 'model KB', 'analysis ms/page', 'classification ms/page', 'right'];
  const cells = rows.map((row) => [
    String(row.topics),
    row.spaces.join(', '),
    row.trainingMs.toFixed(0),
    row.modelKb.toFixed(0),
    row.analysisMs.toFixed(3),
    row.classificationMs.toFixed(3),
    `${(row.right * 100).toFixed(1)} %`,
  ]);
  return { rows, text: table(head, cells) };
}

function measure(topics: number, spaces: readonly FeatureSpace[]): ClassificationRow {
  const learn = { ...DEFAULTS.learn, spaces };
  const web = new Pages(topics, spaces);
  const trainer = new ModelTrainer({ tree: web.tree, learn, seed: 1 });
  const items: TrainingItem[] = [];
  const add = (n: number, topic: TopicId, others: boolean): void => {
    trainer.add(String(n), web.document(n).features);
    items.push({ key: String(n), topic, others, origin: 'user' });
  };
  for (let topic = 0; topic < topics; topic++)
    for (let i = 0; i < EXAMPLES; i++) add(web.numberOf(topic, i), web.topicOf(topic)!, false);
  for (let i = 0; i < OTHERS; i++) add(web.numberOf(topics, i), '' as TopicId, true);

  const training = timed(() => trainer.trainNow({ items, background: [], model: 1 }));
  const classifier = prepareClassifier(decodeModels(training.result.blob));
  const unseen = Array.from({ length: PAGES }, (_, i) => web.numberOf(0, EXAMPLES + OTHERS) + i);
  const judge = (document: AnalyzedDocument) => classify(classifier, document.features, 'weighted');
  // Once unmeasured: the first pages pay for the compiler.
  for (const n of unseen.slice(0, PAGES / 2)) judge(web.document(n));

  const analysis = timed(() => unseen.map((n) => web.document(n)));
  const classification = timed(() => analysis.result.map(judge));
  const right = classification.result.filter(
    (assignment, i) => (assignment.others ? undefined : assignment.topic) === web.topicOf(web.subject(unseen[i]!)),
  );
  return {
    topics,
    spaces,
    trainingMs: training.ms,
    modelKb: training.result.blob.length / 1000,
    analysisMs: analysis.ms / PAGES,
    classificationMs: classification.ms / PAGES,
    right: right.length / PAGES,
  };
}

/** Generated pages by number, ready for analysis; the subject after the last topic belongs to no topic. */
class Pages {
  readonly tree: TopicTree;
  readonly #topics: number;
  readonly #options: PageOptions;
  readonly #urls: ReadonlyMap<number, CanonicalUrl>;
  readonly #bodies = new Map<number, Buffer>();

  constructor(topics: number, spaces: readonly FeatureSpace[]) {
    this.#topics = topics;
    const { maxLinksPerPage, maxUrlChars } = DEFAULTS.crawl;
    this.#options = { ...DEFAULTS.analyze, maxLinksPerPage, maxUrlChars, spaces };
    const names = Array.from({ length: topics }, (_, i) => `topic ${i + 1}`);
    this.tree = topicTree(
      names.map((name) => ({ name })),
      [],
    );
    const needed = this.numberOf(0, EXAMPLES + OTHERS) + PAGES;
    const web = new GeneratedWeb({ port: 80, pages: needed, hosts: 300, topics: topics + 1, seed: 1 });
    const urls = new Map<number, CanonicalUrl>();
    for (let n = 0; n < needed; n++) {
      const url = web.urlOf(n);
      urls.set(n, canonicalize(url)!);
      const { hostname, pathname } = new URL(url);
      this.#bodies.set(n, web.page(hostname, pathname)!);
    }
    this.#urls = urls;
  }

  numberOf(subject: number, i: number): number {
    return subject + i * (this.#topics + 1);
  }

  subject(n: number): number {
    return n % (this.#topics + 1);
  }

  topicOf(subject: number): TopicId | undefined {
    return subject < this.#topics ? (`topic ${subject + 1}` as TopicId) : undefined;
  }

  document(n: number): AnalyzedDocument {
    const page = { url: this.#urls.get(n)!, headers: HTML_HEADERS, body: this.#bodies.get(n)! };
    const document = analyze(page, this.#options);
    if ('kind' in document) throw new Error(`Expected a generated page to be readable, got ${document.reason}`);
    return document;
  }
}

function timed<T>(work: () => T): { ms: number; result: T } {
  const began = performance.now();
  const result = work();
  return { ms: performance.now() - began, result };
}
