import type { ServerResponse } from 'node:http';
import type { TinyWeb } from '../../support/tiny-web.ts';
import { BIKE, FOOD, page, prose, startBikeWeb } from './bike-web.ts';

/** What happened to a page of bikes.test after the crawl. */
export type Fate =
  | { readonly kind: 'changed'; readonly links?: readonly string[] }
  /** A counter in the text increases; the server sends no versions. */
  | { readonly kind: 'counted'; readonly count: number }
  | { readonly kind: 'moved'; readonly to: string; readonly status: 301 | 302 }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'noindex' }
  /** Its text is on another subject. */
  | { readonly kind: 'food' }
  /** Its text is that of another page. */
  | { readonly kind: 'as'; readonly n: number }
  /** The connection is cut. */
  | { readonly kind: 'cut' };

export interface LivingWeb {
  readonly web: TinyWeb;
  /** Fates by page number. */
  readonly fates: Map<number, Fate>;
  /** Returns the requests since the last call, as `path status`. */
  told(): readonly string[];
}

const PAGES = 12;

/** Starts the web of bicycles. Its own pages have versions (ETag) and fates. */
export async function startLivingWeb(): Promise<LivingWeb> {
  const web = await startBikeWeb();
  const fates = new Map<number, Fate>();
  let told: string[] = [];
  web.handle('bikes.test', (request, response) => {
    response.on('finish', () => told.push(`${request.url} ${response.statusCode}`));
    const n = Number(/^\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
    const fate = fates.get(n);
    if (fate?.kind === 'cut') request.socket.destroy();
    else if (fate?.kind === 'status') response.writeHead(fate.status, { 'retry-after': '0' }).end();
    else if (fate?.kind === 'moved') response.writeHead(fate.status, { location: fate.to }).end();
    else if (!(n >= 0 && n < PAGES) && fate === undefined) response.writeHead(404).end();
    else answer(response, n, fate, request.headers['if-none-match']);
  });
  return {
    web,
    fates,
    told: () => {
      const since = told;
      told = [];
      return since.filter((line) => !line.startsWith('/robots.txt'));
    },
  };
}

function answer(response: ServerResponse, n: number, fate: Fate | undefined, known: string | undefined): void {
  const etag = fate?.kind === 'counted' ? '' : `"${n}-${fate?.kind ?? 'as it was'}"`;
  if (etag !== '' && known === etag) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...(etag && { etag }) });
  response.end(bodyOf(n, fate));
}

function bodyOf(n: number, fate: Fate | undefined): string {
  if (fate?.kind === 'as') return bodyOf(fate.n, undefined);
  if (fate?.kind === 'food') return page('a soup', `${prose(FOOD, n)} soup soup`, []);
  const near = n < PAGES ? [(n + 1) % PAGES, (n + 2) % PAGES].map((next) => `/${next}`) : [];
  const more = fate?.kind === 'changed' ? (fate.links ?? []) : [];
  const text = fate?.kind === 'changed' ? `${prose(BIKE, n + 5)} tandem tandem recumbent` : prose(BIKE, n);
  const counter = fate?.kind === 'counted' ? ` visitor ${fate.count}` : '';
  const made = page(`bicycle page ${n}`, text + counter, [...near, ...more]);
  return fate?.kind === 'noindex' ? made.replace('<title>', '<meta name="robots" content="noindex"><title>') : made;
}
