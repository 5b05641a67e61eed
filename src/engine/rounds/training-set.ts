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
import { GivenPlaces } from '../training/given-places.ts';
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

/** Which pages a round trains on: what the workspace says, what people decided, what earlier rounds found. */
export class TrainingSet {
  readonly #state: CrawlState;
  readonly #inline: readonly InlineExample[];

  constructor(state: CrawlState, inline: readonly InlineExample[] = []) {
    this.#state = state;
    this.#inline = inline;
  }

  /**
   * All that a round trains on before it chooses archetypes.
   * @param hasStandIns pages of the crawl stand in for OTHERS; by default where there are some to choose from
   */
  items(judgements: Judgements = this.#judgements, hasStandIns: boolean = this.#hasCandidates): Item[] {
    const teaching = this.#teaching(judgements, hasStandIns);
    // OTHERS that are left out are no archetypes either.
    const found = [...this.#archetypes(), ...(hasStandIns ? [] : this.#rejected())];
    return [...teaching, ...this.#without(found, this.given(judgements), judgements)];
  }

  /** Training pages that people gave: those of the tree, unless a person decided otherwise, and those marked. */
  given(judgements: Judgements = this.#judgements): Item[] {
    const own = this.#examples().filter((item) => !isJudgedItself(judgements, item.key, this.#state.tree));
    return inOrder([...own, ...judgedItems(judgements, this.#state.tree)]);
  }

  /** Where people put stored pages. */
  places(judgements: Judgements = this.#judgements): GivenPlaces {
    return new GivenPlaces(this.#state.tree, this.given(judgements), siteMarks(judgements));
  }

  /** A found page as an example of its topic. */
  archetype({ key, topic, title, origin }: Pick<Item, 'key' | 'topic' | 'title' | 'origin'>): Item {
    return { key, topic, title, origin, others: false, sequence: this.#state.seen.pageOf(key) ?? 0 };
  }

  /** Pages of the crawl that may stand in for OTHERS beside these items. */
  candidates(items: readonly Item[], judgements: Judgements = this.#judgements): Item[] {
    return this.#without(this.#state.kept.candidates.map(asOthers), items, judgements);
  }

  /** Whether the last round had stand-ins: where they were none, the round that tried them was undone. */
  get hadStandIns(): boolean {
    return this.#hasCandidates && this.#training.some(({ origin }) => origin === 'rejected');
  }

  /** True when the training pages that people gave are not those of the last round: bingo.yaml was changed. */
  isStale(): boolean {
    const ways = this.#hasCandidates ? [true, false] : [false];
    return ways.every((hasStandIns) => differsFrom(this.#training, this.#teaching(this.#judgements, hasStandIns)));
  }

  /** Topics that these decisions would leave without an example. */
  emptiedBy(judgements: readonly Judgement[]): readonly TopicId[] {
    const after = this.items(withJudgements(this.#judgements, judgements));
    return emptiedTopics(this.#state.tree, this.items(), after);
  }

  /**
   * Those that teach. Where pages of the crawl stand in for OTHERS, these are from elsewhere, and so unlike every page at hand that
   * beside them all look like the topic: they are left out.
   */
  #teaching(judgements: Judgements, hasStandIns: boolean = this.#hasCandidates): Item[] {
    const given = this.given(judgements);
    if (!hasStandIns) return given;
    const near = seedDomains(this.#state.tree);
    const isNear = ({ key }: Item): boolean => near.has(siteOfUrl(key as CanonicalUrl));
    return given.filter((item) => item.origin !== 'others' || isNear(item));
  }

  /** Pages that the crawl found, without those that have a place already or that a person decided on. */
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
   * Pages that the crawl rejected with high confidence, as OTHERS of the whole tree; near misses are none. Where pages stand in for OTHERS,
   * these are chosen in each training.
   */
  #rejected(): Item[] {
    return this.#state.kept.rejected.values().map(asOthers);
  }
}

function asOthers({ url, title, sequence }: KeptPage): Item {
  return { key: url, title, topic: ROOT, others: true, origin: 'rejected', sequence };
}
