import type { CrawlStatus } from '../../core/index.ts';
import type { Crawl } from '../../engine/index.ts';
import type { Io } from '../command.ts';
import { Lines } from '../lines.ts';

const PROMPT = 'Type c and Enter to continue, s and Enter to stop.\n';

/** Asks in lines whether a crawl that finds nothing any more should continue, while it crawls on. */
export class BarrenQuestion {
  readonly #crawl: Pick<Crawl, 'steer' | 'stop'>;
  readonly #lines: Lines;
  /** Aborts the open question. */
  #open: AbortController | undefined;
  /** True once the user has closed the input. */
  #isClosed = false;

  constructor(crawl: Pick<Crawl, 'steer' | 'stop'>, io: Io) {
    this.#crawl = crawl;
    this.#lines = new Lines(io);
  }

  /** Asks once, and withdraws the question when the crawl is no longer barren. */
  follow(barren: CrawlStatus['barren']): void {
    if (barren === undefined) this.#open?.abort();
    else if (this.#open === undefined && !this.#isClosed) void this.#ask();
  }

  async #ask(): Promise<void> {
    const open = new AbortController();
    this.#open = open;
    let answer: string | undefined;
    do {
      answer = (await this.#lines.ask(PROMPT, open.signal))?.trim().toLowerCase();
    } while (answer !== undefined && answer !== 'c' && answer !== 's');
    this.#open = undefined;
    this.#isClosed = answer === undefined && !open.signal.aborted;
    if (answer === 'c') this.#crawl.steer({ kind: 'continue-barren' });
    if (answer === 's') this.#crawl.stop('stagnation');
  }
}
