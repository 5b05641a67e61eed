import { type Fields, HashSlots, TextArena } from '../../kit/index.ts';
import type { Fingerprint } from './near-duplicates.ts';

/** Maximum number of stored pages; the oldest are dropped. */
const MAX_PAGES = 20_000;

/** URLs and fingerprints of the last pages, by number: about 60 bytes plus the URL each. Objects took 200 bytes. */
export class MetPages {
  readonly #byPage = new HashSlots();
  readonly #urls = new TextArena();
  #url = new Uint32Array(MAX_PAGES);
  #high = new Uint32Array(MAX_PAGES);
  #low = new Uint32Array(MAX_PAGES);
  /** Number of pages added so far; slots are reused in turn. */
  #met = 0;

  /** Adds a page. Each page is added once. */
  add(page: number, url: string, [high, low]: Fingerprint): void {
    const at = this.#met % MAX_PAGES;
    if (this.#met >= MAX_PAGES) {
      this.#byPage.delete(at);
      this.#urls.release(this.#url[at]!);
    }
    this.#met++;
    this.#byPage.set(page, at);
    this.#url[at] = this.#urls.keep(url);
    this.#high[at] = high;
    this.#low[at] = low;
  }

  url(page: number): string | undefined {
    const at = this.#byPage.find(page);
    return at === undefined ? undefined : this.#urls.text(this.#url[at]!);
  }

  print(page: number): Fingerprint | undefined {
    const at = this.#byPage.find(page);
    return at === undefined ? undefined : [this.#high[at]!, this.#low[at]!];
  }

  exchange(fields: Fields): void {
    this.#byPage.exchange(fields);
    this.#urls.exchange(fields);
    this.#url = fields.numbers(this.#url);
    this.#high = fields.numbers(this.#high);
    this.#low = fields.numbers(this.#low);
    this.#met = fields.value(this.#met);
  }
}
