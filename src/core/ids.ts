/**
 * Brands distinguish values of the same runtime type. A brand exists only at compile time: it cannot prevent a
 * deliberate cast, but prevents mistakes. Each brand has one constructor function, which has the only cast.
 */
declare const tag: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [tag]: Name };

/** An absolute http(s) URL in the form returned by `canonicalize`; URLs of the same page are usually equal. */
export type CanonicalUrl = Brand<string, 'CanonicalUrl'>;

/** A topic's path in the tree: names joined by `/`, for example `databases/recovery`. The root is the empty string. */
export type TopicId = Brand<string, 'TopicId'>;

/** Signed distance to a hyperplane, any real number; positive means "belongs to the topic" (BINGO! §2.4). */
export type Confidence = Brand<number, 'Confidence'>;

export const ROOT: TopicId = '' as TopicId;

/** Parses a topic id typed by the user or read from a file; surrounding slashes are dropped. */
export function parseTopicId(text: string): TopicId {
  return text.replace(/^\/+|\/+$/g, '') as TopicId;
}

/** @throws RangeError if `x` is not finite */
export function confidence(x: number): Confidence {
  if (!Number.isFinite(x)) throw new RangeError(`Expected a finite confidence, got ${x}`);
  return x as Confidence;
}
