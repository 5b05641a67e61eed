import { analyze } from '../src/analyze/index.ts';
import {
  type AnalyzedDocument,
  type Assignment,
  canonicalize,
  confidence,
  DEFAULTS,
  hostOf,
  type LinkTable,
  type PageRecord,
  packLinks,
  type TopicId,
  type TopicTree,
  topicTree,
  unpackLinks,
} from '../src/core/index.ts';
import { hash53, seededRandom } from '../src/kit/index.ts';
import { GeneratedWeb } from './generated-web.ts';
import { HTML_HEADERS } from './web.ts';

/** Documents analysed; records beyond that repeat their words under other URLs, with other links. */
const DOCUMENTS = 1_000;
const TOPICS = 5;
const WEB_PAGES = 10_000_000;

/** The tree that the records' topics belong to. */
export const TREE: TopicTree = topicTree(
  Array.from({ length: TOPICS }, (_, i) => ({ name: `topic ${i + 1}` })),
  [],
);

/** Where the pages of records are. */
export function webOfRecords(): GeneratedWeb {
  return new GeneratedWeb({ port: 80, pages: WEB_PAGES, hosts: 300, topics: TOPICS, seed: 1 });
}

/** Journal records of made-up pages: 25 KB, 30 links, judged. Record `n` is a function of `n`. */
export class PageRecords {
  readonly #web = webOfRecords();
  readonly #documents: readonly AnalyzedDocument[];

  constructor() {
    this.#documents = Array.from({ length: DOCUMENTS }, (_, n) => this.#analyzed(n));
  }

  /** Stems that occur in some documents, the frequent ones first. */
  get stems(): readonly string[] {
    const counts = new Map<string, number>();
    for (const { features } of this.#documents)
      for (const stem of features.terms!.features.split('\n')) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    return [...counts.entries()].sort((a, b) => b[1] - a[1]).map(([stem]) => stem);
  }

  record(sequence: number): PageRecord {
    const url = canonicalize(this.#web.urlOf(sequence))!;
    const document = this.#documents[sequence % DOCUMENTS]!;
    const title = `${document.title} ${sequence}`;
    const topic = `topic ${(sequence % TOPICS) + 1}` as TopicId;
    return {
      kind: 'page',
      sequence,
      url,
      finalUrl: url,
      redirects: [],
      host: hostOf(url),
      role: 'crawled',
      origin: {
        via: 'link',
        from: this.#web.urlOf(Math.floor(sequence / 2)),
        topic,
        depth: 3,
        tunnelDepth: 0,
        priority: 0.5,
      },
      status: 200,
      contentType: 'text/html',
      fetchedAt: 1_700_000_000_000 + sequence * 20,
      bytes: 25_000,
      address: '127.0.0.1',
      etag: '',
      lastModified: '',
      document: { ...document, title, links: this.#links(document, sequence), contentHash: contentHash(sequence) },
      assignment: judged(topic, sequence),
    };
  }

  #links(document: AnalyzedDocument, sequence: number): LinkTable {
    const random = seededRandom(sequence);
    const links = unpackLinks(document.links);
    return packLinks(links.map((link) => ({ ...link, url: this.#web.urlOf(Math.floor(random() * WEB_PAGES)) })));
  }

  #analyzed(n: number): AnalyzedDocument {
    const address = this.#web.urlOf(n);
    const { hostname, pathname } = new URL(address);
    const page = { url: canonicalize(address)!, headers: HTML_HEADERS, body: this.#web.page(hostname, pathname)! };
    const { maxLinksPerPage, maxUrlChars } = DEFAULTS.crawl;
    const document = analyze(page, { ...DEFAULTS.analyze, maxLinksPerPage, maxUrlChars, spaces: ['terms'] });
    if ('kind' in document) throw new Error(`Expected a generated page to be readable, got ${document.reason}`);
    return document;
  }
}

function contentHash(sequence: number): string {
  return hash53(String(sequence)).toString(16).padStart(32, '0');
}

function judged(topic: TopicId, sequence: number): Assignment {
  const score = confidence((sequence % 200) / 100 - 0.8);
  const scores = Array.from({ length: TOPICS }, (_, i) => ({
    topic: `topic ${i + 1}` as TopicId,
    confidence: score,
    calibrated: score,
    bayes: 0.2,
    bayesCalibrated: score,
    cosine: 0.1,
    relevance: 0.5,
  }));
  return { topic, others: score < 0, confidence: score, relevance: 0.5, scores, model: 1 };
}
