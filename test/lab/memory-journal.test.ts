import { describe, expect, test } from 'vitest';
import {
  type AnalyzedDocument,
  EMPTY_LINKS,
  type JournalRecord,
  packDocument,
  packLinks,
  thinDocument,
  unpackCounts,
} from '../../src/core/index.ts';
import { MemoryJournal } from '../../src/lab/index.ts';
import { packCounts } from '../support/pack-counts.ts';

const document = { text: 'words', features: { terms: packCounts([['word', 1]]) }, links: EMPTY_LINKS };
const page = (sequence: number): JournalRecord => ({ kind: 'page', sequence, document }) as unknown as JournalRecord;
const run = (sequence: number): JournalRecord => ({ kind: 'run', sequence, at: 0, settings: '' });

describe('MemoryJournal', () => {
  test('a record is durable as soon as it is appended', async () => {
    const journal = new MemoryJournal();
    const stored: number[] = [];
    journal.onStored((sequence) => stored.push(sequence));

    journal.append(run(1));
    journal.append(page(2));
    await journal.flush();

    expect(stored).toEqual([1, 2]);
    expect([journal.backlog, await journal.count()]).toEqual([0, 2]);
  });

  test('rejects a gap', () => {
    expect(() => new MemoryJournal().append(run(2))).toThrow('Expected sequence 1, got 2');
  });

  test('reads all records in order and in chunks, pages without text and features', async () => {
    const journal = new MemoryJournal();
    for (let i = 1; i <= 2500; i++) journal.append(i === 2 ? page(i) : run(i));

    const chunks: (readonly JournalRecord[])[] = [];
    for await (const chunk of journal.read()) chunks.push(chunk);

    expect(chunks.map((chunk) => chunk.length)).toEqual([1000, 1000, 500]);
    expect(chunks.flat().map((record) => record.sequence)).toEqual(Array.from({ length: 2500 }, (_, i) => i + 1));
    expect(chunks[0]?.[1]).toMatchObject({ document: { text: '', features: { terms: { features: '' } } } });
  });

  test('returns whole documents of pages, and nothing for other sequence numbers', async () => {
    const journal = new MemoryJournal();
    journal.append(run(1));
    journal.append(page(2));

    expect([...(await journal.documents([1, 2, 3]))]).toEqual([[2, document]]);
  });

  test('returns whole documents of packed pages', async () => {
    const journal = new MemoryJournal();
    const whole = { ...document, title: 'A title', links: packLinks([]) } as unknown as AnalyzedDocument;
    const packed = packDocument(whole);
    journal.append({ ...page(1), document: thinDocument(whole), packed } as JournalRecord);

    const found = (await journal.documents([1])).get(1)!;
    expect(found.text).toBe('words');
    expect(unpackCounts(found.features.terms!)).toEqual([['word', 1]]);
  });
});
