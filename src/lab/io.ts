/** What a lab command writes to, and what stops it. */
export interface LabIo {
  /** Results: stdout. */
  readonly out: (text: string) => void;
  /** Progress and remarks: stderr. */
  readonly err: (text: string) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
