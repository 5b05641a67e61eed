import type { IncomingMessage, ServerResponse } from 'node:http';
import { canonicalize } from '../../core/index.ts';
import { asSent, headerValue } from '../../warc/index.ts';
import type { FrozenPage, FrozenWeb } from '../web/frozen-web.ts';
import { drawFault, type FaultSettings } from './faults.ts';

/** Headers of a single connection, or of a coding that is already decoded. */
const NOT_REPLAYED = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'strict-transport-security',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Answers requests from a frozen web, by absolute URL or `Host` header, optionally with faults. */
export class Replay {
  readonly #web: FrozenWeb;
  readonly #faults: FaultSettings;
  readonly #onFailure: (error: unknown) => void;
  /** Requests per URL so far; counted only if faults are drawn. */
  readonly #counts = new Map<string, number>();
  readonly #heads = new WeakMap<FrozenPage, string[]>();
  requests = 0;

  /** @param onFailure called if the archive becomes unreadable */
  constructor(web: FrozenWeb, faults: FaultSettings, onFailure: (error: unknown) => void = () => {}) {
    this.#web = web;
    this.#faults = faults;
    this.#onFailure = onFailure;
  }

  handle(request: IncomingMessage, response: ServerResponse, scheme: 'http' | 'https' = 'http'): void {
    this.requests++;
    const url = askedUrl(request, scheme);
    const fault = this.#draw(url);
    if (fault === 'timeout') return;
    const reply = (): void => {
      if (fault === 'error') say(response, 503, 'Out of order on purpose.\n');
      else this.#tryToAnswer(request, response, url);
    };
    if (this.#faults.latencyMs > 0) setTimeout(reply, this.#faults.latencyMs);
    else reply();
  }

  #draw(url: string): ReturnType<typeof drawFault> {
    const { errorRate, timeoutRate } = this.#faults;
    if (errorRate === 0 && timeoutRate === 0) return 'none';
    const n = this.#counts.get(url) ?? 0;
    this.#counts.set(url, n + 1);
    return drawFault(this.#faults, url, n);
  }

  /** Errors thrown in a request handler would not be caught. */
  #tryToAnswer(request: IncomingMessage, response: ServerResponse, url: string): void {
    try {
      this.#answer(request, response, url);
    } catch (error) {
      say(response, 500, 'The archive cannot be read.\n');
      this.#onFailure(error);
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse, url: string): void {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      say(response, 405, 'A frozen web can only be read.\n');
      return;
    }
    const page = this.#find(url, request.socket.localPort);
    if (page === undefined) {
      say(response, 404, 'Not in the archive.\n');
      return;
    }
    if (page.breaksOff && request.method === 'GET') breakOff(response, page);
    else response.writeHead(page.status, this.#head(page)).end(page.body);
  }

  /** Looks up the URL as requested, then without our port (real hosts on our port), then as https. */
  #find(text: string, port: number | undefined): FrozenPage | undefined {
    const asked = withoutPort(text, port);
    for (const address of [text, asked, overTls(text), overTls(asked)]) {
      const url = canonicalize(address);
      const page = url === undefined ? undefined : this.#web.page(url);
      if (page !== undefined) return page;
    }
    return undefined;
  }

  #head(page: FrozenPage): string[] {
    const known = this.#heads.get(page);
    if (known !== undefined) return known;
    const head = [...replayableHead(page), 'Content-Length', String(page.body.length)];
    this.#heads.set(page, head);
    return head;
  }
}

/** Sends the received part, then closes the connection; without a part, the announced length reveals the truncation. */
function breakOff(response: ServerResponse, { status, headers, body }: FrozenPage): void {
  const head = replayableHead({ headers });
  const promised = headerValue(headers, 'content-length');
  if (body.length === 0 && /^\d{1,15}$/.test(promised)) head.push('Content-Length', promised);
  response.writeHead(status, head);
  response.flushHeaders();
  response.write(body, () => response.destroy());
}

function replayableHead({ headers }: Pick<FrozenPage, 'headers'>): string[] {
  return asSent(headers)
    .filter(([name]) => !NOT_REPLAYED.has(name.toLowerCase()))
    .flat();
}

function askedUrl(request: IncomingMessage, scheme: string): string {
  const target = request.url ?? '/';
  return target.startsWith('/') ? `${scheme}://${request.headers.host ?? ''}${target}` : target;
}

/** Another port may serve another page. */
function withoutPort(url: string, port: number | undefined): string {
  return url.replace(/^(https?:\/\/[^/]*?):(\d+)(?=\/|$)/i, (all, start: string, given: string) =>
    Number(given) === port ? start : all,
  );
}

function overTls(url: string): string {
  return url.replace(/^http:/i, 'https:');
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
