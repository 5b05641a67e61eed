import type { Kysely } from 'kysely';
import type { ExamplePlaces, TopicId, TrainingOrigin } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import type { Ask } from './reading.ts';

type Db = Kysely<Tables>;

/**
 * Rounds whose examples are read at a time. With hundreds of topics each round has thousands, and other work waits
 * meanwhile.
 */
const ROUNDS_AT_ONCE = 4;

/** Returns the topics of examples per round. Rounds without a change are left out. */
export async function readExamplePlaces(ask: Ask): Promise<readonly ExamplePlaces[]> {
  const rounds = await ask((db) => sequencesOf(db, 'round'));
  const runs = await ask((db) => sequencesOf(db, 'run'));
  const found: (Omit<ExamplePlaces, 'places'> & { readonly places: Map<string, TopicId> })[] = [];
  for (let at = 0; at < rounds.length; at += ROUNDS_AT_ONCE) {
    const part = rounds.slice(at, at + ROUNDS_AT_ONCE);
    const rows = await ask((db) => examplesOf(db, part[0]!, part.at(-1)!));
    const byRound = Map.groupBy(rows, ({ round }) => round);
    for (const [n, round] of part.entries()) {
      const places = new Map((byRound.get(round) ?? []).map((row) => [row.example, row.topic as TopicId]));
      const last = found.at(-1)?.places;
      if (last === undefined || [...places].some(([key, topic]) => (last.get(key) ?? topic) !== topic))
        found.push({ ...startsOf(round, rounds[at + n - 1] ?? 0, runs), places });
      else for (const [key, topic] of places) last.set(key, topic);
    }
  }
  return found;
}

/**
 * Returns where the topic names of a round start to apply: at the start of the process that trained it, or, if no
 * process started, at the user's decisions.
 */
function startsOf(round: number, before: number, runs: readonly number[]): Pick<ExamplePlaces, 'from' | 'steersFrom'> {
  const run = runs.findLast((sequence) => sequence > before && sequence < round);
  return { from: run ?? round, steersFrom: run ?? before + 1 };
}

async function sequencesOf(db: Db, table: 'round' | 'run'): Promise<readonly number[]> {
  const rows = await db.selectFrom(table).select('sequence').orderBy('sequence').execute();
  return rows.map(({ sequence }) => sequence);
}

async function examplesOf(db: Db, first: number, last: number) {
  return await db
    .selectFrom('training')
    .select(['round', 'example', 'topic'])
    .where('round', '>=', first)
    .where('round', '<=', last)
    .where('origin', '=', 'user' satisfies TrainingOrigin)
    .execute();
}
