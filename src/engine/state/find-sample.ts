import { type Fields, hash53 } from '../../kit/index.ts';
import type { FindFigures } from '../../learn/index.ts';

/** Addresses that are sampled at most, and parts into which the crawl is divided. Our choice. */
const MAX_SAMPLE = 8_192;
const MAX_PARTS = 256;
/** Added to the number of links if the page is relevant; more links than this are not distinguished. */
const RELEVANT = 4;
const ALL_HASHES = 2 ** 53;

/**
 * Counts what an estimate of recall needs: relevant pages over time, and how many relevant pages link to each address
 * of a sample. An address is in the sample if its hash is below a limit, so the sample does not depend on the order of
 * the links. The limit is halved whenever the sample is full.
 */
export class FindSample {
  /** Links from relevant pages by hash of the address, 0 to 3, plus {@link RELEVANT}. */
  readonly #sample = new Map<number, number>();
  /** Relevant pages in each part of the crawl. All parts but the last have `#partPages` pages. */
  readonly #parts: number[] = [];
  #limit = ALL_HASHES;
  #partPages = 1;
  #pages = 0;
  #finds = 0;

  /** Notes the links of a relevant page. */
  linked(urls: Iterable<string>): void {
    for (const url of urls) {
      const hash = hash53(url);
      if (hash >= this.#limit) continue;
      const noted = this.#sample.get(hash) ?? 0;
      if (noted % RELEVANT < RELEVANT - 1) this.#sample.set(hash, noted + 1);
    }
    while (this.#sample.size > MAX_SAMPLE) this.#halve();
  }

  /** Notes that an address led to a relevant page. */
  found(url: string): void {
    const hash = hash53(url);
    const noted = this.#sample.get(hash) ?? 0;
    if (hash < this.#limit && noted < RELEVANT) this.#sample.set(hash, noted + RELEVANT);
  }

  /** Counts a page that uses the budget. */
  counted(isRelevant: boolean): void {
    if (this.#pages === this.#parts.length * this.#partPages) this.#beginPart();
    this.#pages++;
    if (!isRelevant) return;
    this.#finds++;
    this.#parts[this.#parts.length - 1] = (this.#parts.at(-1) ?? 0) + 1;
  }

  /** Everything that the estimate needs; walks over the sample. */
  figures(): FindFigures {
    const links = [...this.#sample.values()].filter((noted) => noted >= RELEVANT).map((noted) => noted - RELEVANT);
    return {
      ...{ pages: this.#pages, finds: this.#finds, lateRate: this.#lateRate(), sampled: links.length },
      once: links.filter((count) => count === 1).length,
      twice: links.filter((count) => count === 2).length,
    };
  }

  exchange(fields: Fields): void {
    fields.map(this.#sample);
    fields.list(this.#parts);
    this.#limit = fields.value(this.#limit);
    this.#partPages = fields.value(this.#partPages);
    this.#pages = fields.value(this.#pages);
    this.#finds = fields.value(this.#finds);
  }

  /** Share of relevant pages in the last quarter of the parts. */
  #lateRate(): number {
    const from = Math.floor((this.#parts.length * 3) / 4);
    const pages = this.#pages - from * this.#partPages;
    return pages === 0 ? 0 : this.#parts.slice(from).reduce((sum, finds) => sum + finds, 0) / pages;
  }

  #beginPart(): void {
    if (this.#parts.length === MAX_PARTS) {
      const pairs = this.#parts.flatMap((finds, i) => (i % 2 === 0 ? [finds + (this.#parts[i + 1] ?? 0)] : []));
      this.#parts.splice(0, MAX_PARTS, ...pairs);
      this.#partPages *= 2;
    }
    this.#parts.push(0);
  }

  #halve(): void {
    this.#limit /= 2;
    for (const hash of this.#sample.keys()) if (hash >= this.#limit) this.#sample.delete(hash);
  }
}
