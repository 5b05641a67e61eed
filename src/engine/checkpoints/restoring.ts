import type { OrderingName } from '../../core/index.ts';
import { LoadingFields, PieceReader } from '../../kit/index.ts';
import type { CheckpointStore, Journal, StoredCheckpoint } from '../ports.ts';
import { recordDigest } from './digests.ts';

/** The state that a checkpoint restores. */
export interface Restored {
  exchange(fields: LoadingFields): void;
  /** Sequence of the last record in the state. */
  readonly sequence: number;
}

export interface RestoringPorts<T extends Restored> {
  readonly checkpoints: CheckpointStore;
  readonly journal: Pick<Journal, 'count' | 'read'>;
  /** Digest of what the fold depends on, for this ordering. */
  readonly basis: (ordering: OrderingName) => string;
  /** A state without records. */
  readonly empty: (ordering: OrderingName) => T;
}

/**
 * Returns the state of the newest checkpoint that is intact and belongs to this journal; `undefined` if there is no
 * match.
 */
export async function restored<T extends Restored>(ports: RestoringPorts<T>): Promise<T | undefined> {
  const total = await ports.journal.count();
  for (const stored of await ports.checkpoints.list()) {
    const state = (await isOf(stored, total, ports)) ? await readState(stored, ports) : undefined;
    if (state !== undefined) return state;
  }
  return undefined;
}

async function isOf<T extends Restored>(
  { header }: StoredCheckpoint,
  total: number,
  { journal, basis }: RestoringPorts<T>,
): Promise<boolean> {
  const { sequence, record, ordering } = header;
  if (sequence > total || header.basis !== basis(ordering)) return false;
  return record !== '' && record === (await recordDigest(journal, sequence));
}

/** Returns `undefined` if the checkpoint is damaged: the journal still has everything. */
async function readState<T extends Restored>(
  { header, read }: StoredCheckpoint,
  { empty }: RestoringPorts<T>,
): Promise<T | undefined> {
  try {
    const reader = new PieceReader();
    for await (const piece of read()) reader.add(piece);
    const fields = new LoadingFields(reader.values);
    const state = empty(header.ordering);
    state.exchange(fields);
    const isWhole = reader.isWhole && fields.isAtEnd && state.sequence === header.sequence;
    return isWhole ? state : undefined;
  } catch {
    return undefined;
  }
}
