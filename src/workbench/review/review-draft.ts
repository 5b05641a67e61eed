import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Judgement, parseSteerCommand } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import { safeJson } from '../../kit/index.ts';
import { replaceFile } from '../workspace/replace-file.ts';

const DRAFT_FILE = 'review-draft.json';

type Names = Pick<TrainingDesk, 'topicNow' | 'topicThen'> & {
  readonly round: { readonly sequence: number } | undefined;
};

/** Decisions of a review on a screen that are not applied yet. They outlive the review, however it ended. */
export class ReviewDraft {
  readonly #path: string;
  /** Pages whose decisions are this review's: it found them kept, or kept them. Before it looked all are. */
  #own: ReadonlySet<unknown> | undefined;

  /** @param dir folder of the workspace */
  constructor(dir: string) {
    this.#path = join(dir, DRAFT_FILE);
  }

  /**
   * Decisions that an earlier review kept, for topics under the names that they have now, without those for topics that are gone; none when
   * there is no file, or no readable one.
   */
  load(desk: Names): Judgement[] {
    const kept = this.#read();
    this.#own ??= new Set(kept.map(keyOf));
    return kept.flatMap((judgement) => {
      const command = parseSteerCommand({ kind: 'judge-page', judgement });
      if (command?.kind !== 'judge-page') return [];
      const topic = desk.topicNow(command.judgement.topic, roundOf(judgement));
      return topic === undefined ? [] : [{ ...command.judgement, topic }];
    });
  }

  /**
   * Takes the place of what this review kept before, whole or not at all; without any the file is removed. Beside a crawl there may be
   * another review, whose decisions stay.
   * @throws Error of the file system
   */
  keep(judgements: readonly Judgement[], desk: Names): void {
    const before = this.#own;
    this.#own = new Set(judgements.map(keyOf));
    const isOther = (key: unknown): boolean => before?.has(key) === false && this.#own?.has(key) === false;
    // As the last round calls topics: a name that bingo.yaml has meanwhile, and no longer then, nobody would know.
    const round = desk.round?.sequence ?? 0;
    const own = judgements.map((judgement) => ({ ...judgement, topic: desk.topicThen(judgement.topic), round }));
    const all = [...this.#read().filter((judgement) => isOther(keyOf(judgement))), ...own];
    if (all.length === 0) rmSync(this.#path, { force: true });
    else replaceFile(this.#path, safeJson(all));
  }

  #read(): readonly unknown[] {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      return Array.isArray(value) ? value : [];
    } catch {
      return [];
    }
  }
}

function roundOf(judgement: unknown): number | undefined {
  const { round } = (judgement ?? {}) as { readonly round?: unknown };
  return Number.isSafeInteger(round) ? (round as number) : undefined;
}

function keyOf(judgement: unknown): unknown {
  return (judgement as { readonly key?: unknown } | null)?.key;
}
