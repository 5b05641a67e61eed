import { Worker } from 'node:worker_threads';
import { builtFile } from '../kit/index.ts';
import { convertToPage } from './convert.ts';
import { processorMs, type Watched } from './convert-watchdog.ts';
import { ConversionError, type ConvertLimits } from './outcome.ts';

/** What the parent asks. */
export interface ConvertRequest {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly url: string;
  readonly limits: ConvertLimits;
  /** Processor time that the document may take, in ms; the process ends itself afterwards. */
  readonly timeoutMs: number;
}

/** What the child answers; `ready` comes first and once. */
export type ConvertReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'converted'; readonly id: number; readonly html: string }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly reason: ConversionError['reason'];
      readonly detail: string;
    };

/** What libraries say of an error may have several lines, the later ones for their own developers. */
function lineOf(error: unknown): string {
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack')) return 'nested too deeply';
  const said = error instanceof Error ? error.message : String(error);
  const message = error instanceof ConversionError ? said : `not a readable document: ${said}`;
  return (message.split('\n')[0] ?? '').replace(/\s+/g, ' ').slice(0, MAX_DETAIL_CHARS).trim();
}

const MAX_DETAIL_CHARS = 300;

function send(reply: ConvertReply): void {
  process.send?.(reply);
}

const limit = new Float64Array(new SharedArrayBuffer(8));
const watched: Watched = { limit, parent: process.ppid };
new Worker(builtFile('convert-watchdog'), { workerData: { watched } }).unref();

process.on('message', (request: ConvertRequest) => {
  limit[0] = processorMs() + request.timeoutMs;
  convertToPage(request.bytes, request.contentType, request.url, request.limits).then(
    (html) => {
      limit[0] = 0;
      send({ kind: 'converted', id: request.id, html });
    },
    (error: unknown) => {
      limit[0] = 0;
      const reason = error instanceof ConversionError ? error.reason : 'damaged';
      send({ kind: 'failed', id: request.id, reason, detail: lineOf(error) });
    },
  );
});
// A library's stray rejection belongs to the document at hand, which its time limit ends.
process.on('unhandledRejection', () => {});
// The parent is gone: so is the reason to live.
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole process group; the parent decides when this process ends.
process.on('SIGINT', () => {});
send({ kind: 'ready' });
