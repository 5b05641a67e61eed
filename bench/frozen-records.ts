import { readFileSync } from 'node:fs';
import {
  type AnalyzedDocument,
  type Assignment,
  type CanonicalUrl,
  type Config,
  canonicalize,
  contentHash,
  type FetchedPage,
  hostOf,
  type Link,
  type PageRecord,
  packDocument,
  packLinks,
  ROOT,
  type RoundRecord,
  type TopicId,
  thinDocument,
  unpackLinks,
} from '../src/core/index.ts';
import { analyzerSettings, ModelTrainer, PageAnalyzer, type TrainingItem } from '../src/engine/index.ts';
import { hash32, packSorted, seededRandom, wordPairs } from '../src/kit/index.ts';
import { FrozenWeb } from '../src/lab/index.ts';
import { coin } from './vocabulary.ts';
import { HTML_HEADERS } from './web.ts';

/** Share of links that lead to a page of the same copy; the others lead to any copy. */
const WITHIN_COPY = 0.5;
/** Copies that links lead to, per copy that has pages. */
const UNFETCHED = 12;
const NEW_WORDS = 12;
const SEED = 1;

/** What a workspace of the frozen web is made for: one item of `tasks.json`. */
export interface FrozenTask {
  readonly examples: Readonly<Record<string, readonly string[]>>;
  readonly seeds: readonly string[];
  readonly others: readonly string[];
}

export function readFrozenTask(file: string, id: string): FrozenTask {
  const tasks: readonly (FrozenTask & { readonly id: string })[] = JSON.parse(readFileSync(file, 'utf8'));
  const found = tasks.find((task) => task.id === id);
  if (found === undefined) throw new Error(`Expected a task "${id}" in ${file}`);
  return found;
}

interface BasePage {
  readonly url: CanonicalUrl;
  readonly bytes: number;
  readonly document: AnalyzedDocument;
  readonly links: readonly Link[];
  readonly assignment: Assignment;
  /** Pairs of words in the title, and in the text. */
  readonly pairs: Uint32Array;
  /** The last word of the title, the first and the last one of the text. */
  readonly ends: { readonly title: string; readonly begin: string; readonly end: string };
}

/**
 * Journal records of a web of any size, made from a frozen one. Page `n` is a copy of a frozen page under another
 * address, with the frozen page's words and verdict. A sentence of new words, the title and the links are its own:
 * half of the links stay within the copy, the others lead to any of many copies, most of them never fetched.
 */
export class FrozenRecords {
  readonly task: FrozenTask;
  readonly #web: FrozenWeb;
  readonly #analyzer: PageAnalyzer;
  readonly #config: Config;
  /** Addresses of pages that were read. */
  readonly #urls: readonly CanonicalUrl[];
  readonly #known: ReadonlySet<string>;
  readonly #pages = new Map<number, BasePage>();
  readonly #copies: number;

  private constructor(web: FrozenWeb, task: FrozenTask, { config, pages }: { config: Config; pages: number }) {
    this.task = task;
    this.#web = web;
    this.#config = config;
    this.#analyzer = new PageAnalyzer(analyzerSettings(config));
    this.#urls = [...web.urls()].filter((url) => web.page(url)?.status === 200);
    this.#known = new Set(this.#urls);
    this.#copies = UNFETCHED * Math.ceil(pages / this.#urls.length);
  }

  /** @param pages that will be made: links lead to a web of twelve times as many */
  static async open(
    path: string,
    task: FrozenTask,
    options: { readonly config: Config; readonly pages: number },
  ): Promise<FrozenRecords> {
    return new FrozenRecords(await FrozenWeb.open(path), task, options);
  }

  /** Records of the task's examples and counter-examples, and of the model trained on them. */
  training(first: number, tree: ConstructorParameters<typeof ModelTrainer>[0]['tree']): (PageRecord | RoundRecord)[] {
    const { learn } = this.#config;
    const trainer = new ModelTrainer({ tree, learn, seed: SEED });
    const items: TrainingItem[] = [];
    const documents: AnalyzedDocument[] = [];
    const add = (urls: readonly string[], topic: TopicId, others: boolean): void => {
      for (const text of urls) {
        const url = canonicalize(text)!;
        const document = this.#analyzed(url);
        trainer.add(url, document.features);
        items.push({ key: url, topic, others, origin: others ? 'others' : 'user' });
        documents.push(document);
      }
    };
    for (const [topic, urls] of Object.entries(this.task.examples)) add(urls, topic as TopicId, false);
    add(this.task.others, ROOT, true);
    const { blob, estimates } = trainer.trainNow({ items, background: [], model: 1 });
    this.#analyzer.setModel(blob);
    const pages = items.map(({ key, others }, i): PageRecord => {
      const base = this.#page(this.#urls.indexOf(key as CanonicalUrl));
      const record = recordOf(base, { sequence: first + i, url: base.url, document: documents[i]!, from: '' });
      return { ...record, role: others ? 'others' : 'example', origin: { ...record.origin, via: 'seed', depth: 0 } };
    });
    const training = items.map(({ key, topic, origin }) => ({ key, title: '', topic, origin, confidence: Number.NaN }));
    const nothing = { admitted: [], dropped: [], links: [], boosted: [], undone: false, reason: 'made' };
    const sequence = first + pages.length;
    return [...pages, { kind: 'round', sequence, model: 1, blob, training, estimates, ...nothing, at: timeOf(0) }];
  }

  /** Returns page `n` >= 1 as a record with this sequence; `training` comes first. */
  page(n: number, sequence: number): PageRecord {
    const base = this.#page(n % this.#urls.length);
    const random = seededRandom(hash32(String(n), SEED));
    const copy = 1 + Math.floor(n / this.#urls.length);
    const words = Array.from({ length: NEW_WORDS }, () => coin(random)).join(' ');
    const title = `${base.document.title} ${n}`;
    const text = `${base.document.text}\n${words}.`;
    const links = packLinks(
      base.links.map((link) => {
        const target = random() < WITHIN_COPY ? copy : 1 + Math.floor(random() * this.#copies);
        return this.#known.has(link.url) ? { ...link, url: copyOf(link.url, target) } : link;
      }),
    );
    const utf8 = Buffer.from(text);
    const document = { ...base.document, title, text, links, contentHash: contentHash(utf8) };
    const from = n === 1 ? '' : this.urlOf(Math.floor(n / 2));
    // As in a crawl: the fold needs no text, and the writer's thread would receive a copy of it.
    const record = recordOf(base, { sequence, url: this.urlOf(n), document: thinDocument(document), from });
    return { ...record, packed: packDocument({ ...document, noted: { utf8, pairs: pairsOf(base, n, words) } }) };
  }

  urlOf(n: number): CanonicalUrl {
    return copyOf(this.#urls[n % this.#urls.length]!, 1 + Math.floor(n / this.#urls.length)) as CanonicalUrl;
  }

  #page(n: number): BasePage {
    const known = this.#pages.get(n);
    if (known !== undefined) return known;
    const url = this.#urls[n]!;
    const body = this.#web.page(url)!.body;
    const analysis = this.#analyzer.analyzeNow(this.#fetched(url), 'harvesting');
    if (analysis.kind !== 'analyzed' || analysis.assignment === undefined)
      throw new Error(`Expected ${url} to be readable, and a model`);
    const { document, assignment } = analysis;
    const pairs = Uint32Array.from([...wordPairs(document.title), ...wordPairs(document.text)]);
    const [ofTitle, ofText] = [document.title.split(/\s/), document.text.split(/\s/)];
    const ends = { title: ofTitle.at(-1)!, begin: ofText[0]!, end: ofText.at(-1)! };
    const page = { url, bytes: body.length, document, links: unpackLinks(document.links), assignment, pairs, ends };
    this.#pages.set(n, page);
    return page;
  }

  #analyzed(url: CanonicalUrl): AnalyzedDocument {
    const analysis = this.#analyzer.analyzeNow(this.#fetched(url), 'harvesting');
    if (analysis.kind !== 'analyzed') throw new Error(`Expected ${url} to be readable`);
    return analysis.document;
  }

  #fetched(url: CanonicalUrl): FetchedPage {
    const body = Buffer.from(this.#web.page(url)!.body);
    return {
      ...{ kind: 'fetched', url, finalUrl: url, redirects: [], status: 200, headers: HTML_HEADERS, body },
      ...{ address: '127.0.0.1', fetchedAt: timeOf(0), durationMs: 0 },
    };
  }
}

/** Returns the packed pairs of a page's title and text, without reading its text again. */
function pairsOf({ pairs, ends }: BasePage, n: number, words: string): Uint8Array<ArrayBuffer> {
  const own = [...wordPairs(ends.title, String(n), ends.begin), ...wordPairs(ends.end, words)];
  const all = new Uint32Array(pairs.length + own.length);
  all.set(pairs);
  all.set(own, pairs.length);
  all.sort();
  return packSorted(all.filter((pair, i) => i === 0 || pair !== all[i - 1]));
}

function recordOf(
  { bytes, assignment }: BasePage,
  {
    sequence,
    url,
    document,
    from,
  }: {
    readonly sequence: number;
    readonly url: CanonicalUrl;
    readonly document: AnalyzedDocument;
    readonly from: string;
  },
): PageRecord {
  const { topic } = assignment;
  const origin = { via: 'link', from, topic, depth: Math.ceil(Math.log2(sequence + 1)), tunnelDepth: 0 } as const;
  return {
    ...{ kind: 'page', sequence, url, finalUrl: url, redirects: [], host: hostOf(url), role: 'crawled' },
    origin: { ...origin, priority: (sequence % 97) / 97 },
    ...{ status: 200, contentType: 'text/html', fetchedAt: timeOf(sequence), bytes, address: '127.0.0.1' },
    ...{ etag: '', lastModified: '', document, assignment },
  };
}

/** Returns the address of a page in a copy of the web; each letter of each copy is a site of its own. */
function copyOf(url: string, copy: number): string {
  return url.replace(/^https?:\/\/([a-z0-9])[^/]*/, `http://$1.$1${copy}.test`);
}

/** Fifty pages per second. */
function timeOf(sequence: number): number {
  return 1_700_000_000_000 + sequence * 20;
}
