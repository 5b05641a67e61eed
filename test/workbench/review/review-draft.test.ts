import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type Judgement, ROOT, type TopicId } from '../../../src/core/index.ts';
import { ReviewDraft } from '../../../src/workbench/review/review-draft.ts';

const dir = mkdtempSync(join(tmpdir(), 'bingo-draft-'));
afterEach(() => {
  for (const name of readdirSync(dir)) rmSync(join(dir, name));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A tree with the topic "rail", which was "track" until round 5. */
const DESK = {
  round: { sequence: 3 },
  topicNow: (topic: TopicId, round = 9): TopicId | undefined => {
    const now = topic === 'track' && round < 5 ? ('rail' as TopicId) : topic;
    return now === 'rail' || now === ROOT ? now : undefined;
  },
  topicThen: (topic: TopicId): TopicId => topic,
};
const judgement = (key: string, topic: string): Judgement => {
  return { key, sequence: 7, title: 'A "page"', use: 'example', topic: topic as TopicId };
};

test('keeps decisions for the next review, except for removed topics, until all are applied', () => {
  const trimmed: Judgement = { ...judgement('http://b.test/', 'rail'), without: [0, 2] };
  const dropped: Judgement = { ...judgement('http://c.test/', ''), use: 'dropped', topic: ROOT };
  new ReviewDraft(dir).keep([judgement('http://a.test/', 'sail'), trimmed, dropped], DESK);
  expect(new ReviewDraft(dir).load(DESK)).toEqual([trimmed, dropped]);
  expect(readdirSync(dir)).toEqual(['review-draft.json']);
  new ReviewDraft(dir).keep([], DESK);
  expect(readdirSync(dir)).toEqual([]);
  expect(new ReviewDraft(dir).load(DESK)).toEqual([]);
});

test.each(['', '{', '7', '[{"key": 1}, null]'])('treats an unreadable file as missing: %j', (text) => {
  writeFileSync(join(dir, 'review-draft.json'), text);
  expect(new ReviewDraft(dir).load(DESK)).toEqual([]);
});

test('keeps the decisions of another review open at the same time', () => {
  const [first, second] = [new ReviewDraft(dir), new ReviewDraft(dir)];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => judgement(`http://${name}.test/`, 'rail')) as [
    Judgement,
    Judgement,
    Judgement,
  ];
  new ReviewDraft(dir).keep([a], DESK);
  expect([first, second].map((draft) => draft.load(DESK))).toEqual([[a], [a]]);
  first.keep([a, b], DESK);
  second.keep([a, c], DESK);
  expect(new ReviewDraft(dir).load(DESK)).toEqual([b, a, c]);
  second.keep([], DESK);
  expect(new ReviewDraft(dir).load(DESK)).toEqual([b]);
  first.keep([], DESK);
  expect(readdirSync(dir)).toEqual([]);
});

test('keeps decisions for topics as named in the last round, despite edits of bingo.yaml', () => {
  const called = (name: string): typeof DESK => ({
    ...DESK,
    topicNow: (topic) => (topic === 'rail' ? (name as TopicId) : undefined),
    topicThen: (topic) => (topic === name ? ('rail' as TopicId) : topic),
  });
  new ReviewDraft(dir).keep([judgement('http://a.test/', 'track')], called('track'));
  expect(new ReviewDraft(dir).load(called('line'))).toEqual([judgement('http://a.test/', 'line')]);
});

test('moves decisions with their topic if it is renamed before they are applied', () => {
  new ReviewDraft(dir).keep([judgement('http://a.test/', 'track')], DESK);
  expect(new ReviewDraft(dir).load(DESK)).toEqual([judgement('http://a.test/', 'rail')]);
  new ReviewDraft(dir).keep([judgement('http://a.test/', 'track')], { ...DESK, round: { sequence: 7 } });
  expect(new ReviewDraft(dir).load(DESK)).toEqual([]);
});
