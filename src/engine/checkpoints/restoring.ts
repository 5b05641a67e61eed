import type { OrderingName } from '../../core/index.ts';
import { LoadingFields, PieceReader } from '../../kit/index.ts';
import type { CheckpointStore, Journal, StoredCheckpoint } from '../ports.ts';
import { recordDigest } from './digests.ts';

/** What a checkpoint is put back into. */
export interface Restored {
  exchange(fields: LoadingFields): void;
  /** The last record that it holds. */
  readonly sequence: number;
}

export interface RestoringPorts<T extends Restored> {
  readonly checkpoints: CheckpointStore;
  readonly journal: Pick<Journal, 'count' | 'read'>;
  /** Digest of what the fold depends on, with this ordering. */
  readonly basis: (ordering: OrderingName) => string;
  /** A state without a record. */
  readonly empty: (ordering: OrderingName) => T;
}

/** Returns the state of the newest checkpoint that is whole and of this journal; `undefined` without any. */
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

/** `undefined`: it is damaged. The journal has it all. */
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
