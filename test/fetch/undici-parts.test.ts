import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { Agent, errors, makeConnector, Pool } from '../../src/fetch/undici-parts.ts';

const load = createRequire(import.meta.url);
const loaded = (): string[] => Object.keys(load.cache).flatMap((file) => file.split('/node_modules/undici/')[1] ?? []);

test('equal those of the public entry point, without the parts that no crawl uses', () => {
  expect(loaded().length).toBeGreaterThan(5);
  expect(loaded().filter((file) => /fetch|websocket|cache|mock/i.test(file))).toEqual([]);
  const undici = load('undici') as typeof import('undici');
  expect(Agent).toBe(undici.Agent);
  expect(Pool).toBe(undici.Pool);
  expect(makeConnector).toBe(undici.buildConnector);
  expect(errors).toBe(undici.errors);
});
