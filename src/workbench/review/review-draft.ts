import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Judgement, parseSteerCommand } from '../../core/index.ts';
import type { TrainingDesk } from '../../engine/index.ts';
import { safeJson } from '../../kit/index.ts';
import { FILE_LIMITS, isTooLarge, readBounded } from '../workspace/bounded-file.ts';
import { replaceFile } from '../workspace/replace-file.ts';

const DRAFT_FILE = 'review-draft.json';

type Names = Pick<TrainingDesk, 'topicNow' | 'topicThen'> & {
  readonly round: { readonly sequence: number } | undefined;
};

/** Decisions of an on-screen review that are not applied yet. They are kept even if the review is interrupted. */
export class ReviewDraft {
  readonly #path: string;
  /** Pages whose decisions belong to this review: it loaded or saved them. Undefined before loading: then all do. */
  #own: ReadonlySet<unknown> | undefined;

  /** @param dir folder of the workspace */
  constructor(dir: string) {
    this.#path = join(dir, DRAFT_FILE);
  }

  /**
   * Loads the decisions that an earlier review saved, under the topics' current names, without deleted topics.
   * Returns an empty list if the file is missing or unreadable.
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
   * Atomically replaces what this review saved before; an empty list removes the file. Decisions of a concurrent
   * review are kept.
   * @throws Error of the file system
   */
  keep(judgements: readonly Judgement[], desk: Names): void {
    const before = this.#own;
    this.#own = new Set(judgements.map(keyOf));
    const isOther = (key: unknown): boolean => before?.has(key) === false && this.#own?.has(key) === false;
    // Topic names of the last round: a name that bingo.yaml has only for a while could not be resolved later.
    const round = desk.round?.sequence ?? 0;
    const own = judgements.map((judgement) => ({ ...judgement, topic: desk.topicThen(judgement.topic), round }));
    const all = [...this.#read().filter((judgement) => isOther(keyOf(judgement))), ...own];
    if (all.length === 0) rmSync(this.#path, { force: true });
    else replaceFile(this.#path, safeJson(all));
  }

  #read(): readonly unknown[] {
    try {
      const value: unknown = JSON.parse(readBounded(this.#path, FILE_LIMITS.review).toString('utf8'));
      return Array.isArray(value) ? value : [];
    } catch (error) {
      // The file would be replaced, with decisions in it.
      if (isTooLarge(error)) throw error;
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
