import type { FrontierEntry, HostClocks, OfferResult, QueueLimits } from '../../../src/crawl/index.ts';
import type { Bands } from '../../../src/crawl/link-table.ts';

interface Waiting {
  entry: FrontierEntry;
  readonly order: number;
}

/** The simplest possible frontier: one array, sorted at each request. */
export class NaiveFrontier {
  readonly #limits: QueueLimits;
  readonly #hosts: HostClocks;
  readonly #isNamed: (host: string) => boolean;
  readonly #fairShare: number;
  readonly #bands: Bands | undefined;
  /** In the order of their first offers. */
  readonly #topics = new Set<string>();
  /** Takes that each topic has in credit. */
  #credits: [topic: string, credit: number][] = [];
  readonly gone: string[] = [];
  waiting: Waiting[] = [];
  #next = 0;

  constructor(
    limits: QueueLimits & { readonly fairShare: number; readonly bands?: Bands | undefined },
    hosts: HostClocks,
    isNamed: (host: string) => boolean,
  ) {
    const { fairShare, bands } = limits;
    this.#bands = bands;
    this.#limits = limits;
    this.#fairShare = fairShare;
    this.#hosts = hosts;
    this.#isNamed = isNamed;
  }

  offer(entry: FrontierEntry): OfferResult {
    const known = this.waiting.find((w) => w.entry.url === entry.url);
    if (known === undefined) {
      if (!this.#admit(entry)) {
        this.gone.push(entry.url);
        return 'dropped';
      }
      this.waiting.push({ entry, order: this.#next++ });
      return 'added';
    }
    if (entry.priority <= known.entry.priority) return 'kept';
    if (entry.topic !== known.entry.topic && !this.#admit(entry, known.order)) return 'kept';
    known.entry = entry;
    return 'raised';
  }

  reprioritize(url: string, priority: number): boolean {
    const known = this.waiting.find((w) => w.entry.url === url);
    if (known !== undefined) known.entry = { ...known.entry, priority };
    return known !== undefined;
  }

  best(now: number): FrontierEntry | undefined {
    const willing = this.#sorted(this.waiting)
      .map(({ entry }) => entry)
      .filter((entry) => this.#isNamed(entry.host) && !this.#isAside(entry) && this.#hosts.isWilling(entry.host, now));
    const due = this.#credits.filter(([, credit]) => credit >= 1).sort((a, b) => b[1] - a[1]);
    const bestOf = (topic: string): FrontierEntry | undefined => willing.find((entry) => entry.topic === topic);
    const first = due.map(([topic]) => topic).find((topic) => this.#isPromising(bestOf(topic)));
    return willing.find((entry) => first === undefined || entry.topic === first);
  }

  take(url: string): void {
    const taken = this.waiting.find((w) => w.entry.url === url)?.entry.topic;
    if (taken === undefined) return;
    const best = this.#sorted(this.waiting).map((w) => w.entry);
    const isWaiting = (topic: string): boolean => this.#isPromising(best.find((entry) => entry.topic === topic));
    const active = new Set<string>([taken, ...[...this.#topics].filter(isWaiting)]);
    const old = this.#credits.filter(([topic]) => active.has(topic));
    const fresh = [...this.#topics].filter((topic) => active.has(topic) && !old.some(([known]) => known === topic));
    this.#credits = [...old, ...fresh.map((topic): [string, number] => [topic, 0])].map(([topic, credit]) => {
      const earned = Math.min(2, credit + this.#fairShare / active.size);
      return [topic, topic === taken ? Math.max(0, earned - 1) : earned];
    });
    this.remove(url);
  }

  remove(url: string): void {
    this.waiting = this.waiting.filter((w) => w.entry.url !== url);
  }

  dropHost(host: string): number {
    const doomed = this.#sorted(this.waiting).filter((w) => w.entry.host === host);
    for (const { entry } of doomed) {
      this.remove(entry.url);
      this.gone.push(entry.url);
    }
    return doomed.length;
  }

  isExhausted(): boolean {
    return this.waiting.every(({ entry }) => this.#hosts.isBad(entry.host) || this.#isAside(entry));
  }

  /** Earliest time at which a waiting host may be ready without the end of a request. */
  nextWillingAt(now: number): number {
    const named = this.waiting.filter(({ entry }) => this.#isNamed(entry.host) && !this.#isAside(entry));
    return Math.min(...named.map(({ entry }) => this.#hosts.nextWillingAt(entry.host, now)));
  }

  /** URLs of a topic's queues that may be taken, best first. */
  queues(topic: string): { incoming: string[]; outgoing: string[] } {
    const waiting = this.waiting.filter(({ entry }) => entry.topic === topic && !this.#isAside(entry));
    const urls = this.#sorted(waiting).map((w) => w.entry.url);
    return { outgoing: urls.slice(0, this.#limits.outgoingQueue), incoming: urls.slice(this.#limits.outgoingQueue) };
  }

  /** The number of waiting links per place. */
  places(): Readonly<Record<'first' | 'ordinary' | 'last' | 'aside', number>> {
    const of = (band: number): number => this.waiting.filter(({ entry }) => this.#bandOf(entry) === band).length;
    return { first: of(1), ordinary: of(0), last: of(-1), aside: of(-2) };
  }

  #admit(entry: FrontierEntry, order = this.#next): boolean {
    this.#topics.add(entry.topic);
    const others = this.#sorted(this.waiting.filter((w) => w.entry.topic === entry.topic));
    if (others.length < this.#limits.incomingQueue + this.#limits.outgoingQueue) return true;
    const worst = others.at(-1)!;
    if (this.#sorted([worst, { entry, order }])[0] === worst) return false;
    this.remove(worst.entry.url);
    this.gone.push(worst.entry.url);
    return true;
  }

  /** A topic has a right to its share if its best entry is promising. */
  #isPromising(entry: FrontierEntry | undefined): boolean {
    return entry !== undefined && !this.#isAside(entry) && (entry.priority >= 0 || this.#bandOf(entry) > 0);
  }

  #isAside(entry: FrontierEntry): boolean {
    return this.#bandOf(entry) === -2;
  }

  #bandOf({ url, priority }: FrontierEntry): number {
    if (this.#bands === undefined) return 0;
    const band = this.#bands.of(url);
    return priority <= this.#bands.floor ? Math.min(0, band) : band;
  }

  #sorted(waiting: readonly Waiting[]): Waiting[] {
    const ahead = (a: Waiting, b: Waiting): number => this.#bandOf(b.entry) - this.#bandOf(a.entry);
    return [...waiting].sort((a, b) => ahead(a, b) || b.entry.priority - a.entry.priority || a.order - b.order);
  }
}
