import { isPassingStatus, NOT_NOW, PROXY_PASSWORD_STATUS, type Refusal } from '../core/index.ts';
import { BadPortError } from './bad-port.ts';
import { DialError, RefusedAddressError, UnresolvedNameError } from './connector.ts';
import { DeadlineError, isReset, NoHttpError } from './exchange.ts';
import { FloodError } from './socket-table.ts';

/** Why there is no response: a `FetchOutcome` without its URL and time. */
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
/** Describes timeouts of the client library, whose messages do not name what was waited for. */
const WAITED: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_TIMEOUT: 'connected, but no answer began in time (network.totalTimeoutMs)',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped arriving',
};
const LONG_HEAD = 'UND_ERR_HEADERS_OVERFLOW';
const CONNECT =
  /^(?:ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EAFNOSUPPORT|EACCES|EPERM|EMFILE|ENFILE|ENOBUFS)$/;
const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|ERROR_IN_C|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_|UNSPECIFIED|EPROTO)/;
/** Errors of the TLS protocol, as opposed to certificate errors. */
const PROTOCOL = /^(?:ERR_SSL_|EPROTO)/;
const TOO_OLD = 'the server does not support TLS 1.2 or newer: ';
/** Plain words for OpenSSL's error names. */
const IN_WORDS: Readonly<Record<string, string>> = {
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: TOO_OLD,
  ERR_SSL_UNSUPPORTED_PROTOCOL: TOO_OLD,
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not use TLS: ',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the port does not use TLS: ',
};
/** Names the setting that such a site needs, since the user reads it here. */
const UNVOUCHED = '; network.insecureTls is false';
/** Our own resolver has other errors, so this concerns the name of a proxy. */
const PROXY_NAME = /^(?:ENOTFOUND|ENODATA|EAI_\w+)$/;
/** Matches the error of a proxy that rejected a tunnel. */
const NO_TUNNEL = /^Proxy response \((\d{1,3})\)/;

const NO_ANSWER = 'UND_ERR_PRX_CONN';

const PROXY_WAITED: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_TIMEOUT: 'connected, but no tunnel in time (network.totalTimeoutMs)',
};

/**
 * Errors of one HTTP/2 stream or of the whole connection. Omits errors that a server repeats for every such request.
 */
const HTTP2 = /^(?:ERR_HTTP2_(?:STREAM|SESSION)_|ERR_HTTP2_(?:GOAWAY|INVALID)_|UND_ERR_INFO$)/;
const HTTP2_FOR_GOOD = /NGHTTP2_(?:FRAME_SIZE_ERROR|COMPRESSION_ERROR|HTTP_1_1_REQUIRED)/;

/**
 * Thrown if the proxy itself is unreachable: no host is to blame, and none can be fetched from. For an unknown name
 * or an unreachable site, a proxy responds with a status.
 */
export class SilentProxyError extends Error {
  readonly reason: 'dns' | 'connect';

  constructor(cause: NodeJS.ErrnoException) {
    super(`the proxy does not answer: ${PROXY_WAITED[cause.code ?? ''] ?? cause.message}`, { cause });
    this.reason = PROXY_NAME.test(cause.code ?? '') ? 'dns' : 'connect';
  }
}

/** Thrown if nothing was requested and a later try may succeed. Does not count against the page or its host. */
export class NotNowError extends Error {}

/** Converts the error of a failed tunnel. A proxy that closes the connection may mean only this host. */
export function withoutTunnel(error: unknown): unknown {
  const isProxys = error instanceof Error && !isReset(error);
  return isProxys ? new SilentProxyError(error) : error;
}

/** Converts an error behind a proxy into a proxy error, if the proxy itself was unreachable. */
export function blamingProxy(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  return CONNECT.test(code) || PROXY_NAME.test(code) ? new SilentProxyError(error) : error;
}

/** Classifies a request error by what to do next. */
export function troubleOf(thrown: unknown): Trouble {
  const error = thrown instanceof DialError ? thrown.cause : thrown;
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof RefusedAddressError) return { kind: 'refused', reason: 'private-address', detail };
  if (error instanceof BadPortError) return { kind: 'refused', reason: 'port', detail };
  if (error instanceof UnresolvedNameError) return failed('dns', error.temporary ? 'later' : 'never', detail);
  if (error instanceof SilentProxyError) return failed(error.reason, 'later', detail);
  if (error instanceof NotNowError) return failed(NOT_NOW, 'later', detail);
  if (error instanceof DeadlineError) return failed('timeout', 'later', detail);
  if (error instanceof NoHttpError || error instanceof FloodError) return failed('protocol', 'never', detail);
  const code = String((error as { readonly code?: unknown } | null)?.code ?? '');
  if (TIMEOUT.test(code)) return failed('timeout', 'later', WAITED[code] ?? detail);
  if (CONNECT.test(code)) return failed('connect', 'later', detail);
  if (TLS.test(code)) {
    const words = `${IN_WORDS[code] ?? ''}${tlsDetail(detail)}`;
    return failed('tls', 'never', `${words} (${code}${PROTOCOL.test(code) ? '' : UNVOUCHED})`);
  }
  const proxyStatus = NO_TUNNEL.exec(detail)?.[1];
  if (proxyStatus !== undefined) return tunnelRefused(Number(proxyStatus));
  if (code === NO_ANSWER) return failed('reset', 'later', 'the proxy closed the connection without an answer');
  if (code === LONG_HEAD) return failed('protocol', 'never', 'the head of the answer is longer than 32 KiB');
  if (isReset(error)) return failed('reset', 'later', detail);
  if (HTTP2.test(code) && !HTTP2_FOR_GOOD.test(detail)) return failed('reset', 'later', detail);
  return failed('protocol', 'never', code === '' ? detail : `${detail} (${code})`);
}

/** Describes a status; only a proxy asks for a password with 407. */
export function statusDetail(status: number): string {
  const asks = status === PROXY_PASSWORD_STATUS ? ' (the proxy asks for a user name and password)' : '';
  return `HTTP status ${status}${asks}`;
}

function tunnelRefused(status: number): Trouble {
  const detail = `${statusDetail(status)}${status === PROXY_PASSWORD_STATUS ? '' : ', from the proxy'}`;
  return { kind: 'failed', retry: isPassingStatus(status) ? 'later' : 'never', reason: 'http', detail, status };
}

/**
 * Shortens a TLS error. OpenSSL puts its own functions and files around the reason, and Node.js adds a hint for
 * programmers.
 */
function tlsDetail(detail: string): string {
  return /:error:[^:]*:[^:]*:[^:]*:([^:\n]+):/.exec(detail)?.[1] ?? detail.replace(/; if the root CA is .*$/s, '');
}

function failed(reason: string, retry: 'later' | 'never', detail: string): Trouble {
  return { kind: 'failed', retry, reason, detail, status: 0 };
}
