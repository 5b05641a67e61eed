import { expect, test } from 'vitest';
import type { TopicId } from '../../../src/core/index.ts';
import { BarrenRow } from '../../../src/engine/state/stagnation.ts';

const rail = 'rail' as TopicId;
const food = 'food' as TopicId;
const noted = (row: BarrenRow, pages: number, topic = rail, everyNth = 0): BarrenRow => {
  for (let i = 1; i <= pages; i++) row.note(topic, everyNth > 0 && i % everyNth === 0);
  return row;
};

test('ends a crawl after so many irrelevant pages, or three times as many with alarms', () => {
  const row = noted(new BarrenRow(200), 199);
  expect(row.isOver('barren')).toBe(false);
  noted(row, 1);
  expect([row.isOver('barren'), row.isOver('alarms')]).toEqual([true, false]);
  noted(row, 400);
  expect(row.isOver('alarms')).toBe(true);
});

test('continues while a topic still finds pages, or with two relevant ones in a hundred', () => {
  expect(noted(new BarrenRow(200), 1000, rail, 50).isOver('barren')).toBe(false);
  const row = noted(new BarrenRow(200), 10, food, 5);
  expect(noted(row, 400).isOver('barren')).toBe(false);
  expect(noted(row, 200, food).isOver('barren')).toBe(true);
});

test('reports the last pages, and how many more end a crawl with alarms', () => {
  const row = noted(new BarrenRow(200), 40, rail, 40);
  expect(row.standing).toBeUndefined();
  expect(noted(row, 160).standing).toEqual({ pages: 200, relevant: 1, endsIn: 400 });
  expect(noted(row, 150).standing).toEqual({ pages: 200, relevant: 0, endsIn: 250 });
  expect(noted(row, 1, rail, 1).standing).toEqual({ pages: 200, relevant: 1, endsIn: 249 });
  expect(noted(row, 1, rail, 1).standing).toBeUndefined();
});

test('restarts the count in another run; 0 pages mean never', () => {
  const row = noted(new BarrenRow(200), 700);
  row.beginRun();
  expect(row.isOver('barren')).toBe(false);
  expect(noted(new BarrenRow(0), 700).isOver('barren')).toBe(false);
});
