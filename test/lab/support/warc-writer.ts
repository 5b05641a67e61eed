import { gzipSync } from 'node:zlib';

/** One page of a small archive. */
export interface MadePage {
  readonly url: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default: response. */
  readonly type?: string;
  readonly warcHeaders?: Readonly<Record<string, string>>;
}

/** Types whose block is just `body`, without an HTTP answer. */
const BARE_TYPES = ['resource', 'continuation', 'request'];

/** Returns the bytes of one uncompressed WARC record. */
export function warcRecord(page: MadePage): Buffer {
  const body = Buffer.from(page.body ?? '');
  const fields = Object.entries({ 'Content-Type': 'text/html; charset=utf-8', ...page.headers });
  const http = [`HTTP/1.1 ${page.status ?? 200} X`, ...fields.map(([k, v]) => `${k}: ${v}`)].join('\r\n');
  const isBare = BARE_TYPES.includes(page.type ?? '');
  const block = isBare ? body : Buffer.concat([Buffer.from(`${http}\r\n\r\n`), body]);
  const all = {
    'WARC-Type': page.type ?? 'response',
    'WARC-Target-URI': page.url,
    'WARC-Date': '2026-01-02T03:04:05Z',
    'WARC-Record-ID': '<urn:uuid:00000000-0000-0000-0000-000000000000>',
    'Content-Type': page.type === 'resource' ? 'text/html' : 'application/http; msgtype=response',
    ...page.warcHeaders,
    'Content-Length': block.length,
  };
  const head = ['WARC/1.1', ...Object.entries(all).map(([k, v]) => `${k}: ${v}`)].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), block, Buffer.from('\r\n\r\n')]);
}

/** Returns a WARC file with one gzip member per record. */
export function gzippedWarc(pages: readonly MadePage[]): Buffer {
  return Buffer.concat(pages.map((page) => gzipSync(warcRecord(page))));
}

export function plainWarc(pages: readonly MadePage[]): Buffer {
  return Buffer.concat(pages.map(warcRecord));
}

/** Returns a page that links to others. */
export function linking(url: string, title: string, text: string, links: readonly string[]): MadePage {
  const list = links.map((link) => `<a href="${link}">${link.split('/').at(-1)}</a>`).join(' ');
  return {
    url,
    body: `<!DOCTYPE html><html lang="en"><title>${title}</title><body><p>${text}</p><p>${list}</p></body></html>`,
  };
}
