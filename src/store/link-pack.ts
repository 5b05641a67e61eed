/** Links of pages in order: page `pages[i]` has a link to the URL with the number `targets[i]`. */
export interface LinkList {
  readonly pages: Float64Array;
  readonly targets: Float64Array;
}

/** A row of `link_segment`. */
export interface PackedLinks {
  /** Lowest sequence of its pages. */
  readonly first: number;
  /** Number of its links. */
  readonly links: number;
  readonly data: Uint8Array;
}

/** Bytes of a number below 2^53, at most. */
const MAX_BYTES = 8;
/** Numbers below are added and halved as integers of 32 bits, which is faster. */
const SMALL = 2 ** 30;

/**
 * Packs the links of a segment of pages for the table `link_segment`: three to four bytes each. Numbers are varints. For
 * each page: the distance from the page before, the number of its links, their size in bytes, their targets, each as the
 * distance from the one before.
 */
export class LinkPacker {
  #bytes = new Uint8Array(1 << 14);
  #used = 0;
  #pageBefore: number;
  #count = 0;

  /** @param first lowest sequence of the segment */
  constructor(first: number) {
    this.#pageBefore = first;
  }

  /** Number of links. */
  get count(): number {
    return this.#count;
  }

  /** Adds the links of a page; pages in order of sequence. */
  add(page: number, targets: readonly number[]): void {
    const distances = targets.map((target, i) => zigzag(target - (targets[i - 1] ?? 0)));
    const size = distances.reduce((sum, distance) => sum + sizeOf(distance), 0);
    for (const value of [page - this.#pageBefore, targets.length, size, ...distances]) this.#write(value);
    this.#pageBefore = page;
    this.#count += targets.length;
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#used);
  }

  #write(value: number): void {
    if (this.#used + MAX_BYTES > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#used++] = (rest % 128) | 128;
    this.#bytes[this.#used++] = rest;
  }
}

/** Maps 0, -1, 1, -2, … to 0, 1, 2, 3, … */
function zigzag(distance: number): number {
  return distance < 0 ? -2 * distance - 1 : 2 * distance;
}

function sizeOf(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** How links are unpacked. */
export interface UnpackOptions {
  /** False: the links of this page are left out. Default: all pages. */
  readonly isWanted?: (page: number) => boolean;
  /** Arrays to use again if they are long enough. */
  readonly room?: LinkList;
}

/** Returns the links of a segment. */
export function unpackLinks(
  { data, first, links: count }: PackedLinks,
  { isWanted = () => true, room }: UnpackOptions = {},
): LinkList {
  const isRoomy = room !== undefined && room.pages.length >= count;
  const { pages, targets } = isRoomy ? room : { pages: new Float64Array(count), targets: new Float64Array(count) };
  const reader = new VarintReader(data);
  let [page, used] = [first, 0];
  while (used < count && !reader.isAtEnd) {
    page += reader.next();
    const end = Math.min(count, used + reader.next());
    const size = reader.next();
    if (!isWanted(page)) {
      reader.skip(size);
      continue;
    }
    pages.fill(page, used, end);
    for (let target = 0; used < end; used++) {
      const distance = reader.next();
      if (distance < SMALL) target += (distance >>> 1) ^ -(distance & 1);
      else target += distance % 2 === 1 ? -(distance + 1) / 2 : distance / 2;
      targets[used] = target;
    }
  }
  return { pages: pages.subarray(0, used), targets: targets.subarray(0, used) };
}

class VarintReader {
  readonly #data: Uint8Array;
  #at = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#data.length;
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  next(): number {
    const data = this.#data;
    let byte = data[this.#at++] ?? 0;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = data[this.#at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    for (let scale = 2 ** 28; byte > 127; scale *= 128) {
      byte = data[this.#at++] ?? 0;
      value += (byte & 127) * scale;
    }
    return value;
  }
}
