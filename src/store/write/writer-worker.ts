import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { CrawlStatus, Importance, JournalRecord, JudgingProgress, TopicId, TopicTree } from '../../core/index.ts';
import { freeBytes } from '../../kit/index.ts';
import { type PlainError, storeError, toPlain } from '../errors.ts';
import type { Row } from '../schema.ts';
import type { AuthorityScores, PageScore } from '../store.ts';
import { BatchWriter, type Leaving } from './batch-writer.ts';
import type { NewVerdict } from './verdicts.ts';

/** Records per transaction if more are waiting: some MB. */
const MAX_RECORDS = 500;

/** Database to which the writer's thread writes. */
export type WriterTarget =
  | (AnyTarget & { readonly kind: 'sqlite'; readonly file: string; readonly maxBytes: number | undefined })
  | (AnyTarget & { readonly kind: 'mysql'; readonly url: string });

interface AnyTarget {
  /** For messages. */
  readonly place: string;
  /** How long to wait for a lost server, or for another program that holds the file locked. */
  readonly reconnectMs: number;
}

/** Messages to the thread; handled in order. */
export type WriterRequest =
  | {
      readonly kind: 'records';
      readonly records: readonly JournalRecord[];
      /** New stems of their pages, in pieces. */
      readonly stems: readonly Uint8Array[];
      /** Links for other shards, in order. */
      readonly leaving: readonly Leaving[];
      /** Rows of `followed`. */
      readonly followed: readonly Row[];
    }
  | { readonly kind: 'topics'; readonly call: number; readonly tree: TopicTree }
  | {
      readonly kind: 'scores';
      readonly call: number;
      readonly topic: TopicId;
      readonly scores: readonly PageScore[];
      readonly every: AuthorityScores | undefined;
    }
  | { readonly kind: 'importance'; readonly call: number; readonly pages: ReadonlyMap<number, Importance> }
  | {
      readonly kind: 'verdicts';
      readonly call: number;
      readonly verdicts: readonly NewVerdict[];
      readonly progress: JudgingProgress | undefined;
    }
  | { readonly kind: 'features'; readonly call: number; readonly block: number; readonly features: Uint8Array }
  | { readonly kind: 'status'; readonly call: number; readonly status: CrawlStatus }
  | { readonly kind: 'received'; readonly call: number; readonly target: number; readonly upto: number }
  | { readonly kind: 'grants'; readonly call: number; readonly grants: ReadonlyMap<number, number> }
  | { readonly kind: 'end-spread'; readonly call: number }
  | { readonly kind: 'answered'; readonly call: number; readonly ids: readonly number[] }
  | { readonly kind: 'close' };

/** Messages from the thread. After `failed`, nothing more is written. */
export type WriterReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'stored'; readonly sequence: number }
  | { readonly kind: 'done'; readonly call: number }
  | { readonly kind: 'failed'; readonly error: PlainError }
  | { readonly kind: 'closed' };

async function serve(target: WriterTarget): Promise<void> {
  const port = parentPort!;
  const reply = (message: WriterReply): void => port.postMessage(message);
  let failed = false;
  const fail = (error: unknown): void => {
    if (!failed) reply({ kind: 'failed', error: toPlain(storeError(error, target.place)) });
    failed = true;
  };
  const writer = await open(target).catch(fail);
  if (writer === undefined) return port.close();
  let last = Promise.resolve();
  const waiting: WriterRequest[] = [];
  const workOff = async (): Promise<void> => {
    // Messages that arrived during the last transaction are delivered first, so that one transaction takes them all.
    await nextTurn();
    for (let request = takeNext(waiting); request !== undefined; request = takeNext(waiting)) {
      if (request.kind === 'close') {
        await writer.close().catch(fail);
        reply({ kind: 'closed' });
        port.close();
      } else if (!failed) await work(writer, request, reply).catch(fail);
      await nextTurn();
    }
  };
  port.on('message', (request: WriterRequest) => {
    waiting.push(request);
    last = last.then(workOff);
  });
  reply({ kind: 'ready' });
}

/** Returns the next request, or the records of several ones that follow each other: fewer pages are written twice. */
function takeNext(waiting: WriterRequest[]): WriterRequest | undefined {
  const first = waiting.shift();
  if (first?.kind !== 'records') return first;
  const records = [...first.records];
  const stems = [...first.stems];
  const leaving = [...first.leaving];
  const followed = [...first.followed];
  for (let next = waiting[0]; next?.kind === 'records' && records.length < MAX_RECORDS; next = waiting[0]) {
    waiting.shift();
    records.push(...next.records);
    stems.push(...next.stems);
    leaving.push(...next.leaving);
    followed.push(...next.followed);
  }
  return { kind: 'records', records, stems, leaving, followed };
}

async function work(
  writer: BatchWriter,
  request: Exclude<WriterRequest, { readonly kind: 'close' }>,
  reply: (message: WriterReply) => void,
): Promise<void> {
  if (request.kind === 'records') {
    await writer.write(request.records, request.stems, request.leaving, request.followed);
    request.records.forEach(freePacked);
    freeBytes(...request.stems);
    reply({ kind: 'stored', sequence: request.records.at(-1)!.sequence });
    return;
  }
  if (request.kind === 'topics') await writer.saveTopics(request.tree);
  else if (request.kind === 'scores') await writer.saveScores(request.topic, request.scores, request.every);
  else if (request.kind === 'importance') await writer.saveImportance(request.pages);
  else if (request.kind === 'verdicts') await writer.saveVerdicts(request.verdicts, request.progress);
  else if (request.kind === 'features') await writer.saveFeatureBlock(request.block, request.features);
  else if (request.kind === 'status') await writer.publish(request.status);
  else if (request.kind === 'received') await writer.dropParcels(request.target, request.upto);
  else if (request.kind === 'grants') await writer.saveGrants(request.grants);
  else if (request.kind === 'end-spread') await writer.endSpread();
  else await writer.forgetRequests(request.ids);
  reply({ kind: 'done', call: request.call });
}

/** Frees data that was transferred with the record. */
function freePacked(record: JournalRecord): void {
  if (record.kind === 'page' && record.packed !== undefined) freeBytes(...Object.values(record.packed));
}

/** Loads only the driver in use, which saves a third of a second at start. */
async function open(target: WriterTarget): Promise<BatchWriter> {
  if (target.kind === 'mysql') {
    const { openMysqlSink } = await import('../mysql/sink.ts');
    return new BatchWriter(await openMysqlSink(target.url, target.reconnectMs));
  }
  const { openSqliteWriter } = await import('../sqlite/connection.ts');
  const { SqliteSink } = await import('../sqlite/sink.ts');
  return new BatchWriter(new SqliteSink(openSqliteWriter(target.file, target.maxBytes), target.reconnectMs));
}

await serve(workerData as WriterTarget);
