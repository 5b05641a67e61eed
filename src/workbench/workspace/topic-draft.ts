import { canonicalize, type Example, type TopicSpec } from '../../core/index.ts';
import { sanitizeText } from '../../kit/index.ts';
import { whyBadTopicName } from './topic-file.ts';

/** Deeper folders are merged with their parent. */
const MAX_DEPTH = 10;

/** A topic under construction from bookmarks, a list or folders. */
interface DraftTopic {
  readonly name: string;
  readonly examples: Example[];
  readonly topics: Map<string, DraftTopic>;
}

/** A topic tree under construction: accepts pages in any order, each once. */
export class Draft {
  readonly #root: DraftTopic = { name: '', examples: [], topics: new Map() };
  readonly #seen = new Set<string>();
  /** Pages left out because another topic already has them. */
  repeated = 0;

  /**
   * Adds an example to the topic at `path` and creates missing topics; cleans their names. An empty path means a
   * topic named `elsewhere`.
   */
  add(path: readonly string[], example: Example, elsewhere: string): void {
    const page =
      example.kind === 'url' ? canonicalize(example.url) : example.kind === 'file' ? example.path : undefined;
    if (page !== undefined && this.#seen.has(page)) {
      this.repeated++;
      return;
    }
    if (page !== undefined) this.#seen.add(page);
    const names = (path.length === 0 ? [elsewhere] : path.slice(0, MAX_DEPTH)).map(topicName);
    let topic = this.#root;
    for (const name of names) topic = childOf(topic, name);
    topic.examples.push(example);
  }

  /** The topics, in the order of their first page. */
  topics(): readonly TopicSpec[] {
    return specsOf(this.#root);
  }
}

function childOf(topic: DraftTopic, name: string): DraftTopic {
  // Names that look the same are equal, even if one has combining accents.
  const key = name.normalize('NFC');
  const child = topic.topics.get(key) ?? { name, examples: [], topics: new Map() };
  topic.topics.set(key, child);
  return child;
}

function specsOf(topic: DraftTopic): readonly TopicSpec[] {
  return [...topic.topics.values()].map((child) => {
    const topics = specsOf(child);
    return { name: child.name, examples: child.examples, ...(topics.length > 0 ? { topics } : {}) };
  });
}

/** Returns the nearest valid topic name: `AC/DC` becomes `AC-DC`. */
export function topicName(text: string): string {
  const name = sanitizeText(text)
    .replace(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .replace(/\s*\/\s*/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 100)
    // Remove half a surrogate pair left by truncation: the store would replace it.
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) return 'unnamed';
  return whyBadTopicName(name) === undefined ? name : `${name} (topic)`.slice(0, 110);
}

/** Canonical URLs of the examples of a topic and its subtopics that are web pages. */
export function examplePages(topic: TopicSpec): readonly string[] {
  const own = (topic.examples ?? []).flatMap((example) =>
    example.kind === 'url' ? (canonicalize(example.url) ?? []) : [],
  );
  return [...own, ...(topic.topics ?? []).flatMap(examplePages)];
}
