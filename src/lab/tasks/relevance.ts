import type { CanonicalUrl } from '../../core/index.ts';
import { isLabelled, type Labels } from './labels.ts';
import type { Task } from './task.ts';

/** Where links lead: for a page, the pages of the archive that it links to. */
export type LinkGraph = (url: CanonicalUrl) => readonly CanonicalUrl[];

/** The truth that a crawl of one task is scored against. The crawler never sees it. */
export interface Truth {
  /** Pages that links lead to from the seeds, the seeds included. */
  readonly reachable: number;
  /** Relevant pages: on topic, reachable, and not given. */
  readonly relevant: ReadonlySet<CanonicalUrl>;
  /**
   * Names of the task's topics that a page is on: several, none (judged to be about something else), or `undefined`
   * for a page that nobody judged.
   */
  readonly topicsOf: (url: CanonicalUrl) => readonly string[] | undefined;
}

/** Applies the labels to a task (docs/lab.md#the-measures). */
export function truthOf(task: Task, labels: Labels, links: LinkGraph): Truth {
  const topicsOf = (url: CanonicalUrl): readonly string[] | undefined => {
    const paths = labels.get(url);
    if (paths === undefined) return undefined;
    return task.topics
      .filter((topic) => paths.some((path) => isLabelled(path, topic.labels)))
      .map((topic) => topic.name);
  };
  const given = new Set([...task.topics.flatMap((topic) => topic.examples), ...task.seeds, ...task.others]);
  const reachable = reach(task.seeds, links);
  const relevant = [...reachable].filter((url) => !given.has(url) && (topicsOf(url) ?? []).length > 0);
  return { reachable: reachable.size, relevant: new Set(relevant), topicsOf };
}

/** All pages that links lead to from `starts`, these included, nearest first. */
export function reach(starts: readonly CanonicalUrl[], links: LinkGraph): ReadonlySet<CanonicalUrl> {
  const seen = new Set(starts);
  // A set is walked in the order of insertion, additions during the walk included: it is its own queue.
  for (const url of seen) for (const target of links(url)) seen.add(target);
  return seen;
}
