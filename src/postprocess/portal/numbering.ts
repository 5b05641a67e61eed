/** Share of numbers that may be unused before all pages are numbered again. */
const MAX_UNUSED = 0.2;
/** Pages may be this share more than when they were numbered last: the weights of words are those of then. */
const MAX_ADDED = 0.2;

/** The numbers of a portal's pages: those of files and of the search index. */
export interface Numbering {
  /** Sequences by number; 0 for a number whose page has left the portal. */
  readonly sequences: readonly number[];
  readonly numberOf: ReadonlyMap<number, number>;
  /** Sequences that had no number before, in order of their numbers. */
  readonly added: ReadonlySet<number>;
  /** Pages when all of them were numbered last. */
  readonly atFirst: number;
  /** True if all pages have new numbers. */
  readonly isFresh: boolean;
}

interface NumberedPage {
  readonly sequence: number;
  readonly topic: string;
}

/** How pages were numbered before. */
export type KnownNumbers = Pick<Numbering, 'sequences' | 'atFirst'>;

/**
 * Numbers pages. A page keeps the number that it had, and further pages are added at the end, so that a page that
 * joins or leaves changes only its own files.
 */
export function numbering(pages: readonly NumberedPage[], before?: KnownNumbers): Numbering {
  const kept = before === undefined ? undefined : keptNumbers(pages, before);
  if (kept !== undefined) return kept;
  // By topic, so that the pages of a topic are few ranges; within a topic in the order in which they are stored.
  const sequences = [...Map.groupBy(pages, ({ topic }) => topic).values()].flatMap((own) =>
    own.map(({ sequence }) => sequence).sort((a, b) => a - b),
  );
  const numberOf = new Map(sequences.map((sequence, number) => [sequence, number]));
  return { sequences, numberOf, added: new Set(sequences), atFirst: sequences.length, isFresh: true };
}

function keptNumbers(
  pages: readonly NumberedPage[],
  { sequences: known, atFirst }: KnownNumbers,
): Numbering | undefined {
  const wanted = new Set(pages.map(({ sequence }) => sequence));
  const sequences = known.map((sequence) => (wanted.has(sequence) ? sequence : 0));
  const numberOf = new Map(
    sequences.flatMap((sequence, number) => (sequence === 0 ? [] : [[sequence, number] as const])),
  );
  const added = new Set(pages.map(({ sequence }) => sequence).filter((sequence) => !numberOf.has(sequence)));
  for (const sequence of added) {
    numberOf.set(sequence, sequences.length);
    sequences.push(sequence);
  }
  const isWorn = sequences.length - numberOf.size > MAX_UNUSED * sequences.length;
  if (isWorn || sequences.length > (1 + MAX_ADDED) * atFirst) return undefined;
  return { sequences, numberOf, added, atFirst, isFresh: false };
}

/** Returns ascending numbers as ranges: the first number of each, and the number after its last. */
export function rangesOf(numbers: readonly number[]): readonly number[] {
  const ranges: number[] = [];
  for (const number of numbers.toSorted((a, b) => a - b))
    if (ranges.at(-1) === number) ranges[ranges.length - 1] = number + 1;
    else ranges.push(number, number + 1);
  return ranges;
}
