import type { JudgedPage } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';
import { freePages, type PackedPage, type PagePacker, unpackPage } from './packed-page.ts';

/** Pages from which learning can begin anew. Our choice. */
const MAX_STARTS = 200;

/** The last accepted pages, {@link MAX_STARTS} and up to twice as many again, with their links. */
export class StartPages {
  #pages: PackedPage[] = [];
  readonly #packer: PagePacker;

  constructor(packer: PagePacker) {
    this.#packer = packer;
  }

  add(page: JudgedPage): void {
    this.#pages.push(this.#packer.pack(page));
    if (this.#pages.length < 2 * MAX_STARTS) return;
    freePages(this.#pages.splice(0, this.#pages.length - MAX_STARTS));
  }

  /** The first one first. */
  *[Symbol.iterator](): Generator<JudgedPage> {
    for (const page of this.#pages) yield unpackPage(page);
  }

  exchange(fields: Fields): void {
    fields.list(this.#pages);
  }
}
