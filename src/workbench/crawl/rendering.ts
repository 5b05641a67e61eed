import type { Fetcher } from '../../engine/index.ts';
import type { HttpFetcher, NoBrowser, RenderingFetcher } from '../../fetch/index.ts';

/** What the user should know if pages cannot be rendered. */
export function noBrowser({ why, detail }: NoBrowser): {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
} {
  const code = 'no-browser';
  const plain = 'Pages are read as they are: those that need JavaScript are empty.';
  if (why === 'driver')
    return {
      ...{ code, message: `A page needs a browser, but the package playwright-core is not installed. ${plain}` },
      remedy: 'Install it where Bingo is installed: npm install playwright-core',
    };
  if (why === 'browser')
    return {
      code,
      message: `${detail === '' ? 'No Chromium or Chrome was found' : `${detail} does not exist`}. ${plain}`,
      remedy: 'Install Chromium, or name its path: bingo settings set network.browser PATH',
    };
  return {
    ...{ code, message: `The browser could not be started (${detail}). ${plain}` },
    remedy: 'Try it by itself: chromium --headless --dump-dom about:blank',
  };
}

/** Returns a fetcher whose pages are rendered if they need it. */
export function withRendering(fetcher: HttpFetcher, rendering: RenderingFetcher): Fetcher {
  return {
    get rendered() {
      return rendering.counts;
    },
    fetch: (url, known, onBegin) => rendering.fetch(url, known, onBegin),
    crawlDelayMs: (host) => fetcher.crawlDelayMs(host),
    resolve: (host) => fetcher.resolve(host),
    addressOf: (host) => fetcher.addressOf(host),
    isReachable: (url) => fetcher.isReachable(url),
    isNamed: (host) => fetcher.isNamed(host),
    forget: (wasForged) => fetcher.forget(wasForged),
    release: (page) => fetcher.release(page),
    close: async () => {
      await rendering.close();
      await fetcher.close();
    },
  };
}
