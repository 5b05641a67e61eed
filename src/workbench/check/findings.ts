/** Parts of a workspace, in the order in which they are checked. `resuming`: the journal leads to a state. */
const CHECKED_PARTS = [
  'bingo.yaml',
  'topics.json',
  'database',
  'journal',
  'pages',
  'index',
  'sums',
  'resuming',
  'checkpoints',
] as const;
export type CheckedPart = (typeof CHECKED_PARTS)[number];

/** One thing that is wrong in a workspace. */
export interface WorkspaceProblem {
  readonly part: CheckedPart;
  /** A record, with its URL, a line or a file; '' for the whole part. */
  readonly where: string;
  readonly message: string;
  /** What the user can do about it. */
  readonly hint: string;
}

/** Problems kept per part; more are counted. */
const KEPT = 100;

/** Collects problems, and which parts were checked. */
export class Findings {
  readonly problems: WorkspaceProblem[] = [];
  readonly #counts = new Map<CheckedPart, number>();

  /** A part is being checked. */
  begin(part: CheckedPart): void {
    this.#counts.set(part, this.#counts.get(part) ?? 0);
  }

  add(problem: WorkspaceProblem): void {
    const count = (this.#counts.get(problem.part) ?? 0) + 1;
    this.#counts.set(problem.part, count);
    if (count <= KEPT) this.problems.push(problem);
  }

  get parts(): readonly { readonly part: CheckedPart; readonly problems: number; readonly isChecked: boolean }[] {
    return CHECKED_PARTS.map((part) => {
      return { part, problems: this.#counts.get(part) ?? 0, isChecked: this.#counts.has(part) };
    });
  }
}
