import { type ExamplePlaces, isWithin, ROOT, type TopicId } from '../../core/index.ts';

/** The topic of each example, by training key. */
export type Places = ReadonlyMap<string, TopicId>;

/** Maps topics of one tree to their names in the next: see {@link topicMoves}. */
export type TopicMoves = ReadonlyMap<TopicId, TopicId>;

/**
 * The point in the journal from which a tree applies: sequences for records of pages and rounds, and for the user's
 * decisions.
 */
interface Edit {
  readonly from: number;
  readonly steersFrom: number;
  readonly moves: TopicMoves;
}

/**
 * History of topic names. The user may reuse a name: two topics swap names, or A becomes B while B becomes C. So the
 * meaning of a name depends on its position in the journal. The rounds reveal it: each names the examples of every
 * topic.
 */
export class NameHistory {
  readonly #tree: Places;
  readonly #isThere: (id: TopicId) => boolean;
  #edits: readonly Edit[] = [];
  /** The last record that may use the names of an older tree. */
  #read = 0;

  /**
   * @param tree the topic of each example in the tree
   * @param isThere returns whether the tree has a topic
   */
  constructor(tree: Places, isThere: (id: TopicId) => boolean) {
    this.#tree = tree;
    this.#isThere = isThere;
  }

  /** Reads the rounds of the whole journal in advance. */
  foresee(rounds: readonly ExamplePlaces[]): void {
    const edits: Edit[] = [];
    let before: Places = new Map();
    for (const { places, ...starts } of rounds) {
      const isThere = hasExampleWithin(places);
      before = this.#edit(edits, { before, after: places, isThere, ...starts });
    }
    // The tree may differ from that of the last round; it applies to future records.
    const never = Number.POSITIVE_INFINITY;
    this.#edit(edits, { before, after: this.#tree, isThere: this.#isThere, from: never, steersFrom: never });
    this.#edits = edits;
  }

  /** Notes that a journal record was read. */
  note(sequence: number): void {
    this.#read = sequence;
  }

  /**
   * Returns the tree's name for a topic, as far as examples show.
   * @param at sequence of the record that names the topic; later ones than any read use the tree's names
   */
  now(id: TopicId, at: number, isSteer: boolean): TopicId {
    if (at > this.#read) return id;
    return this.#edits.reduce((name, edit) => {
      const isBehind = at >= (isSteer ? edit.steersFrom : edit.from);
      return isBehind ? name : moved(edit.moves, name);
    }, id);
  }

  /**
   * Returns the tree's name for a topic in the database tables, which do not record when it had that name. Uses the
   * last edit, or else the latest edit whose name the tree knows.
   * @returns `undefined` if the tree knows none
   */
  ofTables(id: TopicId): TopicId | undefined {
    const yetToCome = this.#edits.at(-1)?.from === Number.POSITIVE_INFINITY ? 1 : 0;
    for (let first = this.#edits.length - yetToCome; first >= 0; first--) {
      const name = this.#edits.slice(first).reduce((name, { moves }) => moved(moves, name), id);
      if (this.#isThere(name)) return name;
    }
    return undefined;
  }

  #edit(
    edits: Edit[],
    { before, after, isThere, ...starts }: Omit<Edit, 'moves'> & Parameters<typeof topicMoves>[0],
  ): Places {
    const moves = topicMoves({ before, after, isThere });
    if ([...moves].some(([was, is]) => was !== is)) edits.push({ ...starts, moves });
    // Keep the last topic of removed examples: their topic may return.
    return new Map([...[...before].map(([key, topic]) => [key, moved(moves, topic)] as const), ...after]);
  }
}

/**
 * Maps topics of one tree to topics of another, using the examples that both trees have. A removed topic maps to the
 * topic with most of its examples. So does a topic whose name still exists, if none of its examples is left under
 * that name and either another topic took the name or all of its examples are under a new name.
 * @returns an entry for each topic with a remaining example; the name may be unchanged
 */
export function topicMoves({
  before,
  after,
  isThere,
}: {
  readonly before: Places;
  readonly after: Places;
  readonly isThere: (id: TopicId) => boolean;
}): TopicMoves {
  const heirs = new Map<TopicId, Map<TopicId, number>>();
  const known = new Set<TopicId>();
  const joined = new Set<TopicId>();
  for (const [key, was] of before) {
    for (const topic of upwards(was)) known.add(topic);
    const is = after.get(key);
    if (is === undefined) continue;
    for (const [gone, heir] of sideBySide(was, is)) {
      const counts = heirs.get(gone) ?? new Map<TopicId, number>();
      heirs.set(gone, counts.set(heir, (counts.get(heir) ?? 0) + 1));
    }
    for (const topic of upwards(is)) if (!isWithin(was, topic)) joined.add(topic);
  }
  const moves = new Map<TopicId, TopicId>();
  for (const [topic, counts] of heirs) {
    const [[heir]] = [...counts].sort(([, a], [, b]) => b - a) as [[TopicId, number]];
    const isLeft = ![...counts.keys()].some((place) => isWithin(place, topic));
    const isAnother = isLeft && (joined.has(topic) || (counts.size === 1 && !known.has(heir)));
    moves.set(topic, isAnother || !isThere(topic) ? heir : topic);
  }
  return moves;
}

/** An example also belongs to all ancestors of its topic, which may have been renamed too. */
export function* sideBySide(was: TopicId, is: TopicId): Generator<readonly [TopicId, TopicId]> {
  for (let [a, b] = [was, is]; a !== ROOT && b !== ROOT; [a, b] = [parentOf(a), parentOf(b)]) yield [a, b];
}

function* upwards(topic: TopicId): Generator<TopicId> {
  for (let at = topic; at !== ROOT; at = parentOf(at)) yield at;
}

/** Moves a topic along with its parent, unless its own examples show otherwise. */
function moved(moves: TopicMoves, id: TopicId): TopicId {
  for (const above of upwards(id)) {
    const is = moves.get(above);
    if (is !== undefined) return (is + id.slice(above.length)) as TopicId;
  }
  return id;
}

function hasExampleWithin(places: Places): (id: TopicId) => boolean {
  const there = new Set([...places.values()].flatMap((topic) => [...upwards(topic)]));
  return (id) => there.has(id);
}

/** Returns the parent of a topic; the root for top-level topics. */
export function parentOf(id: TopicId): TopicId {
  return id.slice(0, Math.max(0, id.lastIndexOf('/'))) as TopicId;
}
