import {
  answerCommand,
  type CrawlStatus,
  type Question,
  type QuestionAnswer,
  type SteerCommand,
} from '../core/index.ts';
import type { OpenWorkspace, WorkspaceCrawlEvent } from '../workbench/index.ts';
import type { JobState, ServedCrawl } from './crawl-job.ts';
import { BusyError } from './errors.ts';
import type { NumberedEvent } from './event-log.ts';

/** A crawl that another process runs in a workspace of this server. */
export class CrawlElsewhere implements ServedCrawl {
  readonly #workspace: OpenWorkspace;
  readonly #status: CrawlStatus;

  /** @param status its figures of this moment */
  constructor(workspace: OpenWorkspace, status: CrawlStatus) {
    this.#workspace = workspace;
    this.#status = status;
  }

  state(): JobState {
    return { state: 'running', isElsewhere: true, status: this.#status };
  }

  question({ key, topic }: { readonly key: string; readonly topic: string }): Question | undefined {
    const asked = this.#status.question;
    return asked?.key === key && asked.topic === topic ? asked : undefined;
  }

  /** Yields its events from now on. Their numbers are those of this connection. */
  async *events(_after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent<WorkspaceCrawlEvent>, void, void> {
    let id = 0;
    for await (const event of this.#workspace.follow({ signal })) yield { id: ++id, event };
  }

  async steer(command: SteerCommand): Promise<void> {
    await this.#workspace.steerElsewhere(command);
  }

  async answer(question: Question, answer: QuestionAnswer): Promise<void> {
    await this.steer(answerCommand(question, answer));
  }

  /** @throws BusyError always: a process ends its own crawl */
  stop(): void {
    throw new BusyError('Another process runs this crawl.', 'Press Ctrl-C there, or pause it here.');
  }
}
