import type { CanonicalUrl, FetchedPage, FetchOutcome, RenderCounts, RenderMode } from '../core/index.ts';
import type { Recorder } from '../warc/index.ts';
import { findBrowser, loadDriver, type PageToRender, Renderer, siteOf } from './browser/browser.ts';
import { type Need, needOf, sourceFigures, textOf } from './browser/page-need.ts';
import { isGain, SiteGains } from './browser/site-gains.ts';
import type { HttpFetcher } from './fetcher.ts';
import type { KnownVersion, NetworkSettings } from './http-client.ts';

/** Why pages are not rendered although the user wants it. */
export interface NoBrowser {
  readonly why: 'driver' | 'browser' | 'start';
  readonly detail: string;
}

/** Pages rendered at the same time. Our choice: a browser is heavier than the rest of a crawl. */
const PARALLEL = 2;

export interface RenderingPorts {
  /** Called once if pages cannot be rendered. */
  readonly onMissing: (missing: NoBrowser) => void;
  /** False once the run ends: no further page is rendered. */
  readonly isWanted: () => boolean;
  /** True: pages may ask their own site alone, because the user's credentials are sent to some hosts. Default: false. */
  readonly isWithinSite?: boolean;
  /** Records the pages that were rendered. */
  readonly recorder?: Recorder | undefined;
}

/**
 * Returns what renders pages of a fetcher; `undefined` if pages are not rendered. The library that drives the browser is
 * loaded for the first page that needs it. With `auto`, no browser means plain fetching; with `always`, the user is informed.
 */
export function openRendering(
  fetcher: HttpFetcher,
  settings: NetworkSettings,
  ports: RenderingPorts,
): RenderingFetcher | undefined {
  const { render, browser } = settings;
  if (render === 'never') return undefined;
  const path = findBrowser(browser);
  if (path !== undefined) return new RenderingFetcher(fetcher, { ...settings, path }, ports);
  if (render === 'always' || browser !== '') ports.onMissing({ why: 'browser', detail: browser });
  return undefined;
}

type Settings = NetworkSettings & { readonly path: string };

/** A fetcher whose pages are rendered by a browser if their source seems to need it. */
export class RenderingFetcher {
  readonly #fetcher: HttpFetcher;
  readonly #settings: Settings;
  readonly #ports: RenderingPorts;
  #renderer: Promise<Renderer | undefined> | undefined;
  readonly #gains = new SiteGains();
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #isBroken = false;
  readonly #counts = { rendered: 0, gained: 0, failed: 0, leftOut: 0 };

  constructor(fetcher: HttpFetcher, settings: Settings, ports: RenderingPorts) {
    this.#fetcher = fetcher;
    this.#settings = settings;
    this.#ports = ports;
  }

  /** Counts of this run so far. */
  get counts(): RenderCounts {
    return this.#counts;
  }

  /** Like {@link HttpFetcher.fetch}; the body of a rendered page is its source as shown, in UTF-8. */
  async fetch(url: CanonicalUrl, known?: KnownVersion, onBegin?: () => void): Promise<FetchOutcome> {
    const outcome = await this.#fetcher.fetch(url, known, onBegin);
    if (outcome.kind !== 'fetched' || !this.#canRender) return outcome;
    const need = this.#needOf(outcome);
    if (need === 'no' || this.#isLeftOut()) return outcome;
    return await this.#inTurn(() => this.#rendered(outcome, need));
  }

  async close(): Promise<void> {
    await (await this.#renderer)?.close();
  }

  async #opened(): Promise<Renderer | undefined> {
    const { path, renderTimeoutMs, userAgent, contact } = this.#settings;
    const driver = await loadDriver();
    if (driver === undefined) return undefined;
    return new Renderer({
      ...{ driver, path, timeoutMs: renderTimeoutMs },
      userAgent: contact === '' ? userAgent : `${userAgent} (+${contact})`,
      isWithinSite: this.#ports.isWithinSite ?? false,
      source: (url, signal) => this.#fetcher.resource(url, signal),
    });
  }

  #giveUp(missing: NoBrowser): void {
    if (!this.#isBroken) this.#ports.onMissing(missing);
    this.#isBroken = true;
  }

  get #canRender(): boolean {
    return !this.#isBroken && this.#ports.isWanted();
  }

  /** Returns true, and counts the page, if as many pages were rendered as the user allows. */
  #isLeftOut(): boolean {
    const { renderPages } = this.#settings;
    const isLeftOut = renderPages > 0 && this.#counts.rendered >= renderPages;
    if (isLeftOut) this.#counts.leftOut++;
    return isLeftOut;
  }

  #needOf(page: FetchedPage): Need {
    const mode: RenderMode = this.#settings.render;
    if (mode === 'always') return isHtml(page) ? 'likely' : 'no';
    const need = needOf(page);
    return this.#gains.isWorth(siteOf(page.url), need) ? need : 'no';
  }

  async #rendered(page: FetchedPage, need: Need): Promise<FetchedPage> {
    // The limit or the end may have been reached while the page waited.
    if (!this.#canRender || this.#isLeftOut()) return page;
    this.#renderer ??= this.#opened();
    const renderer = await this.#renderer;
    if (renderer === undefined) {
      this.#giveUp({ why: 'driver', detail: '' });
      return page;
    }
    const document = { status: page.status, fields: fieldsOf(page), body: Buffer.from(page.body) };
    const startedAt = performance.now();
    this.#counts.rendered++;
    const html = await this.#htmlOf(renderer, { url: page.url, document });
    return html === undefined ? page : await this.#kept(page, html, { need, startedAt });
  }

  async #htmlOf(renderer: Renderer, page: PageToRender): Promise<string | undefined> {
    try {
      const { html } = await renderer.render(page);
      if (html === undefined) this.#counts.failed++;
      return html;
    } catch (error) {
      this.#giveUp({ why: 'start', detail: (error as Error).message.split('\n')[0] ?? '' });
      return undefined;
    }
  }

  async #kept(page: FetchedPage, html: string, { need, startedAt }: Rendering): Promise<FetchedPage> {
    const body = new TextEncoder().encode(html);
    if (body.length > this.#settings.maxBodyBytes) return page;
    const isGained = isGain(sourceFigures(textOf(page.body)), sourceFigures(textOf(body)));
    this.#gains.note(siteOf(page.url), need, isGained);
    if (!isGained) return page;
    this.#counts.gained++;
    await this.#ports.recorder?.recordRendered({ url: page.url, renderedAt: Date.now(), html: body });
    this.#fetcher.release(page);
    const durationMs = page.durationMs + (performance.now() - startedAt);
    return { ...page, body, durationMs, headers: { ...page.headers, charset: 'utf-8' } };
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= PARALLEL) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#queue.shift()?.();
    }
  }
}

interface Rendering {
  readonly need: Need;
  readonly startedAt: number;
}

function isHtml({ headers, body }: FetchedPage): boolean {
  return /html/.test(headers.contentType) && sourceFigures(textOf(body)).scripts > 0;
}

function fieldsOf({ headers: { contentType, charset } }: FetchedPage): Readonly<Record<string, string>> {
  const type = contentType === '' ? 'text/html' : contentType;
  return {
    'content-type': charset === '' ? type : `${type}; charset=${charset}`,
    // Workers and frames have requests of their own, and nothing in them counts as the page's text.
    'content-security-policy':
      "worker-src 'none'; frame-src 'none'; child-src 'none'; object-src 'none'; form-action 'none'",
  };
}
