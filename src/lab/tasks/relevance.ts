import type { CanonicalUrl } from '../../core/index.ts';
import { isLabelled, type Labels } from './labels.ts';
import type { Task } from './task.ts';

/** Link targets of a page within the archive. */
export type LinkGraph = (url: CanonicalUrl) => readonly CanonicalUrl[];

/** Ground truth for scoring a crawl of one task. The crawler never sees it. */
export interface Truth {
  /** Number of pages reachable from the seeds, with the seeds. */
  readonly reachable: number;
  /** Relevant pages: on topic, reachable, and not given to the crawler. */
  readonly relevant: ReadonlySet<CanonicalUrl>;
  /** Returns the task's topics of a page: several, none (labelled otherwise), or `undefined` for an unlabelled page. */
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

/** Returns all pages reachable from `starts`, with these, nearest first. */
export function reach(starts: readonly CanonicalUrl[], links: LinkGraph): ReadonlySet<CanonicalUrl> {
  const seen = new Set(starts);
  // Iterating a set also visits elements added meanwhile, so it is its own queue.
  for (const url of seen) for (const target of links(url)) seen.add(target);
  return seen;
}
