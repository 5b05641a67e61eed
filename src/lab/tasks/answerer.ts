import {
  answerCommand,
  type CrawlEvent,
  type Question,
  type QuestionAnswer,
  type SteerCommand,
} from '../../core/index.ts';
import type { PageReader, QuestionOrder, ReaderQuestion, ReaderReply } from '../../engine/index.ts';
import { counted, hashedShare, percent } from '../../kit/index.ts';
import type { Truth } from './relevance.ts';

/** Options of a simulated user who answers the questions of a crawl. */
export interface AnswerOptions {
  /** Maximum number of answers per topic. */
  readonly answers: number;
  /** Pages fetched between a question and its answer. */
  readonly lag: number;
  /** Share of wrong answers, in [0,1]. */
  readonly errors: number;
  readonly order: QuestionOrder;
  /** True: a reader answers, which is examined first and answers without a lag. */
  readonly isReader?: boolean;
}

/** A simulated user who answers questions after the first pages of a crawl. It then continues. */
export interface ExploreOptions {
  /** Number of pages fetched. */
  readonly pages: number;
  /** Maximum number of answers per topic. */
  readonly answers: number;
  readonly order: QuestionOrder;
  /** True: the pages come on top of the budget. */
  readonly isExtra: boolean;
}

/**
 * Simulates a user who answers a crawl's questions, late and with mistakes. Labels replace the user's knowledge, only
 * for the pages asked about; the user skips pages without a label. The crawl learns nothing else from labels.
 */
export class SimulatedUser {
  readonly #options: AnswerOptions;
  readonly #truth: Pick<Truth, 'topicsOf'>;
  readonly #steer: (command: SteerCommand) => void;
  #open: { readonly question: Question; left: number } | undefined;

  constructor(options: AnswerOptions, truth: Pick<Truth, 'topicsOf'>, steer: (command: SteerCommand) => void) {
    this.#options = options;
    this.#truth = truth;
    this.#steer = steer;
  }

  /** Receives an event of the crawl; answers the open question once it is time. */
  note(event: CrawlEvent): void {
    if (event.kind === 'question') this.#open = { question: event.question, left: this.#options.lag };
    else if (event.kind !== 'page' || this.#open === undefined) return;
    else this.#open.left--;
    const { question, left } = this.#open;
    if (left > 0) return;
    this.#open = undefined;
    // Not within the event: the crawl has not finished what caused it.
    queueMicrotask(() => this.#steer(answerCommand(question, this.#answerTo(question))));
  }

  #answerTo(question: Question): QuestionAnswer {
    return labelled(question, this.#truth, this.#options.errors);
  }
}

/** Simulates a reader that answers by the labels, with mistakes. */
export class SimulatedReader implements PageReader {
  readonly name = 'The simulated reader';
  readonly #truth: Pick<Truth, 'topicsOf'>;
  readonly #errors: number;

  constructor({ errors }: Pick<AnswerOptions, 'errors'>, truth: Pick<Truth, 'topicsOf'>) {
    this.#errors = errors;
    this.#truth = truth;
  }

  async answer(question: ReaderQuestion): Promise<ReaderReply> {
    return { kind: 'answer', answer: labelled(question, this.#truth, this.#errors) };
  }
}

function labelled(
  { key, topic }: Pick<Question, 'key' | 'topic'>,
  truth: Pick<Truth, 'topicsOf'>,
  errors: number,
): QuestionAnswer {
  const topics = truth.topicsOf(key as Parameters<Truth['topicsOf']>[0]);
  if (topics === undefined) return 'skip';
  const isWrong = hashedShare(`${topic}\n${key}`) < errors;
  return topics.includes(topic) === isWrong ? 'no' : 'yes';
}

/** Returns a note for figures of crawls with answers. */
export function describeAnswers({ answers, lag, errors, order, isReader }: AnswerOptions): string {
  const late = lag === 0 ? 'at once' : `${counted(lag, 'page')} later`;
  const wrong = errors === 0 ? '' : `, ${percent(errors)} of them wrongly`;
  if (isReader === true)
    return `A simulated reader answered ${counted(answers, 'question')} per topic (${order})${wrong}, if it passed its examination.`;
  return `The labels answered ${counted(answers, 'question')} per topic (${order}), ${late}${wrong}.`;
}

/** Returns a note for figures of crawls after an exploration. */
export function describeExplore({ pages, answers, order, isExtra }: ExploreOptions): string {
  const where = isExtra ? 'On top of the budget' : 'First';
  return `${where}, ${counted(pages, 'page')} were fetched; then the labels answered ${counted(answers, 'question')} per topic (${order}).`;
}
