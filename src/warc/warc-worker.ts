import { parentPort, workerData } from 'node:worker_threads';
import { BingoError } from '../core/index.ts';
import type { Recording, RenderedRecording } from './recording.ts';
import { WarcFile } from './warc-file.ts';
import type { WarcInfo } from './warc-records.ts';

/** Start parameters of the thread. */
export interface WarcWorkerData {
  readonly role: 'warc';
  readonly path: string;
  readonly info: WarcInfo;
}

export type WarcRequest =
  | { readonly kind: 'record'; readonly id: number; readonly recording: Recording }
  | { readonly kind: 'render'; readonly id: number; readonly page: RenderedRecording }
  | { readonly kind: 'close' };

/** An error in a form that the other thread can recreate. */
export interface WarcTrouble {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** What was written for a request. */
export type Written = 'response' | 'revisit' | 'rendered';

export type WarcReply =
  | { readonly kind: 'open'; readonly bytes: number; readonly repaired: number }
  | { readonly kind: 'unopened'; readonly trouble: WarcTrouble }
  | { readonly kind: 'written'; readonly id: number; readonly bytes: number; readonly wrote: Written }
  | { readonly kind: 'failed'; readonly id: number; readonly trouble: WarcTrouble };

if (parentPort !== null && (workerData as { readonly role?: string } | null)?.role === 'warc')
  serve(parentPort, workerData as WarcWorkerData);

function serve(port: NonNullable<typeof parentPort>, { path, info }: WarcWorkerData): void {
  const reply = (message: WarcReply): void => port.postMessage(message);
  let file: WarcFile;
  try {
    file = new WarcFile(path, info, Date.now());
  } catch (error) {
    reply({ kind: 'unopened', trouble: troubleOf(error) });
    port.close();
    return;
  }
  port.on('message', (request: WarcRequest) => {
    if (request.kind === 'close') {
      file.close();
      port.close();
      return;
    }
    const { id } = request;
    try {
      const wrote = written(file, request);
      reply({ kind: 'written', id, bytes: file.bytes, wrote });
    } catch (error) {
      reply({ kind: 'failed', id, trouble: troubleOf(error) });
    }
  });
  reply({ kind: 'open', bytes: file.bytes, repaired: file.repaired });
}

function written(file: WarcFile, request: Exclude<WarcRequest, { readonly kind: 'close' }>): Written {
  if (request.kind === 'record') return file.write(request.recording) ? 'revisit' : 'response';
  file.writeRendered(request.page);
  return 'rendered';
}

function troubleOf(error: unknown): WarcTrouble {
  if (error instanceof BingoError) return { code: error.code, message: error.message, hint: error.hint };
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'WARC_UNWRITABLE', message: `Cannot write the recording: ${message}`, hint: undefined };
}
