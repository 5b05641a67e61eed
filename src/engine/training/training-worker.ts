import { parentPort, workerData } from 'node:worker_threads';
import type { DocumentFeatures } from '../../core/index.ts';
import type { TrainingRequest, TrainingResult } from '../ports.ts';
import { framesOf, type PackedFeatures } from './held-features.ts';
import { ModelTrainer, type TrainerSettings } from './model-trainer.ts';

/** Messages from the main thread to the training thread. */
export type TrainingMessage =
  | { readonly kind: 'add'; readonly key: string; readonly features: DocumentFeatures }
  | { readonly kind: 'forget'; readonly key: string }
  | { readonly kind: 'train'; readonly id: number; readonly request: TrainingRequest }
  | { readonly kind: 'rest' };

/** Messages from the training thread. */
export type TrainingReply =
  | { readonly id: number; readonly result: TrainingResult }
  | { readonly id: number; readonly error: unknown }
  /** All features, for the next thread: this one is no longer needed. */
  | { readonly held: PackedFeatures };

/** Start data of a thread. */
export interface TrainingStart {
  readonly role: 'training';
  readonly settings: TrainerSettings;
  /** Packed features of the previous thread. */
  readonly held: PackedFeatures | undefined;
}

if (parentPort !== null && (workerData as { readonly role?: string } | null)?.role === 'training') serve(parentPort);

function serve(port: NonNullable<typeof parentPort>): void {
  const { settings, held } = workerData as TrainingStart;
  const trainer = new ModelTrainer(settings, held);
  port.on('message', (message: TrainingMessage) => {
    if (message.kind === 'add') trainer.add(message.key, message.features);
    else if (message.kind === 'forget') trainer.forget(message.key);
    else if (message.kind === 'rest') handOver(port, trainer);
    else reply(port, answer(trainer, message.id, message.request));
  });
}

function answer(trainer: ModelTrainer, id: number, request: TrainingRequest): TrainingReply {
  try {
    return { id, result: trainer.trainNow(request) };
  } catch (error) {
    return { id, error };
  }
}

/** Sends an answer. The model is transferred; a copy would double its memory. */
function reply(port: NonNullable<typeof parentPort>, answer: TrainingReply): void {
  port.postMessage(answer, 'result' in answer ? [answer.result.blob.buffer as ArrayBuffer] : []);
}

function handOver(port: NonNullable<typeof parentPort>, trainer: ModelTrainer): void {
  const held = trainer.held.pack();
  port.postMessage({ held } satisfies TrainingReply, framesOf(held));
}
