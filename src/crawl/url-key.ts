import { hash53 } from '../kit/index.ts';

declare const tag: unique symbol;

/** What a URL is known by where nobody needs to read it: its hash of 53 bits. */
export type UrlKey = number & { readonly [tag]: 'UrlKey' };

export function urlKey(url: string): UrlKey {
  return hash53(url) as UrlKey;
}
