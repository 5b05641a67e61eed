import { safeJson } from '../kit/index.ts';

/** Forbids an answer to run scripts, load anything from elsewhere, or be embedded. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function html(status: number, body: string): Response {
  return new Response(body, { status, headers: { ...SAFE_HEADERS, 'content-type': 'text/html; charset=utf-8' } });
}

export function json(status: number, value: unknown): Response {
  return new Response(`${safeJson(value)}\n`, {
    status,
    headers: { ...SAFE_HEADERS, 'content-type': 'application/json' },
  });
}

export function plain(status: number, text: string): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { ...SAFE_HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  });
}
