import { setTimeout } from 'node:timers/promises';
import type { CanonicalUrl, FetchOutcome } from '../../../src/core/index.ts';
import { seededRandom } from '../../../src/kit/index.ts';
import { type Answer, at, PaperFetcher, paperUrl, paperWeb } from './paper-web.ts';

/** Pages that are named as examples and OTHERS stay as they are. */
const NAMED = /\/page\/[0-6]$/;
const COPIES = 12;
const REFERRED = 40;

/** The paper web with redirects, pages that must not be stored or followed, copies and endless addresses; another one for each seed. */
export function wildWeb(seed: number): Map<string, Answer> {
  const web = paperWeb();
  const random = seededRandom(seed);
  const urls = [...web.keys()];
  const one = (): string => urls[Math.floor(random() * urls.length)]!;
  for (let n = 0; n < REFERRED; n++) {
    const url = one();
    const page = web.get(url);
    if (typeof page === 'string' && !NAMED.test(url))
      spoil(web, { url, page, to: one(), how: Math.floor(random() * 8) });
  }
  return web;
}

interface Spoilt {
  readonly url: string;
  readonly page: string;
  /** Another page. */
  readonly to: string;
  readonly how: number;
}

function spoil(web: Map<string, Answer>, { url, page, to, how }: Spoilt): void {
  const says = (head: string): void => void web.set(url, page.replace('<head>', `<head>${head}`));
  if (how === 0) says('<meta name=robots content=noindex>');
  else if (how === 1) says('<meta name=robots content="noindex,nofollow">');
  else if (how === 2) says('<meta name=robots content=nofollow>');
  else if (how === 3) says(`<link rel=canonical href="${to}">`);
  else if (how === 4) web.set(url, `<title>Moved</title><meta http-equiv=refresh content="0; url=${to}">`);
  else if (how === 5) web.set(url, web.get(to)!);
  else if (how === 6)
    web.set(url, { kind: 'redirected', url: at(url), target: at(to), status: 301, permanent: true, fetchedAt: 0 });
  else {
    const copies = Array.from({ length: COPIES }, (_, i) => `${url}?copy=${i}`);
    for (const copy of copies) web.set(copy, page);
    web.set(url, page.replace('<p>', `<p>${copies.map((copy) => `<a href="${copy}">more</a>`).join(' ')}`));
  }
}

/** Fails to fetch some pages, always the same; with several fetches at a time some time out, and all take a moment. */
export class FaultyFetcher extends PaperFetcher {
  readonly #share: number;
  readonly #inTime: boolean;

  /** @param share - of pages that cannot be had, in [0,1] */
  constructor(web: ReadonlyMap<string, Answer>, share: number, inTime: boolean) {
    super(web);
    this.#share = share;
    this.#inTime = inTime;
  }

  override async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    const n = Number(/\/page\/(\d+)/.exec(url)?.[1] ?? 0);
    const fails = !NAMED.test(url) && ((n * 7919) % 100) / 100 < this.#share;
    if (this.#inTime) await setTimeout(n % 3);
    const fault = fails ? this.#fault(url, n) : undefined;
    if (fault === undefined) return await super.fetch(url);
    this.asked.push(url);
    return fault;
  }

  #fault(url: CanonicalUrl, n: number): FetchOutcome | undefined {
    const failed = { kind: 'failed', url, detail: 'a fault', fetchedAt: 0 } as const;
    if (n % 4 === 0) return this.#inTime ? { ...failed, retry: 'later', reason: 'timeout', status: 0 } : undefined;
    if (n % 4 === 1) return { ...failed, retry: 'never', reason: 'http', status: 404 };
    if (n % 4 === 2) return { ...failed, kind: 'refused', reason: 'type' };
    const target = at(paperUrl('rail', (n * 3) % 60));
    return { kind: 'redirected', url, target, status: 302, permanent: false, fetchedAt: 0 };
  }
}
