/**
 * How far judging all stored pages again has come, for a later process to continue. Accepted pages are judged first,
 * then rejected ones, the newest of both first.
 */
export interface JudgingProgress {
  /** Identifies the model, the decisions and the pages. With another basis, judging starts from the beginning. */
  readonly basis: string;
  /** Accepted pages from this sequence on are judged. */
  readonly accepted: number;
  /** Rejected pages from this sequence on are judged. */
  readonly rejected: number;
}
