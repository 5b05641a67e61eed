import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  agreementsOf,
  type LoggedDecision,
  logDecision,
  REVIEWS_FILE,
  reviewAudit,
} from '../../../src/workbench/review/review-log.ts';

function decision(by: string, key: string, use: LoggedDecision['use']): LoggedDecision {
  return { at: '2026-01-02T03:04:05.000Z', by, key, title: key, topic: 'birds', use };
}

test("Cohen's kappa of two reviewers matches a table counted by hand", () => {
  // Both yes 20, both no 15, only A 5, only B 10: observed 0.7, by chance 0.5 · 0.6 + 0.5 · 0.4.
  const counts = [
    ['example', 'example', 20],
    ['example', 'others', 5],
    ['others', 'example', 10],
    ['others', 'others', 15],
  ] as const;
  const log = counts.flatMap(([a, b, n]) =>
    Array.from({ length: n }, (_, i) => [decision('A', `${a}${b}${i}`, a), decision('B', `${a}${b}${i}`, b)]).flat(),
  );
  const [found] = agreementsOf(log);
  expect(found).toMatchObject({ reviewers: ['A', 'B'], pages: 50, same: 35 });
  expect(found!.kappa).toBeCloseTo((0.7 - 0.5) / 0.5);
});

test('the last decision of a reviewer counts, and withdrawn ones do not', () => {
  const log = [
    ...[decision('A', 'p', 'others'), decision('A', 'p', 'example'), decision('B', 'p', 'example')],
    ...[decision('A', 'q', 'example'), decision('B', 'q', 'example'), decision('B', 'q', 'undecided')],
    decision('', 'p', 'others'),
  ];
  expect(agreementsOf(log)).toEqual([{ reviewers: ['A', 'B'], pages: 1, same: 1, kappa: null }]);
});

test('reads the log newest first, and skips damaged lines', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bingo-reviews-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  expect(reviewAudit(dir)).toEqual({ decisions: [], agreements: [] });
  logDecision(dir, decision('A'.repeat(100), 'p', 'example'));
  appendFileSync(join(dir, REVIEWS_FILE), '{"at": 5}\nnonsense\n');
  logDecision(dir, { ...decision('B', 'q', 'dropped'), title: `x${'\ud800'}` });
  expect(reviewAudit(dir).decisions.map(({ by, key }) => [by.length, key])).toEqual([
    [1, 'q'],
    [60, 'p'],
  ]);
});
