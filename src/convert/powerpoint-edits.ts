/** Records that say where the parts of a presentation are ([MS-PPT] §2.3.3, §2.3.4, §2.4.1, §2.4.14.5). */
const USER_EDIT = 0x0ff5;
const PERSIST_DIRECTORY = 0x1772;
const DOCUMENT = 0x03e8;
const LIST_OF_SLIDES = 0x0ff0;
/** What such a list is of, above the four bits of its version. */
const MASTERS = 1;
const SLIDE_PERSIST = 0x03f3;
const HEADER_BYTES = 8;
/** Offset of the last edit's position in the stream `Current User`. */
const LAST_EDIT_AT = 16;

/**
 * Where in the stream the records lie that are part of the presentation as it was saved last: the document, its slides and its notes. PowerPoint used to save
 * fast: what changed is put behind what was there, so that texts of old stand in the file, too, and slides that were deleted.
 * @returns `undefined` where the file does not tell, and all its records count
 */
export function currentRecords(stream: Buffer, currentUser: Buffer): ReadonlySet<number> | undefined {
  if (currentUser.length < LAST_EDIT_AT + 4) return undefined;
  const { places, document } = edits(stream, currentUser.readUInt32LE(LAST_EDIT_AT));
  const at = places.get(document);
  if (at === undefined || typeAt(stream, at) !== DOCUMENT) return undefined;
  const parts = partsOf(stream, at).map((id) => places.get(id));
  // Without one of its parts, the file is not as it should be.
  return parts.includes(undefined) ? undefined : new Set([at, ...(parts as number[])]);
}

interface Edits {
  /** Where each part lies, by its number; a later edit counts before an earlier one. */
  readonly places: ReadonlyMap<number, number>;
  /** Number of the document's own part. */
  readonly document: number;
}

function edits(stream: Buffer, last: number): Edits {
  const places = new Map<number, number>();
  let document = 0;
  // Each edit holds the offset of the previous one; 0: no previous edit.
  for (let at = last, before = stream.length; at > 0 && at < before && typeAt(stream, at) === USER_EDIT; ) {
    if (at + 28 > stream.length) break;
    document ||= stream.readUInt32LE(at + 24);
    collectPlaces(stream, stream.readUInt32LE(at + 20), places);
    before = at;
    at = stream.readUInt32LE(at + 16);
  }
  return { places, document };
}

/** Runs of parts whose numbers follow each other: the first number and how many, then a place for each. */
function collectPlaces(stream: Buffer, directory: number, places: Map<number, number>): void {
  if (typeAt(stream, directory) !== PERSIST_DIRECTORY) return;
  const end = endOf(stream, directory);
  for (let at = directory + HEADER_BYTES; at + 4 <= end; ) {
    const run = stream.readUInt32LE(at);
    const count = run >>> 20;
    at += 4;
    for (let i = 0; i < count && at + 4 <= end; i++, at += 4) {
      const id = (run & 0xfffff) + i;
      if (!places.has(id)) places.set(id, stream.readUInt32LE(at));
    }
  }
}

/** Numbers of the slides and notes that the document names. */
function partsOf(stream: Buffer, document: number): readonly number[] {
  return childrenOf(stream, document)
    .filter((at) => typeAt(stream, at) === LIST_OF_SLIDES && stream.readUInt16LE(at) >> 4 !== MASTERS)
    .flatMap((list) => childrenOf(stream, list))
    .filter((at) => typeAt(stream, at) === SLIDE_PERSIST && at + HEADER_BYTES + 4 <= stream.length)
    .map((at) => stream.readUInt32LE(at + HEADER_BYTES));
}

function childrenOf(stream: Buffer, container: number): readonly number[] {
  const children: number[] = [];
  const end = endOf(stream, container);
  for (let at = container + HEADER_BYTES; at + HEADER_BYTES <= end; at = endOf(stream, at)) children.push(at);
  return children;
}

function typeAt(stream: Buffer, at: number): number | undefined {
  return at + HEADER_BYTES <= stream.length ? stream.readUInt16LE(at + 2) : undefined;
}

function endOf(stream: Buffer, at: number): number {
  return Math.min(stream.length, at + HEADER_BYTES + stream.readUInt32LE(at + 4));
}
