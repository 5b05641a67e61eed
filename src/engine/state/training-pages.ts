import type { CanonicalUrl, PageRecord, TopicId, VisitRecord } from '../../core/index.ts';
import type { Pinned } from './jobs.ts';

/** A stored training page. */
export interface TrainingPageRef {
  readonly sequence: number;
  readonly title: string;
  readonly topic: TopicId;
  readonly others: boolean;
  /** Every URL that led to it. */
  readonly urls: readonly string[];
}

/** What became of the training pages that the tree names. */
export class TrainingPages {
  readonly #named: ReadonlyMap<CanonicalUrl, Pinned>;
  readonly #stored = new Map<string, TrainingPageRef>();
  readonly #failed = new Map<string, string>();

  /** @param jobs what the tree names */
  constructor(jobs: readonly Pinned[]) {
    this.#named = new Map(jobs.map((job) => [job.entry.url, job]));
  }

  get names(): Iterable<CanonicalUrl> {
    return this.#named.keys();
  }

  /** Stored ones by the URL that the tree names. */
  get stored(): ReadonlyMap<string, TrainingPageRef> {
    return this.#stored;
  }

  /** Those that could not be had, with the reason. */
  get failed(): ReadonlyMap<string, string> {
    return this.#failed;
  }

  /** A training page was stored. */
  note(record: PageRecord, topic: TopicId): void {
    this.#stored.set(record.url, refOf(record, topic, record.role === 'others'));
  }

  /**
   * A page was stored that the crawl found. Where bingo.yaml named it since, it is learned from as it is stored.
   * @returns the names that need not be fetched any more
   */
  claim(record: PageRecord): ReadonlySet<CanonicalUrl> {
    const claimed = new Set<CanonicalUrl>();
    for (const name of [record.url, record.finalUrl]) {
      const named = this.#named.get(name);
      if (named === undefined || this.#stored.has(name)) continue;
      this.#stored.set(name, refOf(record, named.entry.topic, named.role === 'others'));
      claimed.add(name);
    }
    return claimed;
  }

  /** A training page could not be had. */
  fail({ entry }: Pinned, { detail, reason }: VisitRecord): void {
    this.#failed.set(entry.redirects[0] ?? entry.url, detail || reason);
  }
}

function refOf(record: PageRecord, topic: TopicId, others: boolean): TrainingPageRef {
  const { sequence, document, url, redirects, finalUrl } = record;
  return { sequence, title: document.title, topic, others, urls: [url, ...redirects, finalUrl] };
}
