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

/** Signed distance to a hyperplane, any real number; positive means "belongs to the topic" (BINGO! §2.4). */
export type Confidence = Brand<number, 'Confidence'>;

export const ROOT: TopicId = '' as TopicId;

/** Reads a topic id that a person typed or a file holds; surrounding slashes are dropped. */
export function parseTopicId(text: string): TopicId {
  return text.replace(/^\/+|\/+$/g, '') as TopicId;
}

/** @throws RangeError when `x` is not finite */
export function confidence(x: number): Confidence {
  if (!Number.isFinite(x)) throw new RangeError(`Expected a finite confidence, got ${x}`);
  return x as Confidence;
}
