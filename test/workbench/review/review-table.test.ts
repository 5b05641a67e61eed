import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ReviewMaterial } from '../../../src/workbench/review/review-material.ts';
import { exportReview } from '../../../src/workbench/review/review-table.ts';

test('an export shows progress per page, and cuts excerpts between characters', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bingo-export-'));
  const file = join(folder, 'review.json');
  const pages = ['http://a.test/', 'http://b.test/'].map((key) => ({
    key,
    topic: 'birds',
    origin: 'yours',
    score: 1,
    authority: 0,
  }));
  const text = '😀'.repeat(5_000);
  const material = {
    topics: [{ id: 'birds', pages }],
    textOf: async () => ({ paragraphs: [[{ text: `x${text}` }]], terms: [] }),
  } as unknown as ReviewMaterial;
  const told: string[] = [];
  expect(await exportReview(material, file, (read, of) => told.push(`${read} of ${of} pages read`))).toBe(2);
  expect(told).toEqual(['1 of 2 pages read', '2 of 2 pages read']);
  const [row] = JSON.parse(readFileSync(file, 'utf8'));
  expect(row.text).toMatch(/^x(?:😀)+\uFFFD$/u);
  rmSync(folder, { recursive: true });
});
