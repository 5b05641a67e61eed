import { type ExamplePlaces, isWithin, ROOT, type TopicId } from '../../core/index.ts';

/** The topic of each example, by training key. */
export type Places = ReadonlyMap<string, TopicId>;

/** What topics of one tree are called in the next: see {@link topicMoves}. */
export type TopicMoves = ReadonlyMap<TopicId, TopicId>;

/** From where on a tree holds in the journal: records of pages and rounds, and what people decided, by sequence. */
interface Edit {
  readonly from: number;
  readonly steersFrom: number;
  readonly moves: TopicMoves;
}

/**
 * A person may give the name of a topic to another one: two that swap their names, or A that becomes B while B becomes C. So what a name
 * means depends on where it stands in the journal. The rounds tell: each names the examples that every topic had.
 */
export class NameHistory {
  readonly #tree: Places;
  readonly #isThere: (id: TopicId) => boolean;
  #edits: readonly Edit[] = [];
  /** The last record that the names of an older tree may stand in. */
  #read = 0;

  /**
   * @param tree where the tree has each example
   * @param isThere whether the tree has a topic
   */
  constructor(tree: Places, isThere: (id: TopicId) => boolean) {
    this.#tree = tree;
    this.#isThere = isThere;
  }

  /** Hears of the whole journal before it is read. */
  foresee(rounds: readonly ExamplePlaces[]): void {
    const edits: Edit[] = [];
    let before: Places = new Map();
    for (const { places, ...starts } of rounds) {
      const isThere = hasExampleWithin(places);
      before = this.#edit(edits, { before, after: places, isThere, ...starts });
    }
    // The tree may be another than that of the last round; it holds for what is yet to come.
    const never = Number.POSITIVE_INFINITY;
    this.#edit(edits, { before, after: this.#tree, isThere: this.#isThere, from: never, steersFrom: never });
    this.#edits = edits;
  }

  /** A record of the journal is read. */
  note(sequence: number): void {
    this.#read = sequence;
  }

  /**
   * What the tree calls a topic, as far as examples tell.
   * @param at sequence of the record that names it; one behind all that were read has the names of the tree
   */
  now(id: TopicId, at: number, isSteer: boolean): TopicId {
    if (at > this.#read) return id;
    return this.#edits.reduce((name, edit) => {
      const isBehind = at >= (isSteer ? edit.steersFrom : edit.from);
      return isBehind ? name : moved(edit.moves, name);
    }, id);
  }

  /**
   * What the tree calls a topic of the tables, which do not tell since when they call it so: as the last edit has it, or else the latest by
   * which the tree knows it.
   * @returns `undefined` where none does
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
    // Examples that are gone are remembered where they were: their topic may come back.
    return new Map([...[...before].map(([key, topic]) => [key, moved(moves, topic)] as const), ...after]);
  }
}

/**
 * What the topics of one tree are called in another one, as the examples tell that both have. A topic that is gone is the one that has
 * most of its examples. So is one whose name is there, when none of its examples is left under that name, and either another topic came
 * in its place or all of them are under a name that is new.
 * @returns of each topic of which an example is left; it may be the same name
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

/** An example of one topic is one of those above it, too: they may have been renamed as well. */
export function* sideBySide(was: TopicId, is: TopicId): Generator<readonly [TopicId, TopicId]> {
  for (let [a, b] = [was, is]; a !== ROOT && b !== ROOT; [a, b] = [parentOf(a), parentOf(b)]) yield [a, b];
}

function* upwards(topic: TopicId): Generator<TopicId> {
  for (let at = topic; at !== ROOT; at = parentOf(at)) yield at;
}

/** What lies below a topic goes with it, unless its own examples say otherwise. */
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

/** The topic above one; the root for those at the top. */
export function parentOf(id: TopicId): TopicId {
  return id.slice(0, Math.max(0, id.lastIndexOf('/'))) as TopicId;
}
