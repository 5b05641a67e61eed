import {
  type CanonicalUrl,
  canonicalize,
  isArchetype,
  type Judgement,
  ROOT,
  type RoundRecord,
  siteOfUrl,
  type TopicId,
} from '../../core/index.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import { seedDomains } from '../state/jobs.ts';
import type { KeptPage } from '../state/kept-pages.ts';
import { type Judgements, siteMarks } from '../training/site-marks.ts';
import type { InlineExample } from '../training/trainer-features.ts';
import {
  differsFrom,
  emptiedTopics,
  type Item,
  inOrder,
  isJudged,
  isJudgedItself,
  judgedItems,
  withJudgements,
} from '../training/training-items.ts';
import { GivenPlaces } from '../training/user-assignments.ts';

/** The pages a round trains on, from the workspace, the user's decisions and earlier rounds. */
export class TrainingSet {
  readonly #state: CrawlState;
  readonly #inline: readonly InlineExample[];

  constructor(state: CrawlState, inline: readonly InlineExample[] = []) {
    this.#state = state;
    this.#inline = inline;
  }

  /**
   * Returns everything a round trains on before it chooses archetypes.
   * @param hasStandIns true: pages of the crawl serve as negative examples
   */
  items(judgements: Judgements = this.#judgements, hasStandIns: boolean = this.mayStandIn): Item[] {
    const teaching = this.#teaching(judgements, hasStandIns);
    // Negative pages that are left out do not become archetypes either.
    const found = [...this.#archetypes(), ...(hasStandIns ? [] : this.#rejected())];
    return [...teaching, ...this.#without(found, this.given(judgements), judgements)];
  }

  /** Returns the user's training pages: those of the tree, unless the user decided otherwise, and marked pages. */
  given(judgements: Judgements = this.#judgements): Item[] {
    const { tree } = this.#state;
    const examples = this.#examples();
    const named = new Set(examples.map(({ key }) => key));
    // What bingo.yaml says of a page overrides a reader.
    const decided = new Map([...judgements].filter(([key, { by }]) => by === undefined || !named.has(key)));
    const own = examples.filter((item) => !isJudgedItself(decided, item.key, tree));
    return inOrder([...own, ...judgedItems(decided, tree)]);
  }

  /** Returns where the user put stored pages. */
  places(judgements: Judgements = this.#judgements): GivenPlaces {
    return new GivenPlaces(this.#state.tree, this.given(judgements), siteMarks(judgements));
  }

  /** Returns a found page as an example of its topic. */
  archetype({ key, topic, title, origin }: Pick<Item, 'key' | 'topic' | 'title' | 'origin'>): Item {
    return { key, topic, title, origin, others: false, sequence: this.#state.seen.pageOf(key) ?? 0 };
  }

  /** Returns pages of the crawl that may serve as negative examples in addition to these items. */
  candidates(items: readonly Item[], judgements: Judgements = this.#judgements): Item[] {
    return this.#without(this.#state.kept.candidates.map(asOthers), items, judgements);
  }

  /**
   * True if pages of the crawl may serve as negative examples now. Learning is confined to the seeds' sites, which may
   * be wholly on topic: it continues with stand-ins, but does not begin with them.
   */
  get mayStandIn(): boolean {
    return this.#state.phase === 'learning' ? this.hadStandIns : this.#hasCandidates;
  }

  /** Returns the user's counter-examples that are missing from these items. */
  leftOut(items: readonly Item[], judgements: Judgements = this.#judgements): Item[] {
    const used = new Set(items.map(({ key }) => key));
    return this.given(judgements).filter(({ key, others }) => others && !used.has(key));
  }

  /** True if the last round used stand-ins. If it did not, the round that tried them was rolled back. */
  get hadStandIns(): boolean {
    return this.#hasCandidates && this.#training.some(({ origin }) => origin === 'rejected');
  }

  /** True if the user's training pages differ from those of the last round: bingo.yaml was changed. */
  isStale(): boolean {
    const ways = this.#hasCandidates ? [true, false] : [false];
    return ways.every((hasStandIns) => differsFrom(this.#training, this.#teaching(this.#judgements, hasStandIns)));
  }

  /** Returns topics that these decisions would leave without an example. */
  emptiedBy(judgements: readonly Judgement[]): readonly TopicId[] {
    const after = this.items(withJudgements(this.#judgements, judgements));
    return emptiedTopics(this.#state.tree, this.items(), after);
  }

  /**
   * Returns the pages used for training. If pages of the crawl serve as negative examples, the given counter-examples
   * are left out: they are from other sites, and beside them every crawled page looks like the topic.
   */
  #teaching(judgements: Judgements, hasStandIns: boolean): Item[] {
    const given = this.given(judgements);
    if (!hasStandIns) return given;
    const near = seedDomains(this.#state.tree);
    const isNear = ({ key }: Item): boolean => near.has(siteOfUrl(key as CanonicalUrl));
    return given.filter((item) => item.origin !== 'others' || isNear(item));
  }

  /** Returns found pages, without those that already have a place or that the user decided on. */
  #without(found: readonly Item[], placed: readonly Item[], judgements: Judgements): Item[] {
    const keys = new Set(placed.map((item) => item.key));
    return found.filter(({ key }) => !keys.has(key) && !isJudged(judgements, key, this.#state.tree));
  }

  get #hasCandidates(): boolean {
    return this.#state.kept.candidates.length > 0;
  }

  get #judgements(): Judgements {
    return this.#state.steering.judgements;
  }

  get #training(): RoundRecord['training'] {
    return this.#state.round?.training ?? [];
  }

  #examples(): Item[] {
    const wanted = new Set<string>();
    for (const node of this.#state.tree.nodes.values())
      for (const example of [...node.examples, ...node.others])
        if (example.kind === 'url') wanted.add(canonicalize(example.url) ?? example.url);
    const pages = [...this.#state.training.stored].filter(([url]) => wanted.has(url));
    const stored = pages.map(([key, page]): Item => ({ ...page, key, origin: page.others ? 'others' : 'user' }));
    const given = this.#inline.map(
      (doc): Item => ({ ...doc, title: doc.document.title, sequence: 0, origin: doc.others ? 'others' : 'user' }),
    );
    return [...stored, ...given];
  }

  #archetypes(): Item[] {
    return this.#training.flatMap((entry) => {
      const topic = this.#state.names.renamed(entry.topic, this.#state.round?.sequence);
      return topic !== undefined && isArchetype(entry.origin) ? [this.archetype({ ...entry, topic })] : [];
    });
  }

  /**
   * Returns pages rejected with high confidence, as OTHERS of the whole tree; near misses are left out. If stand-ins
   * are used, each training chooses its own.
   */
  #rejected(): Item[] {
    return this.#state.kept.rejected.values().map(asOthers);
  }
}

function asOthers({ url, title, sequence }: KeptPage): Item {
  return { key: url, title, topic: ROOT, others: true, origin: 'rejected', sequence };
}
