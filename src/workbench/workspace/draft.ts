import { canonicalize, type Example, type TopicSpec } from '../../core/index.ts';
import { whyBadTopicName } from './topic-file.ts';

/** Folders nested deeper than this are put together with the one above them. */
const MAX_DEPTH = 10;

/** A topic while it is being put together from bookmarks, a list or folders. */
interface DraftTopic {
  readonly name: string;
  readonly examples: Example[];
  readonly topics: Map<string, DraftTopic>;
}

/** A topic tree while it is being put together: takes pages in any order, each once. */
export class Draft {
  readonly #root: DraftTopic = { name: '', examples: [], topics: new Map() };
  readonly #seen = new Set<string>();
  /** Pages left out because another topic has them already. */
  repeated = 0;

  /**
   * Adds an example to the topic at `path`, making topics on the way; names are cleaned.
   * An empty path means a topic named `elsewhere`.
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

  /** The topics, in the order in which they were met. */
  topics(): readonly TopicSpec[] {
    return specsOf(this.#root);
  }
}

function childOf(topic: DraftTopic, name: string): DraftTopic {
  // Names that look the same are one, though an accent may stand apart from its letter in one of them.
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

/** The nearest name that a topic may have: `AC/DC` becomes `AC-DC`. */
export function topicName(text: string): string {
  const name = text
    .replace(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .replace(/\s*\/\s*/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 100)
    // A character of two units that was cut in the middle is none, and the store would keep another in its place.
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
  if (name === '') return 'unnamed';
  return whyBadTopicName(name) === undefined ? name : `${name} (topic)`.slice(0, 110);
}

/** Examples of a topic and those within it that are pages of the web, canonical. */
export function examplePages(topic: TopicSpec): readonly string[] {
  const own = (topic.examples ?? []).flatMap((example) =>
    example.kind === 'url' ? (canonicalize(example.url) ?? []) : [],
  );
  return [...own, ...(topic.topics ?? []).flatMap(examplePages)];
}
