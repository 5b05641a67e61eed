import { deserialize, serialize } from 'node:v8';
import type { RoundRecord } from '../core/index.ts';
import { packBytes, unpackBytes } from './codec.ts';

type Details = Pick<RoundRecord, 'training' | 'estimates' | 'admitted' | 'dropped' | 'links' | 'boosted'>;

/**
 * What a round says, whole, as `read` gives it back: its tables hold the same for people, but no inline documents. The
 * form is V8's own, which later versions of Node read; JSON knows neither NaN nor typed arrays.
 */
export function packRoundDetails(record: RoundRecord): Buffer {
  const { training, estimates, admitted, dropped, links, boosted } = record;
  return packBytes(serialize({ training, estimates, admitted, dropped, links, boosted } satisfies Details));
}

export function unpackRoundDetails(blob: Uint8Array): Details {
  return deserialize(unpackBytes(blob)) as Details;
}
