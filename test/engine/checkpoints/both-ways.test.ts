import { describe, expect, test } from 'vitest';
import {
  type Config,
  type JournalRecord,
  LoadingFields,
  ORDERINGS,
  PieceReader,
  piecesOf,
  SavingFields,
  seededRandom,
} from '../../../src/core/index.ts';
import { HostClocks } from '../../../src/crawl/index.ts';
import { CrawlState } from '../../../src/engine/state/crawl-state.ts';
import { replay } from '../../../src/engine/state/replay.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb, RecordingJournal, railTree } from '../support/paper-web.ts';

function newState(config: Config): CrawlState {
  const hosts = new HostClocks({ ...config.network, maxTries: config.crawl.maxTries });
  return new CrawlState(railTree(), config, { hosts, resolve: () => {}, isResolved: () => true });
}

async function folded(state: CrawlState, records: readonly JournalRecord[], after = 0): Promise<CrawlState> {
  await replay(state, RecordingJournal.holding(records), { after });
  return state;
}

function saved(state: CrawlState): Buffer {
  const fields = new SavingFields();
  state.exchange(fields);
  return Buffer.concat([...piecesOf(fields.slots)].flatMap(({ kind, bytes }) => [Buffer.of(kind), bytes]));
}

function copyOf(state: CrawlState, config: Config): CrawlState {
  const fields = new SavingFields();
  state.exchange(fields);
  const reader = new PieceReader();
  for (const piece of piecesOf(fields.slots)) reader.add(piece);
  expect(reader.isWhole).toBe(true);
  const loading = new LoadingFields(reader.values);
  const copy = newState(config);
  copy.exchange(loading);
  expect(loading.isAtEnd).toBe(true);
  return copy;
}

describe.each(ORDERINGS)('a crawl ordered by %s', (ordering) => {
  test('folds to the same bytes from a checkpoint at any moment and from record 1', async () => {
    const config = exactConfig({ crawl: { ordering, budget: 80, learn: 15 } });
    const web = paperWeb();
    for (let i = 3; i < 60; i += 7) web.delete(paperUrl('rail', i));
    const crawl = paperCrawl(web, config);
    await crawl.run();
    const { records } = crawl.journal;
    const whole = saved(await folded(newState(config), records));
    const random = seededRandom(7);
    for (let tries = 0; tries < 8; tries++) {
      const cut = 1 + Math.floor(random() * (records.length - 1));
      const copy = copyOf(await folded(newState(config), records.slice(0, cut)), config);
      const resumed = saved(await folded(copy, records, cut));
      expect(resumed.equals(whole), `checkpoint at record ${cut}`).toBe(true);
    }
  });
});
