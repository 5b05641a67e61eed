import type { Refusal } from '../../core/index.ts';
import { DialError, RefusedAddressError, UnresolvedNameError } from './connector.ts';
import { DeadlineError, isReset } from './exchange.ts';

/** What stood in the way of an answer: a `FetchOutcome` without its URL and time. */
export type Trouble =
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly detail: string }
  | {
      readonly kind: 'failed';
      readonly retry: 'later' | 'never';
      readonly reason: string;
      readonly detail: string;
      readonly status: number;
      readonly retryAfterMs?: number;
    };

const TIMEOUT = /^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;
const CONNECT =
  /^(?:ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM|EMFILE|ENFILE|ENOBUFS)$/;
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

/** Trouble of one HTTP/2 stream or of the whole connection; what a server says of every such request does not pass. */
const HTTP2 = /^(?:ERR_HTTP2_(?:STREAM|SESSION)_|ERR_HTTP2_(?:GOAWAY|INVALID)_|UND_ERR_INFO$)/;
const HTTP2_FOR_GOOD = /NGHTTP2_(?:FRAME_SIZE_ERROR|COMPRESSION_ERROR|HTTP_1_1_REQUIRED)/;

/** Names an error of a request by what to do next. */
export function troubleOf(thrown: unknown): Trouble {
  const error = thrown instanceof DialError ? thrown.cause : thrown;
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof RefusedAddressError) return { kind: 'refused', reason: 'private-address', detail };
  if (error instanceof UnresolvedNameError) return failed('dns', error.temporary ? 'later' : 'never', detail);
  if (error instanceof DeadlineError) return failed('timeout', 'later', detail);
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (TIMEOUT.test(code)) return failed('timeout', 'later', detail);
  if (CONNECT.test(code)) return failed('connect', 'later', detail);
  if (TLS.test(code)) return failed('tls', 'never', `${detail} (${code})`);
  if (isReset(error)) return failed('reset', 'later', detail);
  if (HTTP2.test(code) && !HTTP2_FOR_GOOD.test(detail)) return failed('reset', 'later', detail);
  return failed('protocol', 'never', code === '' ? detail : `${detail} (${code})`);
}

function failed(reason: string, retry: 'later' | 'never', detail: string): Trouble {
  return { kind: 'failed', retry, reason, detail, status: 0 };
}
