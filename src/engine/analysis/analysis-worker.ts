import { parentPort, workerData } from 'node:worker_threads';
import { takeNewStems } from '../../analyze/index.ts';
import {
  type Assignment,
  baseSpaces,
  type ExtensionTopic,
  type FeatureSpace,
  type FetchedPage,
  type OfKind,
  type PackedDocument,
  type PageJudgement,
  packDocument,
  thinDocument,
} from '../../core/index.ts';
import { freeBytes } from '../../kit/index.ts';
import { AnalyzedPage } from '../extensions/extension-page.ts';
import { loadExtensions } from '../extensions/load.ts';
import { type ExtensionOutcome, PageExtensions } from '../extensions/page-extensions.ts';
import type { Analysis, DecisionMode, PageContext } from '../ports.ts';
import { featuresNoted } from './link-context.ts';
import { type AnalyzerSettings, type Extend, PageAnalyzer } from './page-analyzer.ts';

/** Start data of a worker. */
export interface AnalysisStart {
  readonly role: 'analysis';
  readonly settings: AnalyzerSettings;
  /** The last model of each crawl that had one before the thread started, by its number in the pool. */
  readonly models: ReadonlyMap<number, Uint8Array>;
  /** Modules with extensions that look at pages. */
  readonly extensions: readonly string[];
  readonly topics: readonly ExtensionTopic[];
  /** The extensions of these modules that take part. */
  readonly names: readonly string[];
}

/** Messages from the pool to its workers. */
export type AnalysisRequest =
  | {
      readonly kind: 'analyze';
      readonly id: number;
      /** Number of the crawl in the pool. */
      readonly by: number;
      readonly page: FetchedPage;
      readonly mode: DecisionMode;
      readonly context: PageContext | undefined;
      /** Names of extensions that are left out. */
      readonly without: readonly string[];
    }
  | { readonly kind: 'model'; readonly by: number; readonly blob: Uint8Array }
  | { readonly kind: 'leave'; readonly by: number };

/**
 * Messages from a worker. `ready` arrives first, after the models are read: before it, no page can have caused the
 * thread's end. A page is `away` while the converter process has it, which limits the time itself; it is `back` once
 * the thread has it again.
 */
export type AnalysisReply =
  | {
      readonly id: number;
      readonly analysis: Analysis;
      /** Stems that the thread met for the first time, see `takeNewStems`. */
      readonly newStems: readonly Uint8Array<ArrayBuffer>[];
      /** How the extensions did. */
      readonly outcomes: readonly ExtensionOutcome[];
    }
  | { readonly id: number; readonly is: 'away' | 'back' }
  /** An extension begins to work on the page, and may never return. */
  | { readonly id: number; readonly is: 'extending'; readonly by: string }
  | { readonly is: 'ready' };

if (parentPort !== null && (workerData as Partial<AnalysisStart> | null)?.role === 'analysis') await serve(parentPort);

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const { settings, models, extensions, topics, names } = workerData as AnalysisStart;
  const loaded = (await loadExtensions(extensions)).filter(({ extension }) => names.includes(extension.name));
  const byPage = loaded.length === 0 ? undefined : new PageExtensions(loaded, topics);
  const analyzer = new PageAnalyzer(settings, true);
  const spaces = baseSpaces(settings.learn.spaces);
  const crawls = new Map<number, { readonly analyzer: ReturnType<PageAnalyzer['branch']>; model?: Uint8Array }>();
  const crawlOf = (by: number) => {
    const crawl = crawls.get(by) ?? { analyzer: analyzer.branch() };
    crawls.set(by, crawl);
    return crawl;
  };
  const take = (by: number, blob: Uint8Array): void => {
    const crawl = crawlOf(by);
    crawl.analyzer.setModel(blob);
    if (crawl.model !== undefined) freeBytes(crawl.model); // Only now: its classifier read parts of it.
    crawl.model = blob;
  };
  for (const [by, blob] of models) take(by, blob);
  port.postMessage({ is: 'ready' } satisfies AnalysisReply);
  port.on('message', (request: AnalysisRequest) => {
    if (request.kind === 'model') {
      take(request.by, request.blob);
      return;
    }
    if (request.kind === 'leave') {
      crawls.get(request.by)?.analyzer.forgetModel();
      crawls.delete(request.by);
      return;
    }
    const { id } = request;
    const outcomes: ExtensionOutcome[] = [];
    const extend =
      byPage &&
      extending(byPage, request, outcomes, (by) => {
        port.postMessage({ id, is: 'extending', by } satisfies AnalysisReply);
      });
    crawlOf(request.by)
      .analyzer.analyze(
        request.page,
        request.mode,
        request.context,
        (is) => port.postMessage({ id, is } satisfies AnalysisReply),
        extend,
      )
      .catch((error: unknown): Analysis => {
        return { kind: 'unusable', reason: 'analysis', detail: error instanceof Error ? error.message : String(error) };
      })
      .then((analysis) => {
        const packed = analysis.kind === 'analyzed' ? packedAnalysis(analysis, spaces) : analysis;
        const newStems = takeNewStems();
        // Copying a few hundred bytes is faster than transferring them.
        const moved = 'packed' in packed ? Object.values(packed.packed).map((bytes) => bytes.buffer) : [];
        port.postMessage({ id, analysis: packed, newStems, outcomes } satisfies AnalysisReply, moved);
        freeBytes(request.page.body); // A copy that belongs to this thread.
      });
  });
}

/** Runs the extensions on the page of a request. */
function extending(
  byPage: PageExtensions,
  request: { readonly without: readonly string[] },
  outcomes: ExtensionOutcome[],
  onBegin: (name: string) => void,
): Extend {
  const without = new Set(request.without);
  let seen: AnalyzedPage | undefined;
  return {
    decide: async (page, document) => {
      seen = new AnalyzedPage(page, document);
      const { outcomes: own, ...decisions } = await byPage.decide(seen, without, onBegin);
      outcomes.push(...own);
      const fields = { ...document.fields, ...decisions.fields };
      return { ...document, ...decisions, ...(Object.keys(fields).length > 0 && { fields }) };
    },
    order: async ({ links }, assignment) => {
      if (seen === undefined) return links;
      seen.judgement = assignment && judgementOf(assignment);
      const { outcomes: own, given } = await byPage.order(seen, without, onBegin);
      outcomes.push(...own);
      return given === undefined ? links : { ...links, given };
    },
  };
}

function judgementOf({ topic, others, relevance, scores }: Assignment): PageJudgement {
  const relevances = Object.fromEntries(scores.map((score) => [score.topic, score.relevance]));
  return { topic: others ? null : topic, relevance, relevances };
}

type Analyzed = OfKind<Analysis, 'analyzed'>;

/** Packs the bulk of the document: bytes can be transferred, but strings would be copied twice. */
function packedAnalysis(analysis: Analyzed, spaces: readonly FeatureSpace[]): Analyzed & { packed: PackedDocument } {
  const { document } = analysis;
  const features = featuresNoted(document, spaces);
  return { ...analysis, document: { ...thinDocument(document), features }, packed: packDocument(document) };
}
