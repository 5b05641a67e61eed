/** Bytes before the bits: how many numbers there are, times 32, plus the bits of a remainder. */
const HEAD = 4;
const WIDTHS = 32;
/** A bit at any place of a byte, with the bits of a remainder behind it, fits 32 bits. */
const MAX_REMAINDER = 24;
/** Bytes behind the last bit, so that 32 bits and seven can be read at any place. */
const MARGIN = 8;

let scratch = new Uint8Array(1 << 14);
let view = new DataView(scratch.buffer);

/**
 * Packs numbers in ascending order, each once, into little more than log₂(their mean gap) + 1.5 bits each: Rice's code of
 * the gaps. The highest bit of a byte comes first.
 *
 *     [ count · 32 + b | gap, gap, … ]     gap: as many zeros as 2^b goes into it, a one, the rest in b bits
 *
 * @param numbers each < 2^31
 */
export function packSorted(numbers: Uint32Array): Uint8Array<ArrayBuffer> {
  const size = numbers.length;
  const last = size === 0 ? 0 : numbers[size - 1]!;
  // Gaps that fall by chance are shortest with 2^b near to ln 2 of their mean.
  const b = Math.min(MAX_REMAINDER, Math.floor(Math.log2(Math.max(1, (Math.LN2 * (last + 1)) / Math.max(1, size)))));
  // The zeros of all gaps together are at most those of the last number.
  reserve(HEAD + Math.ceil((size * (b + 1) + (last >>> b)) / 8));
  view.setUint32(0, size * WIDTHS + b, true);
  const one = 2 ** b;
  let at = 8 * HEAD;
  let before = -1;
  // What was written from this byte on is kept at hand: reading back what was just written, the processor waits.
  let byte = HEAD;
  let bits = 0;
  for (let i = 0; i < size; i++) {
    const gap = numbers[i]! - before - 1;
    before = numbers[i]!;
    at += gap >>> b;
    const passed = (at >>> 3) - byte;
    byte += passed;
    bits = (passed < 4 ? bits << (8 * passed) : 0) | ((one | (gap & (one - 1))) << (31 - b - (at & 7)));
    view.setInt32(byte, bits);
    at += b + 1;
  }
  return scratch.slice(0, Math.ceil(at / 8));
}

/** How many numbers {@link unpackSorted} gives at the most; of what {@link packSorted} packed, exactly so many. */
export function countSorted(bytes: Uint8Array): number {
  if (bytes.length < HEAD) return 0;
  const head = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  // A number takes at least the bits of its remainder and one.
  const bits = Math.min(MAX_REMAINDER, head % WIDTHS) + 1;
  return Math.min(Math.floor(head / WIDTHS), Math.floor((8 * bytes.length) / bits));
}

/** The numbers that {@link packSorted} packed; of bytes that it did not write, some numbers. */
export function unpackSorted(bytes: Uint8Array): Uint32Array {
  if (bytes.length < HEAD) return new Uint32Array(0);
  reserve(bytes.length);
  scratch.set(bytes);
  const head = view.getUint32(0, true);
  const b = Math.min(MAX_REMAINDER, head % WIDTHS);
  const end = 8 * bytes.length;
  const numbers = new Uint32Array(countSorted(bytes));
  const one = 2 ** b;
  let at = 8 * HEAD;
  let number = -1;
  for (let i = 0; i < numbers.length; i++) {
    let bits = view.getInt32(at >>> 3) << (at & 7);
    for (; bits === 0; bits = view.getInt32(at >>> 3)) {
      const seen = 32 - (at & 7);
      at += seen;
      number += seen * one;
      if (at >= end) return numbers.subarray(0, i);
    }
    const zeros = Math.clz32(bits);
    at += zeros + 1;
    const rest = b === 0 ? 0 : (view.getInt32(at >>> 3) << (at & 7)) >>> (32 - b);
    at += b;
    number += zeros * one + rest + 1;
    numbers[i] = number;
  }
  return numbers;
}

/**
 * Moves numbers in the order of one digit of theirs, equal digits in the order in which they were: by the lowest digit
 * first, then by the next, and so on, numbers become sorted.
 * @param bits of the digit, which begins `shift` bits from the lowest
 */
export function sortByDigit(
  from: Uint32Array,
  to: Uint32Array,
  { count, shift, bits }: { readonly count: number; readonly shift: number; readonly bits: number },
): void {
  const digits = 2 ** bits;
  const mask = digits - 1;
  const places = new Uint32Array(digits);
  for (let i = 0; i < count; i++) places[(from[i]! >>> shift) & mask]!++;
  for (let digit = 0, place = 0; digit < digits; digit++) {
    const many = places[digit]!;
    places[digit] = place;
    place += many;
  }
  for (let i = 0; i < count; i++) to[places[(from[i]! >>> shift) & mask]!++] = from[i]!;
}

/** Room for so many bytes, empty. */
function reserve(bytes: number): void {
  if (bytes + MARGIN > scratch.length) {
    scratch = new Uint8Array(2 * (bytes + MARGIN));
    view = new DataView(scratch.buffer);
  } else scratch.fill(0, 0, bytes + MARGIN);
}
