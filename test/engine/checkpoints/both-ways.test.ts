import { describe, expect, test } from 'vitest';
import { type Config, type JournalRecord, ORDERINGS, type RunRecord } from '../../../src/core/index.ts';
import { HostClocks } from '../../../src/crawl/index.ts';
import { FoldedState } from '../../../src/engine/folded-state.ts';
import type { CheckpointStore } from '../../../src/engine/index.ts';
import { piecesOf, SavingFields } from '../../../src/kit/index.ts';
import { hurried, MemoryCheckpoints } from '../support/memory-checkpoints.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb, RecordingJournal, railTree } from '../support/paper-web.ts';

const RUN: RunRecord = { kind: 'run', sequence: 0, at: 0, settings: '{}' };

/** The state that a journal makes, as bytes, and how many records were folded for it. */
async function folded(
  records: readonly JournalRecord[],
  config: Config,
  checkpoints?: CheckpointStore,
): Promise<{ readonly bytes: Buffer; readonly begunWith: number }> {
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
  };
}

describe.each(ORDERINGS)('a crawl ordered by %s', (ordering) => {
  const config = exactConfig({ crawl: { ordering, budget: 80, learn: 15 }, learn: { retrainEvery: 25 } });

  test('reaches the same state from each of its checkpoints and from record 1', async () => {
    const web = paperWeb();
    for (let i = 3; i < 60; i += 7) web.delete(paperUrl('rail', i));
    const checkpoints = new MemoryCheckpoints();
    const crawl = paperCrawl(web, config, { checkpoints, checkpointPace: hurried(9) });
    await crawl.run();
    const { records } = crawl.journal;
    expect(checkpoints.kept.length).toBeGreaterThan(5);
    const whole = await folded(records, config);
    expect(whole.begunWith).toBe(0);
    for (const kept of checkpoints.kept) {
      const { sequence } = kept.header;
      const resumed = await folded(records, config, { ...checkpoints, list: async () => [kept] } as never);
      expect(resumed.begunWith).toBe(sequence);
      expect(resumed.bytes.equals(whole.bytes), `checkpoint at record ${sequence}`).toBe(true);
    }
  });
});
