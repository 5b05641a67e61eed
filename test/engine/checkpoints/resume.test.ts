import { describe, expect, test } from 'vitest';
import type { Config, OrderingName } from '../../../src/core/index.ts';
import type { CheckpointStore, StoredCheckpoint } from '../../../src/engine/index.ts';
import { seededRandom } from '../../../src/kit/index.ts';
import { hurried, MemoryCheckpoints } from '../support/memory-checkpoints.ts';
import { exactConfig, paperCrawl, paperWeb, RecordingJournal } from '../support/paper-web.ts';

/** A crawl that wrote checkpoints, to its end. */
async function whole(config: Config) {
  const checkpoints = new MemoryCheckpoints();
  const crawl = paperCrawl(paperWeb(), config, { checkpoints, checkpointPace: hurried(9) });
  await crawl.run();
  return { ...crawl, records: crawl.journal.records.slice(), kept: checkpoints.kept };
}

/** A store that has these, and notes which are read. */
function holding(kept: readonly StoredCheckpoint[]): CheckpointStore & { readonly reads: number[] } {
  const reads: number[] = [];
  const list = kept.map(({ header, read }) => ({
    header,
    read: () => {
      reads.push(header.sequence);
      return read();
    },
  }));
  return { reads, list: async () => list.toReversed(), begin: () => new MemoryCheckpoints().begin() };
}

describe.each<OrderingName>(['bingo', 'learned', 'hub-boosted', 'pagerank'])('a crawl ordered by %s', (ordering) => {
  test('fetches the same pages in the same order if cut anywhere and resumed', async () => {
    const config = exactConfig({ crawl: { ordering, budget: 50, learn: 15 } });
    const { records, kept, journal } = await whole(config);
    const random = seededRandom(3);
    for (let tries = 0; tries < 6; tries++) {
      const cut = 20 + Math.floor(random() * (records.length - 20));
      const checkpoints = holding(kept);
      const killed = RecordingJournal.holding(records.slice(0, cut));
      const resumed = paperCrawl(paperWeb(), config, { journal: killed, checkpoints });
      await resumed.run();
      const newest = kept.filter(({ header }) => header.sequence <= cut).at(-1);
      expect(checkpoints.reads, `cut after record ${cut}`).toEqual([newest?.header.sequence]);
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(journal.crawled());
    }
  });

  test('killed during many fetches, requests each page once, and all of them', async () => {
    const config = exactConfig({
      ...{ crawl: { ordering, budget: 70, learn: 15 }, network: { concurrency: 6 } },
    });
    const { records, kept } = await whole(config);
    for (const { header } of kept) {
      const checkpoints = holding(kept);
      const killed = RecordingJournal.holding(records.slice(0, Math.min(records.length, header.sequence + 3)));
      const resumed = paperCrawl(paperWeb(), config, { journal: killed, checkpoints });
      const { fetchedNow, status } = await resumed.run();
      expect(checkpoints.reads).toHaveLength(1);
      const urls = resumed.journal.pages().map(({ finalUrl }) => finalUrl);
      expect(new Set(urls).size, `after record ${header.sequence}`).toBe(urls.length);
      expect([status.fetched, fetchedNow <= 70]).toEqual([70, true]);
    }
  });
});

describe('a checkpoint is not used', () => {
  const config = exactConfig({ crawl: { budget: 40, learn: 15 } });
  const readsOf = async (
    change: (made: Awaited<ReturnType<typeof whole>>) => {
      readonly kept?: readonly StoredCheckpoint[];
      readonly config?: Config;
      readonly journal?: RecordingJournal;
    },
  ) => {
    const made = await whole(config);
    const changed = { kept: made.kept, config, journal: made.journal, ...change(made) };
    const checkpoints = holding(changed.kept);
    const larger = { ...changed.config, crawl: { ...changed.config.crawl, budget: 60 } };
    const resumed = paperCrawl(paperWeb(), larger, { journal: changed.journal, checkpoints });
    expect((await resumed.run()).status.fetched).toBe(60);
    const [last, before] = [made.kept.at(-1)!, made.kept.at(-2)!];
    return checkpoints.reads.map((at) =>
      at === last.header.sequence ? 'last' : at === before.header.sequence ? 'before' : 'other',
    );
  };

  test('only if it is invalid: a greater budget does not matter', async () => {
    expect(await readsOf(() => ({}))).toEqual(['last']);
  });

  test('if a part is damaged: the previous one is used', async () => {
    const spoil = (stored: StoredCheckpoint): StoredCheckpoint => ({
      header: stored.header,
      async *read() {
        let n = 0;
        for await (const piece of stored.read()) if (n++ !== 40) yield piece;
      },
    });
    const reads = await readsOf(({ kept }) => ({ kept: [...kept.slice(0, -1), spoil(kept.at(-1)!)] }));
    expect(reads).toEqual(['last', 'before']);
  });

  test('if it was made with other settings', async () => {
    const other = { ...config, traps: { ...config.traps, staleBits: config.traps.staleBits + 1 } };
    expect(await readsOf(() => ({ config: other }))).toEqual([]);
  });

  test('if it belongs to another journal', async () => {
    const reads = await readsOf(({ records }) => ({
      journal: RecordingJournal.holding(
        records.map((record) => ('fetchedAt' in record ? { ...record, fetchedAt: record.fetchedAt + 1 } : record)),
      ),
    }));
    expect(reads.includes('last')).toBe(false);
  });
});
