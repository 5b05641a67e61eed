import type { Link } from '../../core/index.ts';
import type { JudgedPage } from '../ordering.ts';
import { placeOf, type StemHashes, WordSets, type Words } from './link-words.ts';

/** Number of links read before yielding. */
const PART = 100;

/** The fields of a page that are read. */
type ReadPage = Pick<JudgedPage, 'title' | 'language' | 'links'>;

/** The links of the last judged page, with the words of each, in memory that is reused for the next page. */
export class ReadLinks {
  readonly #hashes: StemHashes;
  /** Anchor and context of each link, then the title. */
  readonly #texts = new WordSets();
  readonly #places = new WordSets();
  /** The page whose reading is not finished. */
  #page: ReadPage | undefined;
  #links: Link[] = [];
  #language = '';
  /** Start and end of each link's anchor and context. */
  #textEnds: number[] = [];
  #placeEnds: number[] = [];
  /** Index of the next expected link: links are mostly requested in order. */
  #asked = 0;

  constructor(hashes: StemHashes) {
    this.#hashes = hashes;
  }

  /**
   * Reads a page, or the rest that `reading` left, and discards the page before.
   * @returns words that represent it: its title, its anchors and their contexts. The journal stores no others
   */
  read(page: ReadPage): Words {
    for (const _ of this.reading(page));
    const to = this.#texts.add(this.#hashes(page.title, page.language));
    this.#page = undefined;
    return { units: this.#texts.units, from: 0, to };
  }

  /** Reads the links of a page in parts. */
  *reading(page: ReadPage): Generator<void> {
    if (page !== this.#page) this.#begin(page);
    while (this.#links.length < page.links.length) {
      this.#readLink(page.links[this.#links.length]!);
      if (this.#links.length % PART === 0) yield;
    }
  }

  #begin(page: ReadPage): void {
    this.#page = page;
    this.#texts.clear();
    this.#places.clear();
    this.#links = [];
    this.#language = page.language;
    this.#textEnds = [];
    this.#placeEnds = [];
    this.#asked = 0;
  }

  /** Returns the index of a link among those of the page. Reads a link that is not among them. */
  indexOf(link: Link): number {
    for (let tries = this.#links.length; tries > 0; tries--) {
      if (this.#asked >= this.#links.length) this.#asked = 0;
      const at = this.#asked++;
      if (this.#links[at] === link) return at;
    }
    return this.#readLink(link);
  }

  anchor(at: number): Words {
    return { units: this.#texts.units, from: this.#textEnds[3 * at]!, to: this.#textEnds[3 * at + 1]! };
  }

  context(at: number): Words {
    return { units: this.#texts.units, from: this.#textEnds[3 * at + 1]!, to: this.#textEnds[3 * at + 2]! };
  }

  /** Returns the words of a link's position, see `placeOf`. */
  place(at: number): Words {
    return { units: this.#places.units, from: this.#placeEnds[at - 1] ?? 0, to: this.#placeEnds[at]! };
  }

  #readLink(link: Link): number {
    const start = this.#texts.end;
    const anchor = this.#texts.add(this.#hashes(link.anchor, this.#language));
    this.#textEnds.push(start, anchor, this.#texts.add(this.#hashes(link.context, this.#language)));
    this.#placeEnds.push(this.#places.add(placeOf(link)));
    return this.#links.push(link) - 1;
  }
}
