import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { ReviewDraft } from '../../src/cli/review/review-draft.ts';
import { type Judgement, ROOT, type TopicId, topicTree } from '../../src/core/index.ts';

const dir = mkdtempSync(join(tmpdir(), 'bingo-draft-'));
afterEach(() => {
  for (const name of readdirSync(dir)) rmSync(join(dir, name));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const TREE = topicTree([{ name: 'rail', examples: [{ kind: 'url', url: 'http://a.test/' }] }], []);
const judgement = (key: string, topic: string): Judgement => {
  return { key, sequence: 7, title: 'A "page"', use: 'example', topic: topic as TopicId };
};

test('keeps decisions for the next review, but for topics that are gone, and nothing once all are applied', () => {
  const trimmed: Judgement = { ...judgement('http://b.test/', 'rail'), without: [0, 2] };
  const dropped: Judgement = { ...judgement('http://c.test/', ''), use: 'dropped', topic: ROOT };
  new ReviewDraft(dir).keep([judgement('http://a.test/', 'sail'), trimmed, dropped]);
  expect(new ReviewDraft(dir).load(TREE)).toEqual([trimmed, dropped]);
  expect(readdirSync(dir)).toEqual(['review-draft.json']);
  new ReviewDraft(dir).keep([]);
  expect(readdirSync(dir)).toEqual([]);
  expect(new ReviewDraft(dir).load(TREE)).toEqual([]);
});

test.each(['', '{', '7', '[{"key": 1}, null]'])('takes a file that it cannot read for none: %j', (text) => {
  writeFileSync(join(dir, 'review-draft.json'), text);
  expect(new ReviewDraft(dir).load(TREE)).toEqual([]);
});

test('leaves the decisions of another review alone, which is open beside a crawl at the same time', () => {
  const [first, second] = [new ReviewDraft(dir), new ReviewDraft(dir)];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => judgement(`http://${name}.test/`, 'rail')) as [
    Judgement,
    Judgement,
    Judgement,
  ];
  new ReviewDraft(dir).keep([a]);
  expect([first, second].map((draft) => draft.load(TREE))).toEqual([[a], [a]]);
  first.keep([a, b]);
  second.keep([a, c]);
  expect(new ReviewDraft(dir).load(TREE)).toEqual([b, a, c]);
  second.keep([]);
  expect(new ReviewDraft(dir).load(TREE)).toEqual([b]);
  first.keep([]);
  expect(readdirSync(dir)).toEqual([]);
});
