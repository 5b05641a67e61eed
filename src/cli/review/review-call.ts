import type { ReviewSession } from '../../workbench/index.ts';
import type { Io } from '../command.ts';

/** Inputs of every kind of review. */
export interface ReviewCall {
  readonly io: Io;
  readonly dir: string;
  readonly review: ReviewSession;
}
