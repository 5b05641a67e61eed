import { describe, expect, test } from 'vitest';
import type { AnalyzedDocument, JournalRecord, LinkTable } from '../../../src/core/index.ts';
import { type Analyzer, analyzerSettings, PageAnalyzer } from '../../../src/engine/index.ts';
import { hash32 } from '../../../src/kit/index.ts';
import { hurried, MemoryCheckpoints } from '../support/memory-checkpoints.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb, RecordingJournal } from '../support/paper-web.ts';
import { foldedState } from './folded-state.ts';

const CONFIG = exactConfig({
  crawl: { ordering: 'mine', budget: 60, learn: 10 },
  learn: { retrainEvery: 25 },
});

/** Gives two links of three a priority that follows from their URL. */
function prioritized(links: LinkTable): LinkTable {
  const priorities = Float64Array.from(links.urls.split('\n'), (url) => {
    const hash = hash32(url);
    return hash % 3 === 0 ? Number.NaN : hash / 2 ** 32;
  });
  return links.size === 0 ? links : { ...links, given: { ordering: 'mine', priorities } };
}

/** An analyzer with an ordering of the user. */
function orderingAnalyzer(): Analyzer {
  const own = new PageAnalyzer(analyzerSettings(CONFIG));
  return {
    setModel: (blob) => own.setModel(blob),
    close: () => own.close(),
    analyze: async (...given) => {
      const analysis = await own.analyze(...given);
      if (analysis.kind === 'unusable') return analysis;
      return { ...analysis, document: { ...analysis.document, links: prioritized(analysis.document.links) } };
    },
  };
}

function withLinks(records: readonly JournalRecord[], change: (links: LinkTable) => LinkTable): JournalRecord[] {
  return records.map((record) => {
    if (record.kind !== 'page') return record;
    const document: AnalyzedDocument = { ...record.document, links: change(record.document.links) };
    return { ...record, document };
  });
}

describe('a crawl with an ordering of the user', () => {
  test('is folded without the extension, to the same state from each of its checkpoints', async () => {
    const web = paperWeb();
    for (let i = 3; i < 60; i += 7) web.delete(paperUrl('rail', i));
    const checkpoints = new MemoryCheckpoints();
    const options = { checkpoints, checkpointPace: hurried(9), analyzer: orderingAnalyzer() };
    const crawl = paperCrawl(web, CONFIG, options);
    await crawl.run();
    const { records } = crawl.journal;
    expect(checkpoints.kept.length).toBeGreaterThan(5);
    const whole = await foldedState(records, CONFIG);
    for (const kept of checkpoints.kept) {
      const resumed = await foldedState(records, CONFIG, { ...checkpoints, list: async () => [kept] } as never);
      expect(resumed.begunWith).toBe(kept.header.sequence);
      expect(resumed.bytes.equals(whole.bytes), `checkpoint at record ${kept.header.sequence}`).toBe(true);
    }
  });

  test('takes the same decisions when it is resumed', async () => {
    const web = paperWeb();
    const whole = paperCrawl(web, CONFIG, { analyzer: orderingAnalyzer() });
    await whole.run();
    const urls = (records: readonly JournalRecord[]): readonly string[] =>
      records.flatMap((record) => (record.kind === 'page' ? [record.url] : []));
    for (const cut of [15, 40, 55]) {
      const journal = RecordingJournal.holding(whole.journal.records.slice(0, cut));
      await paperCrawl(web, CONFIG, { journal, analyzer: orderingAnalyzer() }).run();
      expect(urls(journal.records), `cut after record ${cut}`).toEqual(urls(whole.journal.records));
    }
  });

  test('folds a journal of an earlier version, and pages of another ordering, by their relevance', async () => {
    const crawl = paperCrawl(paperWeb(), CONFIG, { analyzer: orderingAnalyzer() });
    await crawl.run();
    const { records } = crawl.journal;
    const older = withLinks(records, ({ given: _, ...links }) => links);
    const others = withLinks(records, (links) =>
      links.given === undefined ? links : { ...links, given: { ...links.given, ordering: 'yours' } },
    );
    const [own, plain, foreign] = await Promise.all(
      [records, older, others].map(async (some) => await foldedState(some, CONFIG)),
    );
    expect(plain!.waiting).toEqual(foreign!.waiting);
    expect(plain!.waiting).not.toEqual(own!.waiting);
    expect(plain!.waiting.length).toBeGreaterThan(10);
  });
});
