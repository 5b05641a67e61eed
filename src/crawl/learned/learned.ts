import {
  type CanonicalUrl,
  type FollowedLink,
  type Lesson,
  LINK_FLAG,
  type Link,
  type WholePage,
  type WordWeights,
} from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { JudgedPage, LinkOffer, Ordering } from '../ordering.ts';
import { type UrlKey, urlKey } from '../url-key.ts';
import { Sweep } from './best-entries.ts';
import {
  ANCHOR,
  type CandidateId,
  Candidates,
  CONTEXT,
  NUMBERS,
  PLACE,
  parentOf,
  SCORE,
  stretchAt,
  URL_PATH,
} from './candidates.ts';
import { KnownPages } from './known-pages.ts';
import { FEATURES, fillFeatures, noScores, START_WEIGHTS, type TextScores } from './link-features.ts';
import { type StemHashes, urlText, WORD_SLOTS, WordSets, type Words, wordSlot } from './link-words.ts';
import { PageWords } from './page-words.ts';
import { stretchOf } from './parents.ts';
import { ReadLinks } from './read-links.ts';
import { PulledRidge } from './ridge.ts';
import { TextModel } from './text-model.ts';

/** Functions the learned ordering needs from other modules. */
export interface LearnedPorts {
  /** Returns stems without stop words, as the page classifier uses them. */
  readonly hashes: StemHashes;
}

/** Number of pages after which learned weights count as much as the initial weights. */
const START_STRENGTH = 20;
/** Exponent on the relevance used as feedback: above 1, half-relevant pages count for less than half. */
const POWER = 1.5;
/** Maximum number of samples in a text model. */
const SAMPLES = 2000;
/** Weight of a link to an already known page in the text models; less than the weight of a followed link. */
const KNOWN_WEIGHT = 0.5;
/** Number of first pages that are learned from more often. */
const YOUNG = 100;
const REFIT_YOUNG = 5;
const REFIT = 20;
/** Number of waiting links rescored after each page: of all links, and of the best. */
const SWEEP_YOUNG = 100;
const SWEEP = 12;
/** Factor on the square root of the number of pages, giving the number of links followed for exploration. */
const EXPLORATION = 0.5;
/** Priority of an exploration link: above all scores. */
const EXPLORED = 3;
/** The texts of a followed link that the models learn from, in the order of their words in a lesson. */
const TAUGHT = [ANCHOR, CONTEXT, PLACE] as const;
/** Known links of a page in its lesson. The shard that fetched the page learns from all of them. */
const LESSON_LINKS = 4;
/** Features in lessons are multiples of 1/10,000: finer ones take more room and teach no more. */
const LESSON_STEPS = 1e4;
/** Smaller changes of a priority are ignored. */
const STILL = 6e-3;

/** A link to a fetched page. */
interface Known {
  /** Index among the links of its page. */
  readonly at: number;
  readonly relevance: number;
}

/**
 * The learned ordering (docs/methods.md#learned): an online model that predicts the relevance of the page behind a
 * link. Its features are the pages that offer the link, the outcomes of their other links, the words around the link,
 * its place among them, and the relevance of fetched pages with these words. A small, decaying share of the pages is
 * spent on uncertain links: of the links examined, the one with the largest sum of score and standard deviation.
 * State is bounded: waiting links, the pages that offer them, and tables of fixed size.
 */
export class LearnedOrdering implements Ordering {
  readonly name = 'learned';
  readonly focused = false;
  readonly ordersLearning = true;
  readonly #ports: LearnedPorts;
  readonly #candidates = new Candidates();
  readonly #turns = new Sweep();
  readonly #known = new KnownPages();
  readonly #anchors = new TextModel({ capacity: SAMPLES, strength: 2 });
  readonly #contexts = new TextModel({ capacity: SAMPLES, strength: 4 });
  readonly #places = new TextModel({ capacity: SAMPLES, strength: 8 });
  readonly #pageWords = new PageWords();
  readonly #ridge = new PulledRidge(START_WEIGHTS, START_STRENGTH);
  readonly #x = new Float64Array(FEATURES.length);
  readonly #texts: TextScores = noScores();
  #weights: Readonly<Float64Array> = START_WEIGHTS;
  #modelWeights = new Float32Array(WORD_SLOTS);
  /** Sum for the mean relevance of fetched pages, starting with ten pages of mean .05. */
  #relevanceSum = 0.5;
  #relevanceCount = 10;
  #judged = 0;
  /** The page judged last. */
  #page = { parent: this.#candidates.parents.add(0), relevance: 0, host: '', crowd: 0 };
  /** The words of that page, its links to fetched pages, and the features of the link that led to it. */
  #words: Words = { units: new Uint16Array(0), from: 0, to: 0 };
  #knownLinks: readonly Known[] = [];
  readonly #followed = new Float64Array(FEATURES.length);
  /** True if it is the last page that any shard judged, and one of this shard. */
  #isOwnLast = true;
  readonly #links: ReadLinks;
  /** Words of the URL being read. */
  readonly #path = new WordSets();

  constructor(ports: LearnedPorts) {
    this.#ports = ports;
    this.#links = new ReadLinks(ports.hashes);
  }

  modelChanged({ hashes, weights }: WordWeights): void {
    this.#modelWeights.fill(0);
    for (let i = 0; i < hashes.length; i++) this.#modelWeights[wordSlot(hashes[i]!)]! += weights[i]!;
  }

  reading(page: JudgedPage): Iterable<void> {
    return this.#links.reading(page);
  }

  judged(page: JudgedPage): void {
    const relevance = page.assignment.relevance ** POWER;
    if (page.whole !== undefined) {
      this.#arrived(page, relevance, page.whole);
      return;
    }
    this.#isOwnLast = true;
    this.#count(page.url, relevance);
    this.#learnLink(page, relevance);
    this.#begin(page, relevance, page.links.length);
    this.#words = this.#links.read(page);
    const { units, from, to } = this.#words;
    this.#pageWords.add(units, from, to, relevance);
    this.#knownLinks = this.#knownOf(page.links);
    for (const { at, relevance: known } of this.#knownLinks) this.#learnFromKnown(page.links[at]!, at, known);
    this.#refit();
  }

  wholeOf({ links }: JudgedPage): WholePage {
    const known = this.#knownLinks.map(
      ({ at, relevance }) => [stretchOf(links[at]!.position), rounded(relevance)] as const,
    );
    return { links: links.length, known };
  }

  lesson({ url, entry, assignment }: JudgedPage): Lesson {
    const candidate = entry === undefined ? undefined : this.#candidates.find(entry.url);
    const link = candidate === undefined ? undefined : this.#described(candidate);
    const known = this.#knownLinks;
    const step = Math.max(1, known.length / LESSON_LINKS);
    const taught = Array.from({ length: Math.min(known.length, LESSON_LINKS) }, (_, i) => {
      const { at, relevance } = known[Math.floor(i * step)]!;
      const texts = [this.#links.anchor(at), this.#links.context(at), this.#links.place(at)];
      return { words: texts.map(listed), relevance: rounded(relevance) };
    });
    const words = this.#pageWords.rare(this.#words);
    return { url, relevance: assignment.relevance, link, words, known: taught };
  }

  learn({ url, relevance: given, link, words, known }: Lesson): void {
    const relevance = given ** POWER;
    this.#isOwnLast = false;
    this.#count(url, relevance);
    this.#pageWords.add(words, 0, words.length, relevance);
    if (link !== undefined) {
      const { parents } = this.#candidates;
      this.#ridge.add(Float64Array.from(link.features), relevance);
      this.#learnWords(link.words, relevance, 1);
      for (const [page, stretch] of link.offers) {
        const parent = parents.find(page);
        if (parent !== undefined) parents.learn(parent, stretch, relevance);
      }
    }
    for (const { words, relevance } of known) this.#learnWords(words, relevance, KNOWN_WEIGHT);
    this.#refit();
  }

  priorityOf({ url, host, link, page }: LinkOffer): number {
    const candidates = this.#candidates;
    const candidate = candidates.find(url) ?? this.#newCandidate(url, page.language);
    const { parent, relevance, crowd, host: pageHost } = this.#page;
    candidates.offer(candidate, {
      ...{ parent, relevance, crowd, stretch: stretchOf(link.position), sameHost: pageHost === host },
      boilerplate: (link.flags & LINK_FLAG.boilerplate) !== 0,
      list: (link.flags & LINK_FLAG.list) !== 0,
    });
    const at = this.#links.indexOf(link);
    candidates.addWords(candidate, this.#links.anchor(at), this.#links.context(at), this.#links.place(at));
    return this.#score(candidate);
  }

  *changes(): Iterable<readonly [UrlKey, number]> {
    const explores = this.#isOwnLast && explorations(this.#judged) > explorations(this.#judged - 1);
    let chosen: CandidateId | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const candidate of this.#turns.next(this.#judged < YOUNG ? SWEEP_YOUNG : SWEEP)) {
      const before = this.#candidates.numbers[NUMBERS * candidate + SCORE]!;
      const score = this.#score(candidate);
      if (Math.abs(score - before) > STILL) yield [this.#candidates.keyOf(candidate), score];
      else this.#candidates.numbers[NUMBERS * candidate + SCORE] = before;
      if (!explores) continue;
      const worth = score + Math.sqrt(this.#ridge.variance(this.#x));
      if (worth <= most) continue;
      most = worth;
      chosen = candidate;
    }
    if (chosen !== undefined) yield [this.#candidates.keyOf(chosen), EXPLORED];
  }

  gone(url: CanonicalUrl): void {
    const candidate = this.#candidates.find(url);
    if (candidate === undefined) return;
    this.#turns.delete(candidate);
    this.#candidates.delete(candidate);
  }

  #newCandidate(url: CanonicalUrl, language: string): CandidateId {
    this.#path.clear();
    const to = this.#path.add(this.#ports.hashes(urlText(url), language));
    const candidate = this.#candidates.add(url, { units: this.#path.units, from: 0, to });
    this.#turns.add(candidate);
    return candidate;
  }

  /** Begins with a page whose links are offered next. */
  #begin({ url, host }: JudgedPage, relevance: number, links: number): void {
    const { parents } = this.#candidates;
    parents.release(this.#page.parent);
    this.#page = { parent: parents.add(urlKey(url)), relevance, host, crowd: Math.log2(1 + links) / 8 };
  }

  /** Begins with a page that another shard judged. What it teaches arrives as a lesson. */
  #arrived(page: JudgedPage, relevance: number, { links, known }: WholePage): void {
    this.#isOwnLast = false;
    this.#begin(page, relevance, links);
    this.#links.read(page);
    for (const [stretch, value] of known) this.#candidates.parents.learn(this.#page.parent, stretch, value);
  }

  /** Counts a page of any shard. */
  #count(url: string, relevance: number): void {
    this.#known.set(url, relevance);
    this.#relevanceSum += relevance;
    this.#relevanceCount++;
    this.#judged++;
  }

  #refit(): void {
    if (this.#judged % (this.#judged < YOUNG ? REFIT_YOUNG : REFIT) !== 0) return;
    for (const model of this.#taught) model.refit(1);
    this.#weights = this.#ridge.solve();
  }

  /** Returns which links lead to fetched pages. */
  #knownOf(links: readonly Link[]): readonly Known[] {
    const known: Known[] = [];
    links.forEach(({ url }, at) => {
      const relevance = this.#known.get(url);
      if (relevance !== undefined) known.push({ at, relevance });
    });
    return known;
  }

  #learnWords(texts: readonly (readonly number[])[], relevance: number, weight: number): void {
    texts.forEach((words, at) => {
      const units = Uint16Array.from(words);
      this.#teach(this.#taught[at]!, { units, from: 0, to: units.length }, relevance, weight);
    });
  }

  /** Returns the link that led to the page judged last. */
  #described(candidate: CandidateId): FollowedLink {
    const { offers, first, parents } = this.#candidates;
    const places: [number, number][] = [];
    for (let offer = first[candidate]!; offer !== 0; offer = offers[2 * offer + 1]!)
      places.push([parents.keyOf(parentOf(offers[2 * offer]!)), stretchAt(offers[2 * offer]!)]);
    const words = TAUGHT.map((text) => listed(this.#candidates.wordsOf(candidate, text)));
    return { features: [...this.#followed].map(rounded), words, offers: places };
  }

  /** Learns from a page that was taken from the frontier. */
  #learnLink(page: JudgedPage, relevance: number): void {
    const candidates = this.#candidates;
    const candidate = page.entry === undefined ? undefined : candidates.find(page.entry.url);
    if (candidate === undefined) return;
    this.#fill(candidate);
    this.#followed.set(this.#x);
    this.#ridge.add(this.#x, relevance);
    this.#teach(this.#anchors, candidates.wordsOf(candidate, ANCHOR), relevance);
    this.#teach(this.#contexts, candidates.wordsOf(candidate, CONTEXT), relevance);
    this.#teach(this.#places, candidates.wordsOf(candidate, PLACE), relevance);
    const { offers, first, parents } = candidates;
    for (let offer = first[candidate]!; offer !== 0; offer = offers[2 * offer + 1]!)
      parents.learn(parentOf(offers[2 * offer]!), stretchAt(offers[2 * offer]!), relevance);
  }

  #learnFromKnown(link: Link, at: number, known: number): void {
    this.#candidates.parents.learn(this.#page.parent, stretchOf(link.position), known);
    this.#teach(this.#anchors, this.#links.anchor(at), known, KNOWN_WEIGHT);
    this.#teach(this.#contexts, this.#links.context(at), known, KNOWN_WEIGHT);
    this.#teach(this.#places, this.#links.place(at), known, KNOWN_WEIGHT);
  }

  get #taught(): readonly TextModel[] {
    return [this.#anchors, this.#contexts, this.#places];
  }

  #teach(model: TextModel, { units, from, to }: Words, relevance: number, weight = 1): void {
    model.add(units, from, to, relevance, weight);
  }

  #score(candidate: CandidateId): number {
    this.#fill(candidate);
    const x = this.#x;
    const weights = this.#weights;
    let score = 0;
    for (let i = 0; i < x.length; i++) score += weights[i]! * x[i]!;
    this.#candidates.numbers[NUMBERS * candidate + SCORE] = score;
    this.#turns.placed(candidate, score);
    return score;
  }

  #fill(candidate: CandidateId): void {
    const candidates = this.#candidates;
    const words = candidates.unitsOf(candidate);
    const anchor = candidates.startOf(candidate, ANCHOR);
    const context = candidates.startOf(candidate, CONTEXT);
    const path = candidates.startOf(candidate, URL_PATH);
    const place = candidates.startOf(candidate, PLACE);
    const end = place + candidates.lengthOf(candidate, PLACE);
    const texts = this.#texts;
    texts.zeroAnchor = this.#zeroShot(words, anchor, context);
    texts.zeroContext = this.#zeroShot(words, context, path);
    texts.zeroUrl = this.#zeroShot(words, path, place);
    texts.anchor = this.#anchors.score(words, anchor, context);
    texts.context = this.#contexts.score(words, context, path);
    texts.place = this.#places.score(words, place, end);
    texts.pagesAnchor = this.#pageWords.score(words, anchor, context);
    texts.pagesContext = this.#pageWords.score(words, context, path);
    texts.pagesUrl = this.#pageWords.score(words, path, place);
    fillFeatures(candidate, candidates, { texts, prior: this.#relevanceSum / this.#relevanceCount }, this.#x);
  }

  /**
   * Returns the page model's score of these words, treating all words as equally common. Divides by the root of their
   * number. A page's score would be divided by the length of its idf vector, which is several times larger; the
   * learned weights compensate.
   */
  #zeroShot(units: Uint16Array, from: number, to: number): number {
    if (from === to) return 0;
    const weights = this.#modelWeights;
    let sum = 0;
    for (let i = from; i < to; i++) sum += weights[units[i]!]!;
    return Math.max(-1, Math.min(2, sum / Math.sqrt(to - from)));
  }

  exchange(fields: Fields): void {
    // The data read from the last judged page is no longer needed.
    this.#candidates.exchange(fields);
    this.#turns.exchange(fields);
    this.#known.exchange(fields);
    this.#anchors.exchange(fields);
    this.#contexts.exchange(fields);
    this.#places.exchange(fields);
    this.#pageWords.exchange(fields);
    this.#ridge.exchange(fields);
    this.#weights = fields.value(this.#weights);
    this.#modelWeights = fields.numbers(this.#modelWeights);
    this.#relevanceSum = fields.value(this.#relevanceSum);
    this.#relevanceCount = fields.value(this.#relevanceCount);
    this.#judged = fields.value(this.#judged);
    this.#page = fields.value(this.#page);
  }
}

function listed({ units, from, to }: Words): number[] {
  return [...units.subarray(from, to)];
}

function rounded(feature: number): number {
  return Math.round(LESSON_STEPS * feature) / LESSON_STEPS;
}

/**
 * Returns the number of exploration links after this many pages: 5 of 100 pages, 15 of 1,000 pages. Their share
 * decays with the root of the number, like the remaining uncertainty.
 */
function explorations(pages: number): number {
  return Math.floor(EXPLORATION * Math.sqrt(Math.max(0, pages)));
}
