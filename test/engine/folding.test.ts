import { expect, test } from 'vitest';
import { Folding } from '../../src/engine/folding.ts';

/** Turns that are always over, and come when they are let. */
function turnsOf() {
  const waiting: (() => void)[] = [];
  const come = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  const next = async (): Promise<void> => {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { isOver: true, come, next };
}

/** Writes down each part as it is folded in. */
function* parts(name: string, said: string[]): Generator<void> {
  for (const part of [1, 2]) {
    said.push(`${name}${part}`);
    yield;
  }
}

function scene() {
  const turns = turnsOf();
  const said: string[] = [];
  const state = { hasFailed: false };
  const folding = new Folding(turns, () => !state.hasFailed);
  const fold = async (name: string): Promise<void> => {
    await folding.inTurns(() => ({ parts: parts(name, said), onThrough: () => said.push(`${name} is through`) }));
  };
  return { turns, said, state, folding, fold };
}

test('processes a record in turns, and the next one after it is finished', async () => {
  const { turns, said, folding, fold } = scene();
  const all = Promise.all([fold('a'), fold('b'), fold('c')]);
  expect(folding.isUnderWay).toBe(true);
  await turns.next();
  expect(said).toEqual(['a1', 'a2']);
  for (let turn = 0; turn < 30; turn++) await turns.next();
  await all;
  expect(said.filter((word) => word.endsWith('through'))).toEqual(['a is through', 'b is through', 'c is through']);
  expect(said.filter((word) => !word.endsWith('through'))).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
  expect(folding.isUnderWay).toBe(false);
});

test('finishes the current record first for an urgent call, and reports it once', async () => {
  const { turns, said, folding, fold } = scene();
  const folded = fold('a');
  folding.finish();
  expect(said).toEqual(['a1', 'a2', 'a is through']);
  expect(folding.isUnderWay).toBe(false);
  await turns.next();
  await folded;
  expect(said).toEqual(['a1', 'a2', 'a is through']);
});

test('runs the callbacks of a finished record before the next record starts', async () => {
  const { turns, said, fold } = scene();
  const first = fold('a').then(async () => {
    await Promise.resolve();
    said.push('links are taken');
  });
  const second = fold('b');
  for (let turn = 0; turn < 30; turn++) await turns.next();
  await Promise.all([first, second]);
  expect(said.indexOf('links are taken')).toBeLessThan(said.indexOf('b1'));
});

test('aborts the record if the crawl has failed, and reports nothing as finished', async () => {
  const { turns, said, state, folding, fold } = scene();
  const folded = fold('a');
  state.hasFailed = true;
  await turns.next();
  await folded;
  expect(said).toEqual(['a1']);
  expect(folding.isUnderWay).toBe(false);
});
