import {
  type AnalyzedDocument,
  answerCommand,
  type CrawlEvent,
  type DocumentFeatures,
  goodTopics,
  type Passage,
  type Question,
  type QuestionAnswer,
  type SteerCommand,
  type TermCounts,
  type TopicId,
} from '../../core/index.ts';
import {
  type Classifier,
  classify,
  decodeModels,
  explain,
  freeClassifier,
  prepareClassifier,
} from '../../meta/index.ts';
import type { Journal, PageReader } from '../ports.ts';
import { candidatesOf } from '../rounds/archetype-choice.ts';
import type { CrawlState } from '../state/crawl-state.ts';
import { choosePage, type QuestionOrder } from './choose-question.ts';
import type { ExaminedReader } from './examined-reader.ts';

/** How a crawl asks the user about pages. */
export interface AskOptions {
  /** Maximum number of answers per topic. */
  readonly answers: number;
  /**
   * True: the questions come when the crawl has nothing left to fetch, and it ends when they are over. Default: they
   * come while it fetches, and it never waits.
   */
  readonly atEnd?: boolean | undefined;
  /** Default: `benefit`. */
  readonly order?: QuestionOrder | undefined;
  /** Answers in the user's place, as long as it proves right. */
  readonly reader?: PageReader | undefined;
  /** False: without the reader no questions are asked. Default: the user is asked then. */
  readonly isAttended?: boolean | undefined;
  /** Returns the passage of a page to show, with these terms. Default: none. */
  readonly passageOf?: ((document: AnalyzedDocument, terms: readonly string[]) => Passage) | undefined;
}

interface QuestionPorts {
  readonly ask: AskOptions;
  readonly reader: Pick<ExaminedReader, 'isDropped' | 'answer'> | undefined;
  readonly journal: Pick<Journal, 'flush' | 'documents'>;
  readonly state: () => CrawlState;
  /** True: the crawl waits for the choice of a question, so that it can be repeated. */
  readonly isExact: boolean;
  readonly emit: (event: CrawlEvent) => void;
  readonly wake: () => void;
}

/** Number of pages before the first question, and between an answer and the next question. */
const FIRST_AT = 20;
const GAP = 15;
/** Number of accepted pages that a question is chosen from: those with the least certain verdicts. Our choice. */
const LOOKED_AT = 64;
const NO_PASSAGE: Passage = { text: '', marks: [] };
/** Number of terms shown. */
const TERMS = 5;

/** A stored page that may be asked about, with its document. */
interface Askable {
  readonly key: string;
  readonly sequence: number;
  readonly title: string;
  readonly document: AnalyzedDocument;
  readonly terms: TermCounts | undefined;
  readonly calibrated: number;
}

/**
 * Asks the user about pages while a crawl runs, or at its end, one at a time. Nothing about a question is
 * journaled: an answer is a decision on a page, which is, and a page that has one is not asked about again.
 */
export class Questions {
  readonly #ports: QuestionPorts;
  #open: Question | undefined;
  #choosing: Promise<void> | undefined;
  #nextAt: number;
  #isOver = false;
  readonly #answered = new Map<TopicId, number>();
  readonly #skipped = new Map<TopicId, Set<string>>();
  /** Terms of the pages asked about. */
  readonly #asked: (TermCounts | undefined)[] = [];
  /** Answers of the reader. */
  readonly #given: SteerCommand[] = [];

  constructor(ports: QuestionPorts) {
    this.#ports = ports;
    this.#nextAt = ports.ask.atEnd === true ? 0 : FIRST_AT;
  }

  /** True if the crawl must not end: questions are left. */
  get isHolding(): boolean {
    return this.#ports.ask.atEnd === true && !this.#isOver;
  }

  /** The question that waits for an answer of the user. */
  get open(): Question | undefined {
    return this.#isRead ? undefined : this.#open;
  }

  /** Removes and returns the answers of the reader. */
  takeAnswers(): readonly SteerCommand[] {
    return this.#given.splice(0);
  }

  /**
   * Closes an answered question, and chooses the next one if it is due.
   * @param isAtEnd true: nothing is left to fetch
   */
  async advance(isAtEnd: boolean): Promise<void> {
    this.#closeAnswered();
    const { fetched } = this.#state.tally;
    if (this.#isOver || this.#open !== undefined || this.#choosing !== undefined || fetched < this.#nextAt) return;
    if (this.#ports.ask.atEnd === true && !isAtEnd) return;
    const { round, isJudgedAnew } = this.#state;
    // The model that judges the pages has learned from the last answer.
    if (round === undefined || isJudgedAnew) return;
    this.#nextAt = fetched + this.#gap;
    this.#choosing = this.#choose(round.blob)
      // Without the store there are no pages to ask about; the journal reports a store that stays away.
      .catch(() => {
        if (this.isHolding) this.end();
      })
      .finally(() => {
        this.#choosing = undefined;
        this.#ports.wake();
      });
    if (this.#ports.isExact) await this.#choosing;
  }

  /** Closes the question about a page without an answer. @returns false if it is not open */
  skip(key: string): boolean {
    const open = this.#open;
    if (open?.key !== key) return false;
    const skipped = this.#skipped.get(open.topic) ?? new Set();
    this.#skipped.set(open.topic, skipped.add(key));
    this.#close();
    return true;
  }

  /** Asks nothing more. @returns false if no question was to come */
  end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#close();
    return true;
  }

  /** True if the reader answers. */
  get #isRead(): boolean {
    return this.#ports.reader?.isDropped === false;
  }

  get #state(): CrawlState {
    return this.#ports.state();
  }

  get #gap(): number {
    return this.#ports.ask.atEnd === true ? 0 : GAP;
  }

  #closeAnswered(): void {
    const open = this.#open;
    if (open === undefined) return;
    const use = this.#state.steering.judgements.get(open.key)?.use ?? 'free';
    if (use === 'free') return;
    this.#answered.set(open.topic, this.#answersOf(open.topic) + 1);
    this.#close();
  }

  #close(): void {
    this.#open = undefined;
    this.#nextAt = this.#state.tally.fetched + this.#gap;
  }

  #answersOf(topic: TopicId): number {
    return this.#answered.get(topic) ?? 0;
  }

  /** Opens a question about the topic with the fewest answers that has a page to ask about. */
  async #choose(blob: Uint8Array): Promise<void> {
    const { answers, order = 'benefit' } = this.#ports.ask;
    const left = goodTopics(this.#state.tree)
      .map(({ id }) => id)
      .filter((id) => this.#answersOf(id) < answers && (this.#skipped.get(id)?.size ?? 0) < answers)
      .sort((a, b) => this.#answersOf(a) - this.#answersOf(b));
    if (left.length === 0) {
      this.end();
      return;
    }
    const classifier = prepareClassifier(decodeModels(blob));
    try {
      for (const topic of left) {
        const pages = await this.#askable(topic, classifier);
        // The user may have ended the questions meanwhile.
        if (this.#isOver) return;
        const found = choosePage({ pages, asked: this.#asked, threshold: classifier.models.acceptThreshold, order });
        if (found === undefined) continue;
        this.#ask(topic, found, classifier);
        return;
      }
      if (this.isHolding) this.end();
    } finally {
      freeClassifier(classifier);
    }
  }

  /** Returns the accepted pages of a topic to choose from, judged by the current model. */
  async #askable(topic: TopicId, classifier: Classifier): Promise<Askable[]> {
    const { journal, ask } = this.#ports;
    const skipped = this.#skipped.get(topic);
    const free = candidatesOf(this.#state, topic).filter(({ key }) => skipped?.has(key) !== true);
    // Most confident first.
    const looked = ask.order === 'surest' ? free.slice(0, LOOKED_AT) : free.slice(-LOOKED_AT);
    const sequences = looked.map(({ key }) => this.#state.seen.pageOf(key) ?? 0);
    // The pages fetched last may not be stored yet.
    await journal.flush();
    const documents = await journal.documents(sequences);
    return looked.flatMap(({ key, title }, i): Askable[] => {
      const sequence = sequences[i]!;
      const document = documents.get(sequence);
      if (document === undefined) return [];
      const { features } = document;
      return [
        { key, title, sequence, document, terms: features.terms, calibrated: scoreOf(classifier, features, topic) },
      ];
    });
  }

  #ask(topic: TopicId, { key, sequence, title, document, terms: bag }: Askable, classifier: Classifier): void {
    const { answers, passageOf } = this.#ports.ask;
    const reasons = explain(classifier, document.features, topic, TERMS)?.for ?? [];
    const terms = reasons.map(({ feature }) => feature);
    const number = this.#answersOf(topic) + 1;
    this.#asked.push(bag);
    const passage = passageOf?.(document, terms) ?? NO_PASSAGE;
    const question: Question = { ...{ key, sequence, title, topic, terms, passage, number }, of: answers };
    this.#open = question;
    const { reader } = this.#ports;
    if (reader === undefined || reader.isDropped) this.#ports.emit({ kind: 'question', question });
    else void reader.answer(question, document).then((answer) => this.#take(question, answer));
  }

  /** @param answer `undefined`: the reader was dropped */
  #take(question: Question, answer: QuestionAnswer | undefined): void {
    if (this.#open !== question) return;
    if (answer === undefined) {
      if (this.#ports.ask.isAttended === false) this.end();
      else this.#ports.emit({ kind: 'question', question });
    } else if (answer === 'skip') this.skip(question.key);
    else this.#given.push(answerCommand(question, answer, 'reader'));
    this.#ports.wake();
  }
}

function scoreOf(classifier: Classifier, features: DocumentFeatures, topic: TopicId): number {
  return classify(classifier, features, 'weighted').scores.find((score) => score.topic === topic)?.calibrated ?? 0;
}
