/** Where the head of a document tells where its table of character properties lies, and how long that is ([MS-DOC] §2.5.6). */
const TABLE_AT = 0xfa;
const TABLE_BYTES_AT = 0xfe;
const PAGE_BYTES = 512;
/** Deleted text, hidden text ([MS-DOC] §2.6.1, sprmCFRMarkDel, sprmCFVanish). */
const DELETED = 0x0800;
const HIDDEN = 0x083c;
/** What word-extractor looks at of a property's number. */
const SEEN_BITS = 0x1f;
/** Bytes that the value of a property takes, by the last three bits of its number ([MS-DOC] §2.2.5.1); of the seventh kind its first byte tells. */
const VALUE_BYTES: readonly number[] = [1, 1, 2, 4, 2, 2, 0, 3];
const COUNTED = 6;

/**
 * Rewrites character properties in place so that word-extractor leaves out what is deleted or hidden, and that alone. It takes all
 * properties for a deletion whose numbers end in five zeros: the space between letters, too (sprmCDxaSpace), and with it the text.
 */
export function markUnseenText(words: Buffer, tables: Buffer): void {
  const table = words.readUInt32LE(TABLE_AT);
  const pages = (words.readUInt32LE(TABLE_BYTES_AT) - 4) / 8;
  for (let i = 0; i < pages; i++) {
    const page = tables.readUInt32LE(table + (pages + 1 + i) * 4) * PAGE_BYTES;
    const runs = words.readUInt8(page + PAGE_BYTES - 1);
    for (let j = 0; j < runs; j++) {
      const at = page + 2 * words.readUInt8(page + (runs + 1) * 4 + j);
      if (at > page) rewrite(words, at + 1, at + 1 + words.readUInt8(at));
    }
  }
}

/** The same properties may be those of several runs: what is rewritten once stays as it is. */
function rewrite(words: Buffer, start: number, end: number): void {
  for (let at = start; at + 2 < end; ) {
    const property = words.readUInt16LE(at);
    if (property === HIDDEN) words.writeUInt16LE(DELETED, at);
    else if (property !== DELETED && (property & SEEN_BITS) === 0) words.writeUInt16LE(property + 1, at);
    const kind = property >> 13;
    at += 2 + (kind === COUNTED ? 1 + words.readUInt8(at + 2) : VALUE_BYTES[kind]!);
  }
}
