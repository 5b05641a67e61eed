import { type Comparable, isAlike, LEAST_TOKENS } from '../alike.ts';

/** A page to group. */
export interface GroupedPage extends Comparable {
  readonly sequence: number;
}

/** Of four bands of 16 bits, at least one is equal if at most three bits differ. */
const BANDS = [0, 16] as const;
/** Pages compared per band; the others are in further bands. */
const MAX_COMPARED = 200;

/** Groups near duplicates in one pass: each page joins the first earlier page that is similar. */
export class NearGroups {
  readonly #texts = new Map<string, number>();
  readonly #bands = new Map<number, GroupedPage[]>();

  /** Returns the sequence of the first page of the group; the page's own if it begins one. */
  groupOf(page: GroupedPage): number {
    const known = page.contentHash === '' ? undefined : this.#texts.get(page.contentHash);
    if (known !== undefined) return known;
    const like = page.tokens < LEAST_TOKENS ? undefined : this.#similar(page);
    const group = like?.sequence ?? page.sequence;
    if (page.contentHash !== '') this.#texts.set(page.contentHash, group);
    if (like === undefined && page.tokens >= LEAST_TOKENS) this.#keep(page);
    return group;
  }

  #similar(page: GroupedPage): GroupedPage | undefined {
    const found = keysOf(page).flatMap((key) => this.#bands.get(key)?.find((other) => isAlike(other, page)) ?? []);
    return found.sort((a, b) => a.sequence - b.sequence)[0];
  }

  #keep({ sequence, contentHash, simhash, tokens }: GroupedPage): void {
    const page = { sequence, contentHash, simhash, tokens };
    for (const key of keysOf(page)) {
      const band = this.#bands.get(key);
      if (band === undefined) this.#bands.set(key, [page]);
      else if (band.length < MAX_COMPARED) band.push(page);
    }
  }
}

function keysOf({ simhash }: GroupedPage): readonly number[] {
  return simhash.flatMap((half, i) => BANDS.map((shift, j) => (2 * i + j) * 0x10000 + ((half >>> shift) & 0xffff)));
}
