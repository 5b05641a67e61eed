import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { isOwnName, localServer } from '../server/index.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.xml': 'application/atom+xml; charset=utf-8',
  '.json': 'application/json',
};

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
      response.writeHead(status, {
        'content-type': type,
        'content-length': body.length,
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      });
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
  const path = pathOf(url ?? '/');
  if (path === undefined) return plain(404, 'Not found.');
  const type = TYPES[extname(path)];
  const body = type === undefined ? undefined : await readFile(join(folder, path)).catch(() => undefined);
  return body === undefined ? plain(404, 'Not found.') : { status: 200, body, type: type! };
}

/** Returns a path inside the folder; `undefined` for a path outside it or an invalid one. */
function pathOf(url: string): string | undefined {
  try {
    const path = normalize(decodeURIComponent(url.split(/[?#]/)[0]!));
    const isHidden = path.split(sep).some((part) => part.startsWith('.') || part.includes('\0'));
    if (isHidden || !path.startsWith(sep)) return undefined;
    return path.endsWith(sep) ? `${path}index.html` : path;
  } catch {
    return undefined;
  }
}

function plain(status: number, text: string): Answer {
  return { status, body: Buffer.from(`${text}\n`), type: 'text/plain; charset=utf-8' };
}
