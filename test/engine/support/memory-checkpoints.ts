import type {
  CheckpointDraft,
  CheckpointHeader,
  CheckpointStore,
  StoredCheckpoint,
} from '../../../src/engine/index.ts';
import type { Piece } from '../../../src/kit/index.ts';

/** Checkpoints that last as long as the process. All are kept. */
export class MemoryCheckpoints implements CheckpointStore {
  readonly kept: StoredCheckpoint[] = [];

  async list(): Promise<readonly StoredCheckpoint[]> {
    return this.kept.toReversed();
  }

  async begin(): Promise<CheckpointDraft> {
    const pieces: Piece[] = [];
    return {
      add: (piece) => void pieces.push(piece),
      keep: async (header: CheckpointHeader) => {
        this.kept.push({
          header,
          async *read() {
            yield* pieces;
          },
        });
      },
      drop: async () => {},
    };
  }
}

/** A pace at which a checkpoint is always due. */
export function hurried(leastRecords: number): { readonly cpuMs: () => number; readonly leastRecords: number } {
  let now = 0;
  return {
    cpuMs: () => {
      now += 1e12;
      return now;
    },
    leastRecords,
  };
}
