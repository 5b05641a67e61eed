import type { CanonicalUrl, Link, TopicId } from '../../core/index.ts';
import type { JudgedPage, LinkOffer, Ordering } from '../ordering.ts';
import { KnownPages } from './known-pages.ts';
import {
  type Candidate,
  FEATURES,
  fillFeatures,
  MAX_OFFERS,
  Parent,
  START_WEIGHTS,
  type TextScores,
} from './link-features.ts';
import { hashWords, type LinkWords, placeOf, union, urlText, WORD_SLOTS, type Words, wordSlot } from './link-words.ts';
import { PageWords } from './page-words.ts';
import { PulledRidge } from './ridge.ts';
import { Sweep } from './sweep.ts';
import { TextModel } from './text-model.ts';

/** What the learned ordering needs of the rest of the house. */
export interface LearnedPorts {
  /** Stems of a text without stop words, as the page classifier has them. */
  readonly stems: (text: string) => readonly string[];
}

/** Pages' worth of evidence after which learned weights count as much as the hand-set ones. */
const START_STRENGTH = 20;
/** Relevance as feedback: a power > 1 makes half-relevant pages count for less than half. */
const POWER = 1.5;
/** Samples that a text model keeps. */
const SAMPLES = 2000;
/** A link to a page that is known already teaches the text models, too; less than a link that was followed. */
const KNOWN_WEIGHT = 0.5;
/** Pages, of which the first are learned from more often. */
const YOUNG = 100;
const REFIT_YOUNG = 5;
const REFIT = 20;
/** Waiting links scored again after each page: of all, and of the best. */
const SWEEP_YOUNG = 100;
const SWEEP = 12;
/** Links that are followed to learn from them, by the root of the number of pages. */
const EXPLORATION = 0.5;
/** The priority of such a link: above all scores. */
const EXPLORED = 3;
/** A priority that moved by less is left as it is. */
const STILL = 6e-3;

/**
 * The learned ordering (DESIGN §8): an online model of what a link promises. It predicts the relevance of the page
 * behind a link from the pages that offer it, from what became of their other links, from the words around it and its
 * place among them, and from what pages with these words turned out to be. A small, decaying share of the pages is spent on links
 * of which the model knows little: of the links looked at, the one whose score and standard deviation sum to most. State is
 * bounded: waiting links, the pages that offer them, and tables of fixed size.
 */
export class LearnedOrdering implements Ordering {
  readonly name = 'learned';
  readonly focused = false;
  readonly ordersLearning = true;
  readonly #ports: LearnedPorts;
  readonly #waiting = new Sweep<Candidate>();
  readonly #known = new KnownPages();
  readonly #anchors = new TextModel({ capacity: SAMPLES, strength: 2 });
  readonly #contexts = new TextModel({ capacity: SAMPLES, strength: 4 });
  readonly #places = new TextModel({ capacity: SAMPLES, strength: 8 });
  readonly #pageWords = new PageWords();
  readonly #ridge = new PulledRidge(START_WEIGHTS, START_STRENGTH);
  readonly #x = new Float64Array(FEATURES.length);
  readonly #texts: TextScores = { anchor: 0, context: 0, place: 0, pagesAnchor: 0, pagesContext: 0, pagesUrl: 0 };
  #weights: Readonly<Float64Array> = START_WEIGHTS;
  #modelWeights = new Float32Array(WORD_SLOTS);
  #model = 0;
  /** Mean relevance of fetched pages, ten of mean .05 given. */
  #relevanceSum = 0.5;
  #relevanceCount = 10;
  #judged = 0;
  /** The page judged last, and the words of its links. */
  #parent = new Parent(0, '', 0);
  readonly #linkWords = new Map<Link, LinkWords>();

  constructor(ports: LearnedPorts) {
    this.#ports = ports;
  }

  /** A word says as much as it does for the topic that it favours most. */
  modelChanged(weights: ReadonlyMap<TopicId, ReadonlyMap<string, number>>): void {
    const best = new Map<string, number>();
    for (const topic of weights.values())
      for (const [stem, weight] of topic) best.set(stem, Math.max(weight, best.get(stem) ?? Number.NEGATIVE_INFINITY));
    this.#modelWeights = new Float32Array(WORD_SLOTS);
    for (const [stem, weight] of best) this.#modelWeights[wordSlot(stem)]! += weight;
    this.#model++;
  }

  judged(page: JudgedPage): void {
    const relevance = page.assignment.relevance ** POWER;
    this.#judged++;
    this.#relevanceSum += relevance;
    this.#relevanceCount++;
    this.#learn(page, relevance);
    this.#known.set(page.url, relevance);
    this.#parent = new Parent(relevance, page.host, page.links.length);
    this.#readLinks(page);
    this.#pageWords.add(this.#wordsOf(page), relevance);
    for (const link of page.links) this.#learnFromKnown(link);
    if (this.#judged % (this.#judged < YOUNG ? REFIT_YOUNG : REFIT) !== 0) return;
    for (const model of [this.#anchors, this.#contexts, this.#places]) model.refit(1);
    this.#weights = this.#ridge.solve();
  }

  priorityOf({ url, host, link }: LinkOffer): number {
    let candidate = this.#waiting.get(url);
    if (candidate === undefined) {
      candidate = freshCandidate(host, this.#words(urlText(url)));
      this.#waiting.add(url, candidate);
    }
    const parent = this.#parent;
    if (candidate.offers.length < MAX_OFFERS)
      candidate.offers.push({ parent, position: link.position, flags: link.flags });
    candidate.offered++;
    candidate.relevanceSum += parent.relevance;
    candidate.relevanceMax = Math.max(candidate.relevanceMax, parent.relevance);
    const words = this.#linkWords.get(link) ?? this.#read(link);
    candidate.anchorWords = union(candidate.anchorWords, words.anchor);
    candidate.contextWords = union(candidate.contextWords, words.context);
    candidate.places = union(candidate.places, words.place);
    candidate.zeroModel = -1;
    return this.#score(url, candidate);
  }

  *changes(): Iterable<readonly [CanonicalUrl, number]> {
    const explores = explorations(this.#judged) > explorations(this.#judged - 1);
    let chosen: string | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const [url, candidate] of this.#waiting.next(this.#judged < YOUNG ? SWEEP_YOUNG : SWEEP)) {
      const before = candidate.score;
      const score = this.#score(url, candidate);
      if (Math.abs(score - before) > STILL) yield [url as CanonicalUrl, score];
      else candidate.score = before;
      if (!explores) continue;
      const worth = score + Math.sqrt(this.#ridge.variance(this.#x));
      if (worth <= most) continue;
      most = worth;
      chosen = url;
    }
    if (chosen !== undefined) yield [chosen as CanonicalUrl, EXPLORED];
  }

  gone(url: CanonicalUrl): void {
    this.#waiting.delete(url);
  }

  /** A page that was taken from the frontier shows what its links were worth. */
  #learn(page: JudgedPage, relevance: number): void {
    const candidate = page.entry === undefined ? undefined : this.#waiting.get(page.entry.url);
    if (candidate === undefined) return;
    this.#fill(candidate);
    this.#ridge.add(this.#x, relevance);
    this.#anchors.add(candidate.anchorWords, relevance);
    this.#contexts.add(candidate.contextWords, relevance);
    this.#places.add(candidate.places, relevance);
    for (const { parent, position } of candidate.offers) parent.learn(position, relevance);
  }

  #learnFromKnown(link: Link): void {
    const known = this.#known.get(link.url);
    if (known === undefined) return;
    const words = this.#linkWords.get(link)!;
    this.#parent.learn(link.position, known);
    this.#anchors.add(words.anchor, known, KNOWN_WEIGHT);
    this.#contexts.add(words.context, known, KNOWN_WEIGHT);
    this.#places.add(words.place, known, KNOWN_WEIGHT);
  }

  #readLinks(page: JudgedPage): void {
    this.#linkWords.clear();
    for (const link of page.links) this.#linkWords.set(link, this.#read(link));
  }

  #read(link: Link): LinkWords {
    return { anchor: this.#words(link.anchor), context: this.#words(link.context), place: placeOf(link) };
  }

  /** Words that stand for a page: its title, its anchors and what is around them. The journal keeps no others. */
  #wordsOf(page: JudgedPage): Set<number> {
    const words = new Set<number>();
    const add = (text: Words): void => {
      for (let i = 0; i < text.length; i++) words.add(text.charCodeAt(i));
    };
    add(this.#words(page.title));
    for (const { anchor, context } of this.#linkWords.values()) {
      add(anchor);
      add(context);
    }
    return words;
  }

  #score(url: string, candidate: Candidate): number {
    this.#fill(candidate);
    const x = this.#x;
    const weights = this.#weights;
    let score = 0;
    for (let i = 0; i < x.length; i++) score += weights[i]! * x[i]!;
    candidate.score = score;
    this.#waiting.placed(url, candidate);
    return score;
  }

  #fill(candidate: Candidate): void {
    const { anchorWords, contextWords, urlWords } = candidate;
    if (candidate.zeroModel !== this.#model) {
      candidate.zeroAnchor = this.#zeroShot(anchorWords);
      candidate.zeroContext = this.#zeroShot(contextWords);
      candidate.zeroUrl = this.#zeroShot(urlWords);
      candidate.zeroModel = this.#model;
    }
    const texts = this.#texts;
    texts.anchor = this.#anchors.score(anchorWords);
    texts.context = this.#contexts.score(contextWords);
    texts.place = this.#places.score(candidate.places);
    texts.pagesAnchor = this.#pageWords.score(anchorWords);
    texts.pagesContext = this.#pageWords.score(contextWords);
    texts.pagesUrl = this.#pageWords.score(urlWords);
    fillFeatures(candidate, texts, this.#relevanceSum / this.#relevanceCount, this.#x);
  }

  /** What the page model would say of a page of these words alone. */
  #zeroShot(words: Words): number {
    if (words.length === 0) return 0;
    const weights = this.#modelWeights;
    let sum = 0;
    for (let i = 0; i < words.length; i++) sum += weights[words.charCodeAt(i)]!;
    return Math.max(-1, Math.min(2, sum / Math.sqrt(words.length)));
  }

  #words(text: string): Words {
    return hashWords(this.#ports.stems(text));
  }
}

function freshCandidate(host: string, urlWords: Words): Candidate {
  return {
    host,
    offers: [],
    offered: 0,
    relevanceSum: 0,
    relevanceMax: 0,
    anchorWords: '',
    contextWords: '',
    urlWords,
    places: '',
    zeroAnchor: 0,
    zeroContext: 0,
    zeroUrl: 0,
    zeroModel: -1,
    score: 0,
  };
}

/**
 * Links that a crawl of so many pages follows to learn from them and not for their promise: of 100 pages 5, of 1,000 pages 15. The
 * share decays with the root of the number, as what is left to learn does.
 */
function explorations(pages: number): number {
  return Math.floor(EXPLORATION * Math.sqrt(Math.max(0, pages)));
}
