import { expect } from 'vitest';
import type { Config, JournalRecord, RunRecord } from '../../../src/core/index.ts';
import { HostClocks } from '../../../src/crawl/index.ts';
import { FoldedState } from '../../../src/engine/folded-state.ts';
import type { CheckpointStore } from '../../../src/engine/index.ts';
import { piecesOf, SavingFields } from '../../../src/kit/index.ts';
import { RecordingJournal, railTree } from '../support/paper-web.ts';

const RUN: RunRecord = { kind: 'run', sequence: 0, at: 0, settings: '{}' };

/** The state that a journal makes, as bytes, the links that wait in it, and how many records were folded for it. */
export async function foldedState(
  records: readonly JournalRecord[],
  config: Config,
  checkpoints?: CheckpointStore,
): Promise<{ readonly bytes: Buffer; readonly begunWith: number; readonly waiting: readonly string[] }> {
  const state = new FoldedState({
    ...{ tree: railTree(), config, journal: RecordingJournal.holding(records) },
    ...(checkpoints && { checkpoints }),
    hosts: new HostClocks({ ...config.network, maxTries: config.crawl.maxTries }),
    isExact: true,
    ...{ now: () => 0, steadyNow: () => 0 },
    isWanted: () => true,
    ...{ onRead: () => {}, onPage: () => {}, wake: () => {} },
    resolve: async () => true,
  });
  expect(await state.resume(RUN)).toBe(true);
  const fields = new SavingFields();
  state.exchange(fields);
  const pieces = [...piecesOf(fields.slots)];
  return {
    bytes: Buffer.concat(pieces.flatMap(({ kind, bytes }) => [Buffer.of(kind), bytes])),
    begunWith: state.restoredTo,
    waiting: state.state.frontier
      .waitingOnSite('paper.test')
      .map(({ url, priority }) => `${url} ${priority}`)
      .sort(),
  };
}
