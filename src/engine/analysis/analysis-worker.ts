import { parentPort, workerData } from 'node:worker_threads';
import { takeNewStems } from '../../analyze/index.ts';
import {
  baseSpaces,
  type FeatureSpace,
  type FetchedPage,
  type PackedDocument,
  packDocument,
  thinDocument,
} from '../../core/index.ts';
import { freeBytes } from '../../kit/index.ts';
import type { Analysis, DecisionMode, PageContext } from '../ports.ts';
import { type AnalyzerSettings, PageAnalyzer } from './page-analyzer.ts';
import { featuresNoted } from './surroundings.ts';

/** Start data of a worker. */
export interface AnalysisStart {
  readonly role: 'analysis';
  readonly settings: AnalyzerSettings;
  /** The last model, if one existed before the thread started. */
  readonly model: Uint8Array | undefined;
}

/** Messages from the pool to its workers. */
export type AnalysisRequest =
  | {
      readonly kind: 'analyze';
      readonly id: number;
      readonly page: FetchedPage;
      readonly mode: DecisionMode;
      readonly context: PageContext | undefined;
    }
  | { readonly kind: 'model'; readonly blob: Uint8Array };

/**
 * Messages from a worker. `ready` arrives first, after the model is read: before it, no page can have caused the
 * thread's end. A page is `away` while the converter process has it, which limits the time itself; it is `back` once
 * the thread has it again.
 */
export type AnalysisReply =
  | {
      readonly id: number;
      readonly analysis: Analysis;
      /** Stems that the thread met for the first time, see `takeNewStems`. */
      readonly newStems: readonly Uint8Array<ArrayBuffer>[];
    }
  | { readonly id: number; readonly is: 'away' | 'back' }
  | { readonly is: 'ready' };

if (parentPort !== null && (workerData as Partial<AnalysisStart> | null)?.role === 'analysis') serve(parentPort);

function serve(port: NonNullable<typeof parentPort>): void {
  const { settings, model: first } = workerData as AnalysisStart;
  const analyzer = new PageAnalyzer(settings, true);
  const spaces = baseSpaces(settings.learn.spaces);
  let model: Uint8Array = new Uint8Array(0);
  const take = (blob: Uint8Array): void => {
    analyzer.setModel(blob);
    freeBytes(model); // Frees the old model only now: its classifier read parts of it.
    model = blob;
  };
  if (first !== undefined) take(first);
  port.postMessage({ is: 'ready' } satisfies AnalysisReply);
  port.on('message', (request: AnalysisRequest) => {
    if (request.kind === 'model') {
      take(request.blob);
      return;
    }
    analyzer
      .analyze(request.page, request.mode, request.context, (is) => {
        port.postMessage({ id: request.id, is } satisfies AnalysisReply);
      })
      .catch((error: unknown): Analysis => {
        return { kind: 'unusable', reason: 'analysis', detail: error instanceof Error ? error.message : String(error) };
      })
      .then((analysis) => {
        const packed = analysis.kind === 'analyzed' ? packedAnalysis(analysis, spaces) : analysis;
        const newStems = takeNewStems();
        // Copying a few hundred bytes is faster than transferring them.
        const moved = 'packed' in packed ? Object.values(packed.packed).map((bytes) => bytes.buffer) : [];
        port.postMessage({ id: request.id, analysis: packed, newStems } satisfies AnalysisReply, moved);
        freeBytes(request.page.body); // A copy that belongs to this thread.
      });
  });
}

type Analyzed = Extract<Analysis, { kind: 'analyzed' }>;

/** Packs the bulk of the document: bytes can be transferred, but strings would be copied twice. */
function packedAnalysis(analysis: Analyzed, spaces: readonly FeatureSpace[]): Analyzed & { packed: PackedDocument } {
  const { document } = analysis;
  const features = featuresNoted(document, spaces);
  return { ...analysis, document: { ...thinDocument(document), features }, packed: packDocument(document) };
}
