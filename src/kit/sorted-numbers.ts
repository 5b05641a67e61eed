/** Bytes before the bits: the number of values times 32, plus the bits of a remainder. */
const HEAD = 4;
const WIDTHS = 32;
/** A remainder of this many bits, starting at any bit of a byte, still fits in 32 bits. */
const MAX_REMAINDER = 24;
/** Bytes after the last bit, so that 32 bits and seven can be read at any position. */
const MARGIN = 8;

let scratch = new Uint8Array(1 << 14);
let view = new DataView(scratch.buffer);

/**
 * Packs ascending, distinct numbers into little more than log₂(their mean gap) + 1.5 bits each: Rice's code of the
 * gaps. The highest bit of a byte is first.
 *
 *     [ count · 32 + b | gap, gap, … ]     gap: as many zeros as 2^b goes into it, a one, the rest in b bits
 *
 * @param numbers each < 2^31
 */
export function packSorted(numbers: Uint32Array): Uint8Array<ArrayBuffer> {
  const size = numbers.length;
  const last = size === 0 ? 0 : numbers[size - 1]!;
  // Random gaps are shortest if 2^b is close to ln 2 of their mean.
  const b = Math.min(MAX_REMAINDER, Math.floor(Math.log2(Math.max(1, (Math.LN2 * (last + 1)) / Math.max(1, size)))));
  // All gaps together have at most as many zeros as the last number.
  reserve(HEAD + Math.ceil((size * (b + 1) + (last >>> b)) / 8));
  view.setUint32(0, size * WIDTHS + b, true);
  const one = 2 ** b;
  let at = 8 * HEAD;
  let before = -1;
  // The current byte stays in a variable, because reading back what was just written stalls the processor.
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

/** Returns the maximum size of {@link unpackSorted}'s result; for output of {@link packSorted}, the exact size. */
export function countSorted(bytes: Uint8Array): number {
  if (bytes.length < HEAD) return 0;
  const head = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  // A number takes at least its remainder and one bit.
  const bits = Math.min(MAX_REMAINDER, head % WIDTHS) + 1;
  return Math.min(Math.floor(head / WIDTHS), Math.floor((8 * bytes.length) / bits));
}

/** Returns the numbers packed by {@link packSorted}; for other bytes, arbitrary numbers. */
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
 * Sorts numbers stably by one digit. Sorting by the lowest digit first, then by each higher one, sorts the numbers
 * (radix sort).
 * @param bits of the digit, which starts `shift` bits from the lowest
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

/** Reserves this many zeroed bytes. */
function reserve(bytes: number): void {
  if (bytes + MARGIN > scratch.length) {
    scratch = new Uint8Array(2 * (bytes + MARGIN));
    view = new DataView(scratch.buffer);
  } else scratch.fill(0, 0, bytes + MARGIN);
}
