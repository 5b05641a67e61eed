import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { slugOf, topicSlug } from './names.ts';

/** A page as the corpus keeps it. */
export interface CorpusPage {
  readonly sequence: number;
  readonly title: string;
  readonly finalUrl: string;
  readonly topic: string;
  /** NaN when it was not judged. */
  readonly relevance: number;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

/** Texts read at a time. */
const BATCH = 100;

/**
 * Writes the text of each page to a file of its own, in a folder for each topic, with what is known of the page as YAML
 * above it.
 * @returns the number of files
 */
export async function writeCorpus(
  pages: AsyncIterable<CorpusPage>,
  texts: (sequences: readonly number[]) => Promise<ReadonlyMap<number, string>>,
  folder: string,
): Promise<number> {
  const folders = new TopicFolders(folder);
  let count = 0;
  let batch: CorpusPage[] = [];
  const write = async (): Promise<void> => {
    const found = await texts(batch.map((page) => page.sequence));
    for (const page of batch) {
      const name = `${String(page.sequence).padStart(6, '0')}-${slugOf(page.title, 'page')}.txt`;
      writeFileSync(join(folders.of(page.topic), name), fileText(page, found.get(page.sequence) ?? ''));
    }
    count += batch.length;
    batch = [];
  };
  for await (const page of pages) {
    batch.push(page);
    if (batch.length === BATCH) await write();
  }
  await write();
  return count;
}

/** A page's file. Strings in JSON are strings in YAML, whatever the page put into them. */
function fileText({ finalUrl, title, topic, relevance, fetchedAt }: CorpusPage, text: string): string {
  const facts = [
    `url: ${JSON.stringify(finalUrl)}`,
    `title: ${JSON.stringify(title.toWellFormed())}`,
    `topic: ${JSON.stringify(topic)}`,
    ...(Number.isFinite(relevance) ? [`relevance: ${Math.round(relevance * 1e4) / 1e4}`] : []),
    `fetched: ${new Date(fetchedAt).toISOString()}`,
  ];
  return `---\n${facts.join('\n')}\n---\n\n${text}\n`;
}

/** A folder for each topic, made at first need, under names that stay apart. */
class TopicFolders {
  readonly #root: string;
  readonly #paths = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  of(topic: string): string {
    const known = this.#paths.get(topic);
    if (known !== undefined) return known;
    const plain = topicSlug(topic, 'topic');
    let name = plain;
    for (let n = 2; this.#taken.has(name); n++) name = `${plain}-${n}`;
    this.#taken.add(name);
    const path = join(this.#root, name);
    mkdirSync(path);
    this.#paths.set(topic, path);
    return path;
  }
}
