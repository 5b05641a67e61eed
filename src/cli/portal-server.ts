import type { IncomingMessage, Server } from 'node:http';
import {
  isOwnName,
  localServer,
  MAX_LOG_BYTES,
  type PortalSearch,
  portalSearchIn,
  reporting,
  SEARCH_PAGE,
  SITE_HEADERS,
  siteFile,
} from '../server/index.ts';

/** Where the search page reports to. */
const LOG_PATH = '/log';

/**
 * Serves the files of a folder on loopback only; resolves once it listens.
 * @param onSearch receives what is searched and opened. Without it, the search page reports nothing
 */
export async function servePortal(
  folder: string,
  port: number,
  onSearch?: (search: PortalSearch) => Promise<void>,
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = localServer((request, response) => {
    const isReport = onSearch !== undefined && request.method === 'POST' && request.url === LOG_PATH;
    const answering = isReport ? report(request, onSearch) : answer(folder, request, onSearch !== undefined);
    void answering.then(({ status, body, type }) => {
      response.writeHead(status, { 'content-type': type, 'content-length': body.length, ...SITE_HEADERS });
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : port;
  return { url: `http://127.0.0.1:${own}/`, server };
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly type: string;
}

async function answer(
  folder: string,
  { method, headers, url = '/' }: IncomingMessage,
  isLogged: boolean,
): Promise<Answer> {
  if (!isOwnName(headers.host)) return plain(421, 'Use the address that bingo portal printed.');
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Only GET and HEAD.');
  const file = await siteFile(folder, url);
  if (file === undefined) return plain(404, 'Not found.');
  const isSearch = isLogged && url.split(/[?#]/)[0] === SEARCH_PAGE;
  return { status: 200, ...file, ...(isSearch && { body: reporting(file.body, LOG_PATH) }) };
}

/** Receives what the search page reports. Pages of other sites may not write into the log. */
async function report(request: IncomingMessage, onSearch: (search: PortalSearch) => Promise<void>): Promise<Answer> {
  const { host, origin = '', 'sec-fetch-site': site } = request.headers;
  // Browsers send no origin from pages without a referrer.
  const isOwn = site === undefined ? URL.parse(origin)?.host === host : site === 'same-origin';
  if (!isOwnName(host) || !isOwn) return plain(403, 'Only the search page reports here.');
  const search = portalSearchIn(await bodyOf(request).catch(() => ''));
  if (search === undefined) return plain(400, 'Not a search.');
  await onSearch(search);
  return { status: 204, body: Buffer.alloc(0), type: 'text/plain; charset=utf-8' };
}

/** Returns the body of a request; '' if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_LOG_BYTES) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function plain(status: number, text: string): Answer {
  return { status, body: Buffer.from(`${text}\n`), type: 'text/plain; charset=utf-8' };
}
