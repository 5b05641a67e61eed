import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalRecord, LinkScore } from '../../../src/core/index.ts';
import { openStore } from '../../../src/store/index.ts';

/** A workspace with a store that a test wrote, not a crawl. */
export interface MadeWorkspace {
  readonly dir: string;
  drop(): void;
}

/** Writes `bingo.yaml` and a store with these records, numbered 1, 2, 3, … */
export async function makeWorkspace(
  yaml: string,
  records: readonly ((sequence: number) => JournalRecord)[],
  scores: readonly LinkScore[] = [],
): Promise<MadeWorkspace> {
  const dir = mkdtempSync(join(tmpdir(), 'bingo-made-'));
  writeFileSync(join(dir, 'bingo.yaml'), yaml);
  const store = await openStore({ url: 'sqlite', workspace: dir, batch: 100, flushMs: 10 });
  records.forEach((record, i) => {
    store.append(record(i + 1));
  });
  await store.flush();
  for (const [topic, own] of Map.groupBy(scores, (score) => score.topic)) await store.saveScores(topic, own);
  await store.close();
  return { dir, drop: () => rmSync(dir, { recursive: true, force: true }) };
}
