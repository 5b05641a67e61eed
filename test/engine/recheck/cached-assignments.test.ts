import { expect, test } from 'vitest';
import type { Judgement, PageRole, TopicId } from '../../../src/core/index.ts';
import { HostClocks } from '../../../src/crawl/index.ts';
import { HeldPlaces } from '../../../src/engine/recheck/cached-assignments.ts';
import { CrawlState } from '../../../src/engine/state/crawl-state.ts';
import type { GivenPlaces } from '../../../src/engine/training/user-assignments.ts';
import { exactConfig, paperCrawl, paperUrl, paperWeb, railTree } from '../support/paper-web.ts';

const TOPIC = 'railways' as TopicId;
const rail = paperUrl('rail', 7);
const config = exactConfig({ crawl: { budget: 5, learn: 0 } });

function newState(): CrawlState {
  return new CrawlState(railTree(), config, {
    hosts: new HostClocks({ ...config.network, maxTries: 3 }),
    resolve() {},
  });
}

function judge(state: CrawlState, use: Judgement['use']): void {
  const judgement = { key: rail, sequence: 0, title: '', use, topic: TOPIC };
  const sequence = state.sequence + 1;
  state.apply({ kind: 'steer', sequence, command: { kind: 'judge-page', judgement }, at: 0 }, undefined);
}

/** True when a person put the page anywhere. */
function isPut(places: GivenPlaces, url: string): boolean {
  const page = { sequence: 0, role: 'example' as PageRole, urls: [url] };
  return places.fixed(page) !== undefined;
}

test('builds positions once until a decision changes, and follows every decision', () => {
  const state = newState();
  const held = new HeldPlaces();
  const first = held.of(state);
  expect(isPut(first, rail)).toBe(false);
  judge(state, 'example');
  const second = held.of(state);
  expect(isPut(second, rail)).toBe(true);
  expect(held.of(state)).toBe(second);
  judge(state, 'free');
  expect(isPut(held.of(state), rail)).toBe(false);
});

test('positions follow newly stored training pages, and another state', async () => {
  const { run, journal } = paperCrawl(paperWeb(), config);
  await run();
  const examples = journal.pages().filter(({ role }) => role === 'example');
  const state = newState();
  const held = new HeldPlaces();
  expect(isPut(held.of(state), examples[0]!.finalUrl)).toBe(false);
  for (const record of examples) {
    state.apply(record, state.waiting.takeExact(record, record.finalUrl));
    expect(isPut(held.of(state), record.finalUrl)).toBe(true);
  }
  const places = held.of(state);
  expect(held.of(state)).toBe(places);
  expect(isPut(held.of(newState()), examples[0]!.finalUrl)).toBe(false);
});
