import { hash53 } from '../kit/index.ts';

declare const tag: unique symbol;

/** A 53-bit hash that identifies a URL without storing its text. */
export type UrlKey = number & { readonly [tag]: 'UrlKey' };

export function urlKey(url: string): UrlKey {
  return hash53(url) as UrlKey;
}
