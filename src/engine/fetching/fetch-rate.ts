import { counted } from '../../kit/index.ts';
import type { Notice } from '../alarms.ts';

const MINUTE_MS = 60_000;
/** Minutes that count as now, and minutes before them that must be known. All figures here are our choice. */
const NOW_MINUTES = 2;
const BEFORE_MINUTES = 5;
/** Minutes that are remembered. */
const KEPT_MINUTES = 30;
/** Below this many fetches a minute a crawl is slow anyway. */
const MIN_RATE = 10;
/** Share of the former rate below which fetching is slow, and above which it has recovered. */
const SLOW = 0.25;
const RECOVERED = 0.5;

/** What the crawl does while its rate is looked at. */
export interface FetchScene {
  /** Monotonic clock, in ms. */
  readonly now: number;
  /** False while no fetch is wanted: a pause, a journal that is read, an end. What follows is a new start. */
  readonly isFetching: boolean;
  readonly waiting: number;
  readonly inFlight: number;
}

/** Watches how many fetches end per minute, and reports once if there are far fewer than before. */
export class FetchRate {
  /** Fetches that ended, per full minute, oldest first. */
  #minutes: number[] = [];
  #current = 0;
  #since: number | undefined;
  /** Rate before fetching became slow, while it is slow. */
  #before: number | undefined;

  /** Counts an answer, whatever it is. */
  note(): void {
    this.#current++;
  }

  /** Returns a notice when the rate has fallen, and another one when it has recovered. */
  look({ now, isFetching, waiting, inFlight }: FetchScene): Notice | undefined {
    if (!isFetching) {
      this.#minutes = [];
      this.#since = undefined;
      this.#before = undefined;
      return undefined;
    }
    if (this.#since === undefined) this.#begin(now);
    if (now - this.#since! < MINUTE_MS) return undefined;
    this.#minutes.push(this.#current);
    if (this.#minutes.length > KEPT_MINUTES) this.#minutes.shift();
    this.#begin(now);
    return this.#change(waiting, inFlight);
  }

  #begin(now: number): void {
    this.#since = now;
    this.#current = 0;
  }

  #change(waiting: number, inFlight: number): Notice | undefined {
    if (this.#minutes.length < NOW_MINUTES + BEFORE_MINUTES) return undefined;
    const rate = this.#minutes.slice(-NOW_MINUTES).reduce((sum, n) => sum + n, 0) / NOW_MINUTES;
    if (this.#before !== undefined) {
      if (rate < RECOVERED * this.#before) return undefined;
      this.#before = undefined;
      return { code: 'fetching-recovered', message: 'Fetching is fast again.', remedy: 'Nothing needs to be done.' };
    }
    const before = median(this.#minutes.slice(0, -NOW_MINUTES));
    // Without waiting links, the crawl has another problem, which has an alarm of its own.
    if (before < MIN_RATE || rate >= SLOW * before || waiting + inFlight === 0) return undefined;
    this.#before = before;
    return slow({ rate, before, waiting, inFlight });
  }
}

/** Notice for a rate that has fallen, in fetches per minute. */
function slow(scene: Pick<FetchScene, 'waiting' | 'inFlight'> & Readonly<Record<'rate' | 'before', number>>): Notice {
  const { rate, before, waiting, inFlight } = scene;
  const why =
    inFlight > waiting
      ? 'The sites answer slowly.'
      : `${counted(waiting, 'link')} wait, most of them for few sites, which are asked politely.`;
  return {
    code: 'slow-fetching',
    message: `Fetching has become slow: ${Math.round(rate)} fetches per minute, ${Math.round(before)} before. ${why}`,
    remedy:
      'See which sites: bingo status DIR. Seeds on other sites give it more to do; pausing and waiting helps slow sites.',
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
