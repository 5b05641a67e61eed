import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserType, Page } from 'playwright-core';
import { type CanonicalUrl, hostOf, registeredDomain } from '../../core/index.ts';
import { BEFORE_SCRIPTS, PAGE_SIZE, SHOWN_SOURCE } from './in-page.ts';
import { KeptScripts, PageRequests, type Resource, type ResourceSource } from './page-requests.ts';

/** Where Chromium is usually found, by platform. */
const PLACES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) => `/usr/bin/${name}`),
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};

/** Pages after which the browser is started again, so that its memory stays bounded. Our choice. */
const PAGES_PER_BROWSER = 200;
/** A page is at rest if nothing was requested and nothing changed for this long. */
const REST_MS = 300;
const LOOK_MS = 100;
/** A browser that does not close a page in this time is ended. */
const CLOSE_MS = 2_000;
const LAUNCH_MS = 20_000;

/** The browser cannot reach anything by itself: no names, no proxy that answers, no direct UDP, no background work. */
const CUT_OFF = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-features=WebTransport,MediaRouter,OptimizationHints,Translate,DnsOverHttps,NetworkPrediction',
  '--js-flags=--max-old-space-size=256',
  '--disable-gpu',
  '--mute-audio',
];

/** Finds a browser. `undefined` if none is at the named path, or at the usual places. */
export function findBrowser(named: string): string | undefined {
  const places = named === '' ? (PLACES[process.platform] ?? []) : [named];
  return places.find((path) => existsSync(path));
}

/** Loads the library that drives the browser; `undefined` if it is not installed. */
export async function loadDriver(): Promise<BrowserType | undefined> {
  try {
    return (await import('playwright-core')).chromium;
  } catch {
    return undefined;
  }
}

export interface PageToRender {
  readonly url: CanonicalUrl;
  readonly document: Resource;
}

export interface RendererOptions {
  readonly driver: BrowserType;
  /** Path of the browser. */
  readonly path: string;
  readonly userAgent: string;
  /** Limit for one page. */
  readonly timeoutMs: number;
  readonly source: ResourceSource;
  /** True: pages may ask their own site alone. */
  readonly isWithinSite?: boolean;
}

/** A rendered page. */
export interface Rendered {
  /** The source as shown, or `undefined` with the reason. */
  readonly html: string | undefined;
  readonly problem: string;
  readonly requests: number;
}

/**
 * Renders pages in a browser, each in a context of its own: no cookies, storage or cache survive it. Every request is
 * answered by {@link PageRequests}. A page that crashes or hangs is given up, and the browser is started again.
 */
export class Renderer {
  readonly #options: RendererOptions;
  readonly #scripts = new KeptScripts();
  #browser: Promise<Browser> | undefined;
  readonly #pids = new WeakMap<Browser, number>();
  #blackHole: Server | undefined;
  #pages = 0;
  #attempts = 0;

  constructor(options: RendererOptions) {
    this.#options = options;
  }

  /** Connections that the browser tried to open by itself. All of them were refused. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Never rejects because of the page. Rejects if the browser cannot be started. */
  async render(page: PageToRender): Promise<Rendered> {
    if (this.#pages >= PAGES_PER_BROWSER) await this.#end();
    this.#pages++;
    const browser = await this.#running();
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), this.#options.timeoutMs);
    const { source, isWithinSite = false } = this.#options;
    const requests = new PageRequests({
      ...{
        page: page.url,
        document: page.document,
        source,
        isWithinSite,
        scripts: this.#scripts,
        signal: ending.signal,
      },
    });
    let context: BrowserContext | undefined;
    try {
      context = await withLimit(this.#newContext(browser, requests), this.#options.timeoutMs);
      const html = await withLimit(this.#show(context, page, { requests, signal: ending.signal }), this.#limitMs);
      return { html, problem: '', requests: requests.count };
    } catch (error) {
      const problem = (error as Error).message.split('\n')[0] ?? '';
      return { html: undefined, problem, requests: requests.count };
    } finally {
      clearTimeout(timer);
      ending.abort();
      const isClosed = await withLimit(context?.close() ?? Promise.resolve(), CLOSE_MS).then(
        () => true,
        () => false,
      );
      if (!isClosed || !browser.isConnected()) await this.#end(browser);
    }
  }

  async close(): Promise<void> {
    await this.#end();
    this.#blackHole?.close();
    this.#blackHole = undefined;
  }

  /** Time for a page and for reading it. */
  get #limitMs(): number {
    return this.#options.timeoutMs + CLOSE_MS;
  }

  async #newContext(browser: Browser, requests: PageRequests): Promise<BrowserContext> {
    const context = await browser.newContext({
      ...{ userAgent: this.#options.userAgent, serviceWorkers: 'block', acceptDownloads: false },
      ...{ viewport: { width: 1280, height: 2400 }, permissions: [] },
    });
    await context.addInitScript(BEFORE_SCRIPTS);
    await context.routeWebSocket(/.*/, (socket) => socket.close());
    await context.route('**/*', requests.answer);
    return context;
  }

  async #show(context: BrowserContext, { url }: PageToRender, watched: Watched): Promise<string> {
    const page = await context.newPage();
    const crashed = new Promise<never>((_, reject) => {
      page.on('crash', () => reject(new Error('the page crashed')));
    });
    context.on('page', (other) => void other.close().catch(() => undefined));
    const shown = this.#rest(page, url, watched).then(() => page.evaluate<string>(SHOWN_SOURCE));
    return await Promise.race([shown, crashed]);
  }

  /** Waits until the page is at rest, or its time is up. */
  async #rest(page: Page, url: CanonicalUrl, { requests, signal }: Watched): Promise<void> {
    const { timeoutMs } = this.#options;
    await page.goto(url, { waitUntil: 'domcontentloaded', timeout: timeoutMs });
    let [size, since] = ['', performance.now()];
    while (!signal.aborted && (requests.open > 0 || performance.now() - since < REST_MS)) {
      await sleep(LOOK_MS);
      const now = await withLimit(page.evaluate<string>(PAGE_SIZE), timeoutMs);
      if (now !== size || requests.open > 0) since = performance.now();
      size = now;
    }
  }

  async #running(): Promise<Browser> {
    this.#browser ??= this.#start();
    try {
      return await this.#browser;
    } catch (error) {
      this.#browser = undefined;
      throw error;
    }
  }

  async #start(): Promise<Browser> {
    const proxy = await this.#proxy();
    const { driver, path } = this.#options;
    const browser = await driver.launch({
      ...{ executablePath: path, headless: true, args: CUT_OFF, timeout: LAUNCH_MS },
      // The sandbox does not work for root.
      chromiumSandbox: process.getuid?.() !== 0,
      proxy: { server: `http://127.0.0.1:${proxy}`, bypass: '<-loopback>' },
    });
    const pid = await withLimit(processOf(browser), LAUNCH_MS).catch(() => undefined);
    if (pid !== undefined) this.#pids.set(browser, pid);
    return browser;
  }

  /** A proxy that refuses everything, for requests that do not pass through {@link PageRequests}. */
  async #proxy(): Promise<number> {
    const server = this.#blackHole ?? createServer((socket) => this.#refuse(socket));
    this.#blackHole = server;
    if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    server.unref();
    return (server.address() as AddressInfo).port;
  }

  #refuse(socket: { destroy(): void; on(event: 'error', listener: () => void): void }): void {
    this.#attempts++;
    socket.on('error', () => undefined);
    socket.destroy();
  }

  /** Ends the browser. @param lost only this one: the other page may have started the next browser meanwhile */
  async #end(lost?: Browser): Promise<void> {
    const ending = this.#browser;
    const browser = await ending?.catch(() => undefined);
    if (browser === undefined || (lost !== undefined && browser !== lost)) return;
    if (this.#browser === ending) {
      this.#browser = undefined;
      this.#pages = 0;
    }
    const closed = browser.close();
    await withLimit(closed, CLOSE_MS)
      .catch(() => this.#kill(browser, closed))
      .catch(() => undefined);
  }

  /** Kills a browser that does not close: the driver waits for its process without limit. */
  async #kill(browser: Browser, closed: Promise<void>): Promise<void> {
    const pid = this.#pids.get(browser);
    // A process that still runs keeps its number.
    if (pid === undefined || !browser.isConnected()) return;
    process.kill(pid, 'SIGKILL');
    await withLimit(closed, CLOSE_MS);
  }
}

/** Returns the number of the browser's own process. */
async function processOf(browser: Browser): Promise<number | undefined> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.find(({ type }) => type === 'browser')?.id;
}

interface Watched {
  readonly requests: PageRequests;
  readonly signal: AbortSignal;
}

async function withLimit<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished after ${ms} ms`)), ms);
  });
  // What comes too late is of no interest.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the site whose pages share scripts and gains. */
export function siteOf(url: CanonicalUrl): string {
  return registeredDomain(hostOf(url));
}
