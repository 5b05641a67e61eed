/** Output streams and abort signal of a lab command. */
export interface LabIo {
  /** Results: stdout. */
  readonly out: (text: string) => void;
  /** Progress and remarks: stderr. */
  readonly err: (text: string) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
