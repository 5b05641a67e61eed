import type { Tables } from '../schema.ts';
import type { CurrentPages } from '../store.ts';
import type { Ask } from './reading.ts';

/** Pages per query: each blocks the thread for some milliseconds. */
const CHUNK = 10_000;

type Place = Pick<Tables['page'], 'topic' | 'others'>;

/** Lists the pages not replaced by a newer fetch. Only an index is read, which holds these columns. */
export async function readCurrentPages(ask: Ask): Promise<CurrentPages> {
  const places = await ask((db) =>
    db.selectFrom('page').select(['topic', 'others']).where('replaced_by', 'is', null).distinct().execute(),
  );
  const accepted: number[] = [];
  const rejected: number[] = [];
  for (const place of places)
    for await (const sequences of sequencesOf(ask, place))
      for (const sequence of sequences) (place.others === 0 ? accepted : rejected).push(sequence);
  return { accepted: Float64Array.from(accepted).sort(), rejected: Float64Array.from(rejected).sort() };
}

async function* sequencesOf(ask: Ask, { topic, others }: Place): AsyncGenerator<readonly number[]> {
  for (let last = 0; ; ) {
    const rows = await ask((db) =>
      db
        .selectFrom('page')
        .select('sequence')
        .where('topic', '=', topic)
        .where('others', '=', others)
        .where('replaced_by', 'is', null)
        .where('sequence', '>', last)
        .orderBy('sequence')
        .limit(CHUNK)
        .execute(),
    );
    yield rows.map(({ sequence }) => sequence);
    if (rows.length < CHUNK) return;
    last = rows.at(-1)!.sequence;
  }
}
