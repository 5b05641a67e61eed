import type { IncomingMessage, Server } from 'node:http';
import { isOwnName, localServer, SITE_HEADERS, siteFile } from '../server/index.ts';

/**
 * Serves the files of a folder on loopback only; resolves once it listens.
 * @param onSearch receives the words of searches from other pages of the site. Later ones are answered in the browser
 */
export async function servePortal(
  folder: string,
  port: number,
  onSearch: (words: string) => void = () => {},
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = localServer((request, response) => {
    void answer(folder, request).then(({ status, body, type }) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://portal.invalid');
      if (status === 200 && request.method === 'GET' && pathname === '/search.html')
        onSearch(searchParams.get('q') ?? '');
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

async function answer(folder: string, { method, headers, url }: IncomingMessage): Promise<Answer> {
  if (!isOwnName(headers.host)) return plain(421, 'Use the address that bingo portal printed.');
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Only GET and HEAD.');
  const file = await siteFile(folder, url ?? '/');
  return file === undefined ? plain(404, 'Not found.') : { status: 200, ...file };
}

function plain(status: number, text: string): Answer {
  return { status, body: Buffer.from(`${text}\n`), type: 'text/plain; charset=utf-8' };
}
