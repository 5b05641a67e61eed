import type { AnalyzedDocument, Assignment, MetaRule, PageRole, TopicId } from '../../core/index.ts';
import { hash53, Turns } from '../../kit/index.ts';
import { type Classifier, classify, decodeModels, prepareClassifier } from '../../meta/index.ts';
import type { JudgingThreads } from '../judging/judging-threads.ts';
import type { GivenPage, GivenPlaces } from '../training/user-assignments.ts';
import { namedVotes } from '../training/votes.ts';

/** A stored page with its current verdict. */
export interface StoredPage {
  readonly sequence: number;
  readonly url: string;
  readonly finalUrl: string;
  readonly title: string;
  readonly role: PageRole;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly relevance: number;
}

/** What a page is judged by: its words, and the votes of page classifiers when it was fetched. */
type JudgedDocument = Pick<AnalyzedDocument, 'features' | 'votes'>;

/** A stored page with its packed document. */
export interface PackedPage extends StoredPage {
  readonly content: Uint8Array;
  readonly hasVotes: boolean;
}

/** Source of stored pages. */
export interface PageSource {
  /** Every page that was not replaced by a newer fetch, in fetch order. */
  exportPages(): AsyncIterable<StoredPage>;
  documents(sequences: readonly number[]): Promise<ReadonlyMap<number, JudgedDocument>>;
  /** Returns pages in the given order; unknown sequences are absent. */
  packedPages(sequences: readonly number[]): Promise<readonly PackedPage[]>;
}

/** What pages are judged by. */
export interface Verdicts {
  /** A round's serialized model. */
  readonly blob: Uint8Array;
  readonly rule: MetaRule;
  /** A user's decision on a page overrides the model. */
  readonly places: GivenPlaces;
  /**
   * Maps a topic of the model, or of record `at`, to its current name in the tree; `undefined` if the tree no longer
   * has it. Default: unchanged.
   */
  readonly topicNow?: (topic: TopicId, at?: number) => TopicId | undefined;
}

/** A stored page and its new verdict. */
export interface RejudgedPage {
  readonly page: StoredPage;
  readonly assignment: Assignment;
  /** False for a training page that stays where the user put it: it does not show what a model learned. */
  readonly isCounted: boolean;
}

/** Pages that would move, or moved, from one place to another. */
export interface Effect {
  /** Pages examined: pages the crawl found, and training pages that move or are no longer training pages. */
  readonly pages: number;
  /** All these pages; more than `pages` if only a sample was examined. */
  readonly of: number;
  readonly changed: number;
  /** Changed pages that the current model would move in the same way. */
  readonly overdue: number;
  /** Most pages first. */
  readonly moves: readonly { readonly from: string; readonly to: string; readonly pages: number }[];
  /** Most confident first, at most {@link EXAMPLES}. */
  readonly examples: readonly {
    readonly url: string;
    readonly title: string;
    readonly from: string;
    readonly to: string;
  }[];
}

/** Pages that an effect lists. */
export const EXAMPLES = 20;

/** Documents read from the store per batch. Each batch blocks the thread for a few milliseconds. */
const CHUNK = 10;
/** Pages that are judged together. */
const BATCH = 50;
/** From this number of pages on, threads save more time than they take to start. */
const MANY = 1_000;

/** How many pages there are to judge again. */
export interface Extent {
  of: number;
}

/**
 * Judges all stored pages by a model. Training pages go where the user has them now. Then follow the accepted pages,
 * which searches show, then the rejected ones, the newest of both first.
 * @param extent receives the number of pages that count, after a first pass
 * @param start starts threads that judge many pages; without it, this thread judges all
 */
export async function* judgeAgain(
  source: PageSource,
  verdicts: Verdicts,
  extent: Extent = { of: 0 },
  start?: () => JudgingThreads,
): AsyncGenerator<RejudgedPage> {
  const judge = judgeOf(verdicts);
  const given: RejudgedPage[] = [];
  const accepted: number[] = [];
  const rejected: number[] = [];
  for await (const page of source.exportPages()) {
    const judged = judge.given(page);
    if (judged !== undefined) given.push(judged);
    else (page.others ? rejected : accepted).push(page.sequence);
    if (judged?.isCounted !== false) extent.of++;
  }
  yield* given;
  const threads = accepted.length + rejected.length < MANY ? undefined : start?.();
  try {
    yield* judgedThose({ source, judge, threads }, accepted);
    yield* judgedThose({ source, judge, threads }, rejected);
  } finally {
    await threads?.close();
  }
}

interface Judging {
  readonly source: PageSource;
  readonly judge: Judge;
  readonly threads: JudgingThreads | undefined;
}

/** Judges pages from the last to the first; the next batches are judged in advance. */
async function* judgedThose(judging: Judging, sequences: readonly number[]): AsyncGenerator<RejudgedPage> {
  const ahead = judging.threads?.ahead ?? 1;
  const coming: Promise<readonly RejudgedPage[]>[] = [];
  for (let end = sequences.length; end > 0 || coming.length > 0; ) {
    for (; end > 0 && coming.length < ahead; end -= BATCH) {
      const batch = judgedBatch(judging, sequences.slice(Math.max(0, end - BATCH), end).reverse());
      // If the caller stops early, errors of batches not yet read are dropped.
      batch.catch(() => {});
      coming.push(batch);
    }
    yield* await coming.shift()!;
  }
}

async function judgedBatch(
  { source, judge, threads }: Judging,
  sequences: readonly number[],
): Promise<readonly RejudgedPage[]> {
  const pages = await source.packedPages(sequences);
  const judged = (await threads?.judge(pages)) ?? [];
  // Votes have names that only this thread knows; some feature spaces need the pages around a page.
  const isLeft = (page: PackedPage, i: number): boolean => page.hasVotes || judged[i] === undefined;
  const left = pages.filter(isLeft).map(({ sequence }) => sequence);
  const documents = left.length === 0 ? NO_DOCUMENTS : await source.documents(left);
  return pages.flatMap(({ content: _, hasVotes, ...page }, i) => {
    const document = documents.get(page.sequence);
    if (document !== undefined) return [judge.judged(page, document)];
    const assignment = hasVotes ? undefined : judged[i];
    return assignment === undefined ? [] : [judge.assigned(page, assignment)];
  });
}

const NO_DOCUMENTS: ReadonlyMap<number, JudgedDocument> = new Map();

interface SampledPage {
  readonly page: StoredPage;
  readonly document: JudgedDocument;
}

/**
 * A fixed set of pages to judge repeatedly: training pages, and an even sample of found pages whose features stay in
 * memory.
 */
export class EffectSample {
  readonly #source: PageSource;
  readonly #limit: number;
  #pages: readonly SampledPage[] | undefined;
  /** Found pages that were not examined. */
  #left = 0;

  /** @param limit maximum number of found pages; each takes about 10 kB of memory */
  constructor(source: PageSource, limit: number) {
    this.#source = source;
    this.#limit = limit;
  }

  /** Returns what a model would change; `now` is the current model. */
  async effectOf(verdicts: Verdicts, now: Verdicts): Promise<Effect> {
    const turns = new Turns();
    const pages = await this.#sample(turns);
    const [next, before] = [judgeOf(verdicts), judgeOf(now)];
    const tally = new EffectTally();
    for (const { page, document } of pages) {
      if (turns.isOver) await turns.come();
      tally.add(next.judged(page, document), () => before.judged(page, document).assignment);
    }
    return tally.effect(this.#left);
  }

  async #sample(turns: Turns): Promise<readonly SampledPage[]> {
    if (this.#pages !== undefined) return this.#pages;
    const all: StoredPage[] = [];
    for await (const page of this.#source.exportPages()) {
      if (turns.isOver) await turns.come();
      all.push(page);
    }
    const [found, trained] = [all.filter(isFound), all.filter((page) => !isFound(page))];
    const chosen = found.length <= this.#limit ? found : byHash(found).slice(0, this.#limit);
    this.#left = found.length - chosen.length;
    const pages: SampledPage[] = [];
    const wanted = [...trained, ...chosen];
    for (let at = 0; at < wanted.length; at += CHUNK) {
      await turns.come();
      const batch = wanted.slice(at, at + CHUNK);
      const documents = await this.#source.documents(batch.map((page) => page.sequence));
      for (const page of batch) {
        const { features, votes } = documents.get(page.sequence) ?? { features: {} };
        pages.push({ page, document: { features, ...(votes && { votes }) } });
      }
    }
    this.#pages = pages;
    return pages;
  }
}

type SureExample = Effect['examples'][number] & { readonly sureness: number };

/** Counts what changes. */
export class EffectTally {
  readonly #moves = new Map<string, { readonly from: string; readonly to: string; readonly pages: number }>();
  #examples: SureExample[] = [];
  #pages = 0;
  #changed = 0;
  #overdue = 0;

  /** Pages counted so far. */
  get pages(): number {
    return this.#pages;
  }

  /** @param inForce returns the current model's verdict on the page */
  add({ page, assignment, isCounted }: RejudgedPage, inForce?: () => Assignment): void {
    if (!isCounted) return;
    this.#pages++;
    const [from, to] = [placeName(page), placeName(assignment)];
    if (from === to) return;
    this.#changed++;
    if (inForce !== undefined && placeName(inForce()) === to) this.#overdue++;
    const key = `${from}\n${to}`;
    const move = this.#moves.get(key) ?? { from, to, pages: 0 };
    this.#moves.set(key, { ...move, pages: move.pages + 1 });
    const { finalUrl: url, title } = page;
    this.#examples.push({ url, title, from, to, sureness: Math.abs(assignment.confidence) });
    if (this.#examples.length > 1000) this.#examples = this.#best();
  }

  /** @param left pages that were not examined */
  effect(left = 0): Effect {
    const of = this.#pages + left;
    const moves = [...this.#moves.values()].sort((a, b) => b.pages - a.pages || (a.from < b.from ? -1 : 1));
    const examples = this.#best().map(({ sureness: _, ...example }) => example);
    return { pages: this.#pages, of, changed: this.#changed, overdue: this.#overdue, moves, examples };
  }

  #best(): SureExample[] {
    return this.#examples.toSorted((a, b) => b.sureness - a.sureness).slice(0, EXAMPLES);
  }
}

/** Returns the name of a topic, or of OTHERS below it. */
export function placeName({ topic, others }: { readonly topic: TopicId; readonly others: boolean }): string {
  return others ? `${topic === '' ? '' : `${topic}/`}OTHERS` : topic;
}

interface Judge {
  /** Returns the verdict on a training page that the user has placed; `undefined` if the model decides. */
  readonly given: (page: StoredPage) => RejudgedPage | undefined;
  readonly judged: (page: StoredPage, document: JudgedDocument) => RejudgedPage;
  /** Does the same with the model's own verdict. */
  readonly assigned: (page: StoredPage, assignment: Assignment) => RejudgedPage;
}

function judgeOf({ blob, rule, places, topicNow = (topic) => topic }: Verdicts): Judge {
  const classifier: Classifier = prepareClassifier(decodeModels(blob));
  const inModel = new Map([...classifier.topics.keys()].map((topic) => [topicNow(topic), topic]));
  const byModel = ({ sequence }: StoredPage, { features, votes = [] }: JudgedDocument): Assignment => {
    const named = namedVotes(votes, (topic) => inModel.get(topicNow(topic, sequence)));
    return inTree(classify(classifier, features, rule, named));
  };
  const inTree = (assignment: Assignment): Assignment => {
    return { ...assignment, topic: topicNow(assignment.topic) ?? assignment.topic };
  };
  const given = (page: StoredPage): RejudgedPage | undefined => {
    const assignment = places.fixed(asGiven(page));
    return assignment && { page, assignment, isCounted: placeName(page) !== placeName(assignment) };
  };
  const placed = (page: StoredPage, judge: () => Assignment): RejudgedPage => {
    const assignment = places.assignmentOf(asGiven(page), judge);
    return given(page) ?? { page, assignment, isCounted: true };
  };
  return {
    given,
    judged: (page, document) => placed(page, () => byModel(page, document)),
    assigned: (page, assignment) => placed(page, () => inTree(assignment)),
  };
}

function asGiven({ sequence, role, url, finalUrl }: StoredPage): GivenPage {
  return { sequence, role, urls: [finalUrl, url] };
}

function isFound({ role }: StoredPage): boolean {
  return role === 'crawled';
}

function byHash(pages: readonly StoredPage[]): StoredPage[] {
  const hashes = new Map(pages.map((page) => [page, hash53(page.url)]));
  return pages.toSorted((a, b) => hashes.get(a)! - hashes.get(b)! || a.sequence - b.sequence);
}
