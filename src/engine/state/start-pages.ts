import { freeBytes, type Link, type LinkTable, MAX_POSITION, unpackLinks } from '../../core/index.ts';
import type { JudgedPage } from '../../crawl/index.ts';

/** Pages from which learning can begin anew. Our choice. */
const MAX_STARTS = 200;

/** Links outside the heap: as small objects, or as strings, they would be much of what the main thread's heap holds. */
interface PackedLinks extends Pick<LinkTable, 'size' | 'flags' | 'positions'> {
  /** URLs, then anchors, then contexts, one a line. */
  readonly lines: Buffer;
  readonly encoding: 'utf8' | 'utf16le';
}

interface Packed {
  readonly page: Omit<JudgedPage, 'links'>;
  readonly links: PackedLinks;
}

/** The last accepted pages, {@link MAX_STARTS} and up to twice as many again, with their links. */
export class StartPages {
  #pages: Packed[] = [];

  add(page: JudgedPage): void {
    this.#push(page);
    if (this.#pages.length < 2 * MAX_STARTS) return;
    const gone = this.#pages.splice(0, this.#pages.length - MAX_STARTS);
    freeBytes(...gone.map(({ links }) => links.lines));
  }

  /** Adds the last of the pages of a learning phase, one by one: others may have their turn between two. */
  *addAll(pages: readonly JudgedPage[]): Generator<void> {
    for (const page of pages.slice(-MAX_STARTS)) {
      this.#push(page);
      yield;
    }
  }

  /** The first one first. */
  *[Symbol.iterator](): Generator<JudgedPage> {
    for (const { page, links } of this.#pages) yield { ...page, links: unpack(links) };
  }

  #push({ links, ...page }: JudgedPage): void {
    this.#pages.push({ page, links: pack(links) });
  }
}

/** Links that came out of a table: none of their texts has a line break. */
function pack(links: readonly Link[]): PackedLinks {
  const size = links.length;
  const texts = new Array<string>(3 * size);
  const flags = new Uint8Array(size);
  const positions = new Uint16Array(size);
  for (let i = 0; i < size; i++) {
    const { url, anchor, context, flags: flag, position } = links[i]!;
    texts[i] = url;
    texts[size + i] = anchor;
    texts[2 * size + i] = context;
    flags[i] = flag;
    positions[i] = Math.round(position * MAX_POSITION);
  }
  const text = texts.join('\n');
  const encoding = text.isWellFormed() ? 'utf8' : 'utf16le';
  // In memory of its own, which can be freed: small buffers lie in pools of Node's.
  const lines = Buffer.allocUnsafeSlow(Buffer.byteLength(text, encoding));
  lines.write(text, encoding);
  return { size, flags, positions, encoding, lines };
}

function unpack({ size, flags, positions, encoding, lines }: PackedLinks): readonly Link[] {
  const all = lines.toString(encoding).split('\n');
  const part = (i: number): string => all.slice(i * size, (i + 1) * size).join('\n');
  return unpackLinks({ size, flags, positions, urls: part(0), anchors: part(1), contexts: part(2) });
}
