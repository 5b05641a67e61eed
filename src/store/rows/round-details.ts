import { deserialize, serialize } from 'node:v8';
import type { RoundRecord } from '../../core/index.ts';
import { packBytes, unpackBytes } from './codec.ts';

type Details = Pick<
  RoundRecord,
  'training' | 'estimates' | 'admitted' | 'dropped' | 'refused' | 'links' | 'boosted' | 'judgedAt'
>;

/**
 * What a round says, whole, as `read` gives it back: its tables hold the same for people. The form is V8's
 * own, which later versions of Node read; JSON knows neither NaN nor typed arrays.
 */
export function packRoundDetails(record: RoundRecord): Buffer {
  const { training, estimates, admitted, dropped, refused, links, boosted, judgedAt } = record;
  const same = { training, estimates, admitted, dropped, links, boosted };
  const details: Details = {
    ...same,
    ...(refused === undefined ? {} : { refused }),
    ...(judgedAt === undefined ? {} : { judgedAt }),
  };
  return packBytes(serialize(details));
}

export function unpackRoundDetails(blob: Uint8Array): Details {
  return deserialize(unpackBytes(blob)) as Details;
}
