import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bibliography } from '../../core/index.ts';
import { slugOf, topicSlug } from './names.ts';

/** A page in the corpus. */
export interface CorpusPage {
  readonly sequence: number;
  readonly title: string;
  readonly finalUrl: string;
  readonly topic: string;
  /** NaN if it was not classified. */
  readonly relevance: number;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
  readonly bibliography?: Bibliography | undefined;
}

/** What the files of a corpus contain. */
export interface CorpusTexts<P> {
  /** Returns texts by sequence. */
  readonly of: (pages: readonly P[]) => Promise<ReadonlyMap<number, string>>;
  /** File name extension. */
  readonly ending: 'txt' | 'md';
}

/** Texts read at a time. */
const BATCH = 100;

/**
 * Writes the text of each page to its own file, in one folder per topic, with metadata as a YAML header.
 * @returns the number of files
 */
export async function writeCorpus<P extends CorpusPage>(
  pages: AsyncIterable<P>,
  texts: CorpusTexts<P>,
  folder: string,
): Promise<number> {
  const folders = new TopicFolders(folder);
  let count = 0;
  let batch: P[] = [];
  const write = async (): Promise<void> => {
    const found = await texts.of(batch);
    for (const page of batch) {
      const name = `${String(page.sequence).padStart(6, '0')}-${slugOf(page.title, 'page')}.${texts.ending}`;
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

/** Returns a page's file. JSON strings are valid YAML strings, whatever they contain. */
function fileText(page: CorpusPage, text: string): string {
  const { finalUrl, title, topic, relevance, fetchedAt, bibliography: about } = page;
  const { authors = [], published, licence } = about ?? {};
  const facts = [
    `url: ${JSON.stringify(finalUrl)}`,
    `title: ${JSON.stringify(title.toWellFormed())}`,
    `topic: ${JSON.stringify(topic)}`,
    ...(Number.isFinite(relevance) ? [`relevance: ${Math.round(relevance * 1e4) / 1e4}`] : []),
    `fetched: ${new Date(fetchedAt).toISOString()}`,
    ...(authors.length > 0 ? [`authors: ${JSON.stringify(authors)}`] : []),
    ...(published === undefined ? [] : [`published: ${JSON.stringify(published)}`]),
    ...(licence === undefined ? [] : [`licence: ${JSON.stringify(licence)}`]),
  ];
  return `---\n${facts.join('\n')}\n---\n\n${text}\n`;
}

/** One folder per topic, created on demand, with distinct names. */
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
