import type { JudgedPage } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';
import { freePages, type PackedPage, type PagePacker, unpackPage } from './packed-page.ts';

/** Number of pages from which learning can start again. Our choice. */
const MAX_STARTS = 200;

/** The last accepted pages with their links: between {@link MAX_STARTS} and twice as many. */
export class StartPages {
  readonly #pages: PackedPage[] = [];
  readonly #packer: PagePacker;

  constructor(packer: PagePacker) {
    this.#packer = packer;
  }

  add(page: JudgedPage): void {
    this.#pages.push(this.#packer.pack(page));
    if (this.#pages.length < 2 * MAX_STARTS) return;
    freePages(this.#pages.splice(0, this.#pages.length - MAX_STARTS));
  }

  /** Yields the oldest page first. */
  *[Symbol.iterator](): Generator<JudgedPage> {
    for (const page of this.#pages) yield unpackPage(page);
  }

  exchange(fields: Fields): void {
    fields.list(this.#pages);
  }
}
