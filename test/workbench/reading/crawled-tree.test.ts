import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CrawlEvent, type JournalRecord, type TopicTree, topicTree } from '../../../src/core/index.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { crawledTree, journalInWordsOf } from '../../../src/workbench/reading/crawled-tree.ts';
import { StoreFollower } from '../../../src/workbench/reading/follow-store.ts';
import { page, round, topic } from '../../contracts/store-records.ts';

let dir: string;
let store: Store;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-tree-'));
  store = await openStore({ url: 'sqlite', workspace: dir, batch: 100, flushMs: 10 });
});

afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A tree of one topic with one example. */
function treeOf(name: string): TopicTree {
  return topicTree([{ name, examples: [{ kind: 'url', url: 'https://a.example/' }] }], []);
}

function run(sequence: number): JournalRecord {
  return { kind: 'run', sequence, at: sequence, settings: '{}' };
}

function trained(sequence: number, name: string): JournalRecord {
  const example = { key: 'https://a.example/', title: '', topic: topic(name), origin: 'user', confidence: 1 } as const;
  return round(sequence, { training: [example], links: [], boosted: [] });
}

function renamed(sequence: number, id: string, now: string): JournalRecord {
  return { kind: 'steer', sequence, command: { kind: 'name-topic', id, topic: topic(now) }, at: sequence };
}

async function keep(...records: readonly JournalRecord[]): Promise<void> {
  for (const record of records) store.append(record);
  await store.flush();
}

/** Topics of the pages that a follower reports. */
async function told(follower: StoreFollower): Promise<readonly string[]> {
  const topics: string[] = [];
  await follower.look(0, (event: CrawlEvent) => {
    if (event.kind === 'page') topics.push(event.record.assignment.topic);
  });
  return topics;
}

test('pages found before a topic was renamed are shown under its new name in every dashboard', async () => {
  await keep(run(1), trained(2, 'birds'), page(3, 'https://b.example/', { topic: 'birds' }));
  const known = { topics: new Map([['birds', topic('fowl')]]), removed: new Map() };
  const inWords = await journalInWordsOf({ tree: treeOf('fowl'), known }, store);
  expect(await told(new StoreFollower(store, inWords))).toEqual(['fowl']);

  await store.saveTopics(treeOf('fowl'));
  await keep(run(4), renamed(5, 'birds', 'fowl'), page(6, 'https://c.example/', { topic: 'fowl' }));
  const { inItsWords } = await crawledTree(store, { tree: treeOf('fowl') });
  expect(await told(new StoreFollower(store, inItsWords))).toEqual(['fowl', 'fowl']);
});

test('the tree is that of the crawl, with marks and examples, despite edits of bingo.yaml', async () => {
  await store.saveTopics(
    topicTree([{ name: 'animals', good: false, topics: [{ name: 'birds' }, { name: 'fish' }] }], []),
  );
  await keep(run(1));
  const edited = topicTree(
    [{ name: 'animals', topics: [{ name: 'birds', examples: [{ kind: 'text', name: 'q', text: 'q' }] }] }],
    [],
  );
  const { tree } = await crawledTree(store, { tree: edited });
  expect([...tree.nodes.keys()]).toEqual(['', 'animals', 'animals/birds', 'animals/fish']);
  expect(tree.nodes.get(topic('animals'))).toMatchObject({
    ...{ good: false, parent: '', children: ['animals/birds', 'animals/fish'] },
  });
  expect(tree.nodes.get(topic('animals/birds'))!.examples).toHaveLength(1);
  expect(tree.nodes.get(topic(''))!.parent).toBeUndefined();
});

test('the tree is that of bingo.yaml before the first crawl', async () => {
  const tree = treeOf('birds');
  expect(await crawledTree(store, { tree })).toMatchObject({ tree, run: 0 });
});

test('a follower that notices another crawl reports everything again, with its tree', async () => {
  await store.saveTopics(treeOf('birds'));
  await keep(run(1), trained(2, 'birds'), page(3, 'https://b.example/', { topic: 'birds' }));
  const before = await crawledTree(store, { tree: treeOf('birds') });
  const follower = new StoreFollower(store, before.inItsWords);
  expect(await told(follower)).toEqual(['birds']);
  expect([follower.run, before.run]).toEqual([1, 1]);

  await store.saveTopics(treeOf('fowl'));
  await keep(run(4), renamed(5, 'birds', 'fowl'));
  await told(follower);
  expect(follower.run).toBe(4);
  follower.rewind((await crawledTree(store, { tree: treeOf('fowl') })).inItsWords);
  expect(await told(follower)).toEqual(['fowl']);
});
