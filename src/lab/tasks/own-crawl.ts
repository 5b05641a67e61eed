import {
  type CanonicalUrl,
  canonicalize,
  type Example,
  ROOT,
  type TopicNode,
  type TopicTree,
} from '../../core/index.ts';
import { isLabelled } from './labels.ts';
import { budgetFor, type Task, type TaskTopic } from './task.ts';

/** A stored page, and where the last model or a person puts it. */
export interface JudgedAddress {
  readonly url: string;
  /** A topic path; `undefined`: OTHERS. */
  readonly topic: string | undefined;
  readonly role: 'crawled' | 'example' | 'others';
}

/** A crawl of one's own, recorded as a WARC file. */
export interface OwnCrawl {
  /** The frozen web's name. */
  readonly name: string;
  readonly tree: TopicTree;
  readonly pages: readonly JudgedAddress[];
  /** True for addresses that the archive holds. */
  readonly has: (url: CanonicalUrl) => boolean;
  /** Fetches of the task. Default: a quarter of the pages that the crawl found, at most 2,000. */
  readonly budget?: number;
}

/** What a crawl becomes in the lab. */
export interface FrozenCrawl {
  /** The text of `NAME.labels.tsv`. */
  readonly labels: string;
  readonly task: Task;
  /** Pages that the crawl found and the archive holds, and how many of them are on a topic of the task. */
  readonly pages: number;
  readonly relevant: number;
  /** What the task could not take over from the topic tree, each with what it is. */
  readonly leftOut: readonly string[];
}

/** The label of pages of no topic. */
const NO_TOPIC = 'OTHERS';

/** Makes a frozen web's labels and its task of a crawl's own verdicts. */
export function frozenCrawl({ name, tree, pages, has, budget }: OwnCrawl): FrozenCrawl {
  const leftOut: string[] = [];
  const taken = new Taken(has, leftOut);
  const good = [...tree.nodes.values()].filter((node) => node.good);
  const topics = good.flatMap((node) => taken.topic(node) ?? []);
  const names = new Set(topics.map((topic) => topic.name));
  const seeds = good.filter(({ id }) => names.has(id)).flatMap((node) => taken.seeds(node));
  const apart = [...tree.nodes.values()].filter((node) => !node.good && node.id !== ROOT);
  const negatives = [
    ...[...tree.nodes.values()].flatMap((node) => node.others),
    ...apart.flatMap((node) => node.examples),
  ];
  const others = taken.pages(negatives, 'OTHERS');
  const archived = pages.flatMap((page) => {
    const url = canonicalize(page.url);
    return url !== undefined && has(url) ? [{ ...page, url }] : [];
  });
  const found = archived.filter((page) => page.role === 'crawled');
  const labels = topics.flatMap((topic) => topic.labels);
  return {
    labels: archived.map(({ url, topic }) => `${url}\t${topic ?? NO_TOPIC}\n`).join(''),
    task: {
      ...{ id: name, family: name, web: name, kind: 'plain', topics, others },
      seeds: [...new Set(seeds)],
      budget: budget ?? budgetFor(found.length),
      ...{ baseline: {}, reachable: undefined, scored: undefined, oracleArea: undefined },
    },
    pages: found.length,
    relevant: found.filter(({ topic }) => topic !== undefined && isLabelled(topic, labels)).length,
    leftOut,
  };
}

/** What the archive has of a topic tree. */
class Taken {
  readonly #has: (url: CanonicalUrl) => boolean;
  readonly #leftOut: string[];

  constructor(has: (url: CanonicalUrl) => boolean, leftOut: string[]) {
    this.#has = has;
    this.#leftOut = leftOut;
  }

  /** Returns a topic of the task; `undefined` if it has no query and no example in the archive. */
  topic(node: TopicNode): TaskTopic | undefined {
    const examples = this.pages(node.examples, node.id);
    const queries = node.examples.filter((example) => example.kind === 'text');
    const query = queries.map((example) => example.text).join(' ');
    if (examples.length === 0 && query === '') {
      this.#leftOut.push(`the topic ${node.id}: no example is in the archive`);
      return undefined;
    }
    return { name: node.id, labels: [node.id], examples, ...(query === '' ? {} : { query }) };
  }

  seeds(node: TopicNode): readonly CanonicalUrl[] {
    return this.#archived(node.seeds.length > 0 ? node.seeds : addressesOf(node.examples)).own;
  }

  pages(examples: readonly Example[], of: string): readonly CanonicalUrl[] {
    const files = examples.filter((example) => example.kind === 'file');
    if (files.length > 0) this.#leftOut.push(`${of}: ${files.length} local ${files.length === 1 ? 'file' : 'files'}`);
    const { own, missing } = this.#archived(addressesOf(examples));
    if (missing > 0)
      this.#leftOut.push(`${of}: ${missing} ${missing === 1 ? 'page' : 'pages'} missing from the archive`);
    return own;
  }

  #archived(urls: readonly string[]): { readonly own: readonly CanonicalUrl[]; readonly missing: number } {
    const known = urls.map((text) => canonicalize(text)).filter((url) => url !== undefined && this.#has(url));
    const own = [...new Set(known as CanonicalUrl[])];
    return { own, missing: urls.length - known.length };
  }
}

function addressesOf(examples: readonly Example[]): readonly string[] {
  return examples.flatMap((example) => (example.kind === 'url' ? [example.url] : []));
}
