import type { RoundRecord, Steer, SteerRecord } from '../../core/index.ts';
import type { Unnumbered } from '../records.ts';

/**
 * Returns a record of the crawl of the whole as a shard journals it. Sequences of the other journal mean nothing there;
 * scores of pages are stored with the whole.
 * @param adopting `last`: the shard's last record; `sharers`: shards that divide the limit of fetches at a time
 */
export function adopted(
  record: RoundRecord | SteerRecord,
  { last, sharers }: { readonly last: number; readonly sharers: number },
): Unnumbered<RoundRecord | SteerRecord> {
  if (record.kind === 'steer') return { ...record, command: ofShard(record.command, sharers) };
  const { authorities: _, judgedAt, ...round } = record;
  // Decisions of the user reach the shard before the round that learned from them.
  return { ...round, links: [], ...(judgedAt !== undefined && { judgedAt: last }) };
}

/** Returns a change to the crawl of the whole as one shard obeys it. */
function ofShard(command: Steer, sharers: number): Steer {
  if (command.kind === 'judge-page') return { ...command, judgement: { ...command.judgement, sequence: 0 } };
  if (command.kind !== 'set-limit' || command.limit !== 'parallel') return command;
  return { ...command, value: Math.ceil(command.value / sharers) };
}
