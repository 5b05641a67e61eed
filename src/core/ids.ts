/**
 * Brands keep values apart that share a runtime type. A brand is a compile-time label only: it cannot stop a
 * deliberate cast, it stops mistakes. Each brand has one maker, and the maker holds the only cast.
 */
declare const tag: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [tag]: Name };

/** An absolute http(s) URL in the form that `canonicalize` gives it; equal pages have equal canonical URLs. */
export type CanonicalUrl = Brand<string, 'CanonicalUrl'>;

/**
 * A topic's place in the tree: names joined by `/`, for example `databases/recovery`. The root is the empty string.
 */
export type TopicId = Brand<string, 'TopicId'>;

/** A stored page's number, counted from 1 in the order of fetching. Equal to the `sequence` of its journal record. */
export type PageId = Brand<number, 'PageId'>;

/** Signed distance to a hyperplane, any real number; positive means "belongs to the topic" (BINGO! §2.4). */
export type Confidence = Brand<number, 'Confidence'>;

/** Place in the frontier, any finite real number; the greatest is fetched first. */
export type Priority = Brand<number, 'Priority'>;

export const ROOT: TopicId = '' as TopicId;

/** Joins a parent's id and a child's name. The name must be free of `/`; the tree's maker checks it. */
export function topicId(parent: TopicId, name: string): TopicId {
  return (parent === ROOT ? name : `${parent}/${name}`) as TopicId;
}

/** Reads a topic id that a person typed or a file holds; surrounding slashes are dropped. */
export function parseTopicId(text: string): TopicId {
  return text.replace(/^\/+|\/+$/g, '') as TopicId;
}

/** @throws RangeError when `n` is not a positive integer */
export function pageId(n: number): PageId {
  if (!Number.isSafeInteger(n) || n < 1) throw new RangeError(`Expected a page id (an integer >= 1), got ${n}`);
  return n as PageId;
}

/** @throws RangeError when `x` is not finite */
export function confidence(x: number): Confidence {
  if (!Number.isFinite(x)) throw new RangeError(`Expected a finite confidence, got ${x}`);
  return x as Confidence;
}

/** @throws RangeError when `x` is not finite */
export function priority(x: number): Priority {
  if (!Number.isFinite(x)) throw new RangeError(`Expected a finite priority, got ${x}`);
  return x as Priority;
}
