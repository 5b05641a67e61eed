import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashedShare } from '../../../src/kit/index.ts';

/** The faults of the web. */
export interface FaultyWebOptions {
  /** Share of requests that are never answered. */
  readonly timeouts: number;
  /** Share of requests answered with a 5xx, some of them with Retry-After. */
  readonly errors: number;
  /** Share of pages behind one or two redirects. */
  readonly redirects: number;
}

/** A generated web behind a proxy: endless pages on twenty hosts. One host is slow and one always fails. */
export interface FaultyWeb {
  /** `http://127.0.0.1:port`, for `--proxy`. */
  readonly proxy: string;
  /** Every request except for robots.txt, in order. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

const WORDS = {
  rail: 'locomotive railway track gauge steam signal carriage platform tunnel viaduct timetable engine coupling'.split(
    ' ',
  ),
  food: 'flour butter oven recipe dough sugar vanilla whisk simmer garlic onion saucepan roast pastry'.split(' '),
  plain: 'people place world year often later small large work name story great many number'.split(' '),
} as const;

const HOSTS = 20;
export const DEAD_HOST = 'dead.faulty.example';

/** Returns the address of a page. Even pages are about railways, odd ones about cooking. */
export function faultyPage(n: number): string {
  if (n % 97 === 96) return `http://${DEAD_HOST}/${n}`;
  return `http://${n % HOSTS === 3 ? 'slow' : `h${n % HOSTS}`}.faulty${n % 5}.example/${n}`;
}

export async function startFaultyWeb(options: FaultyWebOptions): Promise<FaultyWeb> {
  const requests: string[] = [];
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    if (url.endsWith('/robots.txt')) return void response.writeHead(404).end();
    requests.push(url);
    const nth = (asked.get(url) ?? 0) + 1;
    asked.set(url, nth);
    answer(request, response, { ...options, draw: (what) => hashedShare(`${what} ${url} ${nth}`) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { proxy: `http://127.0.0.1:${port}`, requests, close: () => closeServer(server) };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: FaultyWebOptions & { readonly draw: (what: string) => number },
): void {
  const { hostname, pathname } = new URL(request.url ?? '');
  const [, number = '', step = ''] = /^\/(\d+)(?:\/step(\d))?$/.exec(pathname) ?? [];
  const n = Number(number);
  if (options.draw('timeout') < options.timeouts) return;
  if (hostname === DEAD_HOST || options.draw('error') < options.errors) {
    const wait = options.draw('retry-after') < 0.3 ? { 'retry-after': '0' } : {};
    response.writeHead(n % 2 === 0 ? 503 : 500, wait).end();
    return;
  }
  const hops = hashedShare(`redirect ${n}`) < options.redirects ? 1 + (n % 2) : 0;
  const done = step === '' ? 0 : Number(step);
  const page = `http://${hostname}/${n}`;
  if (done < hops) return void response.writeHead(302, { location: `${page}/step${done + 1}` }).end();
  const send = (): void => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(n));
  };
  if (hostname.startsWith('slow')) setTimeout(send, 150);
  else send();
}

function pageOf(n: number): string {
  const subject = n % 2 === 0 ? WORDS.rail : WORDS.food;
  const draw = (i: number): number => hashedShare(`${n} ${i}`);
  const words = Array.from({ length: 70 }, (_, i) => {
    const list = draw(i) < 0.45 ? subject : WORDS.plain;
    return list[Math.floor(draw(i + 1000) * list.length)];
  });
  const links = Array.from({ length: 7 }, (_, i) => {
    const to = Math.floor(draw(i + 2000) * 40_000) * 2 + (draw(i + 3000) < 0.75 ? n % 2 : 1 - (n % 2));
    return `<a href="${faultyPage(to)}">${words[i]}</a>`;
  });
  // Early pages link to the failing host.
  if (n < 6) links.push(...[96, 193, 290].map((to) => `<a href="${faultyPage(to)}">dead end</a>`));
  return `<!doctype html><html lang="en"><title>${subject[0]} ${n}</title><p>${words.join(' ')} page${n}</p>${links.join(' ')}`;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
