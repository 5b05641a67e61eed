import { type TopicAnswer, topicAnswer } from '../explain/topic-answer.ts';
import { clustersOf } from '../judging/adopt-cluster.ts';
import { rowOfRecord } from '../reading/page-row.ts';
import { topicMeant } from '../workspace/find-topic.ts';
import { LISTED_SETTINGS } from '../workspace/settings.ts';
import { storedUnder } from '../workspace/typed-address.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { StoredPage } from './options.ts';
import type { Reading } from './reader.ts';

/** A topic of bingo.yaml. */
export interface TopicRow {
  /** Names joined by `/`. */
  readonly topic: string;
  readonly parent: string | null;
  /** Its pages are wanted. */
  readonly good: boolean;
  /** Pages accepted into it so far. */
  readonly accepted: number;
  readonly examples: readonly string[];
  readonly seeds: readonly string[];
}

/** What a topic has learned. */
export type TopicKnowledge = Pick<TopicAnswer, 'topic' | 'ids' | 'model' | 'training' | 'rounds'>;

/** A group of a topic's pages. */
export interface ClusterRow {
  readonly pages: number;
  /** Words that its pages have in common. */
  readonly words: readonly string[];
  /** Most typical first. */
  readonly typical: readonly { readonly url: string; readonly title: string; readonly closeness: number }[];
  /** Hosts with most of its pages first. Of rejected pages: without hosts that also have accepted pages. */
  readonly hosts: readonly { readonly host: string; readonly pages: number }[];
}

/** A setting with its current value. */
export interface SettingRow {
  /** Key such as `crawl.budget`. */
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  /** The value comes from an option or the environment rather than from bingo.yaml. */
  readonly overridden: boolean;
  readonly help: string;
}

/** Returns the page to which a URL led, as the user types the URL; `undefined` if no page is stored. */
export async function storedPage({ store }: Reading, url: string): Promise<StoredPage | undefined> {
  const page = await storedUnder(store, url);
  if (page === undefined) return undefined;
  const texts = await store.texts([page.sequence]);
  return { ...rowOfRecord(page), text: texts.get(page.sequence) ?? '' };
}

/** Returns the topics of bingo.yaml, in tree order. */
export async function topicRows({ store, workspace }: Reading): Promise<readonly TopicRow[]> {
  const accepted = new Map((await store.status()).topics.map((topic) => [topic.topic, topic.accepted]));
  return [...workspace.tree.nodes.values()].flatMap(({ id, parent, good, examples, seeds }): TopicRow[] => {
    if (parent === undefined) return [];
    const named = examples.map((one) => (one.kind === 'url' ? one.url : one.kind === 'file' ? one.path : one.text));
    const above = parent === '' ? null : parent;
    return [{ topic: id, parent: above, good, accepted: accepted.get(id) ?? 0, examples: named, seeds }];
  });
}

/** Returns what a topic has learned; `undefined` before the first training round. */
export async function topicKnowledge(reading: Reading, name: string | undefined): Promise<TopicKnowledge | undefined> {
  return await topicAnswer(reading, { topic: topicMeant(reading.workspace.tree, name), isWhole: true });
}

/** Groups the pages of a topic by content, largest group first. */
export async function clusterRows(
  { store, workspace }: Reading,
  options: Parameters<typeof clustersOf>[2],
): Promise<readonly ClusterRow[]> {
  const found = await clustersOf(store, workspace, options);
  return found.clusters.map(({ pages, words, typical, hosts }) => {
    return { pages, words, hosts, typical: typical.map(({ url, title, closeness }) => ({ url, title, closeness })) };
  });
}

/** Returns every setting that is not retired, with its current value. */
export function settingRows({ config, overridden }: Workspace): readonly SettingRow[] {
  return LISTED_SETTINGS.map(({ key, section, name, default: usual, help }) => {
    const values = new Map<string, unknown>(Object.entries(config[section]));
    return { key, value: values.get(name), default: usual, overridden: overridden.has(key), help };
  });
}
