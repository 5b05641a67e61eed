import { type Kysely, sql } from 'kysely';
import {
  isRecorded,
  type JournalRecord,
  type Phase,
  parseSteerCommand,
  type RoundRecord,
  type SteerCommand,
  type SteerRecord,
} from '../../core/index.ts';
import { unpackBytes } from '../rows/codec.ts';
import { unpackRoundDetails } from '../rows/round-details.ts';
import type { Tables } from '../schema.ts';

type Db = Kysely<Tables>;

/**
 * Returns rounds, phases and runs. They are few, so they are queried only if pages and visits leave a gap in the
 * sequence.
 */
export async function readRare(
  db: Db,
  first: number,
  last: number,
  rounds: 'all rounds' | 'last round' = 'all rounds',
): Promise<JournalRecord[]> {
  const phases = await db
    .selectFrom('phase')
    .selectAll()
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .execute();
  const runs = await db
    .selectFrom('run')
    .selectAll()
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .execute();
  return [
    ...phases.map((row): JournalRecord => ({ kind: 'phase', ...row, phase: row.phase as Phase })),
    ...runs.map((row): JournalRecord => ({ kind: 'run', ...row })),
    ...(await roundsBetween(db, rounds === 'all rounds' ? first : await lastRound(db, last), last)),
  ];
}

/** Returns the sequence of the last round up to a record; a greater one without rounds. */
async function lastRound(db: Db, until: number): Promise<number> {
  const row = await db
    .selectFrom('round')
    .select(sql<number | null>`max(sequence)`.as('last'))
    .where('sequence', '<=', until)
    .executeTakeFirst();
  return row?.last ?? until + 1;
}

/** Returns the rounds of a range. */
export async function roundsBetween(db: Db, first: number, last: number): Promise<RoundRecord[]> {
  const rounds = await db
    .selectFrom('round')
    .innerJoin('round_data', 'round_data.round', 'round.sequence')
    .selectAll()
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .execute();
  return rounds.map(({ sequence, model, reason, undone, at, model_blob, details }) => {
    const blob = new Uint8Array(unpackBytes(model_blob));
    return { kind: 'round', sequence, model, blob, ...unpackRoundDetails(details), undone: undone === 1, reason, at };
  });
}

/** Returns the changes by people in a range. */
export async function readSteers(db: Db, first: number, last: number): Promise<SteerRecord[]> {
  const rows = await db
    .selectFrom('steer')
    .selectAll()
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .execute();
  return rows.flatMap(({ command: text, ...row }): SteerRecord[] => {
    const command = readCommand(text);
    return command === undefined || !isRecorded(command) ? [] : [{ kind: 'steer', ...row, command }];
  });
}

/** Returns the stored command; `undefined` if the text is not a command. */
export function readCommand(text: string): SteerCommand | undefined {
  try {
    return parseSteerCommand(JSON.parse(text));
  } catch {
    return undefined;
  }
}
