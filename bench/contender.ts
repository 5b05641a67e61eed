/** What a crawler process is asked to do, as JSON in its first argument. */
export interface ContenderTask {
  readonly seeds: readonly string[];
  /** Pages to fetch. */
  readonly pages: number;
  readonly concurrency: number;
  /** File or folder to write into. */
  readonly output: string;
  /** Crawlee: its storage on disk. */
  readonly persist: boolean;
}
