import { freeBytes, type Link } from '../../core/index.ts';
import type { JudgedPage } from '../../crawl/index.ts';

/** Pages from which learning can begin anew. Our choice. */
const MAX_STARTS = 200;

interface Packed {
  readonly page: Omit<JudgedPage, 'links'>;
  /** As JSON: hundreds of small objects a page would be most of what the main thread's heap holds. */
  readonly links: Buffer;
}

/** The last accepted pages, {@link MAX_STARTS} and up to twice as many again, with their links. */
export class StartPages {
  #pages: Packed[] = [];

  add(page: JudgedPage): void {
    this.#push(page);
    if (this.#pages.length < 2 * MAX_STARTS) return;
    const gone = this.#pages.splice(0, this.#pages.length - MAX_STARTS);
    freeBytes(...gone.map(({ links }) => links));
  }

  /** Adds the last of the pages of a learning phase. */
  addAll(pages: readonly JudgedPage[]): void {
    for (const page of pages.slice(-MAX_STARTS)) this.#push(page);
  }

  /** The first one first. */
  *[Symbol.iterator](): Generator<JudgedPage> {
    for (const { page, links } of this.#pages) yield { ...page, links: JSON.parse(links.toString()) as Link[] };
  }

  #push({ links, ...page }: JudgedPage): void {
    this.#pages.push({ page, links: Buffer.from(JSON.stringify(links)) });
  }
}
