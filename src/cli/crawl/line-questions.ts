import { answerCommand, type CrawlStatus, type Question } from '../../core/index.ts';
import type { Crawl } from '../../engine/index.ts';
import { paint, sanitizeForTerminal, wrap } from '../../workbench/index.ts';
import type { Io } from '../command.ts';
import { Lines } from '../lines.ts';
import { wantsColour } from '../process-io.ts';
import { emphasize } from '../search/result-text.ts';

type Asking = Pick<Crawl, 'steer' | 'stop'>;

/** A question in lines. A line with one of the letters answers it. */
interface LineQuestion {
  /** Equal for the same question. */
  readonly id: string;
  readonly prompt: string;
  readonly answers: Readonly<Record<string, () => void>>;
}

/**
 * Asks in lines while the crawl continues: whether a crawl that finds nothing any more continues, and whether
 * pages are on topic.
 */
export class LineQuestions {
  readonly #crawl: Asking;
  readonly #io: Io;
  readonly #lines: Lines;
  #open: { readonly id: string; readonly abort: AbortController } | undefined;
  /** True once the user has closed the input. */
  #isClosed = false;

  constructor(crawl: Asking, io: Io) {
    this.#crawl = crawl;
    this.#io = io;
    this.#lines = new Lines(io);
  }

  /** Asks what waits for an answer, once; withdraws a question that no longer waits. */
  follow(status: Pick<CrawlStatus, 'barren' | 'question'> | undefined): void {
    const wanted = status === undefined ? undefined : this.#questionOf(status);
    if (this.#open !== undefined && this.#open.id !== wanted?.id) this.#open.abort.abort();
    else if (wanted !== undefined && this.#open === undefined && !this.#isClosed) void this.#ask(wanted);
  }

  async #ask({ id, prompt, answers }: LineQuestion): Promise<void> {
    const abort = new AbortController();
    this.#open = { id, abort };
    let answer: string | undefined;
    do {
      answer = (await this.#lines.ask(prompt, abort.signal))?.trim().toLowerCase();
    } while (answer !== undefined && answers[answer] === undefined);
    this.#open = undefined;
    this.#isClosed = answer === undefined && !abort.signal.aborted;
    if (answer !== undefined) answers[answer]?.();
  }

  #questionOf({ barren, question }: Pick<CrawlStatus, 'barren' | 'question'>): LineQuestion | undefined {
    if (barren !== undefined)
      return {
        id: 'barren',
        prompt: 'Type c and Enter to continue, s and Enter to stop.\n',
        answers: {
          c: () => this.#crawl.steer({ kind: 'continue-barren' }),
          s: () => this.#crawl.stop('stagnation'),
        },
      };
    if (question === undefined) return undefined;
    const steer = (answer: 'yes' | 'no' | 'skip') => () => {
      this.#crawl.steer(answerCommand(question, answer));
    };
    return {
      id: question.key,
      prompt: questionText(question, this.#io),
      answers: {
        ...{ y: steer('yes'), n: steer('no'), s: steer('skip') },
        q: () => this.#crawl.steer({ kind: 'end-questions' }),
      },
    };
  }
}

const WIDTH = 100;

/** Formats a question with the passage that shows the deciding terms. */
export function questionText({ title, topic, passage, number, of }: Question, io: Io): string {
  const style = paint(wantsColour(io, io.stderrIsTerminal));
  const name = sanitizeForTerminal(title) || '(no title)';
  const lines = passage.text === '' ? [] : wrap(emphasize(passage, style), Math.min(WIDTH, io.columns()) - 2);
  return [
    `On topic (${sanitizeForTerminal(topic)}, ${number} of ${of})? ${style.bold(name)}`,
    ...lines.map((line) => `  ${line}`),
    'Type y, n or s (skip) and Enter; q stops the questions.\n',
  ].join('\n');
}
