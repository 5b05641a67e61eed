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

/** What a worker is started with. */
export interface AnalysisStart {
  readonly role: 'analysis';
  readonly settings: AnalyzerSettings;
  /** The last model, where there was one before the thread. */
  readonly model: Uint8Array | undefined;
}

/** What the pool sends to its workers. */
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
 * What a worker sends back. First it says that it is `ready`, its model read: until then no page can be to blame for its end. A page is `away` while another
 * process converts it, whose time that process's own fences limit: it is `back` when the thread has it again.
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
    freeBytes(model); // The old one, parts of which its classifier read.
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
        // A few hundred bytes are copied sooner than they are moved.
        const moved = 'packed' in packed ? Object.values(packed.packed).map((bytes) => bytes.buffer) : [];
        port.postMessage({ id: request.id, analysis: packed, newStems } satisfies AnalysisReply, moved);
        freeBytes(request.page.body); // This thread's own copy.
      });
  });
}

type Analyzed = Extract<Analysis, { kind: 'analyzed' }>;

/** With the bulk of the document packed: bytes change hands where strings would be copied twice. */
function packedAnalysis(analysis: Analyzed, spaces: readonly FeatureSpace[]): Analyzed & { packed: PackedDocument } {
  const { document } = analysis;
  const features = featuresNoted(document, spaces);
  return { ...analysis, document: { ...thinDocument(document), features }, packed: packDocument(document) };
}
