import type { CanonicalUrl, PageRecord, TopicId, VisitRecord } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { Pinned } from './jobs.ts';

/** A stored training page. */
export interface TrainingPageRef {
  readonly sequence: number;
  readonly title: string;
  readonly topic: TopicId;
  readonly others: boolean;
  /** Words of title and text. */
  readonly tokens: number;
  /** Every URL that led to it. */
  readonly urls: readonly string[];
}

/** What became of the training pages that the tree names. */
export class TrainingPages {
  readonly #named: ReadonlyMap<CanonicalUrl, Pinned>;
  readonly #stored = new Map<string, TrainingPageRef>();
  readonly #failed = new Map<CanonicalUrl, string>();
  /** Why pages that wait for another try could not be had so far. */
  readonly #troubles = new Map<CanonicalUrl, string>();
  #changes = 0;

  /** @param jobs what the tree names */
  constructor(jobs: readonly Pinned[]) {
    this.#named = new Map(jobs.map((job) => [job.entry.url, job]));
  }

  get names(): Iterable<CanonicalUrl> {
    return this.#named.keys();
  }

  /** How many pages the tree names. */
  get named(): number {
    return this.#named.size;
  }

  /** Stored ones by the URL that the tree names. */
  get stored(): ReadonlyMap<string, TrainingPageRef> {
    return this.#stored;
  }

  /** How often a page was added to the stored ones, or took the place of one. */
  get changes(): number {
    return this.#changes;
  }

  /** Those that could not be had, with the reason. */
  get failed(): ReadonlyMap<string, string> {
    return this.#failed;
  }

  /** A training page was stored. */
  note(record: PageRecord, { entry, role }: Pinned): void {
    this.#store(record.url, refOf(record, entry.topic, role === 'others'));
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
      this.#store(name, refOf(record, named.entry.topic, named.role === 'others'));
      claimed.add(name);
    }
    return claimed;
  }

  /** A training page redirects to a page that is stored: that one is learned from, unless it is already. */
  lead(job: Pinned, sequence: number, urls: readonly string[]): void {
    const { role, entry } = job;
    if (role === 'crawled' || [...this.#stored.values()].some((page) => page.sequence === sequence)) return;
    // What the page is called and how long it is was told when it was stored.
    const untold = { title: '', tokens: Number.POSITIVE_INFINITY };
    this.#store(nameOf(job), { sequence, ...untold, topic: entry.topic, others: role === 'others', urls });
  }

  /** A training page could not be had. One that is given up because its host is bad failed for what happened to it before. */
  fail(job: Pinned, { detail, reason, retried }: VisitRecord): void {
    const name = nameOf(job);
    const why = (reason === 'bad-host' && this.#troubles.get(name)) || detail || reason;
    (retried ? this.#troubles : this.#failed).set(name, why);
  }

  /** The jobs of those that could not be had, to be tried once more. */
  tryAgain(): readonly Pinned[] {
    const jobs = [...this.#named].flatMap(([name, job]) => (this.#failed.has(name) ? [job] : []));
    this.#failed.clear();
    return jobs;
  }

  #store(name: CanonicalUrl, page: TrainingPageRef): void {
    this.#stored.set(name, page);
    this.#failed.delete(name);
    this.#changes++;
  }

  exchange(fields: Fields): void {
    fields.map(this.#stored);
    fields.map(this.#failed);
    fields.map(this.#troubles);
    this.#changes = fields.value(this.#changes);
  }
}

/** The URL by which the tree names a training page. */
function nameOf({ entry }: Pinned): CanonicalUrl {
  return entry.redirects[0] ?? entry.url;
}

function refOf(record: PageRecord, topic: TopicId, others: boolean): TrainingPageRef {
  const { sequence, document, url, redirects, finalUrl } = record;
  const { title, tokens } = document;
  return { sequence, title, topic, others, tokens, urls: [url, ...redirects, finalUrl] };
}
