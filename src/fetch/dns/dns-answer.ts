import type { promises as dns, RecordWithTtl } from 'node:dns';

/** Result of a name lookup. Failures are values, because nonexistent names are common. */
export type Resolution =
  | { readonly kind: 'resolved'; readonly addresses: readonly string[] }
  /** `temporary`: no server responded. Otherwise the name does not exist or has no address. */
  | { readonly kind: 'unresolved'; readonly temporary: boolean; readonly code: string };

export interface Answer {
  readonly resolution: Resolution;
  readonly ttlMs: number;
}

/** Shorter TTLs are extended to this, to spare name servers. Dialling only checked addresses prevents rebinding. */
const MIN_TTL_MS = 10_000;
/**
 * TTL of negative answers (RFC 2308 allows longer ones), and of missing responses or SERVFAIL, which may be
 * temporary.
 */
const NEGATIVE_TTL_MS = 60_000;
const TROUBLE_TTL_MS = 5_000;
/** Codes with which a server confirms that the name or its address does not exist. */
const DEFINITE: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Time to wait for IPv6 addresses once IPv4 addresses are known (RFC 8305 §3, reversed): some servers never send
 * them.
 */
const RESOLUTION_DELAY_MS = 50;

/** Requests IPv4 and IPv6 addresses at once; the answer has the IPv4 ones first. Never rejects. */
export async function ask(resolver: dns.Resolver, name: string): Promise<Answer> {
  const asking = recordsOf(resolver.resolve6(name, { ttl: true }));
  const v4 = await recordsOf(resolver.resolve4(name, { ttl: true }));
  const timer = v4.code === 'ENODATA' ? undefined : setTimeout(() => resolver.cancel(), RESOLUTION_DELAY_MS);
  const v6 = await asking;
  clearTimeout(timer);
  // A server error is not evidence about IPv4, and many machines have only IPv4.
  if (v4.code !== '' && v4.code !== 'ENODATA') return unresolved(v4.code);
  const records = [...v4.records, ...v6.records];
  return records.length === 0 ? unresolved(v6.code) : fromRecords(records);
}

/** Returns true if a server gave a definite answer: it knows the name, or that the name does not exist. */
export function isDefinite({ resolution }: Answer): boolean {
  return resolution.kind === 'resolved' || !resolution.temporary;
}

export function resolved(addresses: readonly string[], ttlMs: number): Answer {
  return { resolution: { kind: 'resolved', addresses }, ttlMs };
}

export function unresolved(code: string): Answer {
  const temporary = !DEFINITE.has(code);
  return { resolution: { kind: 'unresolved', temporary, code }, ttlMs: temporary ? TROUBLE_TTL_MS : NEGATIVE_TTL_MS };
}

export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'EUNKNOWN';
}

interface Found {
  readonly records: readonly RecordWithTtl[];
  /** Why there are no addresses; otherwise `''`. */
  readonly code: string;
}

async function recordsOf(question: Promise<readonly RecordWithTtl[]>): Promise<Found> {
  try {
    const records = await question;
    return { records, code: records.length === 0 ? 'ENODATA' : '' };
  } catch (error) {
    return { records: [], code: codeOf(error) };
  }
}

function fromRecords(records: readonly RecordWithTtl[]): Answer {
  const ttlSeconds = records.reduce((least, record) => Math.min(least, record.ttl), Number.POSITIVE_INFINITY);
  return resolved(
    records.map((record) => record.address),
    Math.max(MIN_TTL_MS, ttlSeconds * 1000),
  );
}
