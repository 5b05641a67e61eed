import { describe, expect, test } from 'vitest';
import { keepLines } from '../../../src/cli/crawl/keep-lines.ts';
import { parseTopicId } from '../../../src/core/index.ts';

describe('changes made during a crawl', () => {
  test('are offered for bingo.yaml, the last of each kind', () => {
    const lines = keepLines([
      { kind: 'set-budget', budget: 1100 },
      { kind: 'set-budget', budget: 1200 },
      { kind: 'set-ordering', ordering: 'learned' },
      { kind: 'lock-host', host: 'a.example' },
      { kind: 'lock-host', host: 'b.example' },
      { kind: 'mark-topic', topic: parseTopicId('mining'), good: true },
      { kind: 'mark-topic', topic: parseTopicId('mining'), good: false },
      { kind: 'end-learning' },
    ]);
    expect(lines.map((line) => line.trim())).toEqual([
      '',
      'Your changes apply to this crawl. To keep them, add to bingo.yaml:',
      'crawl.budget: 1200',
      'crawl.ordering: learned',
      'crawl.exclude: [a.example, b.example]  (added to the list)',
      'good: false  (under the topic "mining")',
      '',
    ]);
  });

  test('are not mentioned if there is nothing to keep', () => {
    expect(keepLines([])).toEqual([]);
    expect(keepLines([{ kind: 'end-learning' }])).toEqual([]);
  });
});
