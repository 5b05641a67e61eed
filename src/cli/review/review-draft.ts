import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Judgement, parseSteerCommand, safeJson, type TopicTree } from '../../core/index.ts';
import { replaceFile } from '../replace-file.ts';

const DRAFT_FILE = 'review-draft.json';

/** Decisions of a review on a screen that are not applied yet. They outlive the review, however it ended. */
export class ReviewDraft {
  readonly #path: string;

  /** @param dir folder of the workspace */
  constructor(dir: string) {
    this.#path = join(dir, DRAFT_FILE);
  }

  /** Decisions that an earlier review kept, without those for topics that are gone; none when there is no file, or no readable one. */
  load(tree: TopicTree): Judgement[] {
    return this.#read().flatMap((judgement) => {
      const command = parseSteerCommand({ kind: 'judge-page', judgement });
      return command?.kind === 'judge-page' && tree.nodes.has(command.judgement.topic) ? [command.judgement] : [];
    });
  }

  /**
   * Takes the place of what was kept before, whole or not at all; without any the file is removed.
   * @throws Error of the file system
   */
  keep(judgements: readonly Judgement[]): void {
    if (judgements.length === 0) rmSync(this.#path, { force: true });
    else replaceFile(this.#path, safeJson(judgements));
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
