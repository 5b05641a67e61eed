import { seededRandom } from '../../src/kit/index.ts';

/** Maximum input length, in bytes. */
export const MAX_INPUT_BYTES: number = 64 * 1024;

const ODD_BYTES = [0, 0x7f, 0x80, 0xff, 0x0a, 0x0d, 0x22, 0x26, 0x27, 0x28, 0x2f, 0x3c, 0x3e, 0x5c, 0x7b, 0x7d];

/**
 * Returns input number `n` of a run, always the same for the same seed. It is a sample with many kinds of changes.
 * One input in twenty consists of words only, and one in twenty is random.
 */
export function mutated(samples: readonly Uint8Array[], words: readonly string[], seed: number, n: number): Buffer {
  const random = seededRandom((seed * 0x9e3779b1 + n * 0x85ebca6b) >>> 0);
  const below = (limit: number): number => Math.floor(random() * limit);
  const word = (): Buffer => Buffer.from(words[below(words.length)] ?? 'x');
  const kind = random();
  if (kind < 0.05) return Buffer.from(Array.from({ length: below(400) }, () => below(256)));
  if (kind < 0.1) return Buffer.concat(Array.from({ length: below(60) }, word));
  let bytes: Buffer = Buffer.from(samples[below(samples.length)]!);
  for (let changes = 1 + below(6); changes > 0; changes--) bytes = changed(bytes, { samples, word, below, random });
  return bytes.subarray(0, MAX_INPUT_BYTES);
}

interface Chance {
  readonly samples: readonly Uint8Array[];
  readonly word: () => Buffer;
  readonly below: (limit: number) => number;
  readonly random: () => number;
}

function changed(bytes: Buffer, { samples, word, below, random }: Chance): Buffer {
  const at = below(bytes.length + 1);
  const to = Math.min(bytes.length, at + 1 + below(random() < 0.7 ? 12 : bytes.length + 1));
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  switch (below(9)) {
    case 0: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = copy[at]! ^ (1 << below(8));
      return copy;
    }
    case 1:
      return Buffer.concat([before, Buffer.from([ODD_BYTES[below(ODD_BYTES.length)]!]), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, word(), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([before, word(), after]);
    case 5:
      return Buffer.concat([before, part, part, after]);
    case 6:
      return Buffer.concat([before, ...repeated(part, below), after]);
    case 7: {
      const other = Buffer.from(samples[below(samples.length)]!);
      return Buffer.concat([before, other.subarray(below(other.length + 1))]);
    }
    default:
      return bytes.subarray(0, at);
  }
}

/** Repeats a part up to a few thousand times, to show superlinear growth. */
function repeated(part: Buffer, below: (limit: number) => number): Buffer[] {
  const most = Math.floor(MAX_INPUT_BYTES / Math.max(1, part.length));
  return Array.from({ length: Math.min(most, below(2) === 0 ? below(20) : below(5000)) }, () => part);
}
