import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Judgement } from '../../core/index.ts';
import { FILE_LIMITS, readBounded } from '../workspace/bounded-file.ts';

/** The log of decisions, beside bingo.yaml: one JSON object per line. */
export const REVIEWS_FILE = 'reviews.jsonl';

/** A decision of a reviewer about a page. `undecided`: the reviewer withdrew a decision before it was applied. */
export interface LoggedDecision {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Name of the reviewer; `''` if unknown. */
  readonly by: string;
  /** The page's key among the training pages. */
  readonly key: string;
  readonly title: string;
  /** The topic under which the page was shown. */
  readonly topic: string;
  readonly use: Judgement['use'] | 'undecided';
}

/** How often two reviewers agree, over the pages on which both decided. The last decision of each counts. */
export interface Agreement {
  readonly reviewers: readonly [string, string];
  readonly pages: number;
  /** Pages with the same decision. */
  readonly same: number;
  /** Cohen's kappa: agreement beyond chance, at most 1; `null` if both always decide the same one way, or without pages. */
  readonly kappa: number | null;
}

/** The decisions in a workspace, and how far its reviewers agree. */
export interface ReviewAudit {
  /** Newest first. */
  readonly decisions: readonly LoggedDecision[];
  /** Reviewers who decided on common pages, most common pages first. */
  readonly agreements: readonly Agreement[];
}

const MAX_TITLE = 300;
/** Maximum characters of a reviewer's name. */
export const MAX_REVIEWER = 60;

/** Appends a decision. A log that cannot be written never fails a review. */
export function logDecision(dir: string, { title, by, ...rest }: LoggedDecision): void {
  const entry = { ...rest, by: by.slice(0, MAX_REVIEWER), title: title.slice(0, MAX_TITLE).toWellFormed() };
  try {
    appendFileSync(join(dir, REVIEWS_FILE), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  } catch {
    // Read-only folder or full disk.
  }
}

/**
 * Reads the log of decisions. Damaged lines are skipped.
 * @throws UnreadableFileError if the file is too large
 */
export function reviewAudit(dir: string): ReviewAudit {
  const decisions = textOf(dir).split('\n').flatMap(parsed);
  return { decisions: decisions.toReversed(), agreements: agreementsOf(decisions) };
}

/** Returns how far each two reviewers agree. Withdrawn decisions do not count. */
export function agreementsOf(decisions: readonly LoggedDecision[]): readonly Agreement[] {
  const byReviewer = new Map<string, Map<string, string>>();
  for (const { by, key, topic, use } of decisions) {
    if (by === '') continue;
    const own = byReviewer.get(by) ?? new Map<string, string>();
    byReviewer.set(by, own);
    if (use === 'undecided') own.delete(key);
    else own.set(key, use === 'example' ? `example of ${topic}` : use);
  }
  const reviewers = [...byReviewer].sort(([a], [b]) => (a < b ? -1 : 1));
  const pairs = reviewers.flatMap(([a, ofA], i) =>
    reviewers.slice(i + 1).map(([b, ofB]) => agreementOf([a, b], ofA, ofB)),
  );
  return pairs.filter(({ pages }) => pages > 0).sort((a, b) => b.pages - a.pages);
}

function agreementOf(
  reviewers: Agreement['reviewers'],
  a: ReadonlyMap<string, string>,
  b: ReadonlyMap<string, string>,
): Agreement {
  const common = [...a].flatMap(([key, ofA]) => (b.has(key) ? [[ofA, b.get(key)!] as const] : []));
  const pages = common.length;
  const same = common.filter(([ofA, ofB]) => ofA === ofB).length;
  const share = (of: 0 | 1, use: string): number => common.filter((pair) => pair[of] === use).length / pages;
  const byChance = [...new Set(common.flat())].reduce((sum, use) => sum + share(0, use) * share(1, use), 0);
  return {
    reviewers,
    pages,
    same,
    kappa: pages === 0 || byChance === 1 ? null : (same / pages - byChance) / (1 - byChance),
  };
}

function textOf(dir: string): string {
  try {
    return readBounded(join(dir, REVIEWS_FILE), FILE_LIMITS.review).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function parsed(line: string): readonly LoggedDecision[] {
  try {
    const entry = JSON.parse(line) as Record<string, unknown> | null;
    const isEntry = ['at', 'by', 'key', 'title', 'topic', 'use'].every((name) => typeof entry?.[name] === 'string');
    return isEntry ? [entry as unknown as LoggedDecision] : [];
  } catch {
    return [];
  }
}
