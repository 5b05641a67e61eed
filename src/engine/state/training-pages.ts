import type { CanonicalUrl, PageRecord, TopicId, VisitRecord } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { Pinned } from './jobs.ts';

/** A stored training page. */
export interface TrainingPageRef {
  readonly sequence: number;
  readonly title: string;
  readonly topic: TopicId;
  readonly others: boolean;
  /** Number of words in title and text. */
  readonly tokens: number;
  /** Every URL that led to it. */
  readonly urls: readonly string[];
}

/** Status of the training pages that the tree names. */
export class TrainingPages {
  readonly #named: ReadonlyMap<CanonicalUrl, Pinned>;
  readonly #stored = new Map<string, TrainingPageRef>();
  readonly #failed = new Map<CanonicalUrl, string>();
  /** Why pages that wait for another try have failed so far. */
  readonly #troubles = new Map<CanonicalUrl, string>();
  #changes = 0;

  /** @param jobs the training pages that the tree names */
  constructor(jobs: readonly Pinned[]) {
    this.#named = new Map(jobs.map((job) => [job.entry.url, job]));
  }

  get names(): Iterable<CanonicalUrl> {
    return this.#named.keys();
  }

  /** Number of pages that the tree names. */
  get named(): number {
    return this.#named.size;
  }

  /** Stored pages, by the URL in the tree. */
  get stored(): ReadonlyMap<string, TrainingPageRef> {
    return this.#stored;
  }

  /** Number of times a page was stored or replaced. */
  get changes(): number {
    return this.#changes;
  }

  /** Pages that could not be fetched, with the reason. */
  get failed(): ReadonlyMap<string, string> {
    return this.#failed;
  }

  /** Adds a stored training page. */
  note(record: PageRecord, { entry, role }: Pinned): void {
    this.#store(record.url, refOf(record, entry.topic, role === 'others'));
  }

  /**
   * Adds a stored page that the crawl found, if bingo.yaml has named it since.
   * @returns the URLs that need not be fetched any more
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

  /** Adds a training page that redirects to a stored page, unless that page is a training page already. */
  lead(job: Pinned, sequence: number, urls: readonly string[]): void {
    const { role, entry } = job;
    if (role === 'crawled' || [...this.#stored.values()].some((page) => page.sequence === sequence)) return;
    // Its title and length were reported when it was stored.
    const untold = { title: '', tokens: Number.POSITIVE_INFINITY };
    this.#store(nameOf(job), { sequence, ...untold, topic: entry.topic, others: role === 'others', urls });
  }

  /** Records a failed training page. If it is given up because its host is bad, the reason is its previous failure. */
  fail(job: Pinned, { detail, reason, retried }: VisitRecord): void {
    const name = nameOf(job);
    const why = (reason === 'bad-host' && this.#troubles.get(name)) || detail || reason;
    (retried ? this.#troubles : this.#failed).set(name, why);
  }

  /** Returns the jobs of failed pages, to be tried again. */
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

/** Returns the URL of a training page in the tree. */
function nameOf({ entry }: Pinned): CanonicalUrl {
  return entry.redirects[0] ?? entry.url;
}

function refOf(record: PageRecord, topic: TopicId, others: boolean): TrainingPageRef {
  const { sequence, document, url, redirects, finalUrl } = record;
  const { title, tokens } = document;
  return { sequence, title, topic, others, tokens, urls: [url, ...redirects, finalUrl] };
}
