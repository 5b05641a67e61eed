import { BingoError, InputError, UsageError, WorkspaceLockedError } from '../core/index.ts';
import { safeJson } from '../kit/index.ts';
import { BusyError, NotFoundError } from './served.ts';

/** Forbids an answer to run scripts, load anything from elsewhere, or be embedded. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** An error as programs receive it. */
export interface ErrorReply {
  /** Stable, for programs. */
  readonly code: string;
  readonly message: string;
  /** What the caller can do about it. */
  readonly hint?: string | undefined;
}

/** A request that the server refuses, with its status. */
export class RefusedError extends BingoError {
  readonly status: number;

  constructor(status: number, parts: { readonly code: string; readonly message: string; readonly hint?: string }) {
    super(parts);
    this.status = status;
  }
}

/** HTTP status of an error. */
export function statusOf(error: unknown): number {
  if (error instanceof RefusedError) return error.status;
  if (error instanceof NotFoundError) return 404;
  if (error instanceof UsageError || error instanceof InputError) return 400;
  if (error instanceof WorkspaceLockedError || error instanceof BusyError) return 409;
  const code = error instanceof BingoError ? error.code : '';
  if (code.startsWith('SQL_')) return 400;
  if (['NO_MODEL', 'NOT_POSSIBLE', 'STORE_MISSING'].includes(code)) return 409;
  return 500;
}

/** Describes an error. Errors that are not for the user stay in the server's output. */
export function errorReply(error: unknown): ErrorReply {
  if (!(error instanceof BingoError))
    return { code: 'UNEXPECTED', message: 'The server failed.', hint: 'Its output has the error.' };
  const { code, message, hint } = error;
  return { code, message, ...(hint !== undefined && { hint }) };
}

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
