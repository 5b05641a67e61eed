import { deserialize, serialize } from 'node:v8';
import type { RoundRecord } from '../../core/index.ts';
import { packBytes, unpackBytes } from './codec.ts';

type Details = Pick<
  RoundRecord,
  'training' | 'estimates' | 'admitted' | 'dropped' | 'refused' | 'links' | 'boosted' | 'judgedAt'
>;

/**
 * Packs a whole round record, as `read` returns it. Tables hold the same data in readable form. The format is V8's
 * serialization, which later versions of Node can read; JSON supports neither NaN nor typed arrays.
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
